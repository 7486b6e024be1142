"""What becomes of a pair when the trained model has looked at it too?

Answer: `combined`, the one place where the rules' judgement and the model's probabilities meet. The model reads words
that no rule knows; the rules know what stands in no word (whose fact it is, when it held, in which slot the caller put
it) and see a few things surely. So:

* where a rule is *binding* its verdict stands: the same text again, a condition put on the whole statement, and
  whatever the rules conclude from more than the two texts;
* everywhere else the settling rule's worth and the model's probability are weighed together (`Combination`, fitted
  beside the model), and the likeliest relation of the side that wins is the verdict.

A model without fitted weights (somebody's own NLI model) speaks only where no rule settled. Left to others: running the
model (`write.ask_model`), what a verdict may do (`policy`).
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from stilltrue.model.combination import KNOB, LEAST, Combination
from stilltrue.model.verdict import CONFLICTS, Evidence, EvidenceSource, Relation, Undecided, Verdict
from stilltrue.rules import cascade
from stilltrue.rules.cascade import SETTLES
from stilltrue.rules.pair import Common, is_fallback, pair_of
from stilltrue.rules.slots import read_statement
from stilltrue.rules.text import tokens
from stilltrue.rules.wording import wording

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.model.fact import Statement
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Judgement

BINDING: Final = frozenset(
    {
        "exact_text",
        "normal_hash",
        "near_identical",
        "same text",
        "same text, another claim",
        "same slot, same figure",
        "same known slot, measured",
        "narrowed",
        "habit broken",
        "resolved",
    }
)
"""Rules that settle a pair whatever a model says: they see the same words, have reckoned that 60 s is a minute (a small
model cannot), or know more than the words."""


SURE: Final = 0.9
"""The least probability of a conflict between two attributes with one value (a friend, now the best friend): that
somebody fills both is no conflict."""
SURE_APART: Final = 0.95
"""The same where a preposition parts two statements: a small model takes most such pairs for a swap."""
NEVER: Final = 1.01
"""No probability reaches it."""
UNSURE_TWIN: Final = 0.8
"""Too little to take a statement for a repetition of one in another attribute, and drop it (SPEC D11: 0.85)."""
PICKS: Final = frozenset({"best", "closest", "favourite", "favorite", "first", "last", "main", "oldest", "primary"})
"""Words that make of one among several the one of its kind."""
LINKS: Final = frozenset({"in", "on", "at", "with", "from", "near", "as", "under", "by", "to", "of", "off", "over"})
_EMPLOYED: Final = {"for": "at"}
"""Prepositions that say the same of an employer or a home."""
_SUBJECT_AND_VERB: Final = 2  # words that two statements begin with alike before a preposition can part them
_RECENT: Final = 1024  # texts kept: a sweep meets each in several pairs
ROUNDING: Final = 0.01
IN_A_SLOT: Final = ", in a slot"
BELOW: Final = 0.7 - 0.01
"""Just too little to act upon (SPEC E13: 0.7)."""
NOT_DENIED, CONFIRMED = 0.3, 0.7
"""Of the dev pairs that a rule called a conflict firmly and the model with at least this, 0.96 were one (of 174 in a
slot, by the first), and 0.95 (of 120 elsewhere, by the second)."""
UNKNOWN_SET: Final = "same slot, unknown set"
ANNOUNCED: Final = 0.9
"""Of the 51 corpus pairs in such a slot that announce a change, the 18 that reach it were conflicts, every one;
the model was trained on that corpus, so that this is no estimate for other pairs."""
AT_HOME: Final = frozenset({Common.SLOT, Common.FRAME})
"""What two statements have in common where the rules know what they compare."""


def settling(rules: Judgement, pair: tuple[Statement, Statement]) -> tuple[str, float] | None:
    """The kind of rule that settled a pair, and the probability of a conflict that it is worth; None where none did."""
    if isinstance(rules, Undecided):
        return None
    source = next((entry.source for entry in rules.evidence if entry.note.startswith(SETTLES)), EvidenceSource.TYPED)
    at_home = pair_of(*pair).common in AT_HOME
    return source.value + (IN_A_SLOT if at_home else ""), rules.conflict


def wants_model(rules: Judgement, combination: Combination | None) -> bool:
    """Whether the model is to be asked about a pair that the rules judged so."""
    if isinstance(rules, Undecided):
        return True
    return combination is not None and rules.settled_by not in BINDING


def combined(
    rules: Judgement,
    model: Mapping[Relation, float],
    model_version: str,
    pair: tuple[Statement, Statement],
    combination: Combination | None = None,
) -> Verdict:
    """The verdict on a pair that `wants_model`; `model` gives each relation's calibrated probability, summing to 1."""
    fitted = combination or Combination()
    rule = settling(rules, pair)
    if isinstance(rules, Verdict) and rule is not None and _at_home(rule) and _seen_only_by_rules(rules, pair):
        return _bound(rules, model, model_version)
    conflict = fitted.conflict(_mass(model), rule)
    if isinstance(rules, Verdict) and _turned(rules, conflict) and knows_more(rules, pair):
        return _bound(rules, model, model_version)
    told = _weighed(rules, model, model_version, fitted, conflict, pair)
    if told.relation.is_conflict and _agreed(rule, _mass(model)):
        return replace(told, confidence=max(told.confidence, KNOB))
    firm = isinstance(rules, Verdict) and rules.relation.is_conflict and rules.conflict >= KNOB > told.confidence
    if isinstance(rules, Verdict) and firm and knows_more(rules, pair):
        return _bound(rules, model, model_version)
    if told.relation.is_conflict and _denied(rule) and not _news(rules, pair, _mass(model)):
        return replace(told, confidence=min(told.confidence, BELOW))
    return told


def _at_home(rule: tuple[str, float]) -> bool:
    return rule[0].endswith(IN_A_SLOT)


def _seen_only_by_rules(rules: Verdict, pair: tuple[Statement, Statement]) -> bool:
    """What the trained model was seen to misread in a slot: two named conditions, and a role told from its holders
    ("Marta is on call", "Jonas is on call"), whose subject it takes for two.
    """
    if rules.settled_by == "other condition" or _flips_its_value(rules, pair):
        return True
    holders = (one.value is not None and one.text.startswith(one.value.text) for one in pair)
    return rules.relation.is_conflict and rules.conflict >= KNOB and all(holders)


def _flips_its_value(rules: Verdict, pair: tuple[Statement, Statement]) -> bool:
    """A firm rule sees the very value of the slot denied or ended ("moved to Rome", "no longer lives in Rome")."""
    old, new = pair
    if not rules.relation.is_conflict or rules.conflict < KNOB or old.slot != new.slot:
        return False
    values = {one.value.key if one.value is not None else None for one in pair}
    return old.negated is not new.negated and len(values) == 1 and None not in values


def _denied(rule: tuple[str, float] | None) -> bool:
    """A rule that sees no conflict where it knows what it compares: the model may ask, but not act, against it."""
    return rule is not None and _at_home(rule) and rule[1] < cascade.EVEN


def _news(rules: Judgement, pair: tuple[Statement, Statement], model: float) -> bool:
    """The rules do not know whether the slot holds many; the new statement says that something changed, and the model
    is sure that it did ("the choir now meets in the Albert Hall"): what is announced is settled, not asked about.
    """
    unsure = isinstance(rules, Verdict) and rules.settled_by == UNKNOWN_SET
    said = wording(pair[1].text)
    told = said.announces or (bool(said.weak_change) and not said.addition)
    return unsure and told and model >= ANNOUNCED


def _agreed(rule: tuple[str, float] | None, model: float) -> bool:
    """A rule that may retire on its own word, and a model that does not deny it: enough to act upon."""
    return rule is not None and rule[1] >= KNOB and model >= (NOT_DENIED if _at_home(rule) else CONFIRMED)


def knows_more(rules: Verdict, pair: tuple[Statement, Statement]) -> bool:
    """Whether the rules' verdict rests on more than the two texts: on a slot, an author or a time that they were given.

    Asked by judging the bare texts as well; only for the few pairs that rules and model see differently.
    """
    existing, new = (_bare(one.text, one.said_at) for one in pair)
    if _sides(cascade.judge(existing, new), rules):
        return False
    by_clauses = cascade.judge_texts(existing.text, new.text, existing.said_at, new.said_at)
    return not _sides(by_clauses, rules)


@lru_cache(maxsize=_RECENT)
def _bare(text: str, said_at: Instant) -> Statement:
    return read_statement(text, said_at=said_at)


def _sides(judgement: Judgement, rules: Verdict) -> bool:
    if isinstance(judgement, Undecided) or judgement.relation.is_conflict is not rules.relation.is_conflict:
        return False
    return judgement.confidence >= rules.confidence - ROUNDING


def _mass(model: Mapping[Relation, float]) -> float:
    return sum(model.get(name, 0.0) for name in CONFLICTS)


def _turned(rules: Verdict, conflict: float) -> bool:
    return (conflict >= cascade.EVEN) is not rules.relation.is_conflict


def _bound(rules: Verdict, model: Mapping[Relation, float], model_version: str) -> Verdict:
    """The rules' verdict, with what the model said of the words alone."""
    likeliest = max(model, key=lambda name: model[name])
    note = f"by the words alone a conflict with {_mass(model):.2f}; the rules rest on more than the words"
    words = Evidence(EvidenceSource.PAIR_MODEL, model_version, likeliest, model[likeliest], note)
    return replace(rules, evidence=(*rules.evidence, words))


def two_attributes(pair: tuple[Statement, Statement]) -> bool:
    """Both fill a recognised attribute, and not the same one (a friend, a best friend): neither repeats the other."""
    old, new = (one.slot.attribute for one in pair)
    return old != new and not is_fallback(old) and not is_fallback(new)


def _denies_another(pair: tuple[Statement, Statement]) -> bool:
    """One says what fills the slot, the other that something else never did: both hold (LABELS 18)."""
    old, new = pair
    if old.negated is new.negated or old.value is None or new.value is None or old.slot != new.slot:
        return False
    return old.value.key != new.value.key


def _least(rules: Judgement, pair: tuple[Statement, Statement]) -> float:
    """The probability from which a pair is a conflict: more than even where it looks like one and mostly is none."""
    if _unseen(rules) and _special_case(pair):
        return NEVER
    if _unseen(rules) and _other_link(pair):
        return SURE_APART
    return SURE if _one_value_twice(pair) else cascade.EVEN


def _unseen(rules: Judgement) -> bool:
    """No rule sees a conflict."""
    return isinstance(rules, Undecided) or not rules.relation.is_conflict


def _special_case(pair: tuple[Statement, Statement]) -> bool:
    """Whether one attribute picks out of the other: a friend is no less one for somebody being the best friend.

    >>> from stilltrue.rules.cascade import read_texts
    >>> _special_case(read_texts("Maya is a friend of the user.", "User's best friend is Theo."))
    True
    >>> _special_case(read_texts("User's best friend is Maya.", "User's best friend is Theo."))
    False
    """
    if not two_attributes(pair):
        return False
    names = (one.slot.attribute or "" for one in pair)
    general, special = ({word.removesuffix("s") for word in re.split(r"[\s_]+", name)} for name in names)
    return (general ^ special) <= PICKS and (general < special or special < general)


def _other_link(pair: tuple[Statement, Statement]) -> bool:
    """Whether two go apart at a preposition: lives *in* a city and *on* a street, works *at* a firm and *on* a thing.

    >>> from stilltrue.rules.cascade import read_texts
    >>> _other_link(read_texts("User lives in Graz.", "User lives on Hill Street."))
    True
    >>> _other_link(read_texts("User works at Bosch.", "User works for Airbus."))
    False
    """
    old, new = (tokens(one.text) for one in pair)
    both = zip(old, new, strict=False)
    alike = next((place for place, (one, other) in enumerate(both) if one != other), 0)
    if alike < _SUBJECT_AND_VERB:
        return False
    links = {_EMPLOYED.get(words[alike], words[alike]) for words in (old, new)}
    return len(links) > 1 and links <= LINKS


def _one_value_twice(pair: tuple[Statement, Statement]) -> bool:
    old, new = (one.value.key if one.value is not None and not one.negated else None for one in pair)
    return old is not None and old == new and two_attributes(pair)


def _weighed(
    rules: Judgement,
    model: Mapping[Relation, float],
    model_version: str,
    fitted: Combination,
    conflict: float,
    pair: tuple[Statement, Statement],
) -> Verdict:
    told = rules.relation if isinstance(rules, Verdict) else None
    hot = conflict >= _least(rules, pair) and not (told not in CONFLICTS and _denies_another(pair))
    conflict = conflict if hot else min(conflict, cascade.EVEN - LEAST)
    side = {name: share for name, share in model.items() if name.is_conflict is hot}
    stretch = math.exp(fitted.same_relation)
    relation = max(side, key=lambda name: side[name] * (stretch if name is told else 1.0))
    confidence = fitted.certainty(conflict) if hot else 1 - conflict
    if relation is Relation.DUPLICATE:
        confidence *= side[relation] / max(sum(side.values()), LEAST)
        confidence = min(confidence, UNSURE_TWIN) if two_attributes(pair) else confidence
    note = f"{SETTLES}probability of conflict {conflict:.2f}, {_mass(model):.2f} by the model alone"
    evidence = Evidence(EvidenceSource.PAIR_MODEL, model_version, relation, confidence, note)
    agreed = rules if isinstance(rules, Verdict) and hot else None
    return Verdict(
        relation,
        confidence,
        conflict,
        (*map(heard, rules.evidence), evidence),
        model_version,
        corrects=agreed is not None and agreed.corrects,
        narrows=agreed is not None and agreed.narrows,
    )


def heard(entry: Evidence) -> Evidence:
    """A rule's evidence that was weighed with others instead of settling the pair."""
    for mark in (cascade.CORRECTS, cascade.NARROWS, SETTLES):
        if entry.note.startswith(mark):
            return replace(entry, note=entry.note.removeprefix(mark))
    return entry
