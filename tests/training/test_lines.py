"""Are the sets of lines whole, and do pairs of lines say what their sets and files say?"""

import random
from collections import Counter

import pytest

from stilltrue.inference.embed import MiniLMEmbedder
from training import files, lines
from training.lines import Line, LineSet
from training.odds import held_back
from training.pairs import CONFLICTS, PEACE, RELATIONS

ONE = LineSet(
    "made-1",
    "bakery",
    "Bread is baked at night.",
    (
        Line("The ovens are cold from dusk to dawn.", "CONTRADICTION"),
        Line("Since May we bake in the afternoon.", "UPDATE"),
        Line("Loaves are made while the town sleeps.", "DUPLICATE"),
        Line("Rye goes in last.", "OVERLAP"),
        Line("Cakes are baked at noon.", "NONE"),
    ),
)


def test_sets_are_whole_and_told_once():
    sets = lines.sets()
    assert len({one.id for one in sets}) == len(sets) > 1000
    for one in sets:
        assert len(one.others) >= 4
        assert all(text.strip() == text and text for text in one.texts), one.id
        assert len({text.lower() for text in one.texts}) == len(one.texts), one.id
        assert {other.label for other in one.others} <= set(RELATIONS)
        assert any(other.label in CONFLICTS for other in one.others)
        assert any(other.label in PEACE for other in one.others)


def test_conflicts_are_about_as_common_as_what_looks_like_them():
    told = Counter(other.label in CONFLICTS for one in lines.sets() for other in one.others)
    assert 0.35 < told[True] / told.total() < 0.45


def test_a_pair_is_told_both_ways_and_a_change_turned_round_is_any_conflict():
    pairs = {(pair.old, pair.new): pair.labels for pair in lines.written([ONE])}
    assert len(pairs) == 10
    for other in ONE.others:
        assert pairs[ONE.line, other.text] == {other.label}
        assert pairs[other.text, ONE.line] == (CONFLICTS if other.label == "UPDATE" else {other.label})


def test_what_says_the_same_clashes_with_what_clashes():
    follows = {(pair.old, pair.new) for pair in lines.told_again([ONE])}
    same = ONE.others[2].text
    clashing = [other.text for other in ONE.others[:2]]
    assert follows == {pair for text in clashing for pair in ((same, text), (text, same))}


def test_lines_of_two_sets_by_one_hand_have_nothing_to_do_with_each_other():
    found = list(lines.apart(lines.sets(), 50, random.Random(1)))
    assert len(found) == 50
    where = {text: one.id for one in lines.sets() for text in one.texts}
    for pair in found:
        assert pair.labels == {"NONE"}
        old, new = where[pair.old], where[pair.new]
        assert old != new
        assert old.partition("-")[0] == new.partition("-")[0]
    assert list(lines.apart([ONE], 5, random.Random(1))) == []


def test_no_file_is_learnt_from_and_fitted_on():
    learnt = {one.name for one in files.files() if lines.learnt_from(one)}
    kept = {one.name for one in held_back()}
    assert len(learnt) == 28
    assert not learnt & kept
    assert learnt | kept >= {one.name for one in files.files()}


@pytest.mark.parametrize("label", ["CONTRADICTION", "UPDATE", "NONE", ""])
def test_what_is_nominated_in_a_file_has_the_label_of_its_lines(label):
    text = "# Ports\n\n- The API listens on port 8080.\n\n## Second part\n\n- The API listens on port 9090.\n"
    one = files.Labelled("made.md", text, {(3, 7): label} if label else {})
    found = list(lines.of_files([one], MiniLMEmbedder(), random.Random(2)))
    wanted = {"": PEACE, "UPDATE": CONFLICTS}.get(label, frozenset({label}))
    assert {pair.labels for pair in found} == {wanted}
    ways = 1 if not label else 4 if label in CONFLICTS else 2
    assert len(found) == ways
    assert len({(pair.old, pair.new) for pair in found}) == min(ways, 2)
