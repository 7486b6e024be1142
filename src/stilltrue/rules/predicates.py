"""Which verb carries the claim, and what does it say of whom?

Looks for the verb patterns of the attribute lexicon, for the use of a known product, and at last for any verb at all.
Liking is `rules.liking`'s question, nouns and "is" are `rules.copulas`'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.slot import Cardinality, Value, ValueType
from stilltrue.rules.attributes import (
    Attribute,
    Part,
    Pattern,
    attribute_of_class,
    attributes,
    is_class,
    pattern_index,
    product_at,
)
from stilltrue.rules.homographs import is_noun_here
from stilltrue.rules.reading import NUMERIC, Claim, Frame, is_rate, key_of, measure, named_value, number_at, value_of, value_words
from stilltrue.rules.verbs import is_past, lemma_of, stem_of
from stilltrue.rules.words import Word, joined, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

SEARCH_WORDS = 40  # how far into a claim a predicate may begin
_HOLE_WORDS = 8  # longest value or subject inside a pattern
DAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekday", "weekend"})
_CHANGES_STATE = frozenset({"switch", "move", "migrate", "change", "convert", "upgrade", "downgrade"})
"""What was switched to is what holds since, not something that merely happened."""
_SIZE_VERBS = frozenset({"hold", "contain", "occupy", "weigh", "grow", "take", "reach", "total", "measure"})
_OURS = frozenset({"", "we", "our team", "the team", "us", "they"})
_PARTICLES = frozenset({"on", "up", "down"})
_AFTER_PARTICLE = frozenset({"by", "for", "in", "again", "now", "since", "until", "because", "and", "but", "when", "if", "as"})
_STREETS = ("street", "road", "avenue", "lane", "strasse", "straße", "gata", "gate", "gatan", "boulevard", "crescent", "square")
"""Endings of street names: where somebody "lives on" one, that is the address and not the city."""


@dataclass(slots=True)
class _Hit:
    pattern: Pattern
    start: int
    end: int
    value: list[Word] | None
    subject: list[Word] | None


def listed(claim: Claim) -> Frame | None:
    """The best verb pattern of the lexicon: the earliest, and of those the one that asks for most."""
    best: tuple[tuple[int, int], _Hit] | None = None
    for at, word in enumerate(claim.core[:SEARCH_WORDS]):
        for pattern in pattern_index().get(word.low, ()):
            hit = _match(claim, pattern, at)
            if hit and (best is None or (at, -pattern.weight) < best[0]):
                best = ((at, -pattern.weight), hit)
        if best and at >= best[1].start + 1:
            break
    return _frame(claim, best[1]) if best else None


def _match(claim: Claim, pattern: Pattern, at: int) -> _Hit | None:
    words = claim.core
    if (pattern.verb and at == 0) or is_noun_here(words, at):
        return None
    hit = _Hit(pattern, at, at + 1, None, None)
    for part in pattern.parts[: pattern.verb]:
        if part.hole == "value":
            hit.value = before_verb(words, at)
            if not hit.value or not (hit.value[-1].named or hit.value[-1].low in {"user", "i", "we"}):
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
    if part.kind and not _fits(claim, part.kind, found):
        return None
    if part.hole == "value":
        hit.value = found
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
    while here < len(words) and (
        words[here].low in word_set("verbs", "fillers")
        or words[here].low in word_set("verbs", "negations")
        or (determiners and words[here].low in word_set("verbs", "determiners"))
    ):
        here += 1
    return here


def before_verb(words: Sequence[Word], at: int) -> list[Word]:
    """The words before the verb, without auxiliaries and adverbs."""
    drop = word_set("verbs", "fillers") | word_set("verbs", "auxiliaries") | word_set("verbs", "negations")
    end = at
    while end and words[end - 1].low in drop:
        end -= 1
    return [word for word in words[:end] if word.low not in {",", "."}]


def _fits(claim: Claim, kind: str, found: Sequence[Word]) -> bool:  # noqa: PLR0911 - one line a kind
    if not found:
        return False
    first, last = found[0], found[-1]
    number = number_at(claim, first.start, last.end)
    leading = number is not None and any(start <= first.start < end for start, end, _ in claim.numbers)
    if kind == "typed":
        return leading
    if kind == "number":
        return leading or first.low.isdigit()
    if kind == "rate":
        return number is not None and is_rate(number)
    if kind in {"duration", "money", "version", "time", "ratio"}:
        return (leading or kind != "version") and number is not None and number.type.value == kind
    if kind == "gerund":
        return first.low.endswith("ing")
    if kind == "region":
        return any(char.isdigit() for char in first.low) and "-" in first.low
    if kind == "path":
        return "/" in first.low or "." in first.low
    if is_class(kind):
        return product_at(found, 0, kind) is not None and not _part_of_more(claim, found)
    if kind == "occupation":
        return is_occupation(found)
    if kind == "date":
        return (number is not None and number.type is ValueType.DATE and leading) or first.low.removesuffix("s") in DAYS
    if kind == "who":
        return first.text[:1].isupper() or first.low in {"someone", "somebody", "a", "an", "my", "her", "his", "their", "our"}
    if kind == "named":
        return first.text[:1].isupper() and product_at(found, 0) is None
    if kind == "street":
        return any(word.low.endswith(_STREETS) for word in found[:5])
    return _of_word_class(kind, found)


def _part_of_more(claim: Claim, found: Sequence[Word]) -> bool:
    """Whether what follows makes it another saying: "is on holiday" switches nothing on, "is done with X" ends nothing."""
    after = next((other for other in claim.whole if other.start >= found[0].end), None)
    if after is None:
        return False
    if found[0].low in {"done", "complete", "finished"}:
        return after.low in {"with", "by", "via", "through", "using"}
    return found[0].low in _PARTICLES and after.low not in _AFTER_PARTICLE and after.low.isalnum()


def _of_word_class(kind: str, found: Sequence[Word]) -> bool:
    """The first words of a value hold one of the class, and no verb stands before it ("has never played golf")."""
    listed = word_set("word_classes", kind)
    for word in found[:4]:
        if word.low in listed:
            return True
        if is_past(word.low) and lemma_of(word.low) is not None:
            return False
    return False


def is_occupation(found: Sequence[Word]) -> bool:
    """Whether a phrase names what somebody works as.

    >>> from stilltrue.rules.words import words
    >>> is_occupation(words("senior data analyst at Bosch")), is_occupation(words("good idea"))
    (True, False)
    """
    phrase = value_words(found, name=True)
    return bool(phrase) and phrase[-1].low.rstrip("s") in word_set("word_classes", "occupation") | {"analyst"}


def _frame(claim: Claim, hit: _Hit) -> Frame | None:
    entry = attributes()[hit.pattern.attribute]
    parts = hit.pattern.parts
    value_first = any(part.hole == "value" for part in parts[: hit.pattern.verb])
    subject = hit.subject if value_first else before_verb(claim.core, hit.start)
    found = hit.value or []
    if not found and claim.core:
        past = claim.core[hit.end - 1].end
        found = [word for word in claim.whole if word.start >= past]
    kept = value_words(subject, name=True)[:6] if value_first and subject else subject
    frame = Frame(kept or None, entry.name, value_of(claim, found, entry), entry.cardinality, entry)
    if entry.classes and hit.pattern.ends is False and frame.value is None:
        return None
    if hit.pattern.ends:
        frame.negated = True
        if frame.value:
            frame.leaves.append(frame.value.key)
    return frame


_USE = frozenset(
    {
        "use",
        "run",
        "adopt",
        "pick",
        "choose",
        "migrate",
        "switch",
        "move",
        "rely",
        "stick",
        "standardise",
        "standardize",
        "build",
        "deploy",
        "host",
        "select",
        "install",
        "go",
        "implement",
        "work",
        "settle",
        "store",
        "be",
        "integrate",
        "like",
        "handle",
        "manage",
        "keep",
        "do",
        "write",
        "have",
        "want",
        "set",
        "add",
        "stay",
        "convert",
        "upgrade",
        "put",
        "render",
        "send",
        "power",
        "serve",
    }
)
_BY = frozenset(
    {
        "on",
        "with",
        "to",
        "in",
        "by",
        "for",
        "using",
        "via",
        "the",
        "a",
        "an",
        "our",
        "into",
        "onto",
        "at",
        "back",
        "up",
        "through",
        "over",
        "as",
        "from",
    }
)


def using(claim: Claim) -> Frame | None:
    """The use of a known product, in whatever words: the product's class is the attribute."""
    words = claim.core
    for at, word in enumerate(words[:SEARCH_WORDS]):
        lemma = lemma_of(word.low)
        here = at + 1
        if lemma not in _USE or is_noun_here(words, at) or (lemma == "be" and not any(w.low in {"on", "using"} for w in words[here : here + 3])):
            continue
        strong = lemma in {"use", "adopt", "install", "choose", "pick", "run"}
        for n in range(here, min(len(words), here + (7 if strong else 4))):
            if words[n].low in {",", ";"} and not strong:
                break
            hit = product_at(words, n)
            if hit and (strong or _near(words[here:n])):
                return _product_frame(claim, before_verb(words, at), words, n, hit)
        if strong and here < len(words):
            return _unknown_tool(claim, at) if lemma in {"use", "adopt", "install"} else None
    return None


def _near(between: Sequence[Word]) -> bool:
    return all(
        word.low in _BY or word.low in word_set("verbs", "fillers") or word.low in word_set("verbs", "determiners")
        for word in between
    )


def _product_frame(
    claim: Claim, subject: list[Word], words: list[Word], at: int, hit: tuple[str, str, int]
) -> Frame | None:
    kind, canonical, end = hit
    value = named_value(words[at : end + 1], canonical, end - at)
    purpose = _purpose(claim, words, end)
    entry = attributes().get(purpose or "") or attribute_of_class(kind)
    if entry is None:
        return None
    if entry.name == "language" and value.key != canonical:
        entry = attributes()["language_version"]
    frame = Frame(subject or None, entry.name, value, entry.cardinality, entry)
    thing = _served(words, end) if joined(subject) in _OURS else None
    if thing and purpose and _class_of_purpose(purpose) is None:
        frame.subject = thing
    elif purpose and purpose not in attributes():
        frame.qualifier = ("purpose", purpose)
        said = _class_of_purpose(purpose)
        if said:
            frame.qualifier = None
            frame.attribute, frame.entry, frame.cardinality = said.name, said, said.cardinality
    return frame


def _served(words: Sequence[Word], end: int) -> list[Word] | None:
    """As in "We use REST for the public API": the thing that something is used for is what the claim is about."""
    near = next((n for n in range(end, min(len(words), end + 3)) if words[n].low in {"for", "in", "on"}), None)
    if near is None or near + 2 >= len(words) or words[near + 1].low not in {"the", "our", "this"}:
        return None
    return value_words(words[near + 1 :], name=True)[:4] or None


def _class_of_purpose(purpose: str) -> Attribute | None:
    from stilltrue.rules.noun_phrases import name_slot  # noqa: PLC0415 - nouns read predicates' values, not the reverse
    from stilltrue.rules.words import words as cut  # noqa: PLC0415

    named = name_slot(cut(purpose))
    return named.known if named and named.known and not named.owner else None


def _purpose(claim: Claim, words: list[Word], end: int) -> str | None:
    """As in "Redis for caching", "Postgres as the database": what for; None where nothing (or everything) is said."""
    del claim
    near = next((n for n in range(end, min(len(words), end + 3)) if words[n].low in {"for", "as"}), None)
    if near is None:
        return None
    found = [
        w for w in value_words(words[near + 1 :], name=True) if w.low not in {"all", "our", "the", "a", "handling"}
    ][:4]
    if not found or found[0].low in word_set("word_classes", "purpose_stop"):
        return None
    return joined(found)


def _unknown_tool(claim: Claim, at: int) -> Frame | None:
    """As in "uses X": a tool nobody listed; what it is for makes the slot where that is said."""
    words = claim.core
    found = value_words(words[at + 1 :], name=True)
    if not found:
        return None
    end = words.index(found[-1]) + 1
    purpose = _purpose(claim, words, end)
    said = _class_of_purpose(purpose) if purpose else None
    text = claim.text[found[0].start : found[-1].end]
    value = Value(text, ValueType.NAME, key_of(text))
    subject = before_verb(words, at) or None
    if said:
        return Frame(subject, said.name, value, said.cardinality, said)
    qualifier = ("purpose", purpose) if purpose else None
    return Frame(subject, "uses", value, Cardinality.MANY, qualifier=qualifier)


def any_verb(claim: Claim) -> Frame | None:
    """The fallback: the first known verb with the preposition that belongs to it is the attribute."""
    words = claim.core
    passed = word_set("verbs", "auxiliaries") | word_set("verbs", "fillers") | word_set("verbs", "negations")
    determiners = word_set("verbs", "determiners")
    for at, word in enumerate(words[:16]):
        if (word.low in passed and not _main_verb(words, at)) or is_noun_here(words, at):
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
    if following in word_set("verbs", "auxiliaries") and word.low == lemma_of(word.low):
        return False
    after = lemma_of(following)
    return not (
        after
        and at <= 2
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
    return Frame(before_verb(words, at) or None, attribute, value, cardinality, certain=False)
