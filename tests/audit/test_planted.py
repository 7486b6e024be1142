"""How right is an audit on memory files that nothing was fitted on? They grew as files do; each clash was planted.

`plain` and `plain_too` are by two hands that knew neither the product nor its corpus, were asked for files that grew
over months, and named every clash and every pair that only looks like one.
"""

from pathlib import Path

import pytest

from stilltrue.audit.expected import read_expected, score
from stilltrue.audit.run import audit_files
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.inference.pair_model import bundled_for_lines
from stilltrue.model.verdict import CONFLICTS
from stilltrue.settings import Settings

PLANTED = Path(__file__).parent / "planted"
SETS = ("plain", "plain_too")
PRECISION, RECALL = 0.85, 0.70
"""What is demanded of `plain`, the set of the form that the demand describes."""


def scored(name):
    folder = PLANTED / name
    paths = sorted(folder.glob("*.md"))
    report = audit_files(
        paths, settings=Settings(), pair_model=bundled_for_lines(), embedder=MiniLMEmbedder(), root=folder
    )
    return score(report.findings, read_expected(folder / "expected.jsonl"), [path.name for path in paths])


@pytest.fixture(scope="module")
def figures():
    return {name: scored(name) for name in SETS}


def test_F8_the_set_is_of_the_form_that_is_demanded():
    expected = read_expected(PLANTED / "plain" / "expected.jsonl")
    clashes = [one for one in expected if one.label in CONFLICTS]
    files = {one.file for one in expected}
    assert len(files) >= 8
    assert all(40 <= len((PLANTED / "plain" / name).read_text("utf-8").splitlines()) <= 150 for name in files)
    assert len(clashes) >= 60
    assert all(abs(one.line_a - one.line_b) >= 15 for one in clashes)
    assert len(expected) - len(clashes) >= 120


def test_F8_what_is_reported_is_right_and_most_is_found(figures):
    told = figures["plain"]
    assert told.precision.hits / told.precision.total >= PRECISION
    assert told.recall.hits / told.recall.total >= RECALL


def test_F8_another_hand_finds_it_about_as_right(figures):
    found, right = (sum(getattr(told.precision, name) for told in figures.values()) for name in ("total", "hits"))
    assert right / found >= PRECISION
    assert right / sum(told.recall.total for told in figures.values()) >= RECALL
