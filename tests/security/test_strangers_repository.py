"""Can a repository of a stranger start a program, read or change a file of the auditor's, or keep the audit busy?"""

import os
import subprocess
import sys

import pytest

from stilltrue.audit.changed import changed_files
from stilltrue.audit.configuration import read_configuration
from stilltrue.audit.places import find_files, matcher
from stilltrue.errors import InvalidInputError
from stilltrue.formats.lines import LineError, json_lines, parse
from tests.audit.conftest import CLEAN, TWICE, audit, embedder, git, project

__all__ = ["audit", "embedder", "git", "project"]

FILTERS = ("clean", "process")


@pytest.mark.parametrize("part", FILTERS)
@pytest.mark.parametrize("driver", ["trap", 'a "b".c'])
def test_F8_comparing_with_a_commit_starts_no_filter(project, git, part, driver):
    file = project / "CLAUDE.md"
    file.write_text(CLEAN)
    git("add", ".")
    git("commit", "-qm", "first")
    (project / ".gitattributes").write_text("*.md filter=trap\n")
    git("config", f"filter.{driver}.{part}", f"touch {project}/sprung; cat")
    git("config", "filter.trap.required", "true")
    file.write_text(CLEAN)
    os.utime(file, (1, 1))
    changed_files(project)
    assert not (project / "sprung").exists()


def test_F8_the_trap_of_the_test_before_does_spring(project, git):
    file = project / "CLAUDE.md"
    file.write_text(CLEAN)
    git("add", ".")
    git("commit", "-qm", "first")
    (project / ".gitattributes").write_text("*.md filter=trap\n")
    git("config", "filter.trap.clean", f"touch {project}/sprung; cat")
    os.utime(file, (1, 1))
    git("diff", "--name-only", "HEAD")
    assert (project / "sprung").exists()


def test_F8_a_filter_whose_name_cannot_be_switched_off_is_refused(project, git):
    (project / "CLAUDE.md").write_text(CLEAN)
    git("add", ".")
    git("commit", "-qm", "first")
    git("config", "filter.a=b.clean", f"touch {project}/sprung")
    with pytest.raises(InvalidInputError, match="filters that cannot be switched off"):
        changed_files(project)


def test_F8_nothing_is_fetched_for_a_commit_that_is_missing(project, git):
    (project / "CLAUDE.md").write_text(CLEAN)
    git("add", ".")
    git("commit", "-qm", "first")
    git("config", "extensions.partialClone", "origin")
    git("config", "core.repositoryFormatVersion", "1")
    git("config", "remote.origin.promisor", "true")
    git("config", "remote.origin.url", str(project))
    git("config", "remote.origin.uploadpack", f"touch {project}/sprung; git-upload-pack")
    with pytest.raises(InvalidInputError):
        changed_files(project, "0123456789012345678901234567890123456789")
    assert not (project / "sprung").exists()


def test_F8_a_folder_of_links_and_pipes_shows_nothing_from_outside(tmp_path):
    (tmp_path / "private.md").write_text(TWICE)
    root = tmp_path / "repository"
    root.mkdir()
    (root / "CLAUDE.md").symlink_to(tmp_path / "private.md")
    (root / "MEMORY.md").write_text(CLEAN)
    (root / "GEMINI.md").symlink_to("MEMORY.md")
    os.mkfifo(root / "AGENTS.md")
    assert [file.resolve().name for file in find_files([root])] == ["MEMORY.md"]
    assert find_files([root / "CLAUDE.md"]) == [root / "CLAUDE.md"], "a file that is named is meant"


def test_F8_mending_a_folder_writes_through_no_link_out_of_it(project, audit):
    outside = project.parent / "private.md"
    outside.write_text(TWICE)
    (project / "CLAUDE.md").symlink_to(outside)
    (project / "MEMORY.md").write_text(TWICE)
    audit("--fix", "--yes", ".")
    assert outside.read_text() == TWICE
    assert (project / "MEMORY.md").read_text() != TWICE


@pytest.mark.parametrize("key", ["paths", "baseline"])
@pytest.mark.parametrize("place", ["../private.md", "/etc/hostname", "a/../../private.md", "out/private.md"])
def test_F8_its_configuration_names_nothing_outside(tmp_path, key, place):
    root = tmp_path / "repository"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    file = root / ".stilltrue.toml"
    file.write_text(f"[audit]\n{key} = {[place] if key == 'paths' else place!r}\n".replace("'", '"'))
    with pytest.raises(InvalidInputError, match=r"\.stilltrue\.toml:2: .* leads out of the folder"):
        read_configuration(file)


@pytest.mark.parametrize(
    "text",
    ["x = " + "[" * 200_000, "x = " + "{a=" * 100_000, "x = " + "9" * 100_000, "[" * 100_000, "x" * 8_000_000],
    ids=["lists", "tables", "digits", "heads", "one word"],
)
def test_F8_a_configuration_made_to_hurt_is_refused_in_one_line(tmp_path, text):
    file = tmp_path / ".stilltrue.toml"
    file.write_text(text)
    with pytest.raises(InvalidInputError) as refused:
        read_configuration(file)
    assert len(str(refused.value)) < 1_000


@pytest.mark.parametrize("pattern", ["**/" * 60 + "x", "*a" * 60, "a*" * 60 + "/**/x", "**" * 60 + "b"])
def test_F8_a_pattern_of_many_stars_takes_no_hours(pattern):
    code = "import sys; from stilltrue.audit.places import matcher; matcher(sys.argv[1]).match('a/a' * 600)"
    subprocess.run([sys.executable, "-c", code, pattern], check=True, timeout=60)


@pytest.mark.parametrize(
    ("pattern", "meant", "other"),
    [
        ("**/a/**/b/**/c/**/*.md", "a/x/b/c/d/e.md", "a/x/c/b/d/e.md"),
        ("*a*b*c*d*", "xaxbxcxd/y", "xaxb/cxd"),
        ("**/**/**/**/old/", "x/old/y.md", "x/older/y.md"),
        ("?*?*?*?*", "abcd", "abc"),
    ],
)
def test_F8_many_stars_mean_what_few_do(pattern, meant, other):
    assert matcher(pattern).match(meant)
    assert not matcher(pattern).match(other)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 100_000, "9" * 100_000, '"' + "\\u0041" * 200_000])
def test_C1_json_made_to_hurt_is_one_refusal(text):
    with pytest.raises(InvalidInputError) as refused:
        parse(text)
    assert len(str(refused.value)) < 300
    ((_, told),) = json_lines(__import__("io").BytesIO(text.encode()))
    assert isinstance(told, LineError)
