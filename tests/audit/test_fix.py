"""Does mending take out only what can go, and leave everything else as it was?"""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.audit import fixing
from stilltrue.audit.findings import Edit
from stilltrue.errors import StateError
from tests.audit.conftest import PORTS, TWICE
from tests.audit.hand import finding, repeat, side

REPEAT = "- Always use pnpm to install packages.\n"


def planned(tmp_path, content, *findings):
    file = tmp_path / "CLAUDE.md"
    file.write_bytes(content)
    return file, fixing.plan(findings, {"CLAUDE.md": (file, content)})


def gone(*lines):
    return [Edit("f", line, line, None, "") for line in lines]


@pytest.mark.parametrize(
    ("before", "lines", "after"),
    [
        (b"a\nb\nc\n", [2], b"a\nc\n"),
        (b"a\r\nb\r\nc\r\n", [2], b"a\r\nc\r\n"),
        (b"a\rb\rc", [3], b"a\rb"),
        (b"a\nb\nc", [3], b"a\nb"),
        (b"a\nb\nc", [2], b"a\nc"),
        (b"\xef\xbb\xbfa\nb\n", [1], b"\xef\xbb\xbfb\n"),
        (b"a\r\nb\nc\rd\n", [2], b"a\r\nc\rd\n"),
        (b"a\n\nb\n\nc\n", [3], b"a\n\nc\n"),
        (b"a\n\nb\n\nc\n\nd\n", [3, 5], b"a\n\nd\n"),
        ("é\n漢\x0cx\n\u2028b\n".encode(), [2], "é\n\u2028b\n".encode()),
        (b"a\n", [1], b""),
    ],
)
def test_F8_lines_go_and_ends_marks_and_newlines_stay(before, lines, after):
    assert fixing.edited(before, gone(*lines)) == after


def test_F8_replaced_lines_have_the_ends_of_their_file():
    assert fixing.edited(b"a\r\nb\r\nc", [Edit("f", 2, 3, "x\ny", "")]) == b"a\r\nx\r\ny"


@given(
    st.lists(st.sampled_from(["a", "bb", "", "ü"]), max_size=8), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans()
)
def test_F8_no_edit_changes_no_byte(lines, end, ended):
    content = (end.join(lines) + (end if ended else "")).encode()
    assert fixing.edited(content, []) == content


def test_F8_only_safe_edits_are_planned(tmp_path):
    unsafe = finding(side("CLAUDE.md", 1), side("CLAUDE.md", 2), edit=Edit("CLAUDE.md", 1, 1, None, "", safe=False))
    _, changes = planned(tmp_path, b"x\nx\n", unsafe, finding(side("CLAUDE.md", 1), side("CLAUDE.md", 2)))
    assert changes == []


def test_F8_of_copies_that_accuse_each_other_one_stays(tmp_path):
    circle = [repeat("CLAUDE.md", 1, 2), repeat("CLAUDE.md", 2, 3), repeat("CLAUDE.md", 3, 1)]
    _, (change,) = planned(tmp_path, b"- x\n- x\n- x\n", *circle)
    assert change.after == b"- x\n"
    _, (change,) = planned(tmp_path, b"- x\n- x\n", repeat("CLAUDE.md", 1, 2), repeat("CLAUDE.md", 2, 1))
    assert change.after == b"- x\n"


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)).filter(lambda p: p[0] != p[1]), max_size=12))
def test_F8_whatever_the_findings_no_statement_loses_its_last_copy(pairs):
    content = b"- x\n" * 6
    (*changes,) = fixing.plan([repeat("f", *pair) for pair in pairs], {"f": (Path("f"), content)})
    assert all(change.after.count(b"- x\n") >= 1 for change in changes)
    assert bool(changes) is bool(pairs)


def test_F8_edits_that_overlap_are_not_both_made(tmp_path):
    _, (change,) = planned(
        tmp_path, b"- a\n- b\n- a\n- b\n- a\n", repeat("CLAUDE.md", 3, 1, end=4), repeat("CLAUDE.md", 4, 2)
    )
    assert [(edit.line, edit.end_line) for edit in change.edits] == [(3, 4)]


@pytest.mark.parametrize(
    "text",
    [
        (
            "- Deploy with `make deploy` from the release branch only\n- Ports are fixed\n"
            "- Deploy with `make\n  deploy` from the release branch only\n"
        ),
        (
            "- Restart the staging database by hand\n- Ports are fixed\n"
            "- Restart the staging database by hand\n  (2025-03-01)\n"
        ),
        "2025-01-05: Restarted the staging database by hand\n\n2025-03-01: Restarted the staging database by hand\n",
        (
            "- [ ] Migrate the billing database to the new cluster\n- Ports are fixed\n"
            "- [x] Migrate the billing database to the new cluster\n"
        ),
        "See [the guide](a.md) for how releases are cut\n\nSee [the guide](b.md) for how releases are cut\n",
        (
            "1. Run the whole test suite on both machines\n2. Raise the version\n"
            "3. Run the whole test suite on both machines\n"
        ),
        (
            "Run the following command before every single release\n\n```\na\n```\n\n"
            "Run the following command before every single release\n\n```\nb\n```\n"
        ),
        (
            "- Keep all of the secrets in the vault\n- Ports are fixed\n- Keep all of the secrets in the vault\n"
            "  - but those of tests in the repository\n"
        ),
        "2025-01-05\n\n- Restarted the staging database\n\n2025-03-01\n\n- Restarted the staging database\n",
        "1. Run the whole test suite again\n1. Raise the version\n1. Run the whole test suite again\n",
        "These hold in Oslo\n\n- Ask Dana for the keys\n\nThese hold in Rome\n\n- Ask Dana for the keys\n",
        "Oslo\n\nAsk Dana for all the keys\n\nRome\n\nAsk Dana for all the keys\n",
        "- Done\n\n## Last week\n\n- Done\n",
    ],
    ids=[
        "code over two lines",
        "a date below",
        "two dates",
        "two boxes",
        "two links",
        "two steps",
        "two leads",
        "an exception",
        "two days as titles",
        "two steps that number themselves",
        "two paragraphs over lists",
        "two titles without marks",
        "short",
    ],
)
def test_F8_what_is_no_repeat_to_the_letter_stays(project, audit, text):
    (project / "CLAUDE.md").write_text(f"# Notes\n\n{text}")
    told = audit("--fix", "--yes")
    assert (project / "CLAUDE.md").read_text() == f"# Notes\n\n{text}"
    assert "--fix does it" not in told.out


def test_F8_a_file_that_changed_meanwhile_is_refused_and_none_is_written(tmp_path):
    files = {}
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes(b"x\nx\n")
        files[name] = (tmp_path / name, b"x\nx\n")
    changes = fixing.plan([repeat("a.md", 2, 1), repeat("b.md", 2, 1)], files)
    (tmp_path / "b.md").write_bytes(b"x\ny\n")
    with pytest.raises(StateError, match=r"b\.md has changed since it was read"):
        fixing.carry_out(changes)
    assert (tmp_path / "a.md").read_bytes() == b"x\nx\n"


def test_F8_permissions_and_links_stay_and_nothing_is_left_behind(tmp_path):
    file, changes = planned(tmp_path, b"x\nx\n", repeat("CLAUDE.md", 2, 1))
    file.chmod(0o640)
    link = tmp_path / "AGENTS.md"
    link.symlink_to("CLAUDE.md")
    linked = [fixing.Change(one.name, link, one.before, one.after, one.edits) for one in changes]
    fixing.carry_out(linked)
    assert link.is_symlink()
    assert file.read_bytes() == b"x\n"
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["AGENTS.md", "CLAUDE.md"]


def test_F8_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    file, changes = planned(tmp_path, b"x\nx\n", repeat("CLAUDE.md", 2, 1))
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        fixing.carry_out(changes)
    assert file.read_bytes() == b"x\nx\n"
    assert [path.name for path in tmp_path.iterdir()] == ["CLAUDE.md"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_F8_fix_shows_the_diff_writes_and_finds_nothing_more(project, audit, end):
    file = project / "CLAUDE.md"
    file.write_bytes(TWICE.replace("\n", end).encode())
    ran = audit("--fix", "--yes")
    assert ran.status == 0
    assert "--- a/CLAUDE.md\n+++ b/CLAUDE.md\n" in ran.out
    assert f"\n-{REPEAT}" in ran.out
    mended = file.read_bytes()
    assert mended.decode() == TWICE.replace("\n", end).removesuffix(REPEAT.replace("\n", end))
    again = audit("--fix", "--yes")
    assert (again.status, "---" in again.out) == (0, False)
    assert file.read_bytes() == mended


@pytest.mark.parametrize(("reply", "written"), [("y\n", True), ("n\n", False), ("", False)])
def test_F8_fix_asks_first(project, audit, reply, written):
    file = project / "CLAUDE.md"
    file.write_text(TWICE)
    ran = audit("--fix", stdin=reply)
    assert "Change this file?" in ran.err
    assert (file.read_text() != TWICE) is written
    assert ran.status == (0 if written else 1)


def test_F8_fix_leaves_alone_what_is_for_people_to_settle(project, audit):
    file = project / "CLAUDE.md"
    file.write_text(PORTS)
    ran = audit("--fix", "--yes")
    assert ran.status == 1
    assert file.read_text() == PORTS


def test_F8_with_json_the_diff_stands_beside_the_answer(project, audit):
    (project / "CLAUDE.md").write_text(TWICE)
    ran = audit("--fix", "--yes", "--json")
    assert ran.json["findings"] == []
    assert ran.json["fixed"] == [{"file": "CLAUDE.md", "edits": 1}]
    assert f"\n-{REPEAT}" in ran.err
