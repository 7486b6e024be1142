"""Which number do these characters write?

Answer: `read_number`, digits or words ("1,000", "2.5M", "three hundred", "half an"), and `fold`, which makes exotic
digits, spaces and dashes plain without moving any character. What is counted or measured is `rules.units`' and
`rules.quantities`' business.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from stilltrue.rules.patterns import late

_FOLDS = str.maketrans("’‘ʼ−‐‑⁄∕：，．", "'''---//:,.")
_GROUPING_SPACES = "\u00a0\u202f\u2007\u2009"  # the spaces that style guides put between groups of three digits
_LONGEST_NUMERAL = 12  # words; the longest that people write out ("two hundred and fifty thousand ...") has fewer

_ONES = {
    word: value
    for value, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
            *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
}
_SCALES = {"thousand": 1e3, "million": 1e6, "mn": 1e6, "mio": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
_COUNTS = {"hundred": 1e2, "dozen": 12.0, "lakh": 1e5, "crore": 1e7} | _SCALES  # what "5 ..." multiplies by
_GLUED = {"k": 1e3, "K": 1e3, "M": 1e6, "mn": 1e6, "mio": 1e6, "B": 1e9, "bn": 1e9}  # "512 B", with a space, is bytes
_GLYPHS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}

START_WORDS = "|".join([*_ONES, *_TENS, "half", "dozens?"])
"""A pattern for the words that a number may begin with; "a" and "an" are left to who knows what follows."""

_DIGITS = late(
    r"""(?P<sign>[-+])?(?:
    (?P<grouped>\d{1,3}(?:(?:,\d{3}){1,5}|(?:'\d{3}){1,5}|(?:_\d{3}){1,5}|(?:\u00a0\d{3}){1,5}|(?:,\d\d){1,4},\d{3}
          |(?:[ ]\d{3}){2,5}|[ ]\d\d0)
       (?:\.\d{1,12})?(?![\d_]|[ ,]\d{3}))
   |(?P<continental>\d{1,3}(?:(?:\.\d{3}){2,5}(?:,\d{1,12})?|(?:\.\d{3}){1,5},\d{1,12})(?!\d))
   |(?P<plain>(?:\d{1,40}+(?:\.\d{1,12}+)?|\.\d{1,12}+)(?!\d|\.\d))
   )""",
    re.VERBOSE,
)
_DOUBTFUL = late(r"[1-9]\d{0,2}\.000")  # one here, a thousand there
_DECIMAL_COMMA = late(r"(\d{1,12}),(\d{1,2})(?![\d,])")
_GLUED_SCALE = late(r"(?:k|K|M|mn|mio|B|bn)(?![\w°µμ])")
_SPACED_SCALE = late(r"[ \u00a0-]([a-z]{2,8})(?!\w)", re.IGNORECASE)
_WORD = late(r"[A-Za-z]{1,9}+(?!\w)")
_GAP = late(r"\s{1,3}+|-")
_PART_OF_UNIT = late(
    r"(?:(?:a\s+)?half(?:\s+an?(?!\w)|(?=[\s-]))|(?:a\s+)?quarter\s+of\s+an?|three\s+quarters\s+of\s+an?)(?!\w)",
    re.IGNORECASE,
)
_AND_A_HALF = late(r"\s+and\s+a\s+(half|quarter)(?!\w)", re.IGNORECASE)
_COUPLE = late(r"a\s+couple(?:\s+of)?(?!\w)", re.IGNORECASE)


class Numeral(NamedTuple):
    """A number read up to `end`. `digits` are as written, for ids that no float holds ("" for words).

    `needs_unit`: it counts only in front of a unit ("one", "an", "half an", "1,5"). `vague`: "a couple of".
    """

    number: float
    end: int
    digits: str = ""
    needs_unit: bool = False
    vague: bool = False


def fold(text: str) -> str:
    """`text` with plain digits, spaces, apostrophes and hyphens, every character in its place.

    >>> fold("٣٠\u2003ms"), fold("30 ms")
    ('30 ms', '30 ms')
    """
    return text if text.isascii() else "".join(map(_plain, text.translate(_FOLDS)))


def _plain(character: str) -> str:
    if character.isascii():
        return character
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if character in _GROUPING_SPACES:
        return "\u00a0"
    return " " if character.isspace() else character


def read_number(text: str, at: int) -> Numeral | None:
    """The number that begins exactly at `at` of a folded text, or None.

    >>> [read_number(words, 0).number for words in ("1,000", "2.5M", "three hundred and five", "half a dozen", "1½")]
    [1000.0, 2500000.0, 305.0, 6.0, 1.5]
    >>> read_number("1.000", 0) is None  # one, or a thousand: it depends on the country
    True
    """
    if text[at : at + 1] in _GLYPHS:
        return Numeral(_GLYPHS[text[at]], at + 1)
    return _read_words(text, at) if text[at : at + 1].isalpha() else _read_digits(text, at)


def _read_digits(text: str, at: int) -> Numeral | None:
    comma = _DECIMAL_COMMA.match(text, at)
    if comma:  # "1,5 l" is a decimal only where a unit follows; "options 3,4" are two numbers
        return Numeral(float(f"{comma[1]}.{comma[2]}"), comma.end(), needs_unit=True)
    found = _DIGITS.match(text, at)
    if not found or _DOUBTFUL.fullmatch(found[0]):
        return None
    written = found[0].lstrip("+-")
    if found["grouped"]:
        number = float(re.sub(r"[,'_ \u00a0]", "", written))
    elif found["continental"]:
        number = float(written.replace(".", "").replace(",", "."))
    else:
        number = float(written)
    end = found.end()
    glyph = _GLYPHS.get(text[end : end + 1], 0.0)
    number, end, scaled = _scale(text, end + bool(glyph), number + glyph)
    half = _AND_A_HALF.match(text, end) if text[end : end + 2].strip() == "a" else None
    if half:
        number, end = number + _share(half[1]), half.end()
    sign = -1 if found["sign"] == "-" else 1
    return Numeral(sign * number, end, "" if scaled or glyph or half or not found["plain"] else written)


def _scale(text: str, end: int, number: float) -> tuple[float, int, bool]:
    glued = _GLUED_SCALE.match(text, end)
    if glued:
        return number * _GLUED[glued[0]], glued.end(), True
    spaced = _SPACED_SCALE.match(text, end)
    if spaced and spaced[1].lower() in _COUNTS:
        return number * _COUNTS[spaced[1].lower()], spaced.end(), True
    return number, end, False


def _share(word: str) -> float:
    return 0.5 if word.lower() == "half" else 0.25


def _read_words(text: str, at: int) -> Numeral | None:
    couple = _COUPLE.match(text, at)
    if couple:
        return Numeral(2.0, couple.end(), vague=True)
    part = _PART_OF_UNIT.match(text, at)
    if part:
        return _read_part(text, part)
    words = _words_from(text, at)
    if not words:
        return None
    article = words[0][0] in ("a", "an")
    number, used = _sum_words([word for word, _ in words[article:]], article=article)
    if not used:
        return Numeral(1.0, words[0][1], needs_unit=True) if article else None
    end = words[article + used - 1][1]
    half = _AND_A_HALF.match(text, end)
    if half:
        return Numeral(number + _share(half[1]), half.end())
    return Numeral(number, end, needs_unit=number == 1)


def _read_part(text: str, part: re.Match[str]) -> Numeral:
    words = part[0].lower()
    number = 0.75 if "quarters" in words else 0.25 if "quarter" in words else 0.5
    scale = _SPACED_SCALE.match(text, part.end())
    if scale and scale[1].lower() in _COUNTS:
        return Numeral(number * _COUNTS[scale[1].lower()], scale.end())
    return Numeral(number, part.end(), needs_unit=True)


def _words_from(text: str, at: int) -> list[tuple[str, int]]:
    """Lower-case words from `at` on as long as they may belong to a number, each with its end."""
    words: list[tuple[str, int]] = []
    while len(words) < _LONGEST_NUMERAL and (found := _WORD.match(text, at)):
        word = found[0].lower()
        if word not in _ONES and word not in _TENS and word not in _COUNTS and word not in ("a", "an", "and"):
            break
        words.append((word, found.end()))
        gap = _GAP.match(text, found.end())
        if not gap:
            break
        at = gap.end()
    return words


def _sum_words(words: list[str], *, article: bool) -> tuple[float, int]:
    """The number that the longest well-formed beginning of `words` writes, and how many words that is.

    >>> _sum_words("two hundred and fifty thousand".split(), article=False)
    (250000.0, 5)
    >>> _sum_words("twenty twenty".split(), article=False)  # two numbers, not forty
    (20.0, 1)
    """
    total, group, ceiling, used = 0.0, 1.0 if article else 0.0, float("inf"), 0
    fresh = not article  # whether the group still waits for its first word
    for place, word in enumerate(words):
        if word == "and":
            if not used or (group % 100 and not fresh):
                break
            continue
        if word in _ONES or word in _TENS:
            value = _ONES.get(word) or _TENS.get(word) or 0
            if (article and not used) or not _fits(group, value, fresh=fresh):
                break
            group, fresh = group + value, False
        elif word == "hundred" and not fresh and 0 < group < 100:  # noqa: PLR2004 - nobody says "ten hundred hundred"
            group *= 100
        elif word != "hundred" and word in _COUNTS and not fresh and _COUNTS[word] < ceiling:
            ceiling = _COUNTS[word]
            total, group, fresh = total + group * ceiling, 0.0, True
        else:
            break
        used = place + 1
    return total + group, used


def _fits(group: float, value: int, *, fresh: bool) -> bool:
    """Whether a number under a hundred may follow: after nothing, after hundreds, or ones after tens."""
    if fresh or (group >= 100 and group % 100 == 0):  # noqa: PLR2004 - the decimal system
        return True
    return 0 < value < 10 and group % 100 >= 20 and group % 10 == 0  # noqa: PLR2004 - the decimal system
