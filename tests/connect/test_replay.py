"""Does `replay` tell stories as its contract says, and does each kind of check pass and fail where it should?"""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.connect import replay as replay_module
from stilltrue.connect.checks import KINDS
from stilltrue.connect.replay import default_memory, replay_file


def event(at, say, **more):
    return {"at": at, "say": say, **more}


TIMEOUT = [
    event("2024-01-01", "The session timeout is 20 minutes.", author="web", topic="auth"),
    event("2024-06-01T09:00:00Z", "The session timeout is 20 minutes.", author="docs"),
    event("2025-01-01T09:00:00", "The session timeout was changed to 45 minutes.", author="web"),
    event("2025-01-02T09:00:00+02:00", "The office is in Leeds."),
]
BUDGET = [
    event("2024-02-01", "The monthly cloud budget is $4,000.", kind="constraint", importance=0.9, category="core"),
    event("2025-02-01", "The monthly cloud budget is now $6,000."),
]
QUESTION = "What is the session timeout?"


def story(events, *checks, **more):
    return {"id": "s", "topic": "t", "space": "x", "events": events, "checks": list(checks), **more}


@pytest.fixture
def replay(open_memory):
    def run(*stories):
        data = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in stories).encode()
        return replay_file(io.BytesIO(data), open_memory=open_memory)

    return run


HOLDS = [
    (TIMEOUT, {"kind": "active", "query": QUESTION, "must_include": ["45 MINUTES"], "must_exclude": ["20 minutes"]}),
    (TIMEOUT, {"kind": "active", "query": "Where is the office?", "must_include": "Leeds"}),
    (TIMEOUT, {"kind": "as_of", "at": "2024-07-01", "query": QUESTION, "must_include": ["20 minutes"]}),
    (TIMEOUT, {"kind": "as_of", "at": "2024-07-01", "query": QUESTION, "must_exclude": ["45"]}),
    (TIMEOUT, {"kind": "historical", "query": QUESTION, "must_include": ["20 minutes", "45 minutes"]}),
    (TIMEOUT, {"kind": "superseded", "old": "20 minutes", "new": "45 minutes"}),
    (TIMEOUT, {"kind": "not_superseded", "text": "in leeds"}),
    (TIMEOUT, {"kind": "reinforced", "text": "20 minutes", "times": 1}),
    (TIMEOUT, {"kind": "no_conflict_open"}),
    (TIMEOUT, {"kind": "slot", "subject": "session", "attribute": "timeout", "must_include": "45 minutes"}),
    (TIMEOUT, {"kind": "slot", "subject": "session", "at": "2024-07-01", "must_exclude": "45 minutes"}),
    (BUDGET, {"kind": "conflict_open", "query": "monthly cloud budget", "involving": ["$4,000"]}),
    (BUDGET, {"kind": "conflict_open", "involving": ["$4,000", "$6,000"]}),
    (BUDGET, {"kind": "conflict_open", "involving": ["$4,000"], "conflict_kind": "constraint"}),
    (BUDGET, {"kind": "not_superseded", "text": "$4,000"}),
]
FAILS = [
    (TIMEOUT, {"kind": "active", "query": QUESTION, "must_include": ["30 minutes"]}, '"30 minutes" is missing'),
    (TIMEOUT, {"kind": "active", "query": QUESTION, "must_exclude": ["45"]}, '"45" is served'),
    (TIMEOUT, {"kind": "superseded", "old": "45 minutes", "new": "20 minutes"}, "does not lead to"),
    (TIMEOUT, {"kind": "superseded", "old": "Leeds", "new": "45 minutes"}, "does not lead to"),
    (TIMEOUT, {"kind": "not_superseded", "text": "20 minutes"}, "is retired"),
    (TIMEOUT, {"kind": "not_superseded", "text": "Hull"}, 'no fact contains "Hull"'),
    (TIMEOUT, {"kind": "reinforced", "text": "20 minutes", "times": 2}, "was reinforced 1 times, not 2"),
    (TIMEOUT, {"kind": "reinforced", "text": "Leeds", "times": 1}, "was reinforced 0 times, not 1"),
    (TIMEOUT, {"kind": "conflict_open", "involving": ["20 minutes"]}, "no open conflict involves '20 minutes'"),
    (BUDGET, {"kind": "conflict_open", "involving": ["$4,000", "Leeds"]}, "no open conflict"),
    (BUDGET, {"kind": "conflict_open", "involving": [], "conflict_kind": "surge"}, "no open surge"),
    (TIMEOUT, {"kind": "slot", "subject": "session", "must_include": "20 minutes"}, '"20 minutes" is missing'),
    (TIMEOUT, {"kind": "slot", "must_include": "20 minutes"}, "'subject' is missing"),
    (BUDGET, {"kind": "conflict_open", "subject": "session", "involving": ["$4,000"]}, "no open conflict involves"),
    (BUDGET, {"kind": "no_conflict_open"}, "a conflict is open"),
    (TIMEOUT, {"kind": "vanished"}, "there is no kind of check 'vanished'; it is one of active"),
    (TIMEOUT, {"query": QUESTION}, "'kind' is missing"),
    (TIMEOUT, {"kind": "active"}, "'query' is missing"),
    (TIMEOUT, {"kind": "as_of", "query": QUESTION, "at": "soon"}, "as_of"),
    (TIMEOUT, {"kind": "active", "query": QUESTION, "must_include": 3}, "should be a list of strings"),
    (TIMEOUT, {"kind": "reinforced", "text": "x", "times": "two"}, "'times' should be a whole number"),
    (TIMEOUT, "active", "a JSON object is expected"),
]


@pytest.mark.parametrize(("events", "check"), HOLDS, ids=lambda value: value["kind"] if isinstance(value, dict) else "")
def test_a_check_that_holds(replay, events, check):
    report = replay(story(events, check))
    assert [str(failure) for failure in report.stories[0].failures] == []
    assert (report.passed, report.total, report.exit_status) == (1, 1, 0)


@pytest.mark.parametrize(("events", "check", "words"), FAILS, ids=[words for *_, words in FAILS])
def test_a_check_that_does_not_hold_says_what_was_there_instead(replay, events, check, words):
    report = replay(story(events, check, {"kind": "active", "query": "budget or Leeds"}))
    (failure,) = report.stories[0].failures
    assert words in str(failure)
    assert failure.as_json()["check"] == check
    assert (report.passed, report.total, report.exit_status) == (1, 2, 1)


def test_every_kind_is_shown_to_hold_and_to_fail():
    assert {check["kind"] for _, check in HOLDS} == set(KINDS)
    assert {check["kind"] for _, check, _ in FAILS if isinstance(check, dict) and "kind" in check} >= set(KINDS) - {
        "historical"
    }


def test_the_report_has_the_form_of_the_contract(replay):
    report = replay(story(TIMEOUT, *(check for _, check, _ in FAILS[:2])), story(TIMEOUT, HOLDS[1][1], id="t"))
    found = json.loads(json.dumps(report.as_json()))
    assert list(found) == ["stories", "passed", "total"]
    assert [(one["id"], one["passed"], one["total"]) for one in found["stories"]] == [("s", 0, 2), ("t", 1, 1)]
    assert list(found["stories"][0]["failures"][0]) == ["check", "wrong", "got"]
    lines = [str(one) for one in report.stories]
    assert lines[0].startswith("FAIL s 0/2 | active: ")
    assert lines[1] == "ok   t 1/1"
    assert str(report) == "1/2 stories, 1/3 checks"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "no valid JSON"),
        ("[]", "a JSON object is expected"),
        (story(3), "'events' is missing"),
        (story(["x"]), "event 1: a JSON object is expected"),
        (story([event("soon", "x")]), "event 1: 'at' is no time"),
        (story([{"say": "x"}]), "event 1: 'at' is no time"),
        (story([event("2024-01-01", "  ")]), "event 1: 'say' is missing or empty"),
        (story([event("2024-01-01", "x", importance=2)]), "'importance' should be a number from 0 to 1"),
        ({"events": [], "checks": []}, "'id' is missing"),
        (story([], space="\u0007"), "space name"),
    ],
)
def test_a_line_that_is_no_story_fails_and_the_others_are_told(replay, line, words):
    good = story(TIMEOUT[3:], {"kind": "not_superseded", "text": "Leeds"})
    report = replay(good, line, good)
    assert [one.ok for one in report.stories] == [True, False, True]
    assert words in str(report.stories[1])
    assert report.stories[1].id in ("line 2", "s")
    assert report.exit_status == 1


def test_an_event_that_cannot_be_remembered_is_a_failure(replay):
    report = replay(
        story([event("2024-01-01", "x" * 300_000), event("2024-01-02", "A", kind="law")], {"kind": "no_conflict_open"})
    )
    (one,) = report.stories
    assert (one.passed, one.total) == (1, 3)
    assert "event 1 was not remembered" in str(one)
    assert "event 2 was not remembered" in str(one)


def test_stories_do_not_share_a_memory(replay):
    report = replay(
        story(TIMEOUT),
        story([event("2025-01-01", "A.")], {"kind": "active", "query": QUESTION, "must_exclude": ["timeout"]}),
    )
    assert report.exit_status == 0


def test_each_event_is_heard_at_its_time_and_the_checks_run_at_the_last(replay, monkeypatch):
    heard = []
    tell = replay_module.tell
    monkeypatch.setattr(
        replay_module, "tell", lambda memory, clock, events: heard.append(clock) or tell(memory, clock, events)
    )
    late = event("2025-01-01", "From 1 March 2025 the office is in Hull.")
    replay(story([event("2024-01-01", "The office is in Leeds."), late]))
    assert heard[0].now().isoformat() == "2025-01-01T00:00:00+00:00"


def test_by_default_stories_open_with_default_settings(monkeypatch):
    monkeypatch.setenv("STILLTRUE_SEARCH_LIMIT", "1")
    with default_memory()(
        replay_module.StoryClock(replay_module.datetime(2025, 1, 1, tzinfo=replay_module.UTC)), "x"
    ) as memory:
        assert memory.settings.search_limit == 10


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kind", "query", "at", "say", "text", "involving", "old", "new"]), inner)
    ),
    max_leaves=8,
)


@given(
    events=ODD | st.lists(ODD, max_size=3),
    checks=ODD | st.lists(ODD | st.fixed_dictionaries({"kind": st.sampled_from(sorted(KINDS))})),
)
def test_no_story_stops_the_replay(events, checks, embedder):
    line = json.dumps({"id": "odd", "events": events, "checks": checks}).encode()
    opener = default_memory(embedder)
    assert len(replay_file(io.BytesIO(line), open_memory=opener).stories) == 1
