"""Do 25 real coding conversations end in a memory that tells what holds now? The table beside it says what, and why.

`sessions.json` was written from reading the sessions: changes whose old side must be gone, facts that must stay, every
retirement of the import with a verdict. No question is opened: all that ever were here were needless. The sessions lie
outside the repository; where they are absent the tests that need them are skipped.
"""

import contextlib
import io
import json
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from stilltrue.faces.cli import main
from stilltrue.memory import Memory

HERE = Path(__file__).parent
SESSIONS = HERE.parents[1].parent / "shared" / "data" / "sessions" / "coding_sessions.json"
TABLE = json.loads((HERE / "sessions.json").read_text(encoding="utf-8"))
SLOWEST = 60  # seconds for the whole import, on a busy core; idle it takes about four
FACTS = range(250, 451)  # what a careful reader would keep

needs_sessions = pytest.mark.skipif(not SESSIONS.exists(), reason=f"the coding sessions are not at {SESSIONS}")


class Imported(NamedTuple):
    path: Path
    memory: Memory
    report: dict
    seconds: float

    def serves(self, query):
        """The texts and source quotes that a default search serves."""
        found = self.memory.search(query)
        assert not found.historical
        return [" | ".join([result.text, *(cited.quote for cited in result.sources)]) for result in found.results]

    def decisions(self):
        with self.memory.engine.store.read() as reader:
            return reader.decisions(self.memory.space, batch_id=self.report["batch_id"])

    def facts(self):
        made = {row.fact_id for row in self.history("fact_added")}
        return [self.fact(fact_id) for fact_id in made]

    def history(self, kind):
        with self.memory.engine.store.read() as reader:
            return reader.history(self.memory.space, kind=kind)

    def fact(self, fact_id):
        return self.memory.history(fact_id).fact


def said(*words):
    """What the command line prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    assert left.value.code == 0
    return json.loads(out.getvalue())


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    path = tmp_path_factory.mktemp("sessions") / "memory.db"
    begun = time.perf_counter()
    report = said("--db", path, "import", SESSIONS, "--format", "sessions", "--json")
    seconds = time.perf_counter() - begun
    with Memory.open(path) as memory:
        yield Imported(path, memory, report, seconds)


def named(cases):
    return [pytest.param(case, id=case["query"][:60]) for case in cases]


@needs_sessions
def test_all_sessions_are_taken_in(imported):
    sessions = json.loads(SESSIONS.read_text(encoding="utf-8"))
    assert len(sessions) == 25
    assert imported.report["new"] == sum(len(session["messages"]) for session in sessions)
    assert imported.report["errors"] == []
    assert imported.memory.check_invariants() == []
    assert imported.memory.stats().counts["facts"] in FACTS
    assert imported.seconds < SLOWEST


@needs_sessions
@pytest.mark.parametrize("case", named(TABLE["changes"]))
def test_the_current_value_is_served_and_the_old_one_is_not(imported, case):
    served = imported.serves(case["query"])
    for text in case["must_include"]:
        assert any(text in one for one in served), served
    for text in case["must_exclude"]:
        assert not any(text in one for one in served), served


@needs_sessions
@pytest.mark.parametrize("case", named(case for case in TABLE["changes"] if "old" in case))
def test_the_old_fact_is_retired_by_the_new_one(imported, case):
    old = [fact for fact in imported.facts() if case["old"] in fact.text]  # a search shows a sentence once
    assert old
    assert all(result.retirement is not None for result in old)
    enders = [
        one.text
        for result in old  # one sentence may hold several claims, each with its own end
        for one in imported.memory.explain(result.id).decisions
        if result.id in one.targets
    ]
    assert any(case["new"] in text for text in enders), enders


@needs_sessions
@pytest.mark.parametrize("case", named(TABLE["kept"]))
def test_what_still_holds_is_still_served(imported, case):
    served = imported.serves(case["query"])
    for text in case["must_include"]:
        assert any(text in one for one in served), served


@needs_sessions
def test_every_retirement_was_read_and_found_right(imported):
    found = {
        (imported.fact(target).text, decision.text)
        for decision in imported.decisions()
        if decision.action.value in {"SUPERSEDE", "RETRACT"}
        for target in decision.targets
    }
    judged = {(one["old"], one["new"]): one for one in TABLE["retirements"]}
    assert found - judged.keys() == set()
    assert judged.keys() - found == set()
    assert [one for one in judged.values() if not one["right"]] == []


@needs_sessions
def test_no_needless_question_is_asked(imported):
    opened = {decision.text for decision in imported.decisions() if decision.conflict_id is not None}
    assert opened == set()


@needs_sessions
def test_the_command_line_answers(imported):
    case = TABLE["changes"][0]
    found = said("--db", imported.path, "search", case["query"], "--json")
    texts = [result["text"] for result in found["results"]]
    assert any(case["must_include"][0] in text for text in texts)
    assert not any(case["must_exclude"][0] in text for text in texts)


@needs_sessions
def test_importing_again_changes_nothing(imported):
    before = dict(imported.memory.stats().counts)
    again = said("--db", imported.path, "import", SESSIONS, "--format", "sessions", "--json")
    assert (again["new"], again["repeated"]) == (0, imported.report["new"])
    assert dict(imported.memory.stats().counts) == before


def test_the_table_is_as_large_as_it_should_be():
    assert len(TABLE["changes"]) >= 15
    assert len(TABLE["kept"]) >= 15
    assert all(case["why"] for part in TABLE.values() for case in part)
