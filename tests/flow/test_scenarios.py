"""Does every story come out as its checks demand? Through `replay`, with default settings and no LLM."""

import json
from pathlib import Path

import pytest

from stilltrue.connect.replay import default_memory, replay_story
from stilltrue.connect.stories import read_story
from stilltrue.formats.lines import json_lines

HERE = Path(__file__).parent
MOST_KNOWN_FAILURES = 5
KNOWN_FAILURES = json.loads((HERE / "known_failures.json").read_text(encoding="utf-8"))


def stories():
    for file in sorted((HERE / "scenarios").glob("*.jsonl")):
        with file.open("rb") as stream:
            for _, line in json_lines(stream):
                yield line


LINES = {line["id"]: line for line in stories()}


def case(story_id):
    reason = KNOWN_FAILURES.get(story_id)
    return pytest.param(story_id, marks=pytest.mark.xfail(strict=True, reason=reason) if reason else ())


@pytest.fixture(scope="module")
def open_memory():
    return default_memory()


@pytest.mark.parametrize("story_id", [case(story_id) for story_id in LINES])
def test_story(story_id, open_memory):
    result = replay_story(read_story(LINES[story_id]), open_memory)
    assert [str(failure) for failure in result.failures] == []
    assert result.passed == result.total > 0


def test_there_are_stories_of_every_kind():
    kinds = {check["kind"] for line in LINES.values() for check in line["checks"]}
    assert len(LINES) >= 40
    assert len(kinds) == 8


def test_only_what_waits_for_a_later_judge_may_fail():
    assert len(KNOWN_FAILURES) <= MOST_KNOWN_FAILURES
    for story_id, reason in KNOWN_FAILURES.items():
        assert LINES[story_id]["waits_for"] == reason


def test_no_two_stories_share_an_id():
    assert len(list(stories())) == len(LINES)
