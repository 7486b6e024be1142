"""Which expressions are kept busy by a hostile text? Run as a child process, which prints one JSON object.

Each expression meets forty texts that are hard for expressions in general, and texts made from its own parts: every
repeated part, pumped up behind what comes before it, and what comes before it pumped up itself. Each is tried with the
methods that are called on it in the source.
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
from itertools import pairwise

from tests.security.exercise import exercise
from tests.security.patterns import METHODS, SOURCE, Expression, call_sites, inline, used

SIZE = 8192
LIMIT = 0.5
"""Seconds of processor time for one text: far above what the slowest needs on an idle machine, far below an attack."""

WHOLE = (
    "connect/", "formats/", "faces/", "inference/", "store/", "audit/configuration", "audit/dating", "audit/structure",
    "audit/repository/pins", "audit/repository/ports", "audit/repository/targets",
)  # fmt: skip
"""Modules that meet files, bodies and replies as they come. All others read what was cut to one line (`bounded`)."""

SHORT = {"audit/repository/bounds.py": 100}
"""Modules that look at no more characters than these."""

FORTY = (
    "a", "A", "1", " ", "\t", "\n", ".", ",", "-", "_", "/", ":", "`", '"', "'", "(", "[", "{", "<", "*", "#", "|", "=",
    "é", "a ", "1 ", "a. ", "a, ", "a-", "1.", "1,", "a:", "a b ", "A b ", "the ", "is ", "not ", " \n", "a\n", "- a\n",
)  # fmt: skip
ENDS = ("", "\x00", "!", "\nx", " x")


class TooSlowError(Exception):
    pass


def _give_up(*_):
    raise TooSlowError


def seconds(run):
    """Processor time of one run; a run beyond reason is ended, which `re` allows."""
    began = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, 4 * LIMIT)
    try:
        run()
    except TooSlowError:
        return 4 * LIMIT
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - began


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
    from stilltrue.rules.sentences import bounded as cut

    return cut(text)


def built(expression, prefix, pumped, end):
    """A hostile text as the expression may meet it."""
    text = (prefix + pumped * (SIZE // len(pumped) + 1))[: SIZE - len(end)] + end
    if isinstance(expression.source, bytes):
        return text.encode("latin-1", "replace")
    if expression.name().startswith(WHOLE):
        return text
    return bounded(text)[: SHORT.get(expression.name().partition(":")[0])]


def methods_of(expression):
    """The methods that are called in the source on the names that this expression has there; else the widest."""
    if expression.name().startswith("audit/places.py") and "(?:/.*)?" in str(expression.source):
        return ["match"]  # in a variable of another name at its caller's
    found = set(expression.methods)
    for file, line in expression.places:
        tree = ast.parse((SOURCE / file).read_text("utf-8"))
        found |= {
            node.func.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == "re"
            and node.func.attr in METHODS
            and node.lineno <= line <= node.end_lineno
        }
        names = {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno <= line <= node.end_lineno
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and isinstance(node.value, ast.Call)
        }
        found |= {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in names
            and node.attr in METHODS
        }
    found -= {"findall", "subn"} if {"sub", "finditer"} & found else set()
    return sorted(found) or ["finditer"]


def worst(expression: Expression):
    """(seconds, method, text) of the slowest of all."""
    compiled = re.compile(expression.source, expression.flags)
    told = (0.0, "", ("", "", ""))
    for method in methods_of(expression):
        for made in made_for(expression):
            took = seconds(runs(compiled, method, built(expression, *made)))
            if took > LIMIT:  # once more: another process may have had the machine's caches
                took = min(took, seconds(runs(compiled, method, built(expression, *made))))
            told = max(told, (took, method, tuple(part[:60] for part in made)))
            if took > LIMIT:
                return told
    return told


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
    told = [(*worst(one), one.name()) for one in expressions if one.name() not in OWN_WORDS]
    json.dump(
        {
            "expressions": len(expressions),
            "tried": sum(len(made_for(one)) * len(methods_of(one)) for one in expressions),
            "slow": [one for one in told if one[0] > LIMIT],
            "worst": max(told),
            "unseen": unseen(expressions),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
