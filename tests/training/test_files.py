"""Are the labelled memory files whole, and does every label name lines that are there?"""

import pytest

from training import files
from training.pairs import CONFLICTS, RELATIONS


@pytest.mark.parametrize("one", files.files(), ids=lambda one: one.name)
def test_labels_name_lines_that_say_something(one):
    lines = one.text.split("\n")
    assert all(1 <= first < second <= len(lines) for first, second in one.labels)
    assert all(lines[number - 1].strip() for pair in one.labels for number in pair)
    assert set(one.labels.values()) <= set(RELATIONS)
    quiet = one.name.startswith("nm/")
    assert len(one.clashes) >= (2 if quiet else 9)
    assert len(one.labels) - len(one.clashes) >= 15


def test_a_clash_is_what_a_conflict_label_names():
    one = files.Labelled("a", "", {(1, 2): "UPDATE", (1, 3): "NONE", (2, 3): "CONTRADICTION"})
    assert one.clashes == {(1, 2), (2, 3)}
    assert {one.labels[pair] for pair in one.clashes} <= CONFLICTS
