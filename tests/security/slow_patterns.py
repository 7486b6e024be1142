"""Which expressions take more than a time in proportion to their text? Run as a child process, which prints one JSON object.

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

from tests.security.patterns import METHODS, SOURCE, Expression, inline, used

SIZES = (1024, 2048, 8192)
LIMIT = 0.050
"""Seconds of processor time for 8 KiB."""

GROWTH = 8.0
"""From 2 KiB to 8 KiB; in proportion is 4, in square 16."""

WORTH_COMPARING = 0.004
GIVE_UP = 0.3

FORTY = (
    "a", "A", "1", " ", "\t", "\n", ".", ",", "-", "_", "/", ":", "`", '"', "'", "(", "[", "{", "<", "*", "#", "|", "=", "é",
    "a ", "1 ", "a. ", "a, ", "a-", "1.", "1,", "a:", "a b ", "A b ", "the ", "is ", "not ", " \n", "a\n", "- a\n",
)  # fmt: skip
ENDS = ("", "\x00", "!", "\nx", " x")


class TooSlow(Exception):
    pass


def _give_up(*_):
    raise TooSlow


def seconds(run):
    """Processor time of one run; a run beyond reason is ended, which `re` allows."""
    signal.setitimer(signal.ITIMER_VIRTUAL, GIVE_UP)
    began = time.process_time()
    try:
        run()
    except TooSlow:
        return GIVE_UP
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - began


def runs(compiled, method, text):
    if method in ("sub", "subn"):
        return lambda: getattr(compiled, method)(lambda found: found[0], text)
    if method == "finditer":
        return lambda: list(compiled.finditer(text))
    return lambda: getattr(compiled, method)(text)


def is_slow(compiled, method, text_of):
    """Seconds and growth where 8 KiB take too long."""
    small = seconds(runs(compiled, method, text_of(SIZES[0])))
    if small > LIMIT:
        return small, 0.0
    before = min(seconds(runs(compiled, method, text_of(SIZES[1]))) for _ in range(2))
    whole = seconds(runs(compiled, method, text_of(SIZES[2])))
    if whole > WORTH_COMPARING and (whole > LIMIT or whole > GROWTH * before):
        whole = min([whole, *(seconds(runs(compiled, method, text_of(SIZES[2]))) for _ in range(2))])
        before = max(before, *(seconds(runs(compiled, method, text_of(SIZES[1]))) for _ in range(2)))
        if whole > LIMIT or (whole > WORTH_COMPARING and whole > GROWTH * before):
            return whole, whole / max(before, 1e-9)
    return None


class Sampler:
    """Texts that a part of an expression matches."""

    def __init__(self, seed, ignore_case):
        self.random = random.Random(seed)
        self.ignore_case = ignore_case

    def text(self, parts):
        return "".join(self._one(op, value) for op, value in parts)

    def _one(self, op, value):
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
    for seed in range(2):
        sampler = Sampler(seed, bool(expression.flags & re.IGNORECASE))
        found = list(dict.fromkeys(pumps(tree, sampler)))
        told += [(*one, random.Random(seed).choice(ENDS)) for one in found[:40]]
        whole = sampler.text(tree)
        told += [("", whole, "\x00")] if whole else []
        told += [("", first[1] + second[1], "\x00") for first, second in pairwise(found[:12])]
    return list(dict.fromkeys(told))


def built(prefix, pumped, end):
    def of(size):
        text = (prefix + pumped * (size // len(pumped) + 1))[: size - len(end)] + end
        return text

    return of


def methods_of(expression):
    """The methods that are called in the source on the names that this expression has there; else the widest."""
    found = set(expression.methods)
    for file, line in expression.places:
        tree = ast.parse((SOURCE / file).read_text("utf-8"))
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


def slow(expression: Expression):
    compiled = re.compile(expression.source, expression.flags)
    binary = isinstance(expression.source, bytes)
    for method in methods_of(expression):
        for prefix, pumped, end in made_for(expression):
            of = built(prefix, pumped, end)
            texts = {size: of(size).encode("latin-1", "replace") if binary else of(size) for size in SIZES}
            if found := is_slow(compiled, method, texts.__getitem__):
                yield {
                    "places": expression.name(),
                    "pattern": str(expression.source)[:300],
                    "method": method,
                    "text": (prefix[:60], pumped[:60], end),
                    "seconds": round(found[0], 4),
                    "growth": round(found[1], 1),
                }
                break


def main():
    signal.signal(signal.SIGVTALRM, _give_up)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    from tests.security.exercise import exercise

    expressions = [*used(exercise), *inline()]
    tried = sum(len(made_for(one)) * len(methods_of(one)) for one in expressions)
    found = [one for expression in expressions for one in slow(expression)]
    missed = sorted({place for one in expressions for place in one.places})
    json.dump({"expressions": len(expressions), "tried": tried, "slow": found, "places": missed}, sys.stdout)


if __name__ == "__main__":
    main()
