"""Can every decision be taken back exactly? Row F4: one decision, a batch, a merge, a retraction, a resolved conflict;
random logs undone in reverse reach every earlier state again, and undoing the undo restores what was."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.errors import NotFoundError, StateError
from tests.flow.canon import snapshot, timeless
from tests.flow.teller import HOME, Story, WordEmbedder


def test_F4_undo_of_a_supersession_restores_both_sides(story):
    old = story.home("Oslo", "2025-01-01", category="core", importance=0.9)
    before = snapshot(story.memory)
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    after = snapshot(story.memory)
    undone = story.memory.undo(new.id)
    assert undone.action == "UNDO"
    assert snapshot(story.memory) == before
    assert (story.values(), story.fact(old.fact_id).category) == (["Oslo"], "core")
    assert story.served("Where does the user live?") == ["User lives in Oslo."]
    assert story.fact(new.fact_id).status == "withdrawn"
    story.memory.undo(undone.id)
    assert snapshot(story.memory) == after
    assert story.values() == ["Rome"]


def test_F4_undo_keeps_the_history_of_what_was_undone(story):
    story.home("Oslo", "2025-01-01")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    story.on("2025-03-01").memory.undo(new.id)
    assert story.values(known_at="2025-02-15") == ["Rome"]
    assert story.life(new.fact_id).rows[0].kind == "fact_added"
    assert len({row.decision_id for row in story.life(new.fact_id).rows}) == 2


def test_F4_a_batch_is_undone_as_one(story):
    story.home("Oslo", "2025-01-01")
    before = snapshot(story.memory)
    with story.memory.batch() as batch:
        story.home("Rome", "2025-02-01", "User moved to Rome.")
        story.home("Rome", "2025-02-05", "User lives in Rome now.")
        story.says("User has a dog called Rex. User speaks French.", "2025-02-06")
        story.home("Bonn", "2025-02-07", "User moved to Bonn.")
    assert story.values() == ["Bonn"]
    undone = story.memory.undo(batch)
    assert snapshot(story.memory) == before
    story.memory.undo(undone.id)
    assert story.values() == ["Bonn"]


def test_F4_undo_of_forget_lifts_the_tombstone(story):
    home = story.home("Oslo", "2025-01-01")
    before = snapshot(story.memory)
    for never_true in (False, True):
        gone = story.on("2025-02-01").memory.forget(home.fact_id, never_true=never_true)
        assert story.values() == []
        assert snapshot(story.memory)["tombstones"]
        story.memory.undo(gone.id)
        assert snapshot(story.memory) == before


def test_F4_undo_of_a_resolution_opens_the_conflict_again(story):
    story.memory.configure(supersession_enabled=False)
    old = story.home("Oslo", "2025-01-01")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    before = snapshot(story.memory)
    for answer, how in (
        ("keep", {"keep": old.fact_id}),
        ("never_true", {"keep": old.fact_id}),
        ("both", {"keep": new.fact_id, "condition": "in winter"}),
        ("dismiss", {}),
    ):
        (asked,) = story.conflicts()
        settled = story.on("2025-03-01").memory.resolve(asked.conflict.id, answer, **how)
        assert story.conflicts() == ()
        story.memory.undo(settled.id)
        assert snapshot(story.memory) == before


def test_F4_rewrite_is_undone_as_one_batch(story):
    story.memory.configure(supersession_enabled=False)
    story.home("Oslo", "2025-01-01")
    story.home("Rome", "2025-02-01", "User moved to Rome.")
    before = snapshot(story.memory)
    (asked,) = story.conflicts()
    settled = story.on("2025-03-01").memory.resolve(asked.conflict.id, "rewrite", text="User lives in Rome and Oslo.")
    assert story.served("Where does the user live?") == ["User lives in Rome and Oslo."]
    story.memory.undo(settled.batch_id)
    assert snapshot(story.memory) == before


def test_F4_what_a_later_decision_rests_on_is_not_pulled_out_from_under_it(story):
    first = story.home("Oslo", "2025-01-01")
    second = story.home("Rome", "2025-02-01", "User moved to Rome.")
    before = snapshot(story.memory)
    with pytest.raises(StateError, match=second.id[-8:]):
        story.memory.undo(first.id)
    assert snapshot(story.memory) == before
    story.memory.undo(second.id)
    story.memory.undo(first.id)
    assert snapshot(story.memory)["facts"] == {}


def test_F4_undoing_twice_or_what_changed_nothing_or_nobody_knows(story):
    first = story.home("Oslo", "2025-01-01")
    rejected = story.home("Oslo", "2025-01-01T01:00")
    story.memory.undo(first.id)
    for identifier in (first.id, rejected.id):
        with pytest.raises(StateError):
            story.memory.undo(identifier)
    with pytest.raises(NotFoundError):
        story.memory.undo("00000000-0000-7000-8000-000000000000")


CITIES = ("Oslo", "Rome", "Bonn", "Lyon")
TEXTS = ("User lives in {}.", "User moved to {}.", "Actually, the user was never in {}.", "User no longer lives in {}.")
STEP = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(CITIES), st.sampled_from(TEXTS), st.integers(0, 40)),
    st.tuples(st.just("like"), st.sampled_from(("tea", "jazz", "chess")), st.booleans(), st.integers(0, 40)),
    st.tuples(st.just("forget"), st.integers(0, 9), st.booleans(), st.just(0)),
    st.tuples(st.just("resolve"), st.integers(0, 9), st.sampled_from(("keep", "never_true", "both", "dismiss")),
              st.booleans()),
)  # fmt: skip


def act(story, step):
    """Carry one step out; the decisions that changed something."""
    memory, (verb, one, two, three) = story.memory, step
    story.clock.advance(86_400)
    if verb == "say":
        back = story.clock.now().timestamp() - three * 86_400
        decisions = memory.remember(two.format(one), said_at=str(int(back)), value=one, **HOME)
    elif verb == "like":
        text = f"User {'likes' if two else 'no longer likes'} {one}."
        decisions = memory.remember(text, subject="user", attribute="likes", value=one, cardinality="many")
    elif verb == "forget":
        current = memory.lookup("user")
        decisions = [memory.forget(current[one % len(current)].id, never_true=two)] if current else []
    else:
        open_ = memory.conflicts()
        if not open_:
            return []
        asked = open_[one % len(open_)].conflict
        named = asked.fact_ids[int(three)]
        condition = "in summer" if two == "both" else None
        decisions = [memory.resolve(asked.id, two, keep=named, condition=condition)]
    return [item for item in decisions if memory.explain(item.id).decisions[0].changes]


@given(st.lists(STEP, min_size=1, max_size=9), st.booleans())
@settings(max_examples=60)
def test_F4_random_logs_are_undone_exactly(steps, careful):
    story = Story.open(WordEmbedder())
    if careful:
        story.memory.configure(supersession_enabled=False)  # everything is asked: conflicts to resolve
    states, done = [snapshot(story.memory)], []
    for step in steps:
        for decision in act(story, step):
            done.append(decision)
            states.append(snapshot(story.memory))
    undone = []
    for decision, before in zip(reversed(done), reversed(states[:-1]), strict=True):
        undone.append(story.memory.undo(decision.id))
        assert snapshot(story.memory) == before
    for decision, after in zip(reversed(undone), states[1:], strict=True):
        story.memory.undo(decision.id)
        assert timeless(snapshot(story.memory)) == timeless(after)
    assert story.memory.check_invariants() == []
    story.memory.close()
