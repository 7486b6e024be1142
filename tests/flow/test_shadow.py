"""What would have been retired? Row E9: in shadow mode, or with mutations frozen, what would end a fact is only written
down as a proposal; facts are still kept, and nothing that was there is changed."""

from __future__ import annotations

import pytest

from stilltrue.settings import Settings
from tests.flow.canon import snapshot
from tests.flow.teller import HOME

SWITCHES = [{"shadow_mode": True}, {"mutations_frozen": True}]
CLASHES = [
    "User moved to Rome.",
    "User no longer lives in Oslo.",
    "Actually, the user has never lived in Oslo; it was always Rome.",
]


def value_of(text):
    return "Oslo" if "no longer" in text else "Rome"


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: next(iter(switch)))
@pytest.mark.parametrize("text", CLASHES)
def test_E9_a_clash_is_proposed_and_changes_nothing(stories, switch, text):
    story = stories(settings=Settings(**switch))
    old = story.home("Oslo", "2025-01-01", category="core")
    before, life = snapshot(story.memory)["facts"][old.fact_id], story.life(old.fact_id).beliefs
    new = story.home(value_of(text), "2025-02-01", text)
    assert new.proposal
    assert new.targets == (old.fact_id,)  # what would have changed
    assert new.action != "SUPERSEDE"
    assert snapshot(story.memory)["facts"][old.fact_id] == before
    assert story.life(old.fact_id).beliefs == life
    assert "User lives in Oslo." in story.served("Where does the user live?")
    assert story.conflicts() == ()
    assert snapshot(story.memory)["tombstones"] == set()
    proposals = story.memory.proposals()
    assert proposals
    assert {row.kind for row in proposals} == {"supersession_proposal"}
    assert {row.decision_id for row in proposals} == {new.id}
    assert old.fact_id in {row.fact_id for row in proposals}
    (made,) = story.memory.explain(new.id).decisions
    assert made.proposal
    assert not any(item.changed for item in made.considered)


def test_E9_the_new_statement_is_kept_and_served_beside_the_old(stories):
    story = stories(settings=Settings(shadow_mode=True))
    story.home("Oslo", "2025-01-01")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    assert new.fact_id is not None
    assert story.values() == ["Oslo", "Rome"]


def test_E9_a_proposal_holds_the_change_it_would_have_made(stories):
    shadow, real = stories(settings=Settings(shadow_mode=True)), stories()
    for story in (shadow, real):
        story.home("Oslo", "2025-01-01")
        story.home("Rome", "2025-02-01", "User moved to Rome.")
    proposed = [row.payload for row in shadow.memory.proposals() if row.payload.get("is") == "BeliefChanged"]
    done = [row.payload for row in real.life(real.memory.lookup("user", "residence", as_of="2025-01-15")[0].id).rows
            if row.kind == "belief_changed"]  # fmt: skip
    assert [item["after"]["retirement"] for item in proposed] == [item["after"]["retirement"] for item in done]
    assert [item["after"]["valid"] for item in proposed] == [item["after"]["valid"] for item in done]


def test_E9_restatements_and_news_go_on(stories):
    story = stories(settings=Settings(shadow_mode=True))
    first = story.home("Oslo", "2025-01-01")
    assert story.home("Oslo", "2025-02-01").action == "REINFORCE"
    assert story.say("User speaks French.", subject="user", attribute="languages", value="French").action == "ACCEPT"
    assert story.fact(first.fact_id).seen_count == 2
    assert story.memory.proposals() == []


def test_E9_deferred_writes_propose_too(stories):
    story = stories(settings=Settings(shadow_mode=True))
    story.home("Oslo", "2025-01-01")
    story.says("User moved to Rome.", "2025-02-01", value="Rome", wait=False, **HOME)
    assert story.memory.proposals() == []
    assert [decision.proposal for decision in story.memory.drain()] == [True]
    assert story.memory.proposals()
    assert story.values() == ["Oslo", "Rome"]


def test_E9_a_proposal_is_no_obstacle_to_undo(stories):
    story = stories(settings=Settings(shadow_mode=True))
    first = story.home("Oslo", "2025-01-01")
    before = snapshot(story.memory)
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    story.memory.undo(new.id)
    assert snapshot(story.memory) == before
    story.memory.undo(first.id)
    assert story.values() == []


def test_E9_switched_on_for_one_space_only(story):
    story.memory.configure(shadow_mode=True)
    other = story.memory.in_space("other")
    story.home("Oslo", "2025-01-01")
    assert story.home("Rome", "2025-02-01", "User moved to Rome.").proposal
    other.remember("User lives in Oslo.", value="Oslo", **HOME)
    story.on("2025-03-01")
    (moved,) = other.remember("User moved to Rome.", value="Rome", **HOME)
    assert (moved.action, moved.proposal) == ("SUPERSEDE", False)
    assert other.proposals() == []


def test_E9_a_proposal_about_what_was_restated_since_is_refused(stories):
    story = stories(settings=Settings(shadow_mode=True))
    old = story.home("Oslo", "2025-01-01", category="core", author="ann")
    story.home("Rome", "2025-02-01", "User moved to Rome.")
    story.home("Oslo", "2025-03-01", author="bob", said_at="2025-01-15")
    restated = story.fact(old.fact_id)
    assert restated.seen_count == 2
    applied = story.memory.review().apply()
    assert applied.decisions == []
    assert "the standing" in applied.refused[0][1]
    assert story.fact(old.fact_id) == restated


MOVES = {
    "late": (("Berlin", "2025-06-01"), ("Paris", "2025-01-01")),
    "between": (("Berlin", "2025-01-01"), ("Berlin", "2025-12-01"), ("Paris", "2025-06-01")),
    "new": (("Berlin", "2025-01-01"), ("Paris", "2025-06-01")),
}


@pytest.mark.parametrize("wait", [True, False], ids=["at once", "later"])
@pytest.mark.parametrize("told", MOVES.values(), ids=MOVES)
def test_E9_carried_out_a_proposal_comes_to_what_would_have_been_without_it(stories, told, wait):
    shadow, real = stories(settings=Settings(shadow_mode=True)), stories()
    for story in (shadow, real):
        story.on("2025-12-31")
        for number, (city, said) in enumerate(told):
            first = {"category": "core", "importance": 0.9} if number == 0 else {}
            story.memory.remember(f"I live in {city}.", said_at=said, wait=wait, **first)
            story.memory.drain()
            story.clock.advance(60)
    assert shadow.memory.proposals()
    applied = shadow.memory.review().apply()
    assert (applied.refused, len(applied.decisions)) == ([], 1)
    assert stays(shadow) == stays(real)
    shadow.memory.undo(applied.decisions[0].id)
    assert stays(shadow) != stays(real)


def stays(story):
    with story.memory.engine.store.read() as reader:
        facts = [reader.fact(story.memory.space, one) for _, one in reader.stored_order(story.memory.space, 0, 99)]
    return sorted(
        (fact.statement.text, str(fact.belief.valid), str(fact.belief.retirement), str(fact.standing)) for fact in facts
        if fact.belief is not None
    )  # fmt: skip
