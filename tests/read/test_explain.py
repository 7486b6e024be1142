"""Can each decision be laid open and its evidence replayed (F5)? What is there to settle? How does a space stand?"""

import pytest

from stilltrue.errors import InvalidInputError, NotFoundError
from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.decision import Action, Considered, Cost, Receipt
from stilltrue.model.fact import Statement
from stilltrue.model.ids import SpaceId, short
from stilltrue.model.slot import Slot, Value, ValueType
from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Undecided, Verdict
from stilltrue.read.conflicts import conflict, conflicts
from stilltrue.read.explain import explain, replays
from stilltrue.read.stats import stats
from stilltrue.rules.cascade import SETTLES, judge
from stilltrue.settings import Settings
from tests.read.house import House, day

WORDING = EvidenceSource.WORDING


def update(weight=0.9):
    looked = Evidence(EvidenceSource.GUARD, "guards", None, 0.0, "nothing found")
    settled = Evidence(WORDING, "change", Relation.UPDATE, weight, SETTLES + "“moved to”")
    return Verdict(Relation.UPDATE, weight, weight, (looked, settled), "change")


@pytest.fixture
def judged(house):
    """One supersession with three candidates: retired, no conflict, undecided."""
    house.old = house.tell("User lives in Portland.", "2024-01-05", slot=("user", "residence"))
    house.pet = house.tell("User has a cat.", "2024-01-05", slot=("user", "pet"))
    house.odd = house.tell("User likes the coast.", "2024-01-05")
    house.new = house.tell("User moved to Seattle.", "2025-03-01", slot=("user", "residence"))
    guard = Evidence(EvidenceSource.GUARD, "other_slot", Relation.NONE, 0.97, SETTLES + "pet is not residence")
    receipt = Receipt(
        considered=(
            Considered(house.old, "User lives in Portland.", "slot", 0.71, update()),
            Considered(
                house.pet, "User has a cat.", "vector", 0.61, Verdict(Relation.NONE, 0.97, 0.03, (guard,), "other_slot")
            ),
            Considered(
                house.odd,
                "User likes the coast.",
                "vector",
                0.62,
                Undecided("no local rule settles this pair", (), 0.25),
            ),
        ),
        rule="UPDATE: same slot",
        reason="UPDATE: same slot",
        cost=Cost(pairs=3, seconds=0.01),
    )
    house.decision = house.decide(
        Action.SUPERSEDE, "User moved to Seattle.", receipt=receipt, fact_id=house.new, targets=(house.old,)
    )
    return house


def test_F5_a_decision_tells_candidates_evidence_rule_and_cost(judged):
    [told] = explain(judged.engine, judged.space, judged.decision).decisions
    assert (told.action, told.rule, told.cost.pairs) == (Action.SUPERSEDE, "UPDATE: same slot", 3)
    old = told.considered[0]
    assert (old.fact_id, old.nominated_by, old.similarity) == (judged.old, "slot", 0.71)
    assert (old.relation, old.settled_by, old.conflict) == (Relation.UPDATE, "change", 0.9)
    assert [(entry.source, entry.signal, entry.relation) for entry in old.evidence] == [
        (EvidenceSource.GUARD, "guards", None),
        (WORDING, "change", Relation.UPDATE),
    ]


def test_F5_it_says_what_was_not_superseded_and_why(judged):
    old, pet, odd = explain(judged.engine, judged.space, short(judged.decision)).decisions[0].considered
    assert old.changed
    assert old.outcome == "retired: UPDATE by change (conflict 0.90), “moved to”"
    assert pet.outcome == "not superseded: NONE by other_slot (conflict 0.03), pet is not residence"
    assert odd.outcome == "not superseded: undecided, no local rule settles this pair"
    assert odd.undecided == "no local rule settles this pair"


def test_F5_a_conflict_that_was_not_acted_upon_names_the_rule(judged):
    receipt = Receipt(considered=(Considered(judged.old, "…", "slot", None, update(0.6)),), rule="too weak to retire")
    quiet = judged.decide(Action.ACCEPT, "User went to Seattle.", receipt=receipt)
    asked = judged.decide(
        Action.ASK, "User went to Seattle.", receipt=receipt, conflict_id=judged.ask("Still?", judged.old, judged.new)
    )
    shadow = judged.decide(Action.ACCEPT, "Seattle!", receipt=receipt, targets=(judged.old,), proposal=True)
    told = {
        each: explain(judged.engine, judged.space, each).decisions[0].considered[0] for each in (quiet, asked, shadow)
    }
    assert told[quiet].outcome.startswith("not superseded although UPDATE by change")
    assert told[quiet].outcome.endswith("too weak to retire")
    assert "asks" in told[asked].outcome
    assert not told[shadow].changed


def test_F5_a_fact_is_explained_by_the_decisions_that_made_and_changed_it(judged):
    told = explain(judged.engine, judged.space, judged.old)
    assert told.fact.id == judged.old
    assert [decision.action for decision in told.decisions] == [Action.ACCEPT, Action.SUPERSEDE]
    assert [row.kind for row in told.decisions[0].changes] == ["fact_added"]


def test_F5_stored_evidence_replays_to_the_stored_judgement(judged):
    for fact in (judged.old, judged.pet, judged.odd):
        for decision in explain(judged.engine, judged.space, fact).decisions:
            assert all(item.replays for item in decision.considered)


def test_F5_a_judgement_that_its_evidence_does_not_bear_is_found(judged):
    forged = Verdict(Relation.NONE, 0.9, 0.1, update().evidence, "change")
    nameless = Verdict(Relation.UPDATE, 0.9, 0.9, update().evidence, "antonym")
    settled = Undecided("no idea", update().evidence)
    for judgement in (forged, nameless, settled):
        assert not replays(Considered(judged.old, "…", "slot", None, judgement))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User lives in Oslo.", "User moved to Rome."),
        ("User has a cat.", "User has a cat."),
        ("Lunch is at noon.", "User likes tea."),
    ],
)
def test_F5_what_the_rules_judge_replays(old, new):
    def said(text, when):
        value = Value(text, ValueType.TEXT, text.lower())
        return Statement(text=text, slot=Slot("user", None), value=value, said_at=day(when))

    judgement = judge(said(old, "2025-01-01"), said(new, "2025-03-01"))
    assert replays(Considered("f", old, "slot", None, judgement))


def test_unknown_short_and_foreign_ids_are_refused(judged):
    with pytest.raises(NotFoundError, match="fact or decision"):
        explain(judged.engine, judged.space, "fffffffffff")
    with pytest.raises(InvalidInputError, match="at least 6"):
        explain(judged.engine, judged.space, "abc")
    with pytest.raises(NotFoundError):
        explain(judged.engine, SpaceId("other"), judged.decision)


def test_open_conflicts_come_with_their_facts_and_question_oldest_first(judged):
    judged.clock.moment = day("2025-06-11")
    first = judged.ask("Does the user still live in Portland?", judged.old, judged.new)
    judged.clock.moment = day("2025-06-12")
    second = judged.ask("Does the user still like the coast?", judged.odd, judged.new)
    found = conflicts(judged.engine, judged.space)
    assert [item.conflict.id for item in found] == [first, second]
    assert {fact.id for fact in found[0].facts} == {judged.old, judged.new}
    assert (
        conflict(judged.engine, judged.space, short(second)).conflict.question == "Does the user still like the coast?"
    )
    assert conflicts(judged.engine, judged.space, ConflictStatus.DISMISSED) == ()
    assert conflicts(judged.engine, SpaceId("other")) == ()


def test_B8_what_is_not_configured_is_named_as_off(judged):
    told = stats(judged.engine, judged.space)
    assert told.judges["rules"] == "on"
    assert all(told.judges[name].startswith("off: ") for name in ("pair model", "llm", "detective"))
    assert told.models["embedder"] == judged.engine.embedder.model_version


def test_A6_stats_sum_up_what_judging_cost(judged):
    told = stats(judged.engine, judged.space)
    assert (told.pairs_judged, told.llm_calls, told.llm_tokens) == (3, 0, 0)
    assert told.actions == {"accept": 4, "supersede": 1}
    assert told.counts["facts"] == 4
    assert told.changed_settings == {}


def test_stats_show_what_was_set_differently():
    house = House(Settings(shadow_mode=True))
    with house.store.write(house.space) as transaction:
        transaction.put_space_settings(house.space, {"search_limit": 3})
    assert stats(house.engine, house.space).changed_settings == {"shadow_mode": True, "search_limit": 3}
