"""Do the readers answer through the public face, from what was told in plain words?"""

import json
import re
from datetime import UTC, datetime

import pytest

from stilltrue.model.decision import Action
from stilltrue.read.results import FactHistory
from stilltrue.testing import FrozenClock, memory


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture
def told():
    """Homes, a diet and a limit that changed over two years."""
    clock = FrozenClock(day("2024-01-05T09:00"))
    with memory(clock) as kept:
        kept.remember("I live in Portland.")
        kept.remember("I prefer dark roast coffee.")
        clock.set(day("2024-09-01T09:00"))
        kept.remember("The auth rate limit is 1000 requests per minute.")
        clock.set(day("2025-03-01T09:00"))
        kept.remember("I moved to Seattle.")
        kept.remember("The auth rate limit is 5000 requests per minute now.")
        clock.set(day("2025-06-10T12:00"))
        yield kept


def said(results):
    return " / ".join(result.text for result in results)


def test_C7_default_and_as_of_reads(told):
    now = told.search("Where do I live?")
    assert "Seattle" in said(now.results)
    assert "Portland" not in said(now.results)
    then = told.search("Where do I live?", as_of="2024-06-01")
    assert "Portland" in said(then.results)
    assert "Seattle" not in said(then.results)


def test_C8_as_of_and_known_at(told):
    believed = told.search("Where do I live?", known_at="2024-06-01")
    assert "Portland" in said(believed.results)
    assert "Seattle" not in said(believed.results)


def test_C12_lookup_by_subject_and_key(told):
    [home] = told.lookup("user", "residence")
    assert home.value.casefold() == "seattle"
    [old] = told.lookup("user", "residence", as_of="2024-06-01")
    assert old.value.casefold() == "portland"
    assert len(told.lookup("user", "residence", include_superseded=True)) == 2


def test_D3_history_walks_the_chain_and_the_slot(told):
    [home] = told.lookup("user", "residence")
    life = told.history(home.id)
    assert isinstance(life, FactHistory)
    assert [link.value.casefold() for link in life.chain] == ["portland", "seattle"]
    line = told.history(subject="user", attribute="residence")
    assert [stretch.word for stretch in line.stretches] == ["superseded", "current"]
    assert line.stretches[0].end == line.stretches[1].start == day("2025-03-01T09:00")


def test_D6_D7_questions_about_the_past_get_the_chain_with_dates(told):
    found = told.search("Where did I use to live?")
    assert found.historical
    homes = {result.value.casefold(): result for result in found.results if result.attribute == "residence"}
    assert homes["portland"].valid_until == homes["seattle"].valid_from
    assert homes["portland"].superseded_by == homes["seattle"].id
    assert not told.search("Since I live here, where should I eat?").historical


def test_D8_every_fact_active_or_not_points_into_its_episode(told):
    results = told.search("Where have I ever lived?", include_superseded=True).results
    assert results
    with told.engine.store.read() as reader:
        for result in results:
            assert result.sources
            for source in result.sources:
                assert reader.episode(told.space, source.episode).text[source.start : source.end] == source.quote


def test_F5_explain_lays_open_the_decision_and_replays(told):
    [home] = told.lookup("user", "residence")
    made = told.explain(home.id).decisions[0]
    assert made.action is Action.SUPERSEDE
    assert made.rule
    [old] = [item for item in made.considered if item.changed]
    assert re.match(r"retired: (UPDATE|CONTRADICTION) by ", old.outcome)
    assert old.evidence


def test_F5_all_stored_decisions_replay(told):
    with told.engine.store.read() as reader:
        ids = [decision.id for decision in reader.decisions(told.space)]
    explained = [told.explain(identifier).decisions[0] for identifier in ids]
    assert all(item.replays for decision in explained for item in decision.considered)
    assert any(decision.considered for decision in explained)


def test_stats_of_a_told_story(told):
    stats = told.stats()
    assert stats.actions["supersede"] == 2
    assert stats.judges["llm"].startswith("off: ")
    json.dumps(dict(stats.counts))
