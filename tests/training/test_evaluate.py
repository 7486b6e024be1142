"""Are the figures of an evaluation those that a person works out by hand?"""

import json

import pytest

from stilltrue.model.verdict import Relation
from stilltrue.rules.cascade import judge_texts, read_texts
from stilltrue.write.ask_model import with_model
from tests.rules import measure
from tests.training.judged_cases import TEN, case
from training import evaluate, figures, judging
from training.languages import LANGUAGES, language, of_pair
from training.pairs import CORPUS, RELATIONS, Pair, of_part, pairs_of

TEXTS = [
    ("Ada lives in Oslo.", "Ada moved to Rome.", "UPDATE"),
    ("The release is on Monday.", "The release is not on Monday.", "CONTRADICTION"),
    ("Ada lives in Oslo.", "Ben lives in Rome.", "NONE"),
    ("User likes coffee.", "User likes coffee.", "DUPLICATE"),
    ("User is vegetarian.", "User ate a steak last night.", "CONTRADICTION"),
    ("User has a dog. The office is in Bonn.", "User no longer has a dog.", "RETRACTION"),
    ("Dark mode is enabled.", "Dark mode is disabled.", "CONTRADICTION"),
]


class Scripted:
    """A pair model that says the same of every pair, and remembers how often it was asked."""

    model_version = "scripted-1"
    combination = None

    def __init__(self):
        self.asked = []

    def relations(self, pairs):
        self.asked += [(old.text, new.text) for old, new in pairs]
        return [{name: 0.5 if name is Relation.UPDATE else 0.1 for name in Relation} for _ in pairs]


@pytest.fixture
def found():
    return figures.figures(TEN, figures.said_by("both", TEN))


def triples():
    return [
        (Pair(old, new, frozenset({label}), "corpus", f"hd-{number:04d}"), "hard", "hd")
        for number, (old, new, label) in enumerate(TEXTS)
    ]


class TestFigures:
    def test_precision_recall_and_false_alarms(self, found):
        assert (found["pairs"], found["conflicts"]) == (10, 5)
        assert (found["precision"]["hits"], found["precision"]["of"]) == (3, 5)
        assert (found["recall"]["hits"], found["recall"]["of"]) == (3, 5)
        assert found["f1"]["share"] == pytest.approx(0.6)
        assert (found["false_alarms"]["hits"], found["false_alarms"]["of"]) == (2, 5)
        low, high = 0.230724, 0.882379  # Wilson's interval of 3 in 5
        assert (found["precision"]["low"], found["precision"]["high"]) == pytest.approx((low, high), abs=1e-5)

    def test_auc_counts_the_pairs_of_pairs_in_the_right_order(self, found):
        # Of 25 (conflict, other): 0.95 beats 5, 0.75 beats 4, 0.60 beats 4, 0.08 beats 2, 0.25 beats 3.
        assert found["auc"] == pytest.approx(18 / 25)

    def test_bins_hold_what_was_said_and_seen(self, found):
        by_low = {one["low"]: one for one in found["bins"]}
        assert [by_low[0.0]["seen"]["hits"], by_low[0.0]["seen"]["of"]] == [1, 3]
        assert by_low[0.0]["said"] == pytest.approx(0.05)
        assert by_low[0.3] == {"low": 0.3, "high": 0.4, "said": None, "seen": figures.share(0, 0)}
        assert sum(one["seen"]["of"] for one in found["bins"]) == 10
        gaps = [
            abs(one["said"] * one["seen"]["of"] - one["seen"]["hits"]) for one in found["bins"] if one["seen"]["of"]
        ]
        assert found["ece"] == pytest.approx(sum(gaps) / 10)

    def test_macro_f1_is_the_mean_over_the_labels(self, found):
        # CONTRADICTION 0, UPDATE 4/7, RETRACTION 0, DUPLICATE 2/3, OVERLAP 0, NONE 1/2
        assert found["macro_f1"] == pytest.approx((4 / 7 + 2 / 3 + 1 / 2) / 6, abs=1e-6)

    def test_every_pair_is_in_the_confusion_table(self, found):
        table = found["confusion"]
        assert tuple(table) == RELATIONS
        assert sum(sum(row.values()) for row in table.values()) == 10
        assert (table["UPDATE"]["UPDATE"], table["CONTRADICTION"]["UNDECIDED"], table["NONE"]["UPDATE"]) == (2, 1, 1)

    def test_what_is_retired_asked_and_taken_for_a_restatement(self, found):
        assert (found["retire"]["precision"]["hits"], found["retire"]["precision"]["of"]) == (2, 3)
        assert found["retire"]["wrong"]["hits"] == 1
        assert found["asked"]["hits"] == 2
        assert (found["reinforce"]["precision"]["hits"], found["reinforce"]["precision"]["of"]) == (1, 2)

    def test_an_unsure_relation_is_asked_about_however_sure_the_conflict(self):
        assert not case("UPDATE", "UPDATE", 0.9, confidence=0.5).said["both"].retires

    @pytest.mark.parametrize(
        ("errors", "trials", "bound"),
        [(0, 10, 0.258866), (1, 20, 0.216106), (3, 3, 1.0), (0, 0, 1.0), (5, 500, 0.020910)],
    )
    def test_the_bound_is_clopper_and_pearsons(self, errors, trials, bound):
        assert figures.upper_bound(errors, trials) == pytest.approx(bound, abs=1e-5)

    def test_traps_that_hide_something_true_come_first(self):
        rows = figures.by_trap(TEN)
        assert [row["name"] for row in rows] == ["set_valued", "other_subject", "cue_word", "implied_end"]
        assert (rows[1]["false_alarms"]["hits"], rows[1]["false_alarms"]["of"]) == (1, 2)
        assert rows[1]["recall"]["share"] is None

    def test_a_higher_threshold_asks_more_and_retires_less(self):
        rows = {row["threshold"]: row for row in figures.by_threshold(TEN)}
        assert len(rows) == 14
        assert (rows[0.3]["precision"]["of"], rows[0.3]["asked"]["hits"]) == (5, 0)
        assert (rows[0.8]["precision"]["hits"], rows[0.8]["precision"]["of"], rows[0.8]["asked"]["hits"]) == (1, 2, 3)

    def test_the_surest_errors_lead_and_are_shared_between_alarms_and_misses(self):
        assert [row["new"] for row in figures.worst(TEN, 4)] == ["6", "7", "4", "5"]
        assert [row["new"] for row in figures.worst(TEN, 2)] == ["6", "4"]
        assert figures.worst(TEN, 0) == []

    def test_nothing_to_judge_gives_no_figures(self):
        found = figures.figures([], [])
        assert (found["precision"]["share"], found["auc"], found["ece"]) == (None, None, None)


class TestJudging:
    def test_the_model_is_asked_once_a_pair_whatever_is_switched_off(self):
        scripted = Scripted()
        model = judging.Remembered.of(scripted)
        cases = judging.judge_all(triples(), model)
        for ablation in judging.ablations():
            judging.without(ablation, cases, model)
        assert sorted(scripted.asked) == sorted({(old, new) for old, new, _ in TEXTS})

    def test_the_three_ways_and_who_spoke(self):
        first = judging.judge_all(triples(), judging.Remembered.of(Scripted()))[0]
        assert (first.said["rules"].relation, first.said["model"].relation) == ("UPDATE", "UPDATE")
        assert "same_slot" in first.spoke

    def test_a_rule_that_did_not_speak_changes_nothing_and_one_that_did_is_missed(self):
        model = judging.Remembered.of(Scripted())
        cases = judging.judge_all(triples(), model)
        off = {ablation.name: judging.without(ablation, cases, model) for ablation in judging.ablations()}
        both = [one.said["both"] for one in cases]
        assert off["twins"] == both
        assert off["same words"][3] != both[3]

    @pytest.mark.parametrize("ablation", list(judging.ablations()), ids=lambda one: one.name)
    def test_only_pairs_of_which_a_rule_spoke_need_judging_again(self, ablation):
        model = judging.Remembered.of(Scripted())
        cases = judging.judge_all(triples(), model)
        with judging.steps_are(ablation.steps):
            by_rules = [judge_texts(old, new) for old, new, _ in TEXTS]
            anew = with_model(model, by_rules, lambda place: read_texts(*TEXTS[place][:2]))
        assert judging.without(ablation, cases, model) == [judging.told(judgement) for judgement in anew]

    def test_progress_counts_every_pair(self):
        done = []
        judging.judge_all(triples(), judging.Remembered.of(Scripted()), done.append)
        assert sum(done) == len(TEXTS)


class TestParts:
    def test_the_command_writes_all_figures(self, tmp_path, monkeypatch, capsys):
        monkeypatch.setattr(evaluate, "model_of", lambda folder: judging.Remembered.of(Scripted()))
        monkeypatch.setattr(evaluate, "family_pairs", lambda part: [])
        out = tmp_path / "judge.json"
        assert evaluate.main(["--parts", "dev", "--most", "12", "--out", str(out)]) == 0
        result = json.loads(out.read_text("utf-8"))
        assert (result["part"], result["model"]) == ("dev", "scripted-1")
        assert set(result["kinds"]) == {"hard", "plain", "corpus"}
        assert result["kinds"]["corpus"]["both"]["pairs"] == 24
        assert "hard" in capsys.readouterr().out

    def test_text_is_the_same_json(self):
        result = {"a": [{"b": 1, "c": 'x } "y",\n {'}, {"d": {"e": None}}]}
        assert json.loads(evaluate.as_text(result)) == result
        assert '{"e": null}' in evaluate.as_text(result)

    def test_the_sample_is_always_the_same_and_of_both_kinds(self):
        chosen = evaluate.sample()
        assert [sum(kind == name for _, kind, _ in chosen) for name in ("hard", "plain")] == [400, 200]
        assert evaluate.drawn(evaluate.corpus_pairs("test")[::-1], evaluate.SAMPLE) == chosen

    def test_no_rule_was_counted_on_a_held_out_set(self):
        held = {(pair.old, pair.new) for name in ("dev", "test") for pair in pairs_of(of_part(name))}
        trained = {(pair.old, pair.new) for pair in pairs_of(of_part("train"))}
        counted = {(old, new) for group, old, new, *_ in measure.pairs(CORPUS) if group in {"plain", "natural"}}
        assert counted
        assert not counted & (held - trained)


LANGUAGE_OF = [
    ("Alice works at Apple.", "en"),
    ("Sofía lives in Gdańsk now.", "en"),
    ("Thermostat: 22 °C", "en"),
    ("Der Nutzer trinkt keinen Kaffee mehr.", "de"),
    ("L'utilisateur habite à Lyon depuis mars.", "fr"),
    ("Mi hermana ya no vive en Madrid.", "es"),
    ("Il nuoto non mi piace.", "it"),
    ("O contrato vale por dois anos.", "pt"),
    ("Gebruiker rijdt in een Volvo.", "nl"),
    ("Nie trzeba już zmieniać hasła do systemu.", "pl"),
    ("Temat i appen är inte mörkt.", "sv"),
    ("Mezun oldu, artık Aselsan'da çalışıyor.", "tr"),
    ("Porada týmu už není v pondělí, je ve středu.", "cs"),
    ("王经理负责华东区的客户。", "other"),
    ("Она живёт в Москве.", "other"),
]


class TestLanguages:
    @pytest.mark.parametrize(("text", "expected"), LANGUAGE_OF)
    def test_language(self, text, expected):
        assert language(text) == expected
        assert expected in LANGUAGES

    def test_a_pair_is_foreign_when_either_statement_is(self):
        assert of_pair("User likes tea.", "Der Nutzer trinkt keinen Tee mehr.") == "de"
        assert of_pair("User likes tea.", "User hates tea.") == "en"
