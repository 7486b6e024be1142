"""What does somebody like, dislike or prefer?

Each thing liked is a slot of its own, with the pole as its value, so that "likes tea" and "hates tea" meet; what is
preferred is told by its class ("dark mode" is a theme) or by its head ("window seats" are seats).
"""

from __future__ import annotations

from stilltrue.model.slot import Cardinality, Value, ValueType
from stilltrue.rules.attributes import attribute_of_class, product_at
from stilltrue.rules.homographs import is_noun_here
from stilltrue.rules.predicates import SEARCH_WORDS, before_verb
from stilltrue.rules.reading import Claim, Frame, tidy, value_words
from stilltrue.rules.verbs import lemma_of
from stilltrue.rules.words import joined

_LIKING = {
    "like": "like", "love": "like", "enjoy": "like", "adore": "like", "appreciate": "like",
    "dislike": "dislike", "hate": "dislike", "loathe": "dislike", "detest": "dislike", "despise": "dislike",
}  # fmt: skip
_LIKING_PHRASES = {
    ("fond", "of"): "like", ("keen", "on"): "like", ("fan", "of"): "like", ("crazy", "about"): "like",
    ("stand",): "dislike", ("bear",): "dislike",
    ("partial", "to"): "like", ("love", "with"): "like", ("sick", "of"): "dislike", ("averse", "to"): "dislike",
}  # fmt: skip
_PHRASE_FROM = {phrase[0]: phrase for phrase in _LIKING_PHRASES}


def liking(claim: Claim) -> Frame | None:
    """Likes and dislikes: each thing is a slot of its own, with the pole as its value."""
    words = claim.core
    for at, word in enumerate(words[:SEARCH_WORDS]):
        pole = _LIKING.get(lemma_of(word.low) or "")
        length = 1
        if pole is not None and is_noun_here(words, at):
            continue
        if (
            word.low == "like"
            and at
            and words[at - 1].low
            in {
                "'s",
                "looks",
                "look",
                "is",
                "are",
                "sounds",
                "something",
                "things",
                "'d",
                "would",
                "feel",
                "feels",
                ",",
            }
        ):
            continue
        if pole is None:
            phrase = _PHRASE_FROM.get(word.low)
            if phrase is None or tuple(w.low for w in words[at : at + len(phrase)]) != phrase:
                continue
            if phrase[0] in {"stand", "bear"} and not claim.negated:
                continue
            pole, length = _LIKING_PHRASES[phrase], len(phrase)
        verbal_stand = pole == "dislike" and length == 1 and word.low in {"stand", "bear"}
        thing = [w for w in value_words(words[at + length :], name=False) if w.low != "to"]
        if not thing or (not before_verb(words, at) and lemma_of(word.low) == word.low):
            return None
        if claim.negated and not verbal_stand:
            pole = "dislike" if pole == "like" else "like"
        key = tidy(joined(thing[:5]))
        subject = before_verb(words, at)
        while subject and subject[-1].low in {"big", "huge", "a", "very", "in"}:
            subject = subject[:-1]
        value = Value(claim.text[word.start : thing[-1].end], ValueType.ENUM, pole)
        return Frame(subject or None, f"preference:{key}", value, Cardinality.ONE, negated=False)
    return None


def preferring(claim: Claim) -> Frame | None:
    """It "prefers X (over Y)": the class of X, else the head of X, tells what is preferred."""
    words = claim.core
    at = next((n for n, word in enumerate(words[:SEARCH_WORDS]) if lemma_of(word.low) == "prefer"), None)
    if at is None:
        return None
    over = next((n for n in range(at + 1, len(words)) if words[n].low in {"over", "to"} and n > at + 1), None)
    chosen = value_words(words[at + 1 : over], name=False)
    subject = before_verb(words, at) or None
    if not chosen:
        return None
    product = next((hit for n in range(len(chosen)) if (hit := product_at(chosen, n))), None)
    entry = attribute_of_class(product[0]) if product else None
    if product and entry is not None:
        value = Value(joined(chosen), ValueType.NAME, product[1])
        frame = Frame(subject, entry.name, value, Cardinality.ONE, entry, functional=True)
    else:
        value = Value(claim.text[chosen[0].start : chosen[-1].end], ValueType.TEXT, tidy(joined(chosen)))
        head = chosen[-1].low.removesuffix("s")
        grouped = len(chosen) > 1 and not chosen[0].low.endswith("ing")
        frame = Frame(
            subject,
            f"prefers {head}" if grouped else "prefers",
            value,
            Cardinality.ONE if grouped else Cardinality.MANY,
        )
    other = value_words(words[over + 1 :], name=False) if over else []
    if other and not product:
        pair = sorted((tidy(joined(chosen)), tidy(joined(other))))
        frame.attribute, frame.cardinality = f"prefers {pair[0]}/{pair[1]}", Cardinality.ONE
    return frame
