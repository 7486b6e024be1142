"""Are the companies whole, kept in one part each, and free of what is held out?"""

import json

import pytest

from training import companies, mixture, pairs
from training.companies import FOLDER, Company
from training.pairs import CONFLICTS, PEACE, RELATIONS


def company(name="zz-1"):
    return Company(
        name,
        "notes",
        {"a": "I live in Lisbon.", "b": "My dentist is Sara.", "c": "I moved to Porto.", "d": "Home is Lisbon."},
        {("a", "c"): ("UPDATE", "told"), ("a", "d"): ("DUPLICATE", "restated"), ("c", "d"): ("NONE", "past")},
    )


def test_ids_name_their_file_and_are_told_once():
    told = []
    for file in FOLDER.glob("*.jsonl"):
        ids = [json.loads(line)["id"] for line in file.read_text(encoding="utf-8").splitlines()]
        assert all(name.startswith(f"{file.stem}-") for name in ids)
        told += ids
    assert len(set(told)) == len(told) == len(companies.companies())


@pytest.mark.parametrize("one", companies.companies(), ids=lambda one: one.id)
def test_what_is_named_stands_in_the_company_in_order(one):
    place = {key: number for number, key in enumerate(one.lines)}
    assert len(set(one.lines.values())) == len(one.lines) >= 30
    assert all(place[old] < place[new] for old, new in one.named)
    assert {label for label, _ in one.named.values()} <= set(RELATIONS)
    assert sum(label in CONFLICTS for label, _ in one.named.values()) >= 9


def test_every_part_has_companies_and_each_is_in_one():
    parts = {name: {one.id for one in companies.of_part(name)} for name in ("train", "dev", "test")}
    assert all(parts.values())
    assert sum(map(len, parts.values())) == len(companies.companies())


def test_a_pair_that_nobody_named_is_no_conflict():
    assert company().pair("a", "b").labels == PEACE
    assert company().pair("a", "c").label == "UPDATE"
    assert {(row.old, row.new) for row in companies.apart([company()])} == {
        ("I live in Lisbon.", "My dentist is Sara."),
        ("My dentist is Sara.", "I moved to Porto."),
        ("My dentist is Sara.", "Home is Lisbon."),
    }
    assert all(row.labels == PEACE for row in companies.beside([company()]))


def test_only_what_is_no_conflict_is_turned_round():
    rows = {(row.old, row.new): row.labels for row in companies.named([company()])}
    assert ("I moved to Porto.", "I live in Lisbon.") not in rows
    assert rows["Home is Lisbon.", "I live in Lisbon."] == {"DUPLICATE"}
    assert rows["Home is Lisbon.", "I moved to Porto."] == {"NONE"}


def test_strangers_come_from_two_training_sets():
    parts = pairs.parts()
    for row in companies.strangers():
        one, other = row.anchor.split()
        assert one != other
        assert parts[one] == parts[other] == "train"
        assert row.label == "NONE"


def test_a_stage_sees_no_held_out_company_and_none_that_joins_later(tmp_path):
    [rows] = mixture.epochs(mixture.COMPANY, tmp_path, seed=7)
    seen = {row.anchor for row in rows if row.source == "companies"}
    held = {one.id for name in ("dev", "test") for one in companies.of_part(name)}
    assert seen
    assert not seen & held
    assert not {name for name in seen if name[:2] in mixture.COMPANIES_NEW}
