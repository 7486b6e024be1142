"""What did the language model really say?

Answer: foreign text becomes votes, claims or an answer, or nothing. A reply must hold one JSON object; prose or a code
fence around it is left away, and nothing else is mended. What is in the object is taken piece by piece: a piece that is
not exactly what was asked for is refused, and its neighbours count all the same. Faults come back as sentences of ours,
which never repeat the reply, so that they can stand in the next request.

Left to others: asking again (``.expert``), what a vote is worth (``stilltrue.rules``).
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from stilltrue.model.expert import Vote
from stilltrue.model.verdict import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LONGEST_REASON: Final = 160  # characters: twelve words were asked for
_LONGEST_REPLY: Final = 400_000  # characters; whatever is longer was not asked for
_OPENING: Final = re.compile(r'\{\s*["}]')  # where JSON begins; a brace before anything else belongs to the prose
_THINKING: Final = re.compile(r"\s*<think>.*?</think>", re.DOTALL)  # models that reason aloud put this first
_KEPT_CATEGORIES: Final = frozenset("LMNPSZ")  # what can be seen: letters, marks, numbers, punctuation, symbols, spaces


class ReplyError(ValueError):
    """The whole reply is of no use; the message says why, in words of ours."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The clean votes by pair id; for each of the other pairs, what was wrong."""

    votes: dict[str, Vote]
    faults: dict[str, str]


def object_in(text: str) -> dict[str, Any]:
    """The one JSON object of a reply. Raises ReplyError for none, several, or one with a key given twice.

    >>> object_in('Here you are: ```json {"found": false} ```')
    {'found': False}
    >>> object_in('{"found": false} or rather {"found": true}')
    Traceback (most recent call last):
    ...
    stilltrue.inference.replies.ReplyError: it held several JSON objects
    """
    if len(text) > _LONGEST_REPLY:
        raise ReplyError("it was far too long")
    thinking = _THINKING.match(text)
    found, end = _first_object(text, thinking.end() if thinking else 0)
    if "{" in text[end:]:
        raise ReplyError("it held several JSON objects")
    return found


def _first_object(text: str, start: int) -> tuple[dict[str, Any], int]:
    """The first object and where it ends. A list of objects is none: nobody asked for one. Raises ReplyError."""
    if text[start:].partition("{")[0].rstrip().endswith("["):
        raise ReplyError("it held a list instead of one JSON object")
    opening = _OPENING.search(text, start)
    try:
        if opening is not None:
            return _DECODER.raw_decode(text, opening.start())
    except (ValueError, RecursionError) as error:
        raise ReplyError("it held no well-formed JSON object") from error
    raise ReplyError("it held no well-formed JSON object")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, unless a key is in it twice: nobody can tell which of the two was meant."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError
    return made


def _no_constant(_: str) -> None:
    raise ValueError


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)


def items_in(text: str, name: str) -> list[dict[str, Any]]:
    """The objects listed under `name`; what is no object there becomes an empty one. Raises ReplyError.

    >>> items_in('{"claims": [{"text": "a"}, 7]}', "claims")
    [{'text': 'a'}, {}]
    """
    listed = object_in(text).get(name)
    if not isinstance(listed, list):
        raise ReplyError(f"it had no list {name!r}")
    return [item if isinstance(item, dict) else {} for item in listed]


def verdicts(text: str, asked: Iterable[str]) -> Verdicts:
    """The clean votes on the pairs asked about; votes on others are nothing. Never raises.

    >>> reply = '{"verdicts": [{"pair": "p1", "relation": "not a CONTRADICTION", "reason": ""}]}'
    >>> verdicts(reply, ["p1"])
    Verdicts(votes={}, faults={'p1': 'its relation was none of the six'})
    >>> verdicts(reply.replace("not a ", ""), ["p1"]).votes["p1"].relation
    <Relation.CONTRADICTION: 'CONTRADICTION'>
    """
    try:
        items = items_in(text, "verdicts")
    except ReplyError as error:
        return Verdicts({}, dict.fromkeys(asked, str(error)))
    made = Verdicts({}, {})
    for pair in asked:
        read = _vote([item for item in items if item.get("pair") == pair])
        if isinstance(read, Vote):
            made.votes[pair] = read
        else:
            made.faults[pair] = read
    return made


def _vote(given: list[dict[str, Any]]) -> Vote | str:
    """The vote on one pair out of the items that name it, or what is wrong with it."""
    if len(given) != 1:
        return "it was given more than once" if given else "it was missing"
    relation, reason = given[0].get("relation"), given[0].get("reason")
    if not isinstance(relation, str) or relation not in _RELATIONS:
        return "its relation was none of the six"
    if not isinstance(reason, str):
        return "its reason was missing"
    return Vote(Relation(relation), shown(reason))


def stored(vote: Vote) -> str:
    """The vote as the cache keeps it."""
    return json.dumps({"relation": vote.relation, "reason": vote.reason})


def vote_in(kept: str) -> Vote | None:
    """The vote that the cache kept; None where this is none.

    >>> vote_in(stored(Vote(Relation.NONE, "two people")))
    Vote(relation=<Relation.NONE: 'NONE'>, reason='two people')
    """
    try:
        read = _vote([object_in(kept)])
    except ReplyError:
        return None
    return read if isinstance(read, Vote) else None


def complaint(faults: Mapping[str, str]) -> str:
    """The faults in words, pairs with the same one together.

    >>> complaint({"p1": "it was missing", "p2": "it was missing", "p4": "its reason was missing"})
    'p1, p2: it was missing; p4: its reason was missing'
    """
    together: dict[str, list[str]] = {}
    for pair, fault in faults.items():
        together.setdefault(fault, []).append(pair)
    return "; ".join(f"{', '.join(pairs)}: {fault}" for fault, pairs in together.items())


_RELATIONS: Final = frozenset(relation.value for relation in Relation)


def shown(text: str, longest: int = LONGEST_REASON) -> str:
    r"""Foreign words as people may be shown them: on one line, without characters nobody sees, cut where too long.

    >>> shown("Moved\n to \x1b[31mGraz\u202e")
    'Moved to [31mGraz'
    """
    seen = (char for char in text if char.isspace() or unicodedata.category(char)[0] in _KEPT_CATEGORIES)
    line = " ".join("".join(seen).split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"
