"""Does a pair say the same of other people, and nothing else?"""

from __future__ import annotations

import random

from training.pairs import Pair
from training.renaming import NAMED_USER, NAMES, renamed


def pair(old, new):
    return Pair(old, new, frozenset({"UPDATE"}), "corpus", "zz-1", "other_subject", 0.5)


def drawn(row, count=200):
    return [renamed(row, random.Random(seed)) for seed in range(count)]


def test_one_person_stays_one_and_two_stay_two():
    for row in drawn(pair("Priya lives in Oslo.", "Priya's brother Kofi moved in with Priya")):
        old, new = row.old.split(), row.new.split()
        assert old[1:3] == ["lives", "in"]
        assert old[3].startswith("Oslo")
        assert new[0] == f"{old[0]}'s"
        assert new[-1] == old[0] != new[2]
        assert {old[0], new[2]} <= set(NAMES)


def test_what_else_a_row_holds_stays():
    row = pair("Priya lives in Oslo.", "Kofi lives in Rome.")
    for other in drawn(row, 20):
        assert (other.labels, other.source, other.anchor, other.trap, other.weight) == (
            row.labels,
            row.source,
            row.anchor,
            row.trap,
            row.weight,
        )


def test_the_user_gets_a_name_only_where_both_call_the_user_so():
    named = [row for row in drawn(pair("User lives in Oslo.", "User's flat is in Rome.")) if "User" not in row.old]
    assert 0.5 * NAMED_USER < len(named) / 200 < 1.5 * NAMED_USER
    assert all(row.new.startswith(f"{row.old.split()[0]}'s") for row in named)
    for row in drawn(pair("User lives in Oslo.", "I moved to Rome.")):
        assert row.old.startswith("User")


def test_words_that_hold_a_name_are_left_alone():
    row = pair("The Martasson bakery opens at 8", "The Elioville ferry")
    assert {(one.old, one.new) for one in drawn(row, 20)} == {(row.old, row.new)}


def test_the_same_draw_gives_the_same_row():
    row = pair("Priya met Kofi.", "Kofi met Elif.")
    assert renamed(row, random.Random(3)) == renamed(row, random.Random(3))
