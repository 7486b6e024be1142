"""Which commands and settings does a block of code hold, and what is each for?

A heading over a single command says what it does ("Run tests:" over `pytest -v`); a comment behind a command says it of
that one. Only shells and assignments are read: source code is an example, output and file trees are neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from stilltrue.rules.text import tokens

_SHELLS: Final = frozenset({"bash", "sh", "shell", "zsh", "console", "terminal", "fish", "cmd", "powershell"})
_SETTINGS: Final = frozenset({"", "env", "dotenv", "ini", "properties"})
_ASSIGNED: Final = re.compile(r"^(?:export\s+)?(?P<name>[A-Z][A-Z0-9_]{2,60})=(?P<value>\S.{0,300}?)\s*$")
_COMMAND: Final = re.compile(
    r"^(?P<prompt>\$\s+)?(?P<command>[a-z.~][\w./~@+-]*(?:\s+\S.*?)?)(?:\s+#\s+(?P<comment>.+))?\s*$"
)
_UNFINISHED: Final = ("\\", "{", "(", "|", "<<EOF", "&&")
_GONE: Final = frozenset({"old", "before", "previous", "previously", "wrong", "bad", "deprecated", "legacy", "don't"})
_SAID: Final = re.compile(r"^(?P<label>[^:`]{2,60}?)\s*:\s*`(?P<command>[a-z.][\w./-]*\s[^`]{1,300})`[.!]?$")
_LABELLED: Final = re.compile(r"^[^:`]{2,120}?\s*:\s*`(?P<command>[^`]{1,300})`[.!]?$")
_DEFINED: Final = re.compile(
    r"^`(?P<name>[^`]{1,80})`\s*(?:\([^()]{1,60}\)\s*)?(?::|\s[—–-])\s+(?P<what>\S.*)$", re.DOTALL
)
_EMPTY: Final = frozenset(
    {"the", "a", "an", "with", "using", "by", "via", "command", "commands", "now", "unchanged", "is", "are", "as",
     "please", "just", "then", "also", "to", "use", "this", "following"}
)  # fmt: skip
_VALUED: Final = re.compile(r"\w\s*[=:]\s*[\w\"']")
_LONGEST_TASK: Final = 6  # words; longer labels are sentences


@dataclass(frozen=True, slots=True)
class Line:
    """One command or assignment: characters [start, end) of the block, and the comment behind it."""

    start: int
    end: int
    comment: str | None = None


def lines_of(block: str, language: str) -> list[Line]:
    r"""The commands and settings of a code block, in order.

    >>> block = "bun dev  # server\nbun install"
    >>> [block[line.start : line.end] for line in lines_of(block, "bash")]
    ['bun dev', 'bun install']
    >>> lines_of("x = 1", "python"), lines_of("app/\n  main.py", "")
    ([], [])
    """
    language = language.lower()
    if language not in _SHELLS | _SETTINGS:
        return []
    prompted = any(line.startswith("$ ") for line in block.splitlines())
    found: list[Line] = []
    at, goes_on = 0, False
    for line in block.splitlines(keepends=True):
        text, start = line.rstrip(), at
        at += len(line)
        continued, goes_on = goes_on, text.endswith(_UNFINISHED)
        assigned = _ASSIGNED.match(text)
        if assigned and not continued:
            found.append(Line(start, start + len(text)))
            continue
        hit = _COMMAND.match(text) if not (continued or goes_on) else None
        if hit and (hit["prompt"] or (language in _SHELLS and not prompted)):
            found.append(Line(start + hit.start("command"), start + hit.end("command"), hit["comment"]))
    return found


def assignment(line: str) -> tuple[str, str] | None:
    """The name and value of a setting.

    >>> assignment("export REDIS_URL=redis://localhost:6379"), assignment("make test")
    (('REDIS_URL', 'redis://localhost:6379'), None)
    """
    hit = _ASSIGNED.match(line)
    return (hit["name"], hit["value"]) if hit else None


def labelled(sentence: str) -> tuple[str, str] | None:
    """What for, and the command, where a sentence is nothing but these.

    >>> labelled("Run tests with: `pytest -v`"), labelled("Status: `pending`")
    (('Run tests with', 'pytest -v'), None)
    """
    hit = _SAID.match(sentence.strip().strip("*"))
    return (hit["label"].strip(" *"), hit["command"]) if hit else None


def command(text: str) -> str | None:
    """The command in a statement "LABEL: `command`", however it was written; a setting is none.

    >>> command("Run tests: `pytest -v`"), command("Env: `REDIS_URL=redis://localhost`"), command("Use `uv`")
    ('pytest -v', None, None)
    """
    hit = _LABELLED.match(text.strip().strip("*"))
    return hit["command"] if hit and assignment(hit["command"]) is None else None


def defined(sentence: str) -> tuple[str, str] | None:
    """The name in code and what is said of it, where a line explains one thing after another.

    >>> defined("`DELETE /items/{id}` — remove item"), defined("`max_connections=50`: more connections")
    (('DELETE /items/{id}', 'remove item'), None)
    """
    hit = _DEFINED.match(sentence.strip())
    return (hit["name"], hit["what"]) if hit and not _VALUED.search(hit["name"]) else None


def task(label: str) -> str | None:
    """The task that a label names, without the words that only lead to the command; None where it names none.

    >>> task("Run tests with"), task("Run the tests"), task("Old (Alembic)")
    ('run tests', 'run tests', None)
    """
    plain = re.sub(r"\([^)]*+(\)?)", lambda aside: " " if aside[1] else aside[0], label)
    found = [word for word in tokens(plain) if word not in _EMPTY]
    if not found or len(found) > _LONGEST_TASK or found[0] in _GONE:
        return None
    return " ".join(found)


def is_gone(label: str | None) -> bool:
    """Whether a label says that what stands below is no longer used."""
    return bool(label) and tokens(label or "")[:1] != () and tokens(label or "")[0] in _GONE
