"""Does an import add what is new, once, whatever happened before, and does one undo take it back?"""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from stilltrue.connect.importers import import_data, import_file
from stilltrue.errors import InvalidInputError, StoreError
from stilltrue.memory import Memory

LINES = [
    {"text": "User lives in Portland.", "at": "2024-01-01", "author": "ann"},
    {"text": "The cache TTL is 60 seconds.", "at": "2024-01-02", "topic": "infra", "importance": 0.9},
    {"text": "Budget", "subject": "cloud", "attribute": "budget", "value": "$4,000", "kind": "constraint"},
]


def jsonl(lines):
    return "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines).encode()


def texts(memory):
    with memory.engine.store.read() as reader:
        decisions = reader.decisions(memory.space)
        ids = [decision.fact_id for decision in decisions if decision.fact_id]
        return sorted(fact.statement.text for fact in reader.facts(memory.space, ids) if fact.belief)


def test_an_import_reports_what_it_did_and_a_second_one_does_nothing(memory):
    first = import_data(memory, jsonl(LINES))
    assert (first.format, first.episodes, first.new, first.repeated, first.errors) == ("jsonl", 3, 3, 0, ())
    assert sum(first.decisions.values()) == 3
    before = texts(memory)
    second = import_data(memory, jsonl(LINES))
    assert (second.episodes, second.new, second.repeated, second.decisions, second.batch_id) == (3, 0, 3, {}, None)
    assert texts(memory) == before
    assert (first.exit_status, second.exit_status) == (0, 0)
    assert json.loads(json.dumps(first.as_json()))["new"] == 3


def test_what_the_file_states_reaches_memory(memory):
    import_data(memory, jsonl(LINES))
    (budget,) = memory.lookup("cloud", "budget")
    assert (budget.value, budget.kind) == ("$4,000", "constraint")
    (ttl,) = [result for result in memory.search("cache TTL").results if "TTL" in result.text]
    assert (ttl.topic, ttl.importance, ttl.said_at) == ("infra", 0.9, datetime(2024, 1, 2, tzinfo=UTC))


def test_one_undo_takes_back_the_whole_import(memory):
    report = import_data(memory, jsonl(LINES))
    memory.undo(report.batch_id)
    assert texts(memory) == []


def test_a_bad_line_is_reported_and_the_rest_is_imported(memory):
    too_long = {"text": "x" * 300_000}
    unknown = {"text": "A fact.", "supersedes": "ffffffff"}
    report = import_data(memory, jsonl([LINES[0], "{", too_long, unknown, LINES[1]]))
    assert [error.line for error in report.errors] == [2, 3, 4]
    assert (report.new, report.exit_status) == (2, 1)


def test_dated_records_are_remembered_in_the_order_they_were_said(memory):
    import_data(
        memory,
        jsonl([{"text": "The port is 8080.", "at": "2025-02-01"}, {"text": "The port is 80.", "at": "2024-02-01"}]),
    )
    with memory.engine.store.read() as reader:
        assert [decision.text for decision in reader.decisions(memory.space)] == [
            "The port is 80.",
            "The port is 8080.",
        ]


def test_progress_counts_up_to_the_total(memory):
    steps = []
    import_data(memory, jsonl(LINES), progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf \r\n", "empty"),
        (b"\x89PNG\r\n\x00", "binary"),
        ("[]".encode("utf-16"), "UTF-16"),
        (b"plain", "name it with --format"),
        (b"{", "name it with --format"),
    ],
)
def test_a_file_without_memories_is_refused(memory, data, words):
    with pytest.raises(InvalidInputError, match=words):
        import_data(memory, data)


def test_an_unknown_format_is_refused(memory):
    with pytest.raises(InvalidInputError, match="there is no format 'csv'; it is one of messages"):
        import_data(memory, b"a,b", format="csv")


def test_a_file_that_cannot_be_read_is_refused(memory, tmp_path):
    for path in (tmp_path / "missing.md", tmp_path, "a\x00b"):
        with pytest.raises(InvalidInputError, match="cannot read"):
            import_file(memory, path)


def test_an_edited_memory_file_imports_only_what_changed(memory, tmp_path):
    file = tmp_path / "MEMORY.md"
    file.write_text("# Deploys\n\n- Deploys on Fridays are banned.\n- Releases need two approvals.\n")
    assert import_file(memory, file).new == 2
    file.write_text("# Deploys\r\n\r\n- Releases need two approvals.\r\n- Hotfixes need one approval.\r\n")
    report = import_file(memory, file)
    assert (report.new, report.repeated) == (1, 1)


def test_a_failing_store_ends_the_import(memory, monkeypatch):
    def fail(*_, **__):
        message = "disk full"
        raise StoreError(message)

    monkeypatch.setattr(memory, "remember", fail)
    with pytest.raises(StoreError):
        import_data(memory, jsonl(LINES))


KILLED = """
import os, sys
from stilltrue.connect.importers import import_file
from stilltrue.memory import Memory
with Memory.open(sys.argv[1]) as memory:
    import_file(memory, sys.argv[2], progress=lambda done, _: os._exit(9) if done == int(sys.argv[3]) else None)
"""


@pytest.mark.parametrize("done", [1, 5])
def test_an_import_that_was_killed_is_finished_by_running_it_again(tmp_path, embedder, done):
    file, database = tmp_path / "in.jsonl", tmp_path / "memory.db"
    file.write_bytes(
        jsonl({"text": f"Ticket {number} is owned by team {number}.", "at": "2025-01-01"} for number in range(8))
    )
    child = subprocess.run(
        [sys.executable, "-c", KILLED, database, file, str(done)], check=False, env=os.environ.copy()
    )
    assert child.returncode == 9
    with Memory.open(database, embedder=embedder) as memory:
        report = import_file(memory, file)
        assert (report.repeated, report.new) == (done, 8 - done)
        assert len(texts(memory)) == 8
        assert memory.check_invariants() == []


def test_what_was_kept_but_not_judged_when_the_process_died_is_judged_first(memory, monkeypatch):
    class Died(BaseException):
        pass

    def die(*_):
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(memory.engine.embedder, "embed", die)
        with pytest.raises(Died):
            import_data(memory, jsonl(LINES))
    report = import_data(memory, jsonl(LINES))
    assert (report.new, report.repeated) == (2, 1)
    assert len(texts(memory)) == 3
