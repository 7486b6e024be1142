"""What does `stilltrue audit` print, and how does it end?"""

import json
import os
import re
import subprocess
import sys

import pytest
from rich.text import Text

from stilltrue.audit.findings import Edit, Kind, Severity
from stilltrue.audit.places import find_files
from stilltrue.errors import InvalidInputError
from stilltrue.faces import findings as shown_findings
from tests.audit.conftest import CLEAN, PORTS, TWICE
from tests.audit.hand import answer, finding, side

LINE = re.compile(
    r"(?P<file>.+?):(?P<line>\d+): (?P<severity>error|warning|note) (?P<relation>[A-Z]+) "
    r'\((?P<confidence>[01]\.\d\d)\) with (?P<other>.+?):(?P<other_line>\d+): "(?P<text>.*)" / "(?P<other_text>.*)"'
)


def test_F8_a_finding_is_one_line_as_FORMATS_fixes_it(project, audit):
    (project / "CLAUDE.md").write_text(PORTS)
    ran = audit("CLAUDE.md")
    (line,) = ran.findings
    told = LINE.fullmatch(line).groupdict()
    assert told | {"confidence": ""} == {
        "file": "CLAUDE.md",
        "line": "3",
        "severity": "error",
        "relation": "UPDATE",
        "confidence": "",
        "other": "CLAUDE.md",
        "other_line": "7",
        "text": "The API listens on port 8080.",
        "other_text": "The API listens on port 9090.",
    }
    assert (ran.status, ran.err) == (1, "")
    assert re.fullmatch(r"1 finding \(1 error\); \d+ statements in 1 file, \d+ pairs? judged", ran.out.splitlines()[-1])


@pytest.mark.parametrize("words", [["--json"], ["--format", "json"]])
def test_F8_json_has_the_fixed_keys(project, audit, words):
    (project / "notes.md").write_text(PORTS)
    ran = audit("notes.md", *words)
    (told,) = ran.json["findings"]
    fixed = {"file", "line", "other_file", "other_line", "relation", "confidence", "text", "other_text", "evidence"}
    assert told.keys() >= fixed
    assert (told["file"], told["line"], told["other_line"], told["relation"]) == ("notes.md", 3, 7, "UPDATE")
    assert isinstance(told["evidence"], list)
    assert 0.5 < told["confidence"] <= 1
    assert ran.json["statements"] >= 2
    assert ran.json["pairs_judged"] >= 1
    assert ran.status == 1


def test_F8_clean_files_end_with_0(project, audit):
    (project / "AGENTS.md").write_text(CLEAN)
    ran = audit()
    assert ran.status == 0
    assert ran.out.startswith("clean; ")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["nothing.md"], "nothing.md"),
        (["."], "no memory file"),
        (["CLAUDE.md", "--expected", "no.jsonl"], "no.jsonl"),
        (["CLAUDE.md", "--baseline", "no.json"], "no.json"),
        (["CLAUDE.md", "--min-confidence", "7"], "--min-confidence"),
        (["CLAUDE.md", "--format", "xml"], "xml"),
        (["CLAUDE.md", "--changed"], "--changed"),
    ],
)
def test_F8_what_cannot_run_ends_with_2_and_one_line(project, audit, words, named):
    if words != ["."]:
        (project / "CLAUDE.md").write_text(CLEAN)
    ran = audit(*words)
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert named in ran.err


def test_F8_a_file_that_is_no_text_is_told_and_is_not_clean(project, audit):
    (project / "CLAUDE.md").write_text(CLEAN)
    (project / "AGENTS.md").write_bytes(b"\xff\xfe\x00\xd8")
    ran = audit()
    assert ran.status == 2
    assert "AGENTS.md: not read" in ran.out
    assert audit("--json").json["skipped"][0]["file"] == "AGENTS.md"


def test_F8_notes_alone_do_not_fail(project, audit):
    (project / "CLAUDE.md").write_text(PORTS)
    (project / ".stilltrue.toml").write_text('[audit]\nseverity.contradiction = "note"\n')
    ran = audit()
    assert " note UPDATE " in ran.out
    assert ran.status == 0


def test_F8_paths_are_told_from_where_the_asker_stands(project, audit, monkeypatch):
    inner = project / "api"
    inner.mkdir()
    (inner / "CLAUDE.md").write_text(PORTS)
    assert audit("api").findings[0].startswith("api/CLAUDE.md:3:")
    monkeypatch.chdir(inner)
    assert audit().findings[0].startswith("CLAUDE.md:3:")
    monkeypatch.chdir(project.parent)
    assert audit(inner / "CLAUDE.md").findings[0].startswith("project/api/CLAUDE.md:3:")


def test_F8_least_confidence(project, audit):
    (project / "CLAUDE.md").write_text(PORTS)
    assert audit("--min-confidence", "0.5").status == 1
    assert audit("--min-confidence", "1").status == 0


def test_F8_repository_truth_is_looked_up_when_asked(project, audit):
    (project / "CLAUDE.md").write_text("# Rules\n\n- Always use pnpm to install packages.\n")
    (project / "package.json").write_text('{"name": "x"}')
    (project / "package-lock.json").write_text("{}")
    assert audit().status == 0
    ran = audit("--repo")
    assert ran.status == 1
    assert "with package-lock.json:" in ran.findings[0]
    assert audit("--repo", "--json").json["repository"] == {"confirmed": 0, "skipped": []}


def test_F8_statements_cannot_steer_a_terminal():
    hostile = finding(side("a\x1b[2J.md", 1, "red \x1b[31m [bold]x[/bold]"), side("b.md", 2, "two\nlines"))
    told = ["".join(part for part, _ in line) for line in shown_findings.lines(answer(hostile), str)]
    assert "\x1b" not in "".join(told)
    assert '"red \\x1b[31m [bold]x[/bold]" / "two lines"' in told[0]


def test_F8_each_part_of_a_finding_is_shown():
    edit = Edit("CLAUDE.md", 9, 9, None, "take line 9 out", safe=True)
    note = finding(side("CLAUDE.md", 9), side("go.mod", 0), kind=Kind.MISMATCH, severity=Severity.NOTE, edit=edit)
    told = ["".join(part for part, _ in line) for line in shown_findings.lines(answer(note), str)]
    assert told[0].startswith("CLAUDE.md:9: note UPDATE (0.97) with go.mod:1: ")
    assert told[1:3] == ["    mismatch: port: 8080 / 9090", "    to do: take line 9 out (--fix does it)"]


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False), ({}, False)],
)
def test_F8_colour_only_where_it_is_wanted(capsys, monkeypatch, environment, coloured):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TERM", "xterm-256color")
    shown_findings.show(shown_findings.lines(answer(finding(side("a.md", 1), side("a.md", 2))), str))
    out = capsys.readouterr().out
    assert ("\x1b[1;31m" in out or "\x1b[31m" in out) is coloured
    assert "error UPDATE" in Text.from_ansi(out).plain


def test_F8_python_m_works_without_a_store(project):
    (project / "CLAUDE.md").write_text(PORTS)
    ran = subprocess.run(
        [sys.executable, "-m", "stilltrue", "audit", "--format", "text"], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    assert LINE.match(ran.stdout)
    assert sorted(path.name for path in project.iterdir()) == ["CLAUDE.md"]


class TestFiles:
    """Which files a folder means."""

    MEMORY = (
        "CLAUDE.md",
        "api/agents.md",
        ".cursor/rules/style.mdc",
        ".cursorrules",
        ".windsurfrules",
        ".github/copilot-instructions.md",
        "memory/2025/march.md",
        "docs/decisions/0001-queue.md",
        "MEMORY.md",
    )
    OTHERS = ("README.md", "src/memory/cache.py", "node_modules/x/CLAUDE.md", ".venv/lib/AGENTS.md", "vendor/AGENTS.md")

    def lay(self, folder, *names):
        for name in names:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {name}\n")

    def found(self, folder, *paths):
        return [path.relative_to(folder).as_posix() for path in find_files(paths or [folder])]

    def test_F8_memory_files_are_found_by_name_and_vendored_folders_passed_over(self, project):
        self.lay(project, *self.MEMORY, *self.OTHERS)
        assert sorted(self.found(project)) == sorted(self.MEMORY)

    def test_F8_what_git_ignores_is_passed_over_unless_it_is_named(self, project, git):
        self.lay(project, "CLAUDE.md", "private/CLAUDE.md", "kept/AGENTS.md")
        (project / ".gitignore").write_text("private/\nkept/\n")
        git("add", "-f", "kept/AGENTS.md")
        assert sorted(self.found(project)) == ["CLAUDE.md", "kept/AGENTS.md"]
        assert self.found(project, project / "private") == ["private/CLAUDE.md"]
        assert self.found(project, project / "private/CLAUDE.md") == ["private/CLAUDE.md"]

    def test_F8_a_nested_repository_has_its_own_ignored_files(self, project, git):
        self.lay(project, "CLAUDE.md", "inner/CLAUDE.md", "inner/private/CLAUDE.md")
        subprocess.run(["git", "init", "-q", "inner"], cwd=project, check=True)
        (project / "inner/.gitignore").write_text("private/\n")
        assert sorted(self.found(project)) == ["CLAUDE.md", "inner/CLAUDE.md"]

    def test_F8_a_folder_without_known_names_means_its_markdown(self, project):
        self.lay(project, "plans/a.md", "plans/b/c.markdown", "plans/d.txt")
        assert sorted(self.found(project)) == ["plans/a.md", "plans/b/c.markdown"]

    def test_F8_the_memory_folder_itself_may_be_named(self, project):
        self.lay(project, "memory/MEMORY.md", "memory/notes.md", ".cursor/rules/a.mdc")
        assert self.found(project, project / "memory") == ["memory/MEMORY.md", "memory/notes.md"]
        assert self.found(project, project / ".cursor/rules") == [".cursor/rules/a.mdc"]

    def test_F8_a_file_with_two_names_is_taken_once(self, project):
        self.lay(project, "AGENTS.md")
        (project / "CLAUDE.md").symlink_to("AGENTS.md")
        assert self.found(project) == ["AGENTS.md"]
        assert len(self.found(project, project / "CLAUDE.md", project / "AGENTS.md", project)) == 1

    def test_F8_what_is_not_there_is_an_error(self, project):
        with pytest.raises(InvalidInputError, match=r"gone\.md: there is no such file"):
            find_files([project / "gone.md"])

    def test_F8_a_repository_of_strangers_starts_nothing(self, project, git):
        self.lay(project, "CLAUDE.md")
        trap = project / "trap.sh"
        trap.write_text(f"#!/bin/sh\ntouch {project}/sprung\n")
        trap.chmod(0o755)
        git("config", "core.fsmonitor", str(trap))
        assert self.found(project) == ["CLAUDE.md"]
        assert not (project / "sprung").exists()


def test_F8_what_is_no_text_is_one_line_and_stays_as_it_is_and_the_others_are_mended(project, audit):
    kept = {
        "latin.md": f"# Café\n\n{TWICE}".encode("latin-1"),
        "wide.md": TWICE.encode("utf-16"),
        "binary.md": TWICE.encode("utf-16-le"),
        "empty.md": b"",
    }
    for name, content in kept.items():
        (project / name).write_bytes(content)
    (project / "good.md").write_bytes(b"\xef\xbb\xbf" + TWICE.replace("\n", "\r\n").encode())
    ran = audit(*kept, "good.md", "--fix", "--yes")
    assert [line for line in ran.lines if "not read" in line] == [
        "latin.md: not read: line 1 is not UTF-8; save it as UTF-8",
        "wide.md: not read: the file is UTF-16; save it as UTF-8",
        "binary.md: not read: the file is binary, not text; give a text, Markdown or JSON file",
        "nothing found; 2 statements in 2 files, 0 pairs judged; 3 files not read",
    ]
    assert ran.status == 2
    assert {name: (project / name).read_bytes() for name in kept} == kept
    good = (project / "good.md").read_bytes()
    assert good.startswith(b"\xef\xbb\xbf")
    assert good.count(b"\r\n") == good.count(b"\n") == TWICE.count("\n") - 1


def test_F8_a_name_that_is_no_text_is_told_and_known_again(project, audit):
    name = os.fsdecode(b"caf\xe9.md")
    try:
        (project / name).write_text(PORTS)
    except OSError:
        pytest.skip("this system has no such names")
    assert "caf\\udce9.md:3: error" in audit(name).out
    log = audit(name, "--format", "sarif").json
    assert "caf%E9.md" in json.dumps(log)
    assert "\\ud" not in json.dumps(log["runs"][0]["results"])
    assert audit(name, "--write-baseline", "known.json").status == 0
    assert audit(name, "--baseline", "known.json").status == 0
