"""Cases made by hand, with what each way of judging said of them."""

from training.judging import Case, Said
from training.pairs import Pair


def said(relation, conflict, confidence=None, by="rule"):
    return Said(relation, conflict if confidence is None else confidence, conflict, by)


def case(label, relation, conflict, *, old="a", new="b", trap="", kind="hard", **more):
    pair = Pair(old, new, frozenset({label}), "corpus", "hd-0001", trap)
    spoken = said(relation, conflict, **more)
    return Case(pair, kind, "hd", {"rules": spoken, "model": spoken, "both": spoken})


TEN = [
    case("UPDATE", "UPDATE", 0.95, new="1"),
    case("UPDATE", "UPDATE", 0.75, new="2", trap="cue_word"),
    case("CONTRADICTION", "UPDATE", 0.60, new="3"),
    case("RETRACTION", "NONE", 0.08, new="4", confidence=0.92, trap="implied_end"),
    case("CONTRADICTION", "UNDECIDED", 0.25, new="5", confidence=0.0),
    case("OVERLAP", "UPDATE", 0.85, new="6", trap="set_valued"),
    case("NONE", "UPDATE", 0.55, new="7", trap="other_subject"),
    case("NONE", "NONE", 0.05, new="8", confidence=0.95, trap="other_subject"),
    case("DUPLICATE", "DUPLICATE", 0.02, new="9", confidence=0.95),
    case("OVERLAP", "DUPLICATE", 0.10, new="10", confidence=0.88),
]
"""Three of five conflicts are found, two of five others are alarms; two are retired rightly, one wrongly."""
