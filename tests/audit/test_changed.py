"""With --changed, is told what touches changed files, compared with everything? Do the hook and the action run?"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from stilltrue.audit.changed import changed_files
from stilltrue.errors import InvalidInputError
from tests.audit.conftest import CLEAN, PORTS

ROOT = Path(__file__).parents[2]
HOOK = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
OLD, NEW = "# Ports\n\n- The API listens on port 8080.\n", "# Ports\n\n- The API listens on port 9090.\n"


@pytest.fixture
def stilltrue(tmp_path):
    """A folder with the command, for programs that look for it on the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "stilltrue"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stilltrue "$@"\n')
    command.chmod(0o755)
    return os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path)}


def test_F8_changed_are_those_that_differ_or_are_new(project, git):
    for name in ("same.md", "edited.md", "gone.md", "-odd ü.md"):
        (project / name).write_text(CLEAN)
    git("add", ".")
    git("commit", "-qm", "first")
    (project / "edited.md").write_text(OLD)
    (project / "-odd ü.md").write_text(OLD)
    (project / "gone.md").unlink()
    (project / "new.md").write_text(NEW)
    (project / ".gitignore").write_text("ignored.md\n")
    (project / "ignored.md").write_text(NEW)
    names = {path.name for path in changed_files(project)}
    assert names == {"edited.md", "gone.md", "new.md", "-odd ü.md", ".gitignore"}
    git("add", ".")
    git("commit", "-qm", "second")
    assert changed_files(project) == frozenset()
    assert "new.md" in {path.name for path in changed_files(project, "HEAD~1")}


def test_F8_before_the_first_commit_all_is_new(project, git):
    (project / "staged.md").write_text(CLEAN)
    git("add", "staged.md")
    (project / "loose.md").write_text(CLEAN)
    assert {path.name for path in changed_files(project)} == {"staged.md", "loose.md"}


@pytest.mark.parametrize("reference", ["nowhere", "--output=x", "HEAD:x", ""])
def test_F8_what_is_no_commit_is_refused(project, git, reference):
    git("commit", "-qm", "first", "--allow-empty")
    with pytest.raises(InvalidInputError, match="knows no such commit"):
        changed_files(project, reference)
    assert not (project / "x").exists()


def test_F8_a_changed_file_is_compared_with_unchanged_ones(project, audit, git):
    (project / "CLAUDE.md").write_text(PORTS)
    (project / "AGENTS.md").write_text(CLEAN)
    git("add", ".")
    git("commit", "-qm", "first")
    nothing = audit("--changed")
    assert (nothing.status, nothing.findings) == (0, [])
    (project / "AGENTS.md").write_text(CLEAN + "- The API listens on port 7070.\n")
    told = audit("--changed")
    assert told.status == 1
    assert told.findings
    assert all("AGENTS.md:" in line for line in told.findings), "what stood in CLAUDE.md before is not told"
    assert any("CLAUDE.md:" in line for line in told.findings)


def test_F8_changed_takes_a_commit_or_none(project, audit, git):
    (project / "CLAUDE.md").write_text(CLEAN)
    git("add", ".")
    git("commit", "-qm", "first")
    (project / "CLAUDE.md").write_text(PORTS)
    git("commit", "-qam", "second")
    assert audit("--changed").status == 0
    assert audit("--changed", "CLAUDE.md").status == 0, "an existing path is a path"
    assert audit("--changed", "--json").status == 0
    assert audit("--changed", "HEAD~1").status == 1
    assert audit("--changed=HEAD~1", "CLAUDE.md").status == 1
    assert audit("--changed", "--write-baseline", "known.json").status == 2


def commit(environment):
    return subprocess.run(
        ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "words"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.timeout(600)  # three commits, each with a whole run of the command
def test_F8_the_hook_stops_a_commit_that_contradicts(project, git, stilltrue):
    (hook,) = HOOK
    script = project / ".git/hooks/pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"#!/bin/sh\nexec {hook['entry']}\n")
    script.chmod(0o755)
    (project / "CLAUDE.md").write_text(OLD)
    git("add", ".")
    assert commit(stilltrue).returncode == 0
    (project / "AGENTS.md").write_text(NEW)
    git("add", ".")
    stopped = commit(stilltrue)
    assert stopped.returncode == 1
    assert "UPDATE" in stopped.stdout + stopped.stderr or "CONTRADICTION" in stopped.stdout + stopped.stderr
    (project / "AGENTS.md").write_text(CLEAN)
    git("add", ".")
    assert commit(stilltrue).returncode == 0
    assert git("log", "--format=%s").split() == ["words", "words"]


def test_F8_the_hook_is_one_that_pre_commit_takes():
    (hook,) = HOOK
    assert hook.keys() >= {"id", "name", "entry", "language", "files"}
    assert hook["language"] == "python"
    assert hook["pass_filenames"] is False
    wanted = re.compile(hook["files"])
    for name in (
        "CLAUDE.md",
        "api/AGENTS.md",
        ".cursor/rules/a.mdc",
        ".cursorrules",
        "memory/a/b.md",
        "docs/decisions/1.md",
    ):
        assert wanted.search(name), name
    for name in ("README.md", "src/memory/cache.py", "docs/index.md"):
        assert not wanted.search(name), name


def test_F8_the_action_hands_nothing_of_a_callers_to_a_shell():
    assert ACTION["runs"]["using"] == "composite"
    steps = ACTION["runs"]["steps"]
    assert all("${{" not in step.get("run", "") for step in steps)
    assert any("upload-sarif" in step.get("uses", "") for step in steps)
    told = (ROOT / "action.yml").read_text("utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", told)) == ACTION["inputs"].keys()


@pytest.mark.parametrize(
    ("files", "paths", "status"),
    [
        ({"CLAUDE.md": OLD, "AGENTS.md": NEW}, "", 1),
        ({"CLAUDE.md": OLD, "a b; touch sprung.md": CLEAN}, "CLAUDE.md\na b; touch sprung.md\n", 0),
        ({"README.md": CLEAN}, "gone.md", 2),
    ],
)
def test_F8_the_steps_of_the_action_run(project, stilltrue, files, paths, status):
    for name, text in files.items():
        (project / name).write_text(text)
    given = {"PATHS": paths, "BASELINE": "", "CHANGED": "", "MIN_CONFIDENCE": "", "SARIF_FILE": "out.sarif"}
    environment = stilltrue | given | {"GITHUB_OUTPUT": str(project / "output")}
    steps = {step.get("name"): step["run"] for step in ACTION["runs"]["steps"] if "run" in step}
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    ran = subprocess.run([*shell, steps["Audit"]], env=environment, capture_output=True, text=True, check=False)
    assert (project / "output").read_text() == f"status={status}\n"
    assert ran.returncode == (2 if status == 2 else 0), ran.stderr
    assert not (project / "sprung.md").exists()
    if status < 2:
        assert yaml.safe_load((project / "out.sarif").read_text())["version"] == "2.1.0"
        report = subprocess.run([*shell, steps["Report"]], env=environment | {"STATUS": str(status)}, check=False)
        assert report.returncode == status
