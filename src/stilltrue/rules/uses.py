"""Which product does a sentence say is used, and what for?

The class of a known product is the attribute ("we use Postgres" speaks of the database although it never says so); an
unknown tool is told by what it is for. Any other verb is `rules.predicates`' question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.slot import Cardinality, Value, ValueType
from stilltrue.rules.attributes import Attribute, attribute_of_class, attributes, product_at
from stilltrue.rules.homographs import is_noun_here
from stilltrue.rules.noun_phrases import name_slot
from stilltrue.rules.predicates import SEARCH_WORDS, before_verb
from stilltrue.rules.reading import Claim, Frame, key_of, named_value, value_words
from stilltrue.rules.verbs import lemma_of
from stilltrue.rules.words import Word, joined, word_set
from stilltrue.rules.words import words as cut

if TYPE_CHECKING:
    from collections.abc import Sequence

_OURS = frozenset({"", "we", "our team", "the team", "us", "they"})
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
        if (
            lemma not in _USE
            or is_noun_here(words, at)
            or (lemma == "be" and not any(w.low in {"on", "using"} for w in words[here : here + 3]))
        ):
            continue
        strong = lemma in {"use", "adopt", "install", "choose", "pick", "run"}
        for n in range(here, min(len(words), here + (7 if strong else 4))):
            if words[n].low in {",", ";"} and not strong:
                break
            hit = product_at(words, n)
            if hit and (strong or _near(words[here:n])):
                return _product_frame(before_verb(words, at), words, n, hit)
        if strong and here < len(words):
            return _unknown_tool(claim, at) if lemma in {"use", "adopt", "install"} else None
    return None


def _near(between: Sequence[Word]) -> bool:
    return all(
        word.low in _BY or word.low in word_set("verbs", "fillers") or word.low in word_set("verbs", "determiners")
        for word in between
    )


def _product_frame(subject: list[Word], words: list[Word], at: int, hit: tuple[str, str, int]) -> Frame | None:
    kind, canonical, end = hit
    value = named_value(words[at : end + 1], canonical, end - at)
    purpose = _purpose(words, end)
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
    named = name_slot(cut(purpose))
    return named.known if named and named.known and not named.owner else None


def _purpose(words: list[Word], end: int) -> str | None:
    """As in "Redis for caching", "Postgres as the database": what for; None where nothing (or everything) is said."""
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
    purpose = _purpose(words, end)
    said = _class_of_purpose(purpose) if purpose else None
    text = claim.text[found[0].start : found[-1].end]
    value = Value(text, ValueType.NAME, key_of(text))
    subject = before_verb(words, at) or None
    if said:
        return Frame(subject, said.name, value, said.cardinality, said)
    qualifier = ("purpose", purpose) if purpose else None
    return Frame(subject, "uses", value, Cardinality.MANY, qualifier=qualifier)
