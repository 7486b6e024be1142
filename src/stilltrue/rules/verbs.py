"""Which verb is this word a form of? Regular forms of known verbs are made by rule, irregular ones are listed.

Only known verbs are found: an unknown word is not guessed to be one (`stem_of` guesses where the place is certain).
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from stilltrue.rules.lexicons import lexicon

if TYPE_CHECKING:
    from collections.abc import Mapping

_VOWELS = "aeiou"


def _third_person(lemma: str) -> str:
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return lemma[:-1] + "ies"
    return lemma + "s"


def _regular(lemma: str) -> tuple[str, ...]:
    third = _third_person(lemma)
    if lemma.endswith("ie"):
        return (lemma, third, lemma + "d", lemma[:-2] + "ying")
    if lemma.endswith("e") and not lemma.endswith(("ee", "ye")):
        return (lemma, third, lemma + "d", lemma[:-1] + "ing")
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return (lemma, third, lemma[:-1] + "ied", lemma + "ing")
    return (lemma, third, lemma + "ed", lemma + "ing")


@cache
def forms(lemma: str) -> frozenset[str]:
    """Every form of a verb.

    >>> sorted(forms("move"))
    ['move', 'moved', 'moves', 'moving']
    >>> "lived" in forms("leave")
    False
    """
    irregular = lexicon("verbs")["irregular"].get(lemma)
    if irregular is None or lemma == "why":
        return frozenset(_regular(lemma))
    made = _regular(lemma)
    extra = () if lemma == "be" else (lemma, made[1], made[3])
    return frozenset((*irregular, *extra))


@cache
def _lemmas() -> Mapping[str, str]:
    words = lexicon("verbs")
    found: dict[str, str] = {}
    for lemma in words["regular"]["lemmas"]:
        for form in forms(lemma):
            found.setdefault(form, lemma)
    for lemma in words["irregular"]:
        if lemma != "why":
            for form in forms(lemma):
                found[form] = lemma
    return MappingProxyType(found)


def lemma_of(word: str) -> str | None:
    """The known verb that a lower-case word is a form of, or None.

    >>> lemma_of("moved"), lemma_of("oslo")
    ('move', None)
    """
    return _lemmas().get(word)


def stem_of(word: str) -> str:
    """The likeliest base form of a word that must be a verb by its place.

    >>> stem_of("skis"), stem_of("retries"), stem_of("refactored")
    ('ski', 'retry', 'refactor')
    """
    known = lemma_of(word)
    if known:
        return known
    for ending, new in (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x")):
        if word.endswith(ending):
            return word[: -len(ending)] + new
    for ending in ("ing", "ed", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


def is_past(word: str) -> bool:
    """Whether a verb form is in the simple past or a participle.

    >>> is_past("bought"), is_past("buys"), is_past("needs")
    (True, False, False)
    """
    lemma = lemma_of(word)
    if lemma is None:
        return word.endswith("ed")
    if word in {lemma, _third_person(lemma)} or word.endswith("ing"):
        return False
    return lemma not in {"be", "have", "do"} or word in {"was", "were", "had", "did"}
