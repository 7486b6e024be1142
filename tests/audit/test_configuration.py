"""Is `.stilltrue.toml` found, obeyed, and refused with its line where it cannot be meant?"""

import pytest

from stilltrue.audit.configuration import Configuration, find_configuration, read_configuration
from stilltrue.audit.findings import Kind, Severity
from stilltrue.errors import InvalidInputError
from tests.audit.conftest import PORTS, TWICE


def written(folder, text):
    file = folder / ".stilltrue.toml"
    file.write_text(text)
    return file


def test_F8_every_key_is_read(tmp_path):
    text = """
[audit]
paths = ["CLAUDE.md"]
exclude = ["old/**"]
baseline = "known.json"
min_confidence = 0.95
repo = true

[audit.severity]
duplicate = "note"
stale = "off"
"""
    told = read_configuration(written(tmp_path, text))
    assert told == Configuration(
        folder=tmp_path.resolve(),
        paths=("CLAUDE.md",),
        exclude=("old/**",),
        baseline="known.json",
        min_confidence=0.95,
        repo=True,
        severity={Kind.DUPLICATE: Severity.NOTE, Kind.STALE: None},
    )


@pytest.mark.parametrize("text", ["", "[audit]\n", "# nothing\n"])
def test_F8_an_empty_file_changes_nothing(tmp_path, text):
    assert read_configuration(written(tmp_path, text)) == Configuration(folder=tmp_path.resolve())


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        ("[audit]\nrepo = true\npats = []\n", 3, "unknown key 'pats'"),
        ("\n[audits]\n", 2, "'audits'"),
        ('# paths\n[audit]\npaths = "CLAUDE.md"\n', 3, "list of texts"),
        ("[audit]\nexclude = [1]\n", 2, "list of texts"),
        ("[audit]\n\nmin_confidence = 70\n", 3, "from 0 to 1"),
        ("[audit]\nmin_confidence = true\n", 2, "from 0 to 1"),
        ('[audit]\nrepo = "yes"\n', 2, "true or false"),
        ("[audit]\nbaseline = 7\n", 2, "path of a file"),
        ('[audit]\nrepo = true\n[audit.severity]\ndup = "note"\n', 4, "unknown kind 'dup'"),
        ('[audit]\n[audit.severity]\nstale = "loud"\n', 3, "error, warning, note, off"),
        ('[audit]\nseverity.stale = "loud"\n', 2, "error, warning, note, off"),
        ("audit = 3\n", 1, "[audit]"),
        ("[audit]\nrepo = \n", 2, "not TOML"),
    ],
)
def test_F8_what_cannot_be_meant_is_refused_with_its_line(tmp_path, text, line, named):
    with pytest.raises(InvalidInputError) as raised:
        read_configuration(written(tmp_path, text))
    assert str(raised.value).startswith(f"{tmp_path}/.stilltrue.toml:{line}: ")
    assert named in str(raised.value)


def test_F8_the_nearest_file_upwards_counts(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    written(tmp_path, "[audit]\nmin_confidence = 0.1\n")
    assert find_configuration(inner).min_confidence == 0.1
    written(tmp_path / "a", "[audit]\nmin_confidence = 0.2\n")
    assert find_configuration(inner).min_confidence == 0.2


def test_F8_the_door_obeys_it_and_options_outrank_it(project, audit, monkeypatch):
    for name in ("one.md", "old/CLAUDE.md"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(PORTS)
    (project / "two.md").write_text(TWICE)
    text = '[audit]\npaths = ["one.md", "two.md", "old"]\nexclude = ["old/"]\n[audit.severity]\nduplicate = "off"\n'
    written(project, text)
    ran = audit("--json")
    assert ran.status == 1
    assert {one["file"] for one in ran.json["findings"]} == {"one.md"}
    assert audit("two.md").status == 0
    assert audit("old/CLAUDE.md").status == 1, "what is named is meant"
    written(project, text.replace("[audit]", "[audit]\nmin_confidence = 1"))
    assert audit().status == 0
    assert audit("--min-confidence", "0").status == 1
    monkeypatch.chdir(project / "old")
    assert audit("--json").json["files"] == ["../one.md", "../two.md"]


def test_F8_its_baseline_lies_beside_it(project, audit, monkeypatch):
    (project / "CLAUDE.md").write_text(PORTS)
    written(project, '[audit]\nbaseline = "known.json"\n')
    missing = audit()
    assert missing.status == 2
    assert "--write-baseline" in missing.err
    assert audit("--write-baseline", "known.json").status == 0
    assert audit().status == 0
    (project / "inner").mkdir()
    monkeypatch.chdir(project / "inner")
    assert audit("..").status == 0


def test_F8_an_error_in_it_is_one_line_and_2(project, audit):
    (project / "CLAUDE.md").write_text(PORTS)
    written(project, "[audit]\nbase = 1\n")
    ran = audit()
    assert ran.status == 2
    assert ".stilltrue.toml:2: unknown key 'base' in [audit]; there are baseline, " in ran.err
