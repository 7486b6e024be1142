"""Does the command line take a memory out whole and put it in again, and refuse what it should? Issue 6, item 6."""

import json

import pytest


@pytest.fixture
def out(ok, tmp_path):
    ok("remember", "Mara lives in Porto.", "--said-at", "2024-01-05")
    ok("remember", "Mara moved to Lisbon on 3 May 2025.", "--said-at", "2025-05-04")
    path = tmp_path / "mara.jsonl"
    told = ok("export", "--out", path, "--json").json
    assert told["records"]["KeptFact"] == 2
    assert path.stat().st_mode & 0o777 == 0o600
    return path


@pytest.mark.parametrize("words", [(), ("--format", "stilltrue")])
def test_what_was_written_is_recognised_and_made_again(ok, out, tmp_path, words):
    where = ["--db", str(tmp_path / "copy.db"), "--space", "mara"]
    told = ok("import", out, *words, before=where)
    assert told.lines == ["space mara made as it was: 2 episodes, 2 facts, " + told.lines[0].split(", ")[2]]
    assert ok("lookup", "mara", "--as-of", "2024-06-01", "--json", before=where).json["results"][0]["value"] == "Porto"
    again = ok("export", before=where).lines
    assert again[1:] == out.read_text("utf-8").splitlines()[1:]
    assert json.loads(again[0]) == {"stilltrue_export": 1, "space": "mara"}


def test_standard_input_is_read_where_its_format_is_named(run, out, tmp_path):
    before = ["--db", str(tmp_path / "copy.db")]
    told = run("import", "-", "--format", "stilltrue", "--json", before=before, stdin=out.read_bytes())
    assert (told.status, told.json["records"]["KeptFact"]) == (0, 2)


def test_a_memory_that_is_there_is_not_mixed_with_another(run, out):
    ran = run("import", out)
    assert ran.status == 2
    assert "--space NAME" in ran.err


def test_a_damaged_file_is_named_with_its_line_and_the_next_try_works(run, ok, out, tmp_path):
    where = ["--db", str(tmp_path / "copy.db")]
    lines = out.read_bytes().split(b"\n")
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"\n".join([*lines[:3], b"{", *lines[4:]]))
    ran = run("import", bad, before=where)
    assert ran.status == 2
    assert f"{bad}, line 4: " in ran.err
    assert ok("import", out, before=where).status == 0


def test_nothing_is_left_where_there_is_nothing_to_export(run, ok, tmp_path):
    ok("remember", "Mara lives in Porto.")
    ran = run(
        "export", "--out", tmp_path / "none.jsonl", before=["--db", str(tmp_path / "memory.db"), "--space", "none"]
    )
    assert ran.status == 2
    assert "nothing to export" in ran.err
    assert not list(tmp_path.glob("*none*"))


def test_an_estimate_makes_no_sense_for_an_export(run, out):
    assert "--estimate" in run("import", out, "--estimate").err


@pytest.mark.parametrize("words", [("export", "--out", "nowhere/x.jsonl"), ("export", "--out", ".")])
def test_a_place_that_cannot_be_written_is_named(run, ok, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ok("remember", "Mara lives in Porto.")
    ran = run(*words)
    assert ran.status == 2
    assert ran.err.count("\n") == 1


# Notes


def test_notes_go_there_and_back(run, ok, tmp_path):
    file = tmp_path / "MEMORY.md"
    file.write_bytes(b"Mine.")
    ok("remember", "Mara lives in Porto.")
    assert ok("notes", "write", file).lines == [f"written to {file}, facts: 1"]
    assert ok("notes", "write", file, "--json").json == {"facts": 1, "changed": False}
    text = file.read_text("utf-8")
    file.write_text("\n".join(line for line in text.split("\n") if not line.startswith("- ")), encoding="utf-8")
    assert "notes read" in run("notes", "write", file).err
    told = ok("notes", "read", file)
    assert "still held true: Mara lives in Porto." in told.out
    assert ok("notes", "read", file, "--retract", "--json").json["retracted"] == 1
    ok("notes", "write", file)
    assert file.read_bytes().startswith(b"Mine.")
    assert b"Porto" not in file.read_bytes()


def test_a_file_that_is_not_there_is_named(run, tmp_path):
    ran = run("notes", "read", tmp_path / "none.md")
    assert ran.status == 2
    assert "none.md" in ran.err
