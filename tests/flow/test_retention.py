"""What fades, and what keeps it? Row A7: R = max(floor, exp(-age / (S B beta))) weighs the score of a search as R^0.3;
floors by category, importance slows it, a restatement raises stability, procedures never fade."""

from __future__ import annotations

from math import exp

import pytest

TEA = {"subject": "user", "attribute": "favourite tea", "value": "oolong"}
TEXT = "User's favourite tea is oolong."


def score(story):
    (found,) = story.memory.search(TEXT).results
    return found.score


def faded(story, days, **given):
    """Score after so many days, as a share of the fresh score."""
    story.say(TEXT, "2025-01-01", **TEA, **given)
    fresh = score(story)
    story.clock.advance(days * 86_400)
    return score(story) / fresh


@pytest.mark.parametrize(
    ("category", "beta"), [("episodic", 45), ("semantic", 120), ("core", 120)]
)  # beta: the days of the row
def test_A7_age_fades_by_category(story, category, beta):
    share = faded(story, 30, category=category, importance=0.5)
    assert share == pytest.approx(exp(-30 / (1.0 * 2.0 * beta)) ** 0.3, rel=1e-3)


@pytest.mark.parametrize(
    ("category", "floor"), [("episodic", 0.02), ("semantic", 0.02), ("core", 0.60), ("procedural", 1.0)]
)
def test_A7_floors(story, category, floor):
    assert faded(story, 20_000, category=category) == pytest.approx(floor**0.3, rel=1e-3)


@pytest.mark.parametrize(("importance", "factor"), [(0.0, 1.0), (0.5, 2.0), (1.0, 3.0)])
def test_A7_importance_slows_fading_up_to_threefold(story, importance, factor):
    share = faded(story, 60, category="semantic", importance=importance)
    assert share == pytest.approx(exp(-60 / (factor * 120)) ** 0.3, rel=1e-3)


def test_A7_a_restatement_raises_stability_and_freshness(story):
    told = story.say(TEXT, "2025-01-01", **TEA)
    with story.memory.engine.store.read() as reader:
        before = reader.fact(story.memory.space, told.fact_id).standing.stability
    story.say("Oolong is the user's favourite tea.", "2025-06-01", **TEA)
    with story.memory.engine.store.read() as reader:
        after = reader.fact(story.memory.space, told.fact_id).standing.stability
    assert after > before
    fresh = score(story)
    story.clock.advance(60 * 86_400)
    assert score(story) / fresh == pytest.approx(exp(-60 / (after * 2.2 * 120)) ** 0.3, rel=1e-3)


def test_A7_the_demoted_lose_the_core_floor(story):
    """A4 takes the floor of 0.60 away with the category."""
    old = story.home("Oslo", "2025-01-01", category="core")
    story.home("Rome", "2025-02-01", "User moved to Rome.")
    story.on("2075-01-01")
    weak = {r.id: r.score for r in story.memory.search("User lives in Oslo.", include_superseded=True).results}
    other = story.memory.in_space("other")
    kept = story.clock.now()
    other.remember("User lives in Oslo.", category="core", said_at="2025-01-01", value="Oslo", subject="user",
                   attribute="residence")  # fmt: skip
    story.clock.set(kept)
    (strong,) = other.search("User lives in Oslo.").results
    assert weak[old.fact_id] < strong.score


def used(story, fact_id):
    with story.memory.engine.store.read() as reader:
        return reader.recalls(story.memory.space, [fact_id]).get(fact_id, 0)


def test_A7_a_search_counts_what_it_serves_and_writes_nothing_while_it_reads(story):
    told = story.say(TEXT, "2025-01-01", **TEA)
    revision = story.memory.engine.store.read
    with revision() as reader:
        before = reader.revision(story.memory.space)
    for _ in range(3):
        story.memory.search(TEXT)
    with revision() as reader:
        assert reader.revision(story.memory.space) == before
    assert used(story, told.fact_id) == 0
    story.memory.maintain()
    assert used(story, told.fact_id) == 3


def test_A7_an_answer_counts_what_it_cites_and_not_what_it_looked_at(story):
    told = story.say(TEXT, "2025-01-01", **TEA)
    other = story.say("User's favourite cake is plum.", subject="user", attribute="favourite cake", value="plum")
    answer = story.memory.ask("What is my favourite tea?")
    assert [one.fact_id for one in answer.citations] == [told.fact_id]
    assert story.memory.ask("Who painted the ceiling?").refused
    story.memory.maintain()
    assert (used(story, told.fact_id), used(story, other.fact_id)) == (1, 0)


def test_A7_a_write_takes_recalls_along_once_they_have_waited_a_minute(story):
    told = story.say(TEXT, "2025-01-01", **TEA)
    story.memory.search(TEXT)
    story.say("User has a cat.")
    assert used(story, told.fact_id) == 0
    story.clock.advance(60)
    story.say("User has a dog.")
    assert used(story, told.fact_id) == 1


def test_A7_closing_counts_and_never_fails(stories, tmp_path):
    story = stories(tmp_path / "a.db")
    told = story.say(TEXT, "2025-01-01", **TEA)
    story.memory.search(TEXT)
    story.memory.close()
    story.memory.close()
    again = stories(tmp_path / "a.db")
    assert used(again, told.fact_id) == 1
    again.memory.search(TEXT)
    again.memory.engine.store.close()
    again.memory.close()


@pytest.mark.parametrize(("days", "factor"), [(0, 1.0), (1, 1.1), (5, 1.5), (40, 3.0)])
def test_A7_each_day_with_a_recall_raises_stability_up_to_threefold(story, days, factor):
    """However often it is asked for on one day; freshness counts from the last time."""
    story.say(TEXT, "2025-01-01", **TEA)
    for _ in range(days):
        story.clock.advance(86_400)
        score(story)
        score(story)
        story.memory.maintain()
    fresh = score(story)
    story.memory.engine.tally.take(story.memory.space)
    story.clock.advance(60 * 86_400)
    assert score(story) / fresh == pytest.approx(exp(-60 / (factor * 2.2 * 120)) ** 0.3, rel=1e-3)


def test_A7_later_recalls_do_not_make_the_past_fresher(story):
    story.say(TEXT, "2025-01-01", **TEA)
    story.on("2025-06-01")
    (before,) = story.memory.search(TEXT, as_of="2025-03-01").results
    story.memory.maintain()
    (after,) = story.memory.search(TEXT, as_of="2025-03-01").results
    assert after.score == before.score


def test_A7_what_was_erased_meanwhile_is_passed_over(story):
    told = story.say(TEXT, "2025-01-01", **TEA)
    story.memory.search(TEXT)
    story.memory.erase(told.fact_id)
    story.memory.maintain()
    story.memory.engine.tally.note(story.memory.space, ["no such fact"], story.clock.now())
    story.memory.maintain()
