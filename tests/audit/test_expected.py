"""Are findings measured against labels as FORMATS says?"""

import json

import pytest

from stilltrue.audit.expected import read_expected, score
from stilltrue.audit.findings import Kind, Severity
from stilltrue.errors import InvalidInputError
from stilltrue.model.verdict import Relation
from tests.audit.conftest import PORTS
from tests.audit.hand import finding, repeat, side


def labels(folder, *lines):
    file = folder / "labels.jsonl"
    told = [{"file": name, "line_a": a, "line_b": b, "label": label} for name, a, b, label in lines]
    file.write_text("\n".join(map(json.dumps, told)) + "\n")
    return file


def scored(folder, findings, *lines, files=("a.md",)):
    return score(findings, read_expected(labels(folder, *lines)), files)


def between(one, other, **more):
    return finding(side("a.md", one), side("a.md", other), **more)


@pytest.mark.parametrize("lines", [(3, 9), (9, 3)])
def test_F8_a_conflict_counts_in_either_order(tmp_path, lines):
    told = scored(tmp_path, [between(9, 3)], ("a.md", *lines, "UPDATE"), ("a.md", 1, 2, "NONE"))
    assert (told.recall.hits, told.recall.total) == (1, 1)
    assert (told.precision.hits, told.precision.total) == (1, 1)
    assert told.missed == told.wrong == ()


@pytest.mark.parametrize("label", ["CONTRADICTION", "update", "RETRACTION"])
def test_F8_any_word_for_conflict_finds_any_other(tmp_path, label):
    assert scored(tmp_path, [between(3, 9, relation=Relation.CONTRADICTION)], ("a.md", 3, 9, label)).recall.hits == 1


def test_F8_the_line_may_be_any_of_a_statement(tmp_path):
    long = finding(side("a.md", 3, end=5), side("a.md", 9))
    assert scored(tmp_path, [long], ("a.md", 4, 9, "UPDATE")).recall.hits == 1
    assert scored(tmp_path, [long], ("a.md", 6, 9, "UPDATE")).recall.hits == 0


@pytest.mark.parametrize("label", ["OVERLAP", "NONE", "DUPLICATE"])
def test_F8_a_trap_that_is_reported_is_wrong(tmp_path, label):
    told = scored(tmp_path, [between(3, 9)], ("a.md", 3, 9, label))
    assert [one.label.value for one in told.wrong] == [label]
    assert (told.precision_of_named.hits, told.precision_of_named.total) == (0, 1)
    assert told.unnamed == 0


def test_F8_what_no_line_names_is_false_in_one_figure_and_left_out_of_the_other(tmp_path):
    told = scored(tmp_path, [between(3, 9), between(5, 6)], ("a.md", 3, 9, "UPDATE"))
    assert (told.precision.hits, told.precision.total) == (1, 2)
    assert (told.precision_of_named.hits, told.precision_of_named.total) == (1, 1)
    assert told.unnamed == 1


@pytest.mark.parametrize(
    "quiet",
    [
        between(3, 9, severity=Severity.NOTE),
        between(3, 9, relation=Relation.DUPLICATE),
        repeat("a.md", 9, 3),
        between(3, 9, kind=Kind.MISMATCH),
    ],
    ids=["note", "no conflict", "repeat", "mismatch"],
)
def test_F8_what_is_not_reported_as_a_conflict_does_not_count(tmp_path, quiet):
    told = scored(tmp_path, [quiet], ("a.md", 3, 9, "UPDATE"), ("a.md", 1, 2, "DUPLICATE"))
    assert (told.recall.hits, told.precision.total) == (0, 0)
    assert len(told.missed) == 1


def test_F8_one_pair_of_lines_counts_once_and_unlabelled_files_do_not(tmp_path):
    elsewhere = finding(side("b.md", 1), side("b.md", 2))
    told = scored(tmp_path, [between(3, 9), between(9, 3), elsewhere], ("a.md", 3, 9, "UPDATE"), files=("a.md", "b.md"))
    assert (told.precision.hits, told.precision.total) == (1, 1)


def test_F8_files_are_meant_by_their_tails(tmp_path):
    found = [finding(side("set/one/CLAUDE.md", 3), side("set/one/CLAUDE.md", 9))]
    files = ("set/one/CLAUDE.md", "set/two/CLAUDE.md")
    assert scored(tmp_path, found, ("one/CLAUDE.md", 3, 9, "UPDATE"), files=files).recall.hits == 1
    assert scored(tmp_path, found, ("gone.md", 3, 9, "UPDATE"), files=files).not_audited == 1
    with pytest.raises(InvalidInputError, match=r"could be set/one/CLAUDE\.md or set/two/CLAUDE\.md"):
        scored(tmp_path, found, ("CLAUDE.md", 3, 9, "UPDATE"), files=files)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("{", "labels.jsonl:2:"),
        ("[]", "no JSON object"),
        ('{"file": "a.md", "line_a": 1, "line_b": 2}', "'label' is missing"),
        ('{"file": "a.md", "line_a": 0, "line_b": 2, "label": "NONE"}', "numbers of lines"),
        ('{"file": "a.md", "line_a": "1", "line_b": 2, "label": "NONE"}', "numbers of lines"),
        ('{"file": "a.md", "line_a": 1, "line_b": 2, "label": "MAYBE"}', "MAYBE"),
        ('{"file": 7, "line_a": 1, "line_b": 2, "label": "NONE"}', "name of a file"),
    ],
)
def test_F8_a_bad_line_is_named(tmp_path, line, wrong):
    file = tmp_path / "labels.jsonl"
    file.write_text(f"\n{line}\n")
    with pytest.raises(InvalidInputError, match=r"labels\.jsonl:2: ") as raised:
        read_expected(file)
    assert wrong in str(raised.value)


def test_F8_the_door_prints_both_figures_and_finds_the_labelled_files(project, audit):
    folder = project / "set"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("# Nothing\n")
    (folder / "odd-name.txt").write_text(PORTS)
    file = labels(
        project, ("odd-name.txt", 3, 7, "UPDATE"), ("odd-name.txt", 1, 5, "NONE"), ("odd-name.txt", 1, 3, "UPDATE")
    )
    ran = audit("set", "--expected", file)
    assert "precision 1.000 [0.207, 1.000] (1 of 1), with what no line names counted as false" in ran.err
    assert "precision 1.000 [0.207, 1.000] (1 of 1) among the pairs that a line names" in ran.err
    assert "recall 0.500 [0.095, 0.905] (1 of 2)" in ran.err
    assert "missed: odd-name.txt:1 and 3 (UPDATE)" in ran.err
    told = audit("set", "--expected", file, "--json").json["expected"]
    assert told["recall"]["share"] == 0.5
    assert told["missed"] == [{"file": "odd-name.txt", "line_a": 1, "line_b": 3, "label": "UPDATE", "at": 3}]
