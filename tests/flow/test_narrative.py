"""Is every confusion found, and nothing else? A table of stories; a careful reader would not ask about half of them."""

import json
from pathlib import Path

import pytest

from tests.flow.teller import day

CASES = {case["id"]: case for case in json.loads((Path(__file__).parent / "narrative.json").read_text("utf-8"))}


def tell(story, events):
    """Each event on its day; what is told of an earlier day arrives late."""
    story.clock.set(day(events[0]["at"]))
    for event in events:
        at = day(event["at"])
        story.clock.set(max(at, story.clock.now()))
        story.memory.remember(event["say"], author=event["author"], topic=event["topic"], said_at=at)
    story.memory.drain()


def shown(story):
    return [(card.conflict.kind.value, [fact.text for fact in card.facts]) for card in story.conflicts()]


@pytest.mark.parametrize("name", list(CASES))
def test_B10_B3_stories(stories, name, request):
    case = CASES[name]
    if "known" in case:
        request.applymarker(pytest.mark.xfail(reason=case["known"], strict=True))
    story = stories()
    tell(story, case["events"])
    if case["flag"] is None:
        assert shown(story) == [], case["why"]
        return
    (card,) = story.conflicts()
    assert card.conflict.kind.value == case["flag"]["kind"], case["why"]
    for part in case["flag"]["involving"]:
        assert any(part in fact.text for fact in card.facts), (part, shown(story))


@pytest.mark.parametrize("name", list(CASES))
def test_B10_reading_the_whole_space_finds_nothing_else(stories, name):
    story = stories()
    tell(story, CASES[name]["events"])
    before = shown(story)
    assert story.memory.detect(plan=True).found == ()
    assert story.memory.detect().opened == ()
    assert shown(story) == before


def test_B3_the_table_is_long_and_half_of_it_is_left_alone():
    flagged = [case for case in CASES.values() if case["flag"] is not None]
    assert len(CASES) >= 60
    assert len(CASES) - len(flagged) >= 30
    assert {case["flag"]["kind"] for case in flagged} == {"reversal", "ambiguity", "stale"}
