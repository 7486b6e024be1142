"""Are the parts of the corpus cut so that nothing held out is trained on, and is the corpus well-formed?"""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from training import pairs
from training.pairs import CONFLICTS, CORPUS, PEACE, RELATIONS

TRAPS = frozenset(
    [
        "condition",
        "coreference",
        "correction",
        "cue_word",
        "double_negation",
        "event_vs_state",
        "exception",
        "future_dated",
        "generalisation",
        "going_back",
        "hearsay",
        "high_overlap_different",
        "hypothetical",
        "implied_contradiction",
        "implied_end",
        "intent",
        "language",
        "low_overlap_same",
        "negation_flip",
        "number_bound",
        "other_subject",
        "other_time",
        "partial_overlap",
        "question",
        "quoted_speech",
        "refinement",
        "same_words_other_sense",
        "sarcasm_or_degree",
        "set_valued",
        "temporal_past",
        "typo",
        "unit_conversion",
    ]
)

IN_TWO_PARTS = {
    "i sing in the church choir.",
    "alerts go to pagerduty.",
    "phone: pixel 7",
    "seat: aisle",
    "user commutes by train.",
    "user can't stand coriander.",
    "user cooks on gas.",
    "user doesn't own a car.",
    "user supports celtic.",
    "user takes coffee black.",
    "user's favourite colour is green.",
}
"""Written twice, under an attribute that is held out and under another."""

PAIRS_IN_TWO_PARTS = {
    ("seat: aisle", "meal: vegetarian"),
    ("seat: aisle", "seat: window"),
    ("user supports celtic.", "user is a rangers fan."),
}
"""Those of their pairs that are the same; in training they weigh nothing."""

TWO_WORDS = {
    ("decimal separator: comma", "decimal separator: point"),
    ("functions: at most 40 lines", "functions: at most 60 lines"),
    ("linter: ruff", "linter: flake8"),
    ("max line length: 88", "max line length: 120"),
    ("repo visibility: private", "repo visibility: public"),
    ("the outage started at 14:05.", "the outage ended at 15:20."),
    ("user prefers short answers.", "user prefers long, detailed answers."),
    ("user supports celtic.", "user is a rangers fan."),
    ("versioning: semver", "versioning: calver"),
}
"""Pairs that two people named differently, on the same side: UPDATE and CONTRADICTION, OVERLAP and NONE."""


def plain(text):
    return text.strip().lower()


def attribute(contrast):
    return plain(contrast["slot"]["attribute"]).replace(" ", "_")


def by_part(key):
    found = defaultdict(set)
    for contrast in pairs.sets():
        found[key(contrast)].add(pairs.part(contrast))
    return found


def contrast(name, *new, existing="E", trap=None):
    rows = [{"text": text, "label": label} | ({"trap": trap} if trap else {}) for text, label in new]
    slot = {"subject": "user", "attribute": "city", "value": "Oslo", "cardinality": "one", "qualifiers": {}}
    return {"id": name, "domain": "home", "existing": existing, "slot": slot, "new": rows}


class TestParts:
    def test_every_set_is_in_one_part(self):
        ids = [c["id"] for c in pairs.sets()]
        assert len(ids) == len(set(ids))
        assert sum(len(pairs.of_part(name)) for name in ("train", "dev", "test")) == len(ids)

    def test_an_existing_statement_is_in_one_part(self):
        crossing = {text for text, parts in by_part(lambda c: plain(c["existing"])).items() if len(parts) > 1}
        assert crossing == IN_TWO_PARTS

    def test_whole_attributes_are_held_out(self):
        held = [parts for parts in by_part(attribute).values() if "train" not in parts]
        assert sum(parts == {"test"} for parts in held) > 40
        trained = {attribute(c) for c in pairs.of_part("train")}
        fully = {a for a in map(attribute, pairs.sets()) if pairs.fraction(a) < pairs.TEST_ATTRIBUTES}
        assert fully
        assert not fully & trained

    def test_shares_of_the_parts(self):
        shares = {name: len(pairs.of_part(name)) / len(pairs.sets()) for name in ("train", "dev", "test")}
        assert 0.78 < shares["train"] < 0.86
        assert 0.06 < shares["dev"] < 0.10
        assert 0.08 < shares["test"] < 0.12

    def test_hardly_a_pair_as_written_is_in_two_parts(self):
        train = {pair.words for pair in pairs.pairs_of(pairs.of_part("train"))}
        assert train & pairs.withheld() == PAIRS_IN_TWO_PARTS

    def test_fewer_of_the_late_sets_are_held_out(self):
        late = [c for c in pairs.sets() if c["id"].startswith(pairs.LATE)]
        held = sum(pairs.part(c) != "train" for c in late) / len(late)
        assert 0.08 < held < 0.13

    def test_a_part_does_not_depend_on_the_other_sets(self):
        assert pairs.part(contrast("zz-1")) == pairs.part(contrast("zz-2", ("N", "NONE")))


class TestCorpus:
    def test_ids_name_their_file(self):
        for file in CORPUS.glob("*.jsonl"):
            assert file.stem in {c["id"][:2] for c in pairs.sets()}

    def test_labels_and_traps_are_known(self):
        assert {n["label"] for c in pairs.sets() for n in c["new"]} == set(RELATIONS)
        assert {n["trap"] for c in pairs.sets() for n in c["new"] if n.get("trap")} <= TRAPS

    def test_a_set_has_at_least_four_statements_and_repeats_none(self):
        for c in pairs.sets():
            texts = [plain(n["text"]) for n in c["new"]]
            assert len(texts) >= 4, c["id"]
            assert len({*texts, plain(c["existing"])}) == len(texts) + 1, c["id"]
            assert all([*texts, plain(c["existing"])]), c["id"]

    def test_a_slot_is_complete(self):
        fields = {"subject", "attribute", "value", "cardinality", "qualifiers"}
        assert all(set(c["slot"]) == fields for c in pairs.sets())
        assert {c["slot"]["cardinality"] for c in pairs.sets()} == {"one", "many", "event"}

    def test_one_pair_has_one_label(self):
        labels = defaultdict(set)
        for pair in pairs.pairs_of(pairs.sets()):
            labels[pair.words].add(pair.label)
        double = {words: found for words, found in labels.items() if len(found) > 1}
        assert set(double) == TWO_WORDS
        assert all(found <= CONFLICTS or found <= PEACE for found in double.values())

    def test_every_relation_is_common(self):
        counts = Counter(pair.label for pair in pairs.pairs_of(pairs.sets()))
        assert min(counts.values()) / counts.total() > 0.05

    def test_the_matrix_judges_statements_of_known_sets(self):
        assert {pair.anchor for pair in pairs.matrix()} <= set(pairs.parts())
        assert {pair.label for pair in pairs.matrix()} <= set(RELATIONS)


class TestClosure:
    """What follows from a set by logic; ``pm`` is a file of terse statements, ``zz`` is not."""

    def follows(self, name, *new, trap=None):
        found = pairs.closure([contrast(name, *new, trap=trap)])
        return {(pair.old, pair.new): set(pair.labels) for pair in found}

    def test_a_duplicate_stands_for_the_existing_statement(self):
        found = self.follows("zz-1", ("D", "DUPLICATE"), ("U", "UPDATE"))
        assert found == {("D", "U"): {"UPDATE"}, ("D", "E"): {"DUPLICATE"}}

    def test_other_things_stay_other_things_when_turned(self):
        assert self.follows("zz-1", ("N", "NONE")) == {("N", "E"): {"NONE"}}

    def test_an_overlap_turned_is_no_conflict(self):
        assert self.follows("zz-1", ("O", "OVERLAP")) == {("O", "E"): set(PEACE)}

    @pytest.mark.parametrize("label", ["UPDATE", "CONTRADICTION"])
    def test_a_bare_swap_turned_is_a_swap_and_a_change_with_a_cue_is_not(self, label):
        assert self.follows("pm-1", ("U", label)) == {("U", "E"): {"UPDATE", "CONTRADICTION"}}
        assert self.follows("zz-1", ("U", label)) == {}
        assert self.follows("pm-1", ("U", label), trap="going_back") == {}

    def test_an_end_does_not_turn(self):
        assert self.follows("pm-1", ("R", "RETRACTION")) == {}

    def test_members_of_a_set_keep_their_label(self):
        assert self.follows("zz-1", ("O", "OVERLAP"), trap="set_valued") == {("O", "E"): {"OVERLAP"}}

    def test_sets_that_were_judged_as_a_matrix_are_left_alone(self):
        judged = next(c for c in pairs.sets() if c["id"] == pairs.matrix()[0].anchor)
        assert list(pairs.closure([judged])) == []
