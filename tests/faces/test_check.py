"""Row F10 at the command line: what is printed, with which status, against a memory and against files."""

import pytest


@pytest.fixture
def moved_on(ok):
    ok("remember", "Our CTO is Dana.", "--said-at", "2024-01-10")
    ok("remember", "Sam is the CTO now.", "--said-at", "2025-03-06")


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "NOTES.md"
    path.write_text("### 2024-01-10\n\n- We use Jenkins.\n\n### 2025-03-04\n\n- Jenkins was decommissioned.\n", "utf-8")
    return path


@pytest.mark.usefixtures("moved_on")
def test_F10_check_ends_with_1_where_something_is_stale(run):
    ran = run("check", "Ask Dana, the CTO, about it.")
    assert (ran.status, ran.err) == (1, "")
    assert ran.lines[0].startswith("5-17: “Dana, the CTO” is stale (")
    assert ran.lines[1] == "  instead: “Sam is the CTO now.”, since 2025-03-06"


@pytest.mark.usefixtures("moved_on")
def test_F10_check_ends_with_0_where_nothing_is(ok):
    assert ok("check", "Ask Sam, the CTO, about it.").lines == ["nothing in it is known to be stale"]


@pytest.mark.usefixtures("moved_on")
def test_F10_check_as_json(run):
    ran = run("check", "Ask Dana, the CTO, about it.", "--json")
    (stale,) = ran.json["stale"]
    assert ran.status == 1
    assert set(stale) == {
        "words", "start", "end", "assumes", "instead", "since", "relation", "confidence", "citations",
    }  # fmt: skip
    assert (stale["words"], stale["since"]) == ("Dana, the CTO", "2025-03-06T00:00:00Z")
    assert stale["citations"][0]["sources"][0]["quote"] == "Sam is the CTO now."


def test_F10_check_against_files_names_file_and_line(run, notes):
    ran = run("check", "Restart our Jenkins server.", "--files", notes, "--json", before=[])
    (stale,) = ran.json["stale"]
    assert ran.status == 1
    assert stale["citations"][0]["fact_id"] == f"{notes}:7"


def test_F10_check_takes_several_files(run, notes, tmp_path):
    other = tmp_path / "OTHER.md"
    other.write_text("- We use Jenkins.\n", "utf-8")
    assert run("check", "Restart our Jenkins server.", "--files", other, notes, before=[]).status == 1
    assert run("check", "Restart our Jenkins server.", "--files", other, before=[]).status == 0


def test_F10_check_that_cannot_run_ends_with_2(run, tmp_path):
    for words in (["check", " "], ["check", "x", "--files", tmp_path / "none.md"], ["check", "several", "words"]):
        ran = run(*words, before=[])
        assert (ran.status, len(ran.err.splitlines())) == (2, 1)


@pytest.mark.usefixtures("moved_on")
def test_F10_what_a_text_holds_cannot_steer_the_terminal(run):
    ran = run("check", "Ask Dana, the CTO, \x1b[31mabout it.")
    assert "\x1b" not in ran.out


def test_F10_a_file_that_is_no_text_is_named_and_the_others_are_asked(run, notes, tmp_path):
    latin, wide, empty = tmp_path / "latin.md", tmp_path / "wide.md", tmp_path / "empty.md"
    latin.write_bytes("# Notes\n\nThe café is closed.\n".encode("latin-1"))
    wide.write_bytes("# Notes\n".encode("utf-16"))
    empty.write_bytes(b"")
    told = run("check", "Restart our Jenkins server.", "--files", latin, wide, notes, before=[])
    assert (told.status, "is stale" in told.out) == (1, True)
    assert told.err == (
        f"error: {latin}: not read: line 3 is not UTF-8; save it as UTF-8\n"
        f"error: {wide}: not read: the file is UTF-16; save it as UTF-8\n"
    )
    assert run("check", "Restart our Jenkins server.", "--files", latin, empty, before=[]).status == 2
    alone = run("check", "Restart our Jenkins server.", "--files", latin, before=[])
    assert (alone.status, alone.out, alone.err.count("\n")) == (2, "", 1)
    assert run("check", "Restart our Jenkins server.", "--files", empty, before=[]).status == 0
