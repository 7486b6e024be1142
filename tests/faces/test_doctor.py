"""Does the doctor find what is missing, and say what to do?"""

import pytest

from stilltrue.faces.doctor import Finding, Level, examine, lines, well


def about(findings, name):
    return next(finding for finding in findings if finding.about == name)


def test_all_is_well_here(ok, lives):
    lives("Porto", "2024-01-10")
    said = ok("doctor").out
    for part in ("Python:", "SQLite:", "full-text search: FTS5", "embedder:", "store: sound", "settings:"):
        assert f"ok     {part}" in said


def test_B8_missing_judges_are_named_and_what_that_means(ok, lives, monkeypatch):
    monkeypatch.setenv("STILLTRUE_PAIR_MODEL", "off")
    lives("Porto", "2024-01-10")
    told = ok("doctor", "--json").json
    assert told["well"] is True
    notes = {finding["about"]: finding for finding in told["findings"] if finding["level"] == "note"}
    for judge in ("pair model", "llm"):
        assert notes[f"judge {judge}"]["said"].startswith("off: ")
        assert "undecided" in notes[f"judge {judge}"]["said"]


def test_no_memory_yet_is_worth_knowing_and_not_wrong(ok, db):
    assert f"note   memory: none at {db} yet; `stilltrue remember` begins it" in ok("doctor").lines
    assert not db.exists()


def test_a_setting_that_differs_is_told(ok, lives):
    lives("Porto", "2024-01-10")
    ok("settings", "search_limit=3")
    assert "note   setting: search_limit is 3 here; its default is 10" in ok("doctor").lines


def test_a_foreign_file_is_wrong(run, db):
    db.write_bytes(b"this is no database" * 100)
    ran = run("doctor")
    assert ran.status == 1
    assert any(line.startswith("wrong  memory: ") for line in ran.lines)


def test_a_broken_invariant_is_wrong(run, lives, monkeypatch):
    lives("Porto", "2024-01-10")
    monkeypatch.setattr("stilltrue.memory.Memory.check_invariants", lambda _: ["fact 1 has no source"])
    ran = run("doctor")
    assert ran.status == 1
    assert any(line.startswith("wrong  store: fact 1 has no source; restore") for line in ran.lines)


def test_a_variable_that_cannot_be_read_is_wrong(run, monkeypatch):
    monkeypatch.setenv("STILLTRUE_SIMILARITY_GATE", "high")
    ran = run("doctor")
    assert ran.status == 1
    assert any("STILLTRUE_SIMILARITY_GATE" in line for line in ran.lines)


def test_damaged_weights_are_wrong(monkeypatch):
    from stilltrue.errors import ModelError

    class Damaged:
        def embed(self, texts):
            raise ModelError("the model file is damaged; reinstall stilltrue")

    monkeypatch.setattr("stilltrue.inference.embed.MiniLMEmbedder", Damaged)
    findings = examine("nowhere.db", None)
    assert about(findings, "embedder") == Finding(
        Level.WRONG, "embedder", "the model file is damaged; reinstall stilltrue"
    )
    assert not well(findings)


@pytest.mark.parametrize("text", ["\x1b[31m", "two\nlines"])
def test_a_finding_is_one_harmless_line(text):
    (line,) = lines([Finding(Level.NOTE, "setting", text)])
    assert "\x1b" not in line
    assert "\n" not in line
