"""Which confusions did the language model report, and can each be traced to lines that it was shown?

Answer: only whole replies count. A confusion that names an unknown id, fewer than two lines, another kind or no
question spoils the reply, and the model is asked once more: whoever invents one line may have misread the others.
Whether the question is fit for a person is not asked here.

Left to others: finding the JSON (``.replies``), what a question has to be like (``stilltrue.rules.story``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from stilltrue.inference.replies import ReplyError, items_in, shown
from stilltrue.model.conflict import ConflictKind
from stilltrue.rules.story import KINDS

if TYPE_CHECKING:
    from collections.abc import Collection

LONGEST_QUESTION: Final = 400
"""Characters: two sentences were asked for. What is longer is cut, loses its question mark, and is dropped for that."""

MOST_REPORTED: Final = 50
"""Confusions in one reply; a model that reports more has not understood what is asked."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A confusion by the ids of the request, in the order given."""

    labels: tuple[str, ...]
    kind: ConflictKind
    question: str


def confusions(text: str, labels: Collection[str]) -> tuple[Reported, ...]:
    """What a reply reports of the lines with these ids. Raises ReplyError.

    >>> confusions('{"confusions": []}', ["f1", "f2"])
    ()
    >>> confusions('{"confusions": [{"facts": ["f1", "f9"], "kind": "stale", "question": "Is it?"}]}', ["f1", "f2"])
    Traceback (most recent call last):
    ...
    stilltrue.inference.replies.ReplyError: a confusion named an id that is none of the lines shown
    """
    items = items_in(text, "confusions")
    if len(items) > MOST_REPORTED:
        raise ReplyError("it reported far too many confusions")
    return tuple(dict.fromkeys(_reported(item, labels) for item in items))


def _reported(item: dict[str, Any], labels: Collection[str]) -> Reported:
    named, kind, question = item.get("facts"), item.get("kind"), item.get("question")
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise ReplyError("a confusion had no list of ids")
    if not set(named) <= set(labels):
        raise ReplyError("a confusion named an id that is none of the lines shown")
    if len(set(named)) < 2:  # noqa: PLR2004 - a confusion is between two at least
        raise ReplyError("a confusion named fewer than two lines")
    if kind not in [one.value for one in KINDS]:
        raise ReplyError("the kind of a confusion was none of the three")
    if not isinstance(question, str) or not shown(question):
        raise ReplyError("the question of a confusion was missing")
    return Reported(tuple(dict.fromkeys(named)), ConflictKind(kind), shown(question, LONGEST_QUESTION))
