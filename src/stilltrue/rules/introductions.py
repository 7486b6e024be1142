"""Who is "my sister"? Texts tell ("My sister Marta lives here", "Marta is my sister"), questions ask without a name.

Answer: `kin_in` finds whom a question speaks of by kinship alone, `names_in` the names that a text gives them, and
`by_name` puts the question by that name. Left to others: which texts are looked at, and whose "my" it is
(`read.introduced`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.rules.patterns import late
from stilltrue.rules.words import word_set

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

LONGEST: Final = 600  # characters of a text or a question that are looked at
_KIN: Final = r"\b[Mm]y (?P<kin>[A-Za-z]{1,20}(?:-[a-z]{1,10}){0,2})\b"
_NAME: Final = r"(?P<name>[A-Z][\w-]{1,30}(?: [A-Z][\w-]{1,30})?)"
_ASKED: Final = late(rf"{_KIN}(?!,? [A-Z])")
_INTRODUCING: Final = (
    late(rf"{_KIN}(?:,| is| is called| is named| called| named|'s name is)? {_NAME}"),
    late(rf"\b{_NAME},?(?: is| who is)? {_KIN}(?!'s)"),
)


def kin_in(question: str) -> tuple[str, ...]:
    """The kin of the speaker that a question names without a name, in lower case.

    >>> kin_in("Where does my sister live?"), kin_in("Where does my sister Marta live?")
    (('sister',), ())
    """
    return tuple(dict.fromkeys(one["kin"].lower() for one in _asked(question)))


def _asked(question: str) -> Iterator[re.Match[str]]:
    kin = word_set("word_classes", "kin")
    return (one for one in _ASKED.finditer(question[:LONGEST]) if one["kin"].lower() in kin)


def names_in(text: str, kin: str) -> set[str]:
    """The names that a speaker's text gives to one of their kin.

    >>> names_in("My sister Marta lives in Madrid.", "sister"), names_in("Tom is my sister's husband.", "sister")
    ({'Marta'}, set())
    """
    found = (one for form in _INTRODUCING for one in form.finditer(text[:LONGEST]))
    return {one["name"] for one in found if one["kin"].lower() == kin}


def by_name(question: str, kin: str, name: str) -> str:
    """The question with the name in place of the kin.

    >>> by_name("When is my sister's birthday?", "sister", "Marta")
    "When is Marta's birthday?"
    """
    for one in reversed([one for one in _asked(question) if one["kin"].lower() == kin]):
        question = f"{question[: one.start()]}{name}{question[one.end() :]}"
    return question
