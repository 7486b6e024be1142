"""What does a write do to what was known? Rows A4, A9, C4, C5, C6, C9, D2, D3, E1, E2, E11, E12: the outcomes, the
dates and links they leave, what is inherited, and that nothing is lost or done twice."""

from __future__ import annotations

import pytest

from stilltrue.errors import NotFoundError
from tests.flow.teller import day


def test_A4_core_is_demoted_and_importance_inherited(story):
    old = story.home("Portland", "2025-01-01", importance=0.9, category="core")
    new = story.home("Seattle", "2025-03-01", "User moved to Seattle.", importance=0.4)
    was, now = story.fact(old.fact_id), story.fact(new.fact_id)
    assert new.action == "SUPERSEDE"
    assert (was.category, was.contradicted_by, was.superseded_by) == ("semantic", now.id, now.id)
    assert (now.importance, now.category) == (0.9, "semantic")
    kinds = story.kinds(new)
    assert kinds.count("standing_changed") == 1
    assert kinds.count("belief_changed") == 1


def test_A4_contradiction_of_a_core_fact_makes_the_new_one_core(story):
    slot = {"subject": "user", "attribute": "birthplace"}
    old = story.say("User was born in Lyon.", "2025-01-01", value="Lyon", category="core", importance=0.8, **slot)
    new = story.say("User was born in Paris.", "2025-03-01", value="Paris", importance=0.3, **slot)
    was, now = story.fact(old.fact_id), story.fact(new.fact_id)
    assert new.receipt.considered[0].judgement.relation == "CONTRADICTION"
    assert (was.category, was.contradicted_by) == ("semantic", now.id)
    assert (now.category, now.importance) == ("core", 0.8)


def test_A4_importance_is_not_lowered_by_inheritance(story):
    story.home("Portland", "2025-01-01", importance=0.2)
    new = story.home("Seattle", "2025-03-01", "User moved to Seattle.", importance=0.7)
    assert story.fact(new.fact_id).importance == 0.7


def test_A4_less_trust_cannot_demote(story):
    old = story.home("Portland", "2025-01-01", category="core", importance=0.9, trust=0.9, author="ann")
    new = story.home("Seattle", "2025-03-01", "User moved to Seattle.", trust=0.3, author="bot")
    was = story.fact(old.fact_id)
    assert new.action == "ASK"
    assert (was.category, was.status, was.contradicted_by, was.superseded_by) == ("core", "active", None, None)
    assert story.fact(new.fact_id).importance == story.memory.settings.default_importance
    (asked,) = story.conflicts()
    assert set(asked.conflict.fact_ids) == {old.fact_id, new.fact_id}
    assert asked.conflict.id == new.conflict_id


def test_A9_the_seeds_example_end_to_end(story):
    old = story.say("User lives in Portland.", "2025-01-01", category="core", importance=0.9)
    new = story.say("User just moved to Seattle.", "2025-03-01")
    assert new.action == "SUPERSEDE"
    assert new.receipt.considered[0].judgement.relation == "UPDATE"
    portland, seattle = story.fact(old.fact_id), story.fact(new.fact_id)
    assert (portland.status, portland.category, portland.superseded_by) == ("superseded", "semantic", seattle.id)
    assert seattle.importance == 0.9
    served = story.served("Where does the user live?")
    assert served[0] == "User just moved to Seattle."
    assert "User lives in Portland." not in served


def test_C4_add_stores(story):
    added = story.home("Portland")
    assert (added.action, added.targets) == ("ACCEPT", ())
    assert story.values() == ["Portland"]
    assert story.kinds(added) == ["fact_added"]


def test_C4_update_stores_the_new_and_supersedes_the_old(story):
    old = story.home("Portland", "2025-01-01")
    new = story.home("Seattle", "2025-02-01", "User moved to Seattle.")
    assert (new.action, new.targets) == ("SUPERSEDE", (old.fact_id,))
    assert story.values() == ["Seattle"]
    assert story.values(include_superseded=True) == ["Portland", "Seattle"]


def test_C4_delete_retires_and_stores_no_fact_but_keeps_its_own_record(story):
    pet = {"subject": "user", "attribute": "pet", "value": "dog"}
    old = story.say("User has a dog.", "2025-01-01", **pet)
    gone = story.say("User no longer has a dog.", "2025-02-01", author="ann", **pet)
    assert (gone.action, gone.fact_id, gone.targets) == ("RETRACT", None, (old.fact_id,))
    was = story.fact(old.fact_id)
    assert (was.status, was.retirement, was.valid_until) == ("retracted", "retracted", day("2025-02-01"))
    assert was.superseded_by is None
    assert story.values("user", "pet") == []
    assert story.memory.stats().counts["facts"] == 1
    why = story.memory.explain(gone.id).decisions[0]
    assert (why.text, why.author, why.action) == ("User no longer has a dog.", "ann", "RETRACT")
    assert why.reason
    with story.memory.engine.store.read() as reader:
        assert reader.episode(story.memory.space, why.episode_id).text == "User no longer has a dog."
    assert gone.id in {row.decision_id for row in story.life(old.fact_id).rows}


def test_C4_noop_stores_nothing(story):
    first = story.home("Portland", "2025-01-01")
    again = story.home("Portland", "2025-02-01")
    assert (again.action, again.fact_id) == ("REINFORCE", first.fact_id)
    assert story.memory.stats().counts["facts"] == 1


def test_C5_dates_and_links(story):
    old = story.home("Portland", "2025-01-01")
    new = story.home("Seattle", "2025-03-01T10:00", "User moved to Seattle.")
    was, now = story.fact(old.fact_id), story.fact(new.fact_id)
    assert (was.valid_from, was.valid_until) == (day("2025-01-01"), day("2025-03-01T10:00"))
    assert (now.valid_from, now.valid_until) == (day("2025-03-01T10:00"), None)
    assert (was.superseded_by, now.supersedes) == (now.id, (was.id,))
    first, second = story.life(old.fact_id).beliefs
    assert (first.known.end, second.known.start) == (new.decided_at, new.decided_at)
    assert (first.retirement, second.retirement) == (None, "superseded")


def test_C5_valid_from_is_the_given_source_date(story):
    old = story.home("Portland", "2025-01-01")
    new = story.home("Seattle", "2025-06-01", "User moved to Seattle.", valid_from="2025-03-01")
    assert story.fact(new.fact_id).valid_from == day("2025-03-01")
    assert story.fact(old.fact_id).valid_until == day("2025-03-01")
    assert story.values(as_of="2025-04-01") == ["Seattle"]


def test_C6_no_text_is_merged_and_the_old_row_stays(story):
    old = story.home("Portland", "2025-01-01", "User lives in Portland, near the river.")
    before = story.fact(old.fact_id)
    new = story.home("Seattle", "2025-03-01", "User moved to Seattle.")
    after = story.fact(old.fact_id)
    same = ("id", "text", "subject", "attribute", "value", "valid_from", "said_at", "recorded_at", "sources", "author")
    assert [getattr(after, name) for name in same] == [getattr(before, name) for name in same]
    assert story.fact(new.fact_id).text == "User moved to Seattle."
    assert new.fact_id != old.fact_id


def test_C9_manual_supersession(story):
    old = story.say("The office plant is a fern.", "2025-01-01")
    new = story.say("A cactus stands by the window.", "2025-02-01", supersedes=old.fact_id)
    was, now = story.fact(old.fact_id), story.fact(new.fact_id)
    assert (new.action, new.targets) == ("SUPERSEDE", (old.fact_id,))
    assert (was.status, was.superseded_by, was.valid_until) == ("superseded", now.id, day("2025-02-01"))
    assert now.supersedes == (was.id,)
    assert "The office plant is a fern." not in story.served("office plant")


def test_C9_the_same_words_in_the_place_of_a_fact_never_supersede_themselves(story):
    old = story.say("The office plant is a fern.", "2025-01-01")
    new = story.say("The office plant is a fern.", "2025-02-01", supersedes=old.fact_id)
    assert (new.action, new.targets) == ("SUPERSEDE", (old.fact_id,))
    assert new.fact_id != old.fact_id
    assert story.fact(old.fact_id).superseded_by == new.fact_id
    assert story.fact(new.fact_id).status == "active"
    assert story.memory.check_invariants() == []


def test_C9_an_unknown_id_is_refused_and_nothing_written(story):
    old = story.home("Portland")
    with pytest.raises(NotFoundError):
        story.home("Seattle", supersedes="00000000-0000-7000-8000-000000000000")
    assert story.memory.stats().counts["episodes"] == 1
    assert story.fact(old.fact_id).status == "active"


def test_D2_every_outcome_is_returned_to_the_caller(story):
    story.home("Portland", "2025-01-01")
    actions = [
        story.home("Portland", "2025-01-01T01:00").action,
        story.home("Portland", "2025-01-20").action,
        story.home("Seattle", "2025-02-01", "User moved to Seattle.").action,
        story.home("Paris", "2025-03-01", "User is rumoured to be in Paris.", confidence=0.1).action,
    ]
    assert actions == ["REJECT", "REINFORCE", "SUPERSEDE", "REJECT"]


def test_D2_one_decision_a_candidate(story):
    decisions = story.says("User lives in Oslo. User has a cat called Mia. User speaks French.")
    assert [decision.action for decision in decisions] == ["ACCEPT"] * 3
    assert len({decision.fact_id for decision in decisions}) == 3
    assert len({decision.batch_id for decision in decisions}) == 1


def test_D3_chains_can_be_walked_both_ways(story):
    ids = [
        story.home(city, f"2025-0{month}-01", f"User moved to {city}.").fact_id
        for month, city in enumerate(("Lyon", "Oslo", "Rome", "Turin"), start=1)
    ]
    for fact_id in ids:
        assert [result.id for result in story.life(fact_id).chain] == ids
    facts = [story.fact(fact_id) for fact_id in ids]
    assert [fact.superseded_by for fact in facts] == [*ids[1:], None]
    assert [fact.supersedes for fact in facts] == [(), *[(fact_id,) for fact_id in ids[:-1]]]
    assert [stretch.word for stretch in story.memory.history(subject="user", attribute="residence").stretches] == [
        "superseded", "superseded", "superseded", "current",
    ]  # fmt: skip


def test_E1_slots_are_given_or_inferred(story):
    told = story.say("The thing is set.", subject="Auth Service", attribute="Rate Limit", value="9")
    given = story.fact(told.fact_id)
    assert (given.subject, given.attribute, given.value) == ("auth service", "rate limit", "9")
    inferred = story.fact(story.say("User lives in Portland.").fact_id)
    assert (inferred.subject, inferred.attribute, inferred.value) == ("user", "residence", "Portland")


def test_E2_the_inline_pass_runs_in_the_same_cycle(story):
    old = story.home("Portland", "2025-01-01")
    new = story.home("Seattle", "2025-02-01", "User moved to Seattle.")
    assert new.receipt.considered[0].nominated_by == "slot"
    assert story.memory.drain() == []
    assert story.fact(old.fact_id).superseded_by == new.fact_id


def test_E11_superseding_the_superseded_is_a_no_op(story):
    old = story.home("Portland", "2025-01-01")
    story.home("Seattle", "2025-02-01", "User moved to Seattle.")
    before = story.life(old.fact_id).beliefs
    story.home("Oslo", "2025-03-01", "User moved to Oslo.")
    story.home("Rome", "2025-04-01", "User moved to Rome.", supersedes=old.fact_id)
    assert story.life(old.fact_id).beliefs == before


def test_E12_superseded_rows_stay(story):
    texts = [f"User moved to {city}." for city in ("Lyon", "Oslo", "Rome")]
    ids = [story.home(text[14:-1], f"2025-0{month}-01", text).fact_id for month, text in enumerate(texts, start=1)]
    assert story.memory.stats().counts["facts"] == 3
    assert [story.fact(fact_id).text for fact_id in ids] == texts
    assert story.fact(ids[0]).sources[0].quote == "User moved to Lyon."
