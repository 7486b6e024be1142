"""Does any verb write over a memory, or over somebody's file, that it was given as its target? None does unasked; each
says in one line what is there and what to do, and not a byte of it changes."""

from __future__ import annotations

import json

import pytest

from tests.faces.test_errors import one_line

WRITTEN = {
    "export": ["export", "--out", "{}"],
    "export by force": ["export", "--force", "--out", "{}"],
    "verdicts": ["judge", "pairs.jsonl", "--out", "{}"],
    "baseline": ["audit", "AGENTS.md", "--write-baseline", "{}"],
    "patch": ["audit", "--store", "jsonl", "store.jsonl", "--patch", "{}"],
    "notes": ["notes", "write", "{}"],
    "demo": ["demo", "--keep", "{}"],
    "migrate": ["migrate", "memory.db", "{}"],
    "tokens": ["token", "new", "laptop", "--access", "{}"],
    "tokens of a server": ["serve", "--access", "{}"],
    "memory": ["--db", "{}", "remember", "Mara lives in Porto."],
}
THERE = {
    "a memory": "other.db",
    "tokens": "other.db.access",
    "words": "words.txt",
    "a link to words": "link.txt",
    "a folder": "folder",
}
TAKES = {  # what a verb is for, not an accident
    ("export by force", "words"),
    ("export by force", "a link to words"),
    ("notes", "words"),
    ("notes", "a link to words"),
    ("memory", "a memory"),
    ("tokens", "tokens"),
    ("tokens of a server", "tokens"),
}


@pytest.fixture
def place(ok, tmp_path, monkeypatch):
    """A folder in which every target stands, and what the verbs read."""
    monkeypatch.chdir(tmp_path)
    ok("remember", "Mara lives in Porto.")
    ok("remember", "Ada likes tea.", before=["--db", "other.db"])
    ok("token", "new", "phone", before=["--db", "other.db"])
    (tmp_path / "words.txt").write_text("Mine.\n")
    (tmp_path / "link.txt").symlink_to("words.txt")
    (tmp_path / "folder").mkdir()
    (tmp_path / "pairs.jsonl").write_text('{"id": 1, "old": "x is 1", "new": "x is 2"}\n')
    (tmp_path / "store.jsonl").write_text('{"id": "1", "text": "Ada likes tea."}\n')
    (tmp_path / "AGENTS.md").write_text("- Use tabs.\n")
    return tmp_path


def held(folder):
    """What is in the files that stand there, by name; the locks and logs of databases aside."""
    return {
        file.name: file.read_bytes()
        for file in sorted(folder.iterdir())
        if file.is_file() and not file.name.endswith(("-shm", "-wal", ".lock"))
    }


@pytest.mark.parametrize(
    ("verb", "target"), [(verb, target) for verb in WRITTEN for target in THERE if (verb, target) not in TAKES]
)
def test_what_is_there_is_not_written_over(run, place, verb, target):
    words = [word.format(THERE[target]) for word in WRITTEN[verb]]
    before = held(place)
    said = one_line(run(*words, before=[] if words[0] == "--db" else None))
    assert THERE[target] in said
    assert ";" in said
    assert held(place) == before


@pytest.mark.parametrize("verb", ["export", "verdicts", "baseline", "patch", "notes"])
def test_a_file_in_no_folder_is_named_as_it_was_given(run, place, verb):
    before = held(place)
    said = one_line(run(*[word.format("nowhere/file.txt") for word in WRITTEN[verb]]))
    assert "nowhere/file.txt: there is no folder nowhere; make it" in said
    assert held(place) == before


@pytest.mark.parametrize("verb", ["export", "verdicts", "baseline", "patch", "notes"])
@pytest.mark.parametrize("empty", [True, False])
def test_what_is_missing_or_empty_is_written(run, place, verb, empty):
    if empty:
        (place / "new").touch()
    ran = run(*[word.format("new") for word in WRITTEN[verb]])
    assert (ran.status, "error" in ran.err) == (0, False)
    assert (place / "new").exists()


def test_an_export_is_written_over_where_that_is_asked_for(ok, run, place):
    ok("export", "--out", "kept.jsonl")
    ok("remember", "Mara plays chess.")
    assert "--force" in one_line(run("export", "--out", "kept.jsonl"))
    ok("export", "--out", "kept.jsonl", "--force")
    assert "chess" in (place / "kept.jsonl").read_text()


def test_what_can_be_had_again_is_renewed_without_asking(run, place):
    for words in (WRITTEN["verdicts"], WRITTEN["baseline"]):
        for _ in range(2):
            assert run(*[word.format("again.json") for word in words]).status == 0
        if words[0] == "judge":
            assert [json.loads(line)["id"] for line in (place / "again.json").read_text().splitlines()] == [1]
        (place / "again.json").unlink()


def test_what_is_no_file_is_written_as_it_comes(ok, place):
    ok("export", "--out", "/dev/null")
    ok("judge", "pairs.jsonl", "--out", "/dev/null")
