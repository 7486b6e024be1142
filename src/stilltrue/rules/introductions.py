"""Who is "my sister"? Texts tell ("My sister Marta lives here", "Marta is my sister"), questions ask without a name.

Answer: `kin_in` finds whom a question speaks of by kinship alone, `names_in` the names that a text gives them, and
`by_name` puts the question by that name. Left to others: which texts are looked at, and whose "my" it is
(`read.introduced`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from stilltrue.rules.words import word_set

LONGEST: Final = 600  # characters of a text or a question that are looked at
_NAME: Final = r"(?P<name>[A-Z][\w'-]{1,30}(?: [A-Z][\w'-]{1,30})?)"


def kin_in(question: str) -> tuple[str, ...]:
    """The kin of the speaker that a question names without a name, as said.

    >>> kin_in("Where does my sister live?"), kin_in("Where does my sister Marta live?")
    (('sister',), ())
    """
    return tuple(dict.fromkeys(one["kin"].lower() for one in _unnamed().finditer(question[:LONGEST])))


def names_in(text: str, kin: str) -> set[str]:
    """The names that a speaker's text gives to one of their kin.

    >>> names_in("My sister Marta lives in Madrid.", "sister"), names_in("Tom is my sister's husband.", "sister")
    ({'Marta'}, set())
    """
    return {one["name"].removesuffix("'s") for form in _introducing(kin) for one in form.finditer(text[:LONGEST])}


def by_name(question: str, kin: str, name: str) -> str:
    """The question with the name in place of the kin.

    >>> by_name("When is my sister's birthday?", "sister", "Marta")
    "When is Marta's birthday?"
    """
    return re.sub(rf"\b[Mm]y {re.escape(kin)}\b", lambda _: name, question, flags=re.IGNORECASE)


@cache
def _unnamed() -> re.Pattern[str]:
    kin = "|".join(sorted(map(re.escape, word_set("word_classes", "kin")), key=len, reverse=True))
    return re.compile(rf"\b(?i:my) (?P<kin>(?i:{kin}))\b(?!,? [A-Z])")


@cache
def _introducing(kin: str) -> tuple[re.Pattern[str], ...]:
    whom = rf"(?i:my) (?i:{re.escape(kin)})"
    return (
        re.compile(rf"\b{whom}(?:,| is| is called| is named| called| named|'s name is)? {_NAME}"),
        re.compile(rf"\b{_NAME},? (?:is|who is)? ?{whom}\b(?!'s)"),
    )
