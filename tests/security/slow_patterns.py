"""Which expressions are kept busy by a hostile text? Run as a child process, which prints one JSON object.

Each expression meets forty texts that are hard for expressions in general, and texts made from its own parts: every
repeated part, pumped up behind what comes before it, and what comes before it pumped up itself. Each is tried with the
methods that are called on it in the source, at the longest that can reach it or, where whole files can, at 8 KiB. Those
it takes longest for are tried at other lengths too: four times the text may take about four times as long.
"""

from __future__ import annotations

import ast
import json
import random
import re
import re._constants as code
import re._parser as parser
import signal
import sys
import time
from functools import cache, lru_cache
from itertools import pairwise

from tests.security.exercise import exercise
from tests.security.patterns import METHODS, SOURCE, call_sites, inline, used

SIZE = 8192
LIMIT = 0.05
"""Seconds for one text of that size, the least of several runs."""
SUSPECT = 0.002
"""Seconds from which growth is looked at: what grows with the square of its text takes ten times that at 8 KiB."""
STEP = 4
MOST_GROWTH = 8.0
"""Times as long for `STEP` times the text: between 4, in proportion, and 16, in the square."""
WHOLE_SIZES = (10_000, 40_000)
BOUNDED_SIZES = (1_000, 4_000)
SUSPECTS = 3
"""Texts of each expression whose growth is looked at: those that it took longest for."""
REPEATS = 6
TICK = 0.004
"""By which processor time may be told short: what it is counted in on some machines."""

WHOLE = (
    "connect/", "formats/", "faces/", "inference/", "store/", "audit/configuration", "audit/dating", "audit/structure",
    "audit/repository/pins", "audit/repository/ports", "audit/repository/targets",
)  # fmt: skip
"""Modules that meet files, bodies and replies as they come. All others read what was cut to one line (`bounded`)."""

SHORT = {"audit/repository/bounds.py": 100}
"""Modules that look at no more characters than these."""

STARS = "audit/places.py:107"
"""Made of patterns of paths with a few stars, which are tried in every place: over paths, which systems keep short."""
PATH = 4_096
BY_OTHER_NAMES = (STARS, "rules/troubles.py:99")
"""Those that are matched from the start only, by a variable of another name at their caller's."""

FORTY = (
    "a", "A", "1", " ", "\t", "\n", ".", ",", "-", "_", "/", ":", "`", '"', "'", "(", "[", "{", "<", "*", "#", "|", "=",
    "é", "a ", "1 ", "a. ", "a, ", "a-", "1.", "1,", "a:", "a b ", "A b ", "the ", "is ", "not ", " \n", "a\n", "- a\n",
)  # fmt: skip
ENDS = ("", "\x00", "!", "\nx", " x")


BEYOND = 0.4
"""Seconds of its own after which a run is ended."""


class TooSlowError(Exception):
    pass


def _give_up(*_):
    raise TooSlowError


def seconds(run, repeats=1, times=1):
    """What one run takes, the least of several measurements of `times` runs each, by the clock or by processor time,
    whichever is less: others use the cores too. What is beyond reason is ended, which `re` allows.
    """
    least = BEYOND
    for _ in range(repeats):
        began, own = time.perf_counter(), time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, BEYOND)
        try:
            for _ in range(times):
                run()
        except TooSlowError:
            return BEYOND
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        least = min(least, (time.perf_counter() - began) / times, (time.process_time() - own + TICK) / times)
    return least


def runs(compiled, method, text):
    if method in ("sub", "subn"):
        return lambda: getattr(compiled, method)(lambda found: found[0], text)
    if method == "finditer":
        return lambda: list(compiled.finditer(text))
    return lambda: getattr(compiled, method)(text)


class Sampler:
    """Texts that a part of an expression matches."""

    def __init__(self, seed, ignore_case):
        self.random = random.Random(seed)
        self.ignore_case = ignore_case

    def text(self, parts):
        return "".join(self._one(op, value) for op, value in parts)

    def _one(self, op, value):  # noqa: PLR0911 - one return a kind
        match op:
            case code.LITERAL:
                return chr(value)
            case code.NOT_LITERAL:
                return "b" if value == ord("a") else "a"
            case code.ANY:
                return "a"
            case code.IN:
                return self._of(value)
            case code.BRANCH:
                return self.text(self.random.choice(value[1]))
            case code.SUBPATTERN:
                return self.text(value[3])
            case code.ATOMIC_GROUP:
                return self.text(value)
            case code.MAX_REPEAT | code.MIN_REPEAT | code.POSSESSIVE_REPEAT:
                least, most, inner = value
                return self.text(inner) * max(least, min(most, self.random.choice((0, 1, 1, 2))))
            case _:
                return ""

    def _of(self, items):
        negated = items[0][0] is code.NEGATE
        held = [one for one in "a1 A_.-,:/'\"\t\n(é" if _inside(one, items)]
        if not negated:
            for op, value in items:
                if op is code.LITERAL:
                    held.append(chr(value))
                elif op is code.RANGE:
                    held.append(chr(value[0]))
        return self.random.choice(held or ["a"])


def _inside(sign, items):
    negated = items[0][0] is code.NEGATE
    found = False
    for op, value in items:
        if op is code.LITERAL:
            found |= ord(sign) == value
        elif op is code.RANGE:
            found |= value[0] <= ord(sign) <= value[1]
        elif op is code.CATEGORY:
            named = {
                code.CATEGORY_DIGIT: sign.isdigit(),
                code.CATEGORY_NOT_DIGIT: not sign.isdigit(),
                code.CATEGORY_SPACE: sign.isspace(),
                code.CATEGORY_NOT_SPACE: not sign.isspace(),
                code.CATEGORY_WORD: sign.isalnum() or sign == "_",
                code.CATEGORY_NOT_WORD: not (sign.isalnum() or sign == "_"),
            }
            found |= named[value]
    return found != negated


def pumps(parts, sampler, before=""):
    """(prefix, pumped) for each repeated part."""
    for number, (op, value) in enumerate(parts):
        ahead = before + sampler.text(parts[:number])
        if op in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
            body = sampler.text(value[2]) or "a"
            yield ahead, body
            yield "", ahead + body
            yield from pumps(value[2], sampler, ahead)
        elif op is code.BRANCH:
            for branch in value[1]:
                yield from pumps(branch, sampler, ahead)
        elif op is code.SUBPATTERN:
            yield from pumps(value[3], sampler, ahead)
        elif op is code.ATOMIC_GROUP:
            yield from pumps(value, sampler, ahead)


def made_for(expression):
    """(prefix, pumped, end), each once, most of them made from the expression itself."""
    tree = parser.parse(expression.source, expression.flags)
    told = [("", one, "\x00") for one in FORTY]
    for seed in range(1):
        sampler = Sampler(seed, bool(expression.flags & re.IGNORECASE))
        found = list(dict.fromkeys(pumps(tree, sampler)))
        told += [(*one, random.Random(seed).choice(ENDS)) for one in found[:25]]
        whole = sampler.text(tree)
        told += [("", whole, "\x00")] if whole else []
        told += [("", first[1] + second[1], "\x00") for first, second in pairwise(found[:8])]
    return list(dict.fromkeys(told))


OWN_WORDS = {"rules/modality.py:24"}
"""Expressions that read this package's own lexicon, and nothing of anybody else's."""


def bounded(text):
    from stilltrue.rules.sentences import bounded as cut_short

    return cut_short(text)


def built(expression, made, size=SIZE):
    """A hostile text as the expression may meet it."""
    if isinstance(expression.source, bytes):
        return pumped_up(made, size).encode("latin-1", "replace")
    if expression.name().startswith(WHOLE):
        return pumped_up(made, size)
    if expression.name().startswith(STARS):
        return pumped_up(made, size)[:PATH]
    return cut(made, size)[: SHORT.get(expression.name().partition(":")[0])]


@lru_cache(maxsize=512)
def pumped_up(made, size):
    prefix, pumped, end = made
    return (prefix + pumped * (size // len(pumped) + 1))[: size - len(end)] + end


@lru_cache(maxsize=512)
def cut(made, size):
    return bounded(pumped_up(made, size))


@cache
def nodes_of(file):
    """The calls, assignments and attributes of a module."""
    kinds = ast.Call | ast.Assign | ast.AnnAssign | ast.Attribute
    return [node for node in ast.walk(ast.parse((SOURCE / file).read_text("utf-8"))) if isinstance(node, kinds)]


def methods_of(expression):
    """The methods that are called in the source on the names that this expression has there; else the widest."""
    if expression.name().startswith(BY_OTHER_NAMES):
        return ["match"]
    found = set(expression.methods)
    if found:
        return sorted(found)
    for file, line in expression.places:
        nodes = nodes_of(file)
        found |= {
            node.func.attr
            for node in nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == "re"
            and node.func.attr in METHODS
            and node.lineno <= line <= node.end_lineno
        }
        names = {
            target.id
            for node in nodes
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno <= line <= node.end_lineno
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and isinstance(node.value, ast.Call)
        }
        found |= {
            node.attr
            for node in nodes
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in names
            and node.attr in METHODS
        }
    found -= {"findall", "subn"} if {"sub", "finditer"} & found else set()
    return sorted(found) or ["finditer"]


def taken(expression):
    """(seconds, method, (prefix, pumped, end)) of every text up to one that is beyond reason, the longest first."""
    compiled = re.compile(expression.source, expression.flags)
    texts = made_for(expression)
    found = []
    for method in methods_of(expression):
        for made in texts:
            found.append((seconds(runs(compiled, method, built(expression, made))), method, made))
            if found[-1][0] >= BEYOND:
                return sorted(found, reverse=True)
    return sorted(found, reverse=True)


def growth(expression, method, made):
    """(times as long for `STEP` times the text, seconds of the longer)."""
    compiled = re.compile(expression.source, expression.flags)
    sizes = WHOLE_SIZES if expression.name().startswith(WHOLE) else BOUNDED_SIZES
    each = [runs(compiled, method, built(expression, made, size)) for size in sizes]
    short, long = (seconds(run, REPEATS) for run in each)
    if long / short > MOST_GROWTH:  # once more, so many runs at a time that the clock's steps do not matter
        short, long = (
            seconds(run, REPEATS, 1 + int(10 * TICK / took)) for run, took in zip(each, (short, long), strict=True)
        )
    return long / short, long


def examined(expression):
    """(the slowest, what took too long, what grew too fast, how many texts were tried) of one expression."""
    found = taken(expression)
    compiled = re.compile(expression.source, expression.flags)
    slowest, slow, grown = (0.0, "", ("", "", "")), [], []
    for took, method, made in found[:SUSPECTS]:
        told = (method, tuple(part[:60] for part in made))
        least = took
        if took > SUSPECT:
            least = min(took, seconds(runs(compiled, method, built(expression, made)), REPEATS))
        slowest = max(slowest, (least, *told))
        if least > LIMIT:
            slow.append((least, *told))
            break
        if least > SUSPECT and not expression.name().startswith((STARS, *SHORT)):
            times, long = growth(expression, method, made)
            if times > MOST_GROWTH and long > SUSPECT:
                grown.append((times, long, *told))
    return slowest, slow, grown, len(found)


def unseen(expressions):
    """Calls in the source that make an expression and never did."""
    seen = {place for one in expressions for place in one.places}
    return [
        f"{file}:{first}"
        for file, first, last in call_sites()
        if not any(file == where and first <= line <= last for where, line in seen)
    ]


def main():
    signal.signal(signal.SIGVTALRM, _give_up)
    expressions = [*used(exercise), *inline()]
    told = [(one.name(), *examined(one)) for one in expressions if one.name() not in OWN_WORDS]
    json.dump(
        {
            "expressions": len(expressions),
            "tried": sum(tried for *_, tried in told),
            "slow": [(name, found) for name, _, slow, _, _ in told for found in slow],
            "grown": [(name, found) for name, _, _, grown, _ in told for found in grown],
            "worst": max((slowest, name) for name, slowest, *_ in told),
            "unseen": unseen(expressions),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
