"""What is archived, when, and does anything true change by it? Row A8: hot, cold, stub, and back; E12: nothing is lost.

The curve's own figures are `test_retention`'s. Here years pass on a clock that only moves when told.
"""

from __future__ import annotations

from bisect import bisect_left
from datetime import timedelta
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.errors import StateError
from stilltrue.model.fact import Tier
from stilltrue.model.job import Job, Pass
from stilltrue.store.reader import SqlReader
from stilltrue.upkeep import retention
from stilltrue.upkeep.retention import handle, maintain_when_due
from tests.flow.canon import believed, content, snapshot
from tests.flow.teller import Story, WordEmbedder

TEA = {"subject": "user", "attribute": "favourite tea", "value": "oolong"}
TEXT = "User's favourite tea is oolong."
LONG = (
    "The customs office of the harbour keeps its own copy of every manifest, in the second cellar, "
    "behind the boiler, where nobody has looked since the flood."
)


@pytest.fixture
def slow(stories, words):
    return stories(embedder=words)


def tier(story, fact_id):
    return story.fact(fact_id).tier


def years_of_passes(story, fact_id, *, days, pause):
    """The day of each change of tier, with a pass every `pause` days for so many days."""
    moved, known = {}, tier(story, fact_id)
    for past in range(pause, days + 1, pause):
        story.clock.advance(pause * 86_400)
        story.memory.maintain()
        if (now := tier(story, fact_id)) is not known:
            moved[now.value], known = past, now
    return moved


@pytest.mark.parametrize(
    ("category", "beta"), [("episodic", 45), ("semantic", 120), ("procedural", None), ("core", None)]
)
def test_A8_ten_years_of_each_category(slow, category, beta):
    """A pass every 30 days: cold at the seventh pass after S * B * beta * ln 50 days, a stub 180 days later."""
    told = slow.say(TEXT, "2025-01-01", **TEA, category=category, importance=0.5)
    moved = years_of_passes(slow, told.fact_id, days=3660, pause=30)
    if beta is None:
        assert moved == {}
        return
    passes = list(range(30, 3661, 30))
    cold = passes[bisect_left(passes, 1.0 * 2.0 * beta * log(50)) + 6]
    assert moved == {"cold": cold, "stub": cold + 180}


@pytest.mark.parametrize(("importance", "boost"), [(0.0, 1.0), (1.0, 3.0)])
def test_A8_what_matters_stays_hot_longer(slow, importance, boost):
    told = slow.say(TEXT, "2025-01-01", **TEA, category="episodic", importance=importance)
    moved = years_of_passes(slow, told.fact_id, days=1200, pause=30)
    passes = list(range(30, 1201, 30))
    assert moved["cold"] == passes[bisect_left(passes, boost * 45 * log(50)) + 6]


def test_A8_what_is_superseded_goes_cold_with_the_next_pass(slow):
    old = slow.home("Oslo", "2025-01-01")
    new = slow.home("Rome", "2025-02-01", "User moved to Rome.")
    slow.memory.maintain()
    assert (tier(slow, old.fact_id), tier(slow, new.fact_id)) == (Tier.COLD, Tier.HOT)


def test_A8_a_stated_end_is_a_matter_of_time_and_not_of_a_pass(slow):
    slow.home("Oslo", "2025-01-01", valid_until="2025-06-01")
    assert slow.values() == ["Oslo"]
    slow.on("2025-06-01")
    assert slow.values() == []
    slow.memory.maintain()
    assert [result.tier for result in slow.memory.lookup("user", "residence", include_superseded=True)] == [Tier.COLD]


def test_E12_the_archived_are_found_by_lookup_history_as_of_and_with_the_superseded(slow):
    old = slow.home("Oslo", "2025-01-01")
    slow.home("Rome", "2025-02-01", "User moved to Rome.")
    for _ in range(2):
        slow.memory.maintain()
        slow.clock.advance(200 * 86_400)
    slow.memory.maintain()
    assert tier(slow, old.fact_id) is Tier.STUB
    assert slow.values(as_of="2025-01-15") == ["Oslo"]
    assert slow.values(include_superseded=True) == ["Oslo", "Rome"]
    assert [item.fact.value for item in slow.memory.history(subject="user", attribute="residence").stretches] == [
        "Oslo",
        "Rome",
    ]
    assert "User lives in Oslo." in slow.served("User lives in Oslo.", include_superseded=True)
    assert "User lives in Oslo." in slow.served("Where did the user live?", as_of="2025-01-15")


def make_stub(story, text=LONG, **given):
    told = story.say(text, "2025-01-01", category="episodic", importance=0.0, subject="harbour", **given)
    for _ in range(7):
        story.clock.advance(200 * 86_400)
        story.memory.maintain()
    assert tier(story, told.fact_id) is Tier.COLD
    story.clock.advance(200 * 86_400)
    story.memory.maintain()
    assert tier(story, told.fact_id) is Tier.STUB
    return told.fact_id


def vectors(story):
    return story.memory.engine.store._writer.number("SELECT count(*) FROM vectors")


def test_A8_a_stub_is_short_has_no_vector_and_is_read_in_full_from_its_episode(slow):
    fact_id = make_stub(slow)
    assert vectors(slow) == 0
    (result,) = slow.memory.lookup("harbour")
    assert result.text.endswith("…")
    assert len(result.text) <= 80
    assert LONG.startswith(result.text[:-1])
    assert result.sources[0].quote == LONG
    assert slow.life(fact_id).fact.sources[0].quote == LONG


@pytest.mark.parametrize("how", ["write", "job", "close"])
def test_A8_recalling_warms(stories, words, tmp_path, how):
    """A stub that a search returns is hot again, with its words and its vector, once the recall is counted."""
    story = stories(tmp_path / "a.db", embedder=words)
    fact_id = make_stub(story)
    story.clock.advance(60)
    assert len(story.served("customs office manifest")) == 1
    assert tier(story, fact_id) is Tier.STUB
    if how == "write":
        story.clock.advance(61)
        story.say(TEXT, **TEA)
    elif how == "job":
        story.memory.maintain()
    else:
        story.memory.close()
        story = stories(tmp_path / "a.db", embedder=words, clock=story.clock)
    assert tier(story, fact_id) is Tier.HOT
    assert story.fact(fact_id).text == LONG
    assert vectors(story) == 1 + (how == "write")
    (found,) = [result for result in story.memory.search("customs office manifest").results if result.id == fact_id]
    assert found.similarity is not None
    story.memory.maintain()
    assert tier(story, fact_id) is Tier.HOT


def test_A8_what_is_over_stays_warm_for_seven_passes_after_somebody_asked(slow):
    old = slow.home("Oslo", "2025-01-01")
    slow.home("Rome", "2025-02-01", "User moved to Rome.")
    slow.memory.maintain()
    slow.clock.advance(86_400)
    slow.served("User lives in Oslo.", include_superseded=True)
    tiers = []
    for _ in range(9):
        slow.clock.advance(86_400)
        slow.memory.maintain()
        tiers.append(tier(slow, old.fact_id).value)
    assert tiers == ["hot"] * 7 + ["cold"] * 2


def test_A8_a_restatement_warms(slow):
    fact_id = slow.say(TEXT, "2025-01-01", **TEA, category="episodic", importance=0.0).fact_id
    for _ in range(7):
        slow.clock.advance(200 * 86_400)
        slow.memory.maintain()
    assert tier(slow, fact_id) is Tier.COLD
    assert slow.say(TEXT, **TEA).fact_id == fact_id
    slow.memory.maintain()
    assert tier(slow, fact_id) is Tier.HOT


def test_A8_each_move_is_a_row_and_a_pass_is_taken_back_as_one(slow):
    old = slow.home("Oslo", "2025-01-01")
    slow.home("Rome", "2025-02-01", "User moved to Rome.")
    before = snapshot(slow.memory)
    made = slow.memory.maintain()
    assert [(move.fact_id, move.before, move.after) for move in made.moves] == [(old.fact_id, Tier.HOT, Tier.COLD)]
    assert slow.life(old.fact_id).rows[-1].kind == "tier_changed"
    undone = slow.memory.undo(made.batch_id)
    assert snapshot(slow.memory) == before
    with pytest.raises(StateError, match="undone already"):
        slow.memory.undo(made.batch_id)
    slow.memory.undo(undone.id)
    assert tier(slow, old.fact_id) is Tier.COLD


def test_A8_undoing_a_stub_brings_its_vector_back(slow):
    fact_id = make_stub(slow)
    with slow.memory.engine.store.read() as reader:
        batch = reader.history(slow.memory.space, fact_id=fact_id)[-1].batch_id
    slow.memory.undo(batch)
    assert tier(slow, fact_id) is Tier.COLD
    assert vectors(slow) == 1


def test_A8_maintenance_stands_in_the_way_of_no_other_undo(slow):
    """What was decided can be taken back although the facts were archived since, and tiers stay as they are."""
    slow.home("Oslo", "2025-01-01")
    move = slow.home("Rome", "2025-02-01", "User moved to Rome.")
    slow.memory.maintain()
    slow.memory.undo(move.id)
    assert slow.values() == ["Oslo"]
    slow.memory.maintain()
    assert [result.tier for result in slow.memory.lookup("user", "residence")] == [Tier.HOT]


def test_A8_a_plan_touches_nothing_and_says_what_the_pass_will_do(slow):
    slow.home("Oslo", "2025-01-01")
    slow.home("Rome", "2025-02-01", "User moved to Rome.")
    before, counts = snapshot(slow.memory), slow.memory.stats().counts
    planned = slow.memory.maintain(plan=True)
    assert planned.planned
    assert (snapshot(slow.memory), slow.memory.stats().counts) == (before, counts)
    assert slow.memory.maintain().moves == planned.moves != ()


def test_A8_a_second_pass_changes_nothing(slow):
    slow.home("Oslo", "2025-01-01")
    slow.home("Rome", "2025-02-01", "User moved to Rome.")
    slow.memory.maintain()
    before = snapshot(slow.memory)
    assert slow.memory.maintain().moves == ()
    assert snapshot(slow.memory) == before


def many(story, count):
    with story.memory.batch():
        for number in range(count):
            subject = f"person {number}"
            story.memory.remember(f"Person {number} was in room {number}.", subject=subject, category="episodic")


class KilledError(Exception):
    """The process dies."""


def test_A8_a_pass_that_was_cut_short_goes_on_where_it_stopped(slow, monkeypatch):
    monkeypatch.setattr(retention, "PAGE", 4)
    many(slow, 10)
    slow.clock.advance(3000 * 86_400)
    for _ in range(6):
        assert slow.memory.maintain().looked == 10

    def die(done):
        if done == 8:
            raise KilledError

    with pytest.raises(KilledError):
        slow.memory.maintain(die)
    with slow.memory.engine.store.read() as reader:
        (half,) = [made for made in reader.passes(slow.memory.space) if not made.done]
    rest = slow.memory.maintain()
    assert (rest.looked, len(rest.moves), rest.batch_id) == (2, 2, half.batch_id)
    assert slow.memory.stats().counts["tier_cold"] == 10
    slow.memory.undo(half.batch_id)
    assert slow.memory.stats().counts["tier_hot"] == 10


@pytest.mark.parametrize("count", [20, 40, 80])
def test_A8_the_work_is_linear(stories, words, monkeypatch, count):
    """Each fact is looked at once, and read in full only where it moves."""
    monkeypatch.setattr(retention, "PAGE", 16)
    story = stories(embedder=words)
    many(story, count)
    looked = []
    real = SqlReader.kept
    monkeypatch.setattr(SqlReader, "kept", lambda *a: looked.append(len(page := real(*a))) or page)
    assert story.memory.maintain().moves == ()
    assert sum(looked) == count
    assert len(looked) == count // 16 + 1


def test_A8_a_day_lies_between_two_passes_of_the_worker(slow):
    many(slow, 1)
    engine, space = slow.memory.engine, slow.memory.space
    assert maintain_when_due(engine, space, "1") is not None
    slow.clock.advance(23 * 3600)
    assert maintain_when_due(engine, space, "2") is None
    slow.clock.advance(3600)
    assert maintain_when_due(engine, space, "3") is not None
    slow.memory.configure(maintenance_hours=1.0)
    slow.clock.advance(3600)
    assert maintain_when_due(engine, space, "4") is not None
    assert slow.memory.stats().counts["passes"] == 3


def test_A8_a_space_nobody_wrote_in_is_not_made_by_looking(slow):
    assert slow.memory.maintain().looked == 0
    assert slow.memory.spaces() == []


def test_A8_the_erased_and_the_withdrawn_are_left_alone(slow):
    gone = slow.home("Oslo", "2025-01-01")
    taken = slow.say(TEXT, "2025-01-02", **TEA)
    slow.memory.erase(gone.fact_id)
    slow.memory.undo(taken.id)
    slow.clock.advance(9000 * 86_400)
    for _ in range(8):
        assert slow.memory.maintain().moves == ()


CITIES = ("Oslo", "Rome", "Lima", "Kyiv")
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(CITIES),
        st.integers(1, 900),
        st.sampled_from(["says", "moved", "asks", "forgets", "late"]),
        st.sampled_from(["ada", "ben"]),
    ),
    min_size=1,
    max_size=8,
)


def lived(events, *, maintained):
    story = Story.open(WordEmbedder())
    for city, days, what, author in events:
        story.clock.advance(days * 86_400)
        if maintained:
            for _ in range(7):
                story.memory.maintain()
        if what == "asks":
            story.served(f"User lives in {city}.", include_superseded=True)
        elif what == "forgets":
            for result in story.memory.lookup("user", "residence")[:1]:
                story.memory.forget(result.id)
        else:
            words = "User moved to {}." if what == "moved" else "User lives in {}."
            since = {"valid_from": story.clock.now() - timedelta(days=400)} if what == "late" else {}
            story.home(city, None, words.format(city), author=author, **since)
    return story


def told(story):
    """Everything that is true, in all the ways to ask for it; recalls and tiers aside."""
    state = content(story.memory)
    facts = believed(story.memory)
    held = sorted(
        repr((fact.statement, fact.belief.valid, fact.belief.retirement, fact.standing.confidence)) for fact in facts
    )
    days = [f"{year}-{month:02}-15" for year in range(2024, 2046) for month in (1, 7)]
    lookups = [story.values(as_of=at) for at in days]
    return held, lookups, story.values(), story.values(include_superseded=True), state["conflicts"], state["tombstones"]


@settings(max_examples=25, deadline=None)
@given(EVENTS)
def test_A8_nothing_that_is_true_depends_on_decay(events):
    """The same story told to a memory that is maintained and to one that is not: lookups, the past, questions."""
    plain, kept = lived(events, maintained=False), lived(events, maintained=True)
    try:
        assert told(plain) == told(kept)
        assert kept.memory.check_invariants() == []
    finally:
        plain.memory.close()
        kept.memory.close()


def test_A8_passes_are_kept_by_batch(slow):
    many(slow, 1)
    with slow.memory.engine.store.write(slow.memory.space) as transaction:
        transaction.put_pass(slow.memory.space, Pass(batch_id="a", at=slow.clock.now()))
        transaction.put_pass(slow.memory.space, Pass(batch_id="a", at=slow.clock.now(), reached="x", done=True))
        assert transaction.passes(slow.memory.space) == [
            Pass(batch_id="a", at=slow.clock.now(), reached="x", done=True)
        ]


def test_A8_a_job_makes_a_pass_and_is_due_again_a_day_later(slow):
    many(slow, 1)
    space, engine = slow.memory.space, slow.memory.engine
    job = Job(id="j", space_id=space, kind=retention.JOB_KIND, payload={}, due_at=slow.clock.now())
    with engine.store.write(space) as transaction:
        transaction.add_job(job)
    again = handle(engine, job)
    assert again.due_at == slow.clock.now() + timedelta(days=1)
    assert slow.memory.stats().counts["passes"] == 1
    with engine.store.read() as reader:
        assert reader.jobs(space, again.due_at, 10) == [again]
    handle(engine, again)
    assert slow.memory.stats().counts["passes"] == 1
