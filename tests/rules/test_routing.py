"""Which pairs are worth an LLM's time, and what is its vote worth? Two tables; rows A3, C3, E6."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stilltrue.model.expert import Vote
from stilltrue.model.fact import Modality
from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Undecided, Verdict
from stilltrue.rules.cascade import SETTLES, read_texts, replay
from stilltrue.rules.combining import BINDING
from stilltrue.rules.routing import Routing, wants_expert
from stilltrue.rules.voting import LONGEST_REASON, voted

PAIR = read_texts("User enjoys long hikes in Norway.", "User hikes in Norway mostly alone.")
FEW = read_texts("User enjoys long hikes.", "User gave up walking altogether.")
VERSION = "llm-1"


def by_rule(conflict, source=EvidenceSource.SIGNAL, signal="value conflict"):
    relation = Relation.UPDATE if conflict >= 0.5 else Relation.OVERLAP
    weight = conflict if relation.is_conflict else 1 - conflict
    entry = Evidence(source, signal, relation, weight, SETTLES + "as the rule says")
    return Verdict(relation, weight, conflict, (entry,), signal)


def unsettled(conflict=0.25, *entries):
    return Undecided("no local rule settles this pair", entries, conflict)


SEEN = Evidence(EvidenceSource.SIGNAL, "temporal", Relation.UPDATE, 0.4, "a word of change")


@pytest.mark.parametrize(
    ("judgement", "pair", "importance", "asked", "why"),
    [
        (unsettled(), PAIR, 0.6, True, "openly undecided, with words in common"),
        (unsettled(), FEW, 0.6, False, "E6: silent, and hardly a word in common"),
        (unsettled(0.25, SEEN), FEW, 0.6, True, "a rule saw something, so it is no fallback"),
        (unsettled(0.05), PAIR, 0.6, False, "undecided, and all but surely no conflict"),
        (unsettled(), PAIR, 0.5, False, "not above min_importance"),
        (by_rule(0.55), PAIR, 0.6, True, "would only open a question"),
        (by_rule(0.2), PAIR, 0.6, True, "in the uncertain band"),
        (by_rule(0.72), PAIR, 0.6, False, "sure enough to act"),
        (by_rule(0.05), PAIR, 0.6, False, "sure enough to leave alone"),
        (replace(by_rule(0.9), confidence=0.6), PAIR, 0.6, True, "likely, but not to be acted upon"),
        (by_rule(0.2, EvidenceSource.GUARD, "other condition"), PAIR, 0.6, False, "a guard spoke"),
        *((by_rule(0.3, EvidenceSource.TYPED, name), PAIR, 0.6, False, f"binding: {name}") for name in sorted(BINDING)),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_C3_the_router(judgement, pair, importance, asked, why):
    assert wants_expert(judgement, pair, importance) is asked, why


@pytest.mark.parametrize("voice", [Modality.PLAN, Modality.HYPOTHETICAL, Modality.QUESTION, Modality.HEARSAY])
def test_C3_a_voice_that_claims_nothing_is_not_asked_about(voice):
    existing, new = PAIR
    assert not wants_expert(unsettled(), (existing, replace(new, modality=voice)), 0.6)


def test_E6_the_flags_concern_silence_alone():
    off = Routing(fallback=False)
    assert not wants_expert(unsettled(), PAIR, 0.6, off)
    assert wants_expert(unsettled(0.25, SEEN), PAIR, 0.6, off)


@pytest.mark.parametrize(
    ("local", "vote", "certainty", "relation", "conflict"),
    [
        (unsettled(), Relation.UPDATE, 0.9, Relation.UPDATE, 0.75),
        (unsettled(), Relation.RETRACTION, 0.9, Relation.RETRACTION, 0.75),
        (unsettled(), Relation.NONE, 0.9, Relation.NONE, 0.036),
        (unsettled(), Relation.CONTRADICTION, 0.6, None, 0.333),
        (by_rule(0.6), Relation.CONTRADICTION, 0.9, Relation.CONTRADICTION, 0.931),
        (by_rule(0.6), Relation.OVERLAP, 0.9, Relation.OVERLAP, 0.143),
        (by_rule(0.95), Relation.OVERLAP, 0.9, Relation.UPDATE, 0.679),
        (by_rule(0.02), Relation.UPDATE, 0.9, Relation.OVERLAP, 0.155),
        (by_rule(0.6), Relation.NONE, 0.5, Relation.UPDATE, 0.6),
    ],
)
def test_A3_one_vote_is_weighed_with_the_local_probability(local, vote, certainty, relation, conflict):
    told = voted(local, Vote(vote, "why"), VERSION, certainty, FEW)
    assert round(told.conflict, 3) == conflict
    assert (told.relation if isinstance(told, Verdict) else None) is relation
    assert replay(told.evidence) is relation
    assert told.evidence[-1].source is EvidenceSource.LLM
    assert "it says: why" in told.evidence[-1].note


def test_A3_no_vote_leaves_the_local_verdict_and_says_why_there_is_none():
    local = by_rule(0.6)
    told = voted(local, Undecided("the server is down"), VERSION, 0.9, FEW)
    assert (told.relation, told.confidence, told.settled_by) == (local.relation, local.confidence, local.settled_by)
    assert "the server is down" in told.evidence[-1].note
    assert voted(unsettled(), Undecided("busy"), VERSION, 0.9, FEW).reason == "busy"


def test_A3_a_long_reason_is_cut_and_kept_on_one_line():
    told = voted(unsettled(), Vote(Relation.NONE, "because\n" * 100), VERSION, 0.9, FEW)
    note = told.evidence[-1].note
    assert "\n" not in note
    assert len(note) < LONGEST_REASON + 100
