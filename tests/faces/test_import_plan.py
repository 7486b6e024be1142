"""Does `import --plan` tell what the import then does, and touch nothing?"""

import json
import sqlite3
from collections import Counter
from contextlib import closing

import pytest

from stilltrue import Memory
from stilltrue.connect.importers import import_file, plan_import
from stilltrue.model.decision import Action

LINES = [
    {"text": "Mara lives in Oslo.", "at": "2025-01-01", "author": "mara"},
    {"text": "Mara moved to Rome.", "at": "2025-03-01", "author": "mara"},
    {"text": "Mara lives in Rome.", "at": "2025-04-01", "author": "mara"},
    {"text": "The orders service listens on port 8080.", "at": "2025-04-02", "author": "ben"},
]


@pytest.fixture
def notes(tmp_path):
    file = tmp_path / "notes.jsonl"
    file.write_text("\n".join(map(json.dumps, LINES)), encoding="utf-8")
    return file


def dump(path):
    """Every row of the store."""
    with closing(sqlite3.connect(path)) as store:
        return [line for line in store.iterdump() if "sqlite_sequence" not in line]


def made(decisions):
    return [(one.action, one.text) for one in decisions]


@pytest.mark.parametrize("before", [[], ["Mara lives in Bergen."]], ids=["empty", "something known"])
def test_F4_a_plan_of_an_import_is_what_the_import_does_and_its_undo_takes_back(before, notes, tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path, pair_model="off") as memory:
        for text in before:
            memory.remember(text, author="mara", said_at="2024-05-01")
        untouched = dump(path)
        with plan_import(memory, notes) as plan:
            planned = made(plan.decisions)
        assert dump(path) == untouched
        assert Action.SUPERSEDE in dict(planned)
        report = import_file(memory, notes)
        assert (report.new, report.decisions) == (plan.report.new, plan.report.decisions)
        with memory.engine.store.read() as reader:
            assert made(reader.decisions(memory.space, batch_id=report.batch_id)) == planned
        assert {one.text for one in memory.lookup("mara")} == {LINES[1]["text"]}
        memory.undo(report.batch_id)
        assert [one.text for one in memory.lookup("mara")] == before
        assert memory.check_invariants() == []


def test_F4_a_plan_prints_the_diff_and_makes_no_memory(ok, notes, db):
    plan = ok("import", notes, "--plan")
    assert not db.exists()
    assert any(line.startswith("SUPERSEDE") and line.endswith("[plan]") for line in plan.lines)
    assert any(line.startswith("  - ") and line.endswith("Mara lives in Oslo.") for line in plan.lines)
    assert plan.lines[-2:] == ok("import", notes).lines[:2]


def test_F4_a_plan_as_json_has_each_decision_and_nothing_to_undo(ok, notes):
    ok("remember", "Mara lives in Bergen.", "--author", "mara", "--said-at", "2024-05-01")
    told = ok("import", notes, "--plan", "--json").json
    assert (told["plan"], told["batch_id"], told["new"]) == (True, None, len(LINES))
    assert dict(Counter(one["action"] for one in told["changes"])) == told["decisions"]
    done = ok("import", notes, "--json").json
    assert done["decisions"] == told["decisions"]
    again = ok("import", notes, "--plan", "--json").json
    assert (again["new"], again["changes"]) == (0, [])


def test_F4_what_cannot_be_planned_is_refused_in_one_line(run, ok, notes, tmp_path):
    assert "give one of them" in run("import", notes, "--plan", "--estimate").err
    ok("remember", "Mara lives in Oslo.")
    kept = tmp_path / "kept.jsonl"
    ok("export", "--out", kept)
    refused = run("import", kept, "--plan")
    assert refused.status == 2
    assert "leave out --estimate and --plan" in refused.err
