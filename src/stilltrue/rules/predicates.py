"""Which verb carries the claim, and what does it say of whom?

Looks for the verb patterns of the attribute lexicon, for the use of a known product, and at last for any verb at all.
Liking is `rules.liking`'s question, nouns and "is" are `rules.copulas`'.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from stilltrue.model.slot import Cardinality
from stilltrue.rules.attributes import (
    Part,
    Pattern,
    attributes,
    pattern_index,
)
from stilltrue.rules.homographs import is_noun_here
from stilltrue.rules.kinds import fits
from stilltrue.rules.noun_phrases import name_slot
from stilltrue.rules.reading import (
    NUMERIC,
    Claim,
    Frame,
    measure,
    value_of,
    value_words,
)
from stilltrue.rules.verbs import is_past, lemma_of, stem_of
from stilltrue.rules.words import Word, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

SEARCH_WORDS = 40  # how far into a claim a predicate may begin
_HOLE_WORDS = 8  # longest value or subject inside a pattern
_CHANGES_STATE = frozenset({"switch", "move", "migrate", "change", "convert", "upgrade", "downgrade"})
"""What was switched to is what holds since, not something that merely happened."""
_SIZE_VERBS = frozenset({"hold", "contain", "occupy", "weigh", "grow", "take", "reach", "total", "measure"})

_DEPARTS = frozenset({"leave at", "depart at", "start at", "begin at"})
"""When something is: the time that "was delayed to 16:05" moves."""


@dataclass(slots=True)
class _Hit:
    pattern: Pattern
    start: int
    end: int
    value: list[Word] | None
    subject: list[Word] | None


def listed(claim: Claim) -> Frame | None:
    """The best verb pattern of the lexicon: the earliest, and of those the one that asks for most."""
    words, index = claim.core, pattern_index()
    for at, word in enumerate(words[:SEARCH_WORDS]):
        patterns = index.get(word.low, ())
        if not patterns or is_noun_here(words, at) or _only_helps(words, at):
            continue
        near = {later.low for later in (*words[at + 1 : at + 2], *words[_skip(words, at + 1) :][:1])}
        behind = {later.low for later in words[at + 1 :]}
        for pattern in patterns:  # the one that asks for most comes first
            if pattern.needed and pattern.needed.isdisjoint(near if pattern.adjacent else behind):
                continue
            if hit := _match(claim, pattern, at):
                return _frame(claim, hit)
    return None


def _only_helps(words: Sequence[Word], at: int) -> bool:
    """As in "Do not squash commits": the verb that carries the claim comes after the denial."""
    return words[at].low in {"do", "does", "did"} and at + 1 < len(words) and words[at + 1].low in {"not", "n't"}


def _match(claim: Claim, pattern: Pattern, at: int) -> _Hit | None:
    words = claim.core
    if pattern.verb and at == 0:
        return None
    hit = _Hit(pattern, at, at + 1, None, None)
    for part in pattern.parts[: pattern.verb]:
        if part.hole == "value":
            hit.value = before_verb(words, at)
            if not hit.value or not _is_somebody(hit.value[-1]):
                return None
    here = at + 1
    rest = pattern.parts[pattern.verb + 1 :]
    for step, part in enumerate(rest):
        following = rest[step + 1] if step + 1 < len(rest) else None
        moved = _step(claim, part, following, here, hit)
        if moved is None:
            return None
        here = moved
    hit.end = here
    return hit


def _is_somebody(word: Word) -> bool:
    """A name, also one that ends in a number ("Windows 7"), or the speaker."""
    return word.named or word.low[:1].isdigit() or word.low in {"user", "i", "we"}


def _step(claim: Claim, part: Part, following: Part | None, here: int, hit: _Hit) -> int | None:
    words = claim.core
    if part.hole is None:
        return _literal(words, part, here)
    here = _skip(words, here, determiners=part.kind is not None)
    end = len(words)
    if following is not None:
        stop = next(
            (n for n in range(here + 1, min(len(words), here + _HOLE_WORDS + 1)) if words[n].low in following.words),
            None,
        )
        if stop is None or any(word.low in {",", ";", "."} for word in words[here:stop]):
            return None
        end = stop
    found = words[here:end]
    if part.kind and not fits(claim, part.kind, found):
        return None
    if part.hole == "value":
        hit.value = found
    elif found and found[0].low in word_set("verbs", "prepositions"):
        return None  # "handed in the keys to the Oslo flat" hands over nothing called "in the keys"
    else:
        hit.subject = found
    return end


def _literal(words: Sequence[Word], part: Part, here: int) -> int | None:
    if part.optional:
        for _ in range(3):
            if here < len(words) and words[here].low in part.words:
                here += 1
        return here
    if here < len(words) and words[here].low in part.words:
        return here + 1
    skipped = _skip(words, here)
    return skipped + 1 if skipped < len(words) and words[skipped].low in part.words else None


def _skip(words: Sequence[Word], here: int, *, determiners: bool = False) -> int:
    passed = _passed(determiners=determiners)
    while here < len(words) and words[here].low in passed:
        here += 1
    return here


@cache
def _passed(*, determiners: bool) -> frozenset[str]:
    passed = word_set("verbs", "fillers") | word_set("verbs", "negations")
    return passed | word_set("verbs", "determiners") if determiners else passed


@cache
def _leading() -> frozenset[str]:
    return _passed(determiners=False) | word_set("verbs", "auxiliaries")


def before_verb(words: Sequence[Word], at: int) -> list[Word]:
    """The words before the verb, without auxiliaries and adverbs."""
    drop = _leading()
    end = at
    while end and (words[end - 1].low in drop or _ceasing(words, end)):
        end -= 1
    found = [word for word in words[:end] if word.low not in {",", "."}]
    shared = len(found) > 2 and found[-1].low == "and" and found[0].low in _PERSONS  # noqa: PLR2004 - somebody, a verb, and
    return found[:1] if shared else found


def _ceasing(words: Sequence[Word], end: int) -> bool:
    """As in "I stopped going to the gym": the word of end belongs to the verb that follows it."""
    return end < len(words) and words[end - 1].low in _CEASED and words[end].low.endswith("ing")


_CEASED = frozenset({"stop", "stops", "stopped", "quit", "quits"})
_PERSONS = frozenset({"i", "we", "user", "he", "she", "they", "you"})
"""Of two verbs that share a subject, the second has it from the first: "we left AWS and host on Hetzner"."""


def _frame(claim: Claim, hit: _Hit) -> Frame | None:
    entry = attributes()[hit.pattern.attribute]
    parts = hit.pattern.parts
    if entry.name == "owner" and (_possession(claim, hit.start) or _is_office(hit.subject)):
        return None
    value_first = any(part.hole == "value" for part in parts[: hit.pattern.verb])
    subject = hit.subject if value_first or hit.subject else before_verb(claim.core, hit.start)
    found = hit.value or []
    if not found and claim.core:
        past = claim.core[hit.end - 1].end
        found = [word for word in claim.whole if word.start >= past]
    kept = value_words(subject, name=True)[:6] if hit.subject and subject else subject
    frame = Frame(kept or None, entry.name, value_of(claim, found, entry), entry.cardinality, entry)
    if entry.classes and hit.pattern.ends is False and frame.value is None:
        return None
    if entry.name == "age" and frame.value is not None and _counts(hit, frame.value.text):
        return None
    if hit.pattern.ends:
        frame.negated = True
        if frame.value:
            frame.leaves.append(frame.value.key)
    return frame


def _possession(claim: Claim, at: int) -> bool:
    """As in "owns two bikes": what is counted is had; what is named is answered for ("owns the billing module")."""
    after = claim.core[at + 1].low if at + 1 < len(claim.core) else ""
    return after in {"a", "an", "one", "two", "three", "four", "five", "several", "many"} or after.isdigit()


def _counts(hit: _Hit, value: str) -> bool:
    """As in "turned 40 pages": the figure counts something, and is no age."""
    return any(part.kind == "number" for part in hit.pattern.parts) and len(value.split()) > 1


def _is_office(thing: Sequence[Word] | None) -> bool:
    """As in "handed the team lead of Atlas over": who holds an office owns nothing by it."""
    named = name_slot(thing) if thing else None
    return named is not None and named.known is not None and named.known.name in {"lead", "holder", "ceo"}


def any_verb(claim: Claim) -> Frame | None:
    """The fallback: the first known verb with the preposition that belongs to it is the attribute."""
    words = claim.core
    passed = _leading()
    determiners = word_set("verbs", "determiners")
    for at, word in enumerate(words[:16]):
        if (word.low in passed and not _main_verb(words, at)) or is_noun_here(words, at) or _ceasing(words, at + 1):
            continue
        before = words[at - 1].low if at else ""
        simple_subject = at > 0 and (
            before in {"i", "we", "user", "they", "he", "she", "you"} or (before in passed and at > 1)
        )
        if before in determiners and before not in {"no", "only"}:
            continue
        lemma = lemma_of(word.low) or (
            stem_of(word.low)
            if simple_subject and word.low.isalpha() and word.low.endswith(("s", "ed", "ing"))
            else None
        )
        if lemma in {None, "be"} or (at and not _verb_here(words, at)):
            continue
        return _verb_frame(claim, at, str(lemma))
    return None


def _main_verb(words: Sequence[Word], at: int) -> bool:
    """Whether have, want or need carries the claim itself ("users have an email") and no verb follows it."""
    if lemma_of(words[at].low) not in {"have", "want", "need"} or not at:
        return False
    after = _skip(words, at + 1)
    following = words[after].low if after < len(words) else ""
    return (
        bool(following)
        and following not in {"to", "been", "got"}
        and not (is_past(following) and words[at].low != "want")
    )


def _verb_here(words: Sequence[Word], at: int) -> bool:
    """A noun that looks like a verb ("tests run") is passed over when a better verb follows right away."""
    word = words[at]
    following = words[at + 1].low if at + 1 < len(words) else ""
    goes = following == "to" and at and words[at - 1].low in _PERSONS  # "I cycle to work"
    if following in word_set("verbs", "auxiliaries") and word.low == lemma_of(word.low) and not goes:
        return False
    after = lemma_of(following)
    return not (
        after
        and at <= 2  # noqa: PLR2004 - only the head of the sentence can be such a noun
        and word.low.endswith("s")
        and following == after
        and after != "be"
        and not word.low.endswith("ss")
    )


def _verb_frame(claim: Claim, at: int, lemma: str) -> Frame:
    words = claim.core
    end = at + 1
    prepositions = word_set("verbs", "prepositions")
    end = _skip(words, end)
    name = lemma
    if end < len(words) and words[end].low in prepositions:
        name = f"{lemma} {'with' if words[end].low == 'without' else words[end].low}"
        end += 1
    value = value_of(claim, words[end:], None)
    typed = value is not None and (value.number is not None or value.type in NUMERIC)
    progressive = at > 0 and words[at - 1].low in word_set("verbs", "auxiliaries")
    event = is_past(words[at].low) and not progressive and words[at].low != lemma and lemma not in _CHANGES_STATE
    cardinality = Cardinality.ONE if typed or value is None else Cardinality.MANY
    if event:
        cardinality = Cardinality.EVENT
    elif lemma in _CHANGES_STATE and name.endswith(" to"):
        cardinality = Cardinality.ONE
    attribute = "has" if name == "have" else f"verb:{name}"
    if value is not None and lemma in _SIZE_VERBS and measure(value):
        attribute, cardinality = str(measure(value)), Cardinality.ONE
    if value is not None and name in _DEPARTS and measure(value) == "time" and at and words[at - 1].low not in _PERSONS:
        attribute, cardinality = "time", Cardinality.ONE
    return Frame(before_verb(words, at) or None, attribute, value, cardinality, certain=False)
