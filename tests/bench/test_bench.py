"""Does the bench run, and is its report complete? How fast anything is, no test can say on shared cores."""

from __future__ import annotations

import json

import pytest

from bench import sweep_beside
from bench.__main__ import main
from bench.corpus import FEW, sets
from bench.corpus import pairs as corpus_pairs
from bench.judging import Bulk
from bench.raw_pairs import RawPairs
from bench.report import HEADINGS, JUDGING, MAIN_PATH
from bench.sweeps import kept
from bench.timing import Figure
from stilltrue.inference.pair_model import OnnxPairModel
from tests.inference.tiny_models import pairs, trained

COMBINATION = {
    "sources": {"guard": 0.3},
    "unsettled": -0.4,
    "bias": 0.2,
    "scale": 1.0,
    "same_relation": 0.0,
    "apply": 0.9,
}


@pytest.fixture
def folder(tmp_path):
    """A pair model of a few words, which weighs in wherever a rule is not binding."""
    return trained(tmp_path / "model", model_version="tiny-judge", max_batch=4, combination=COMBINATION)


def read(results, page):
    told = json.loads((results / f"{page.name}.json").read_text(encoding="utf-8"))
    shown = (results / f"{page.name}.md").read_text(encoding="utf-8")
    assert f"# {page.title}\n" in shown
    assert f"| {' | '.join(HEADINGS)} |" in shown
    assert shown.count("\n| ") == len(told["figures"]) + 2
    assert set(told["about"]) == {"machine", "load", "date", "commit", "pair model"}
    assert all(figure["number"] > 0 and figure["n"] > 0 for figure in told["figures"])
    assert all((figure["met"] is None) == (figure["demanded"] is None) for figure in told["figures"])
    return told


def test_a_quick_run_measures_everything_and_writes_all_reports(tmp_path, folder, capsys):
    assert main(["--quick", "--pair-model", str(folder), "--results", str(tmp_path)]) == 0

    told = read(tmp_path, MAIN_PATH)
    assert {figure["bench"] for figure in told["figures"]} == {
        "search, 200 facts",
        "search, 1,000 facts",
        "durable write",
        "write with rules and pair model",
        "memory",
        "import",
        "size",
    }
    assert told["about"]["pair model"] == "tiny-judge"

    judging = read(tmp_path, JUDGING)
    assert {figure["bench"] for figure in judging["figures"]} == {
        "5 candidates of a write",
        "write with rules",
        "write with rules and pair model",
        "60 pairs",
        "batches of 4",
        "batches of 8",
        "batches of 16",
        "pair model",
    }
    demanded = {(figure["bench"], figure["demanded"], figure["unit"]) for figure in judging["figures"]}
    assert {
        ("5 candidates of a write", 12, "×"),
        ("write with rules and pair model", 15, "×"),
        ("60 pairs", 70, "%"),
        ("pair model", 1, "×"),
    } <= demanded
    assert "durable write" in capsys.readouterr().out

    sweeps = json.loads((tmp_path / "sweeps.json").read_text(encoding="utf-8"))
    small, large = sweeps["rows"]
    assert (small["facts"], large["facts"]) == (30, 60)
    assert 0 < large["heard"] <= large["asked"]
    assert 0 < large["ratio"] < large["models_share"] < 1
    assert (tmp_path / "sweeps.md").read_text(encoding="utf-8").count("\n| ") == 4
    assert (tmp_path / "sweeps.svg").is_file()
    assert [(row.facts, row.seconds) for row in kept(tmp_path, [30])] == [(60, large["seconds"])]
    assert kept(tmp_path / "none", [30]) == []


def test_without_a_pair_model_judging_is_left_out_and_the_report_says_so(tmp_path, capsys):
    parts = ["--only", "writes", "--only", "judging"]
    assert main(["--quick", "--pair-model", str(tmp_path / "none"), *parts, "--results", str(tmp_path)]) == 0

    told = read(tmp_path, MAIN_PATH)
    assert told["about"]["pair model"] == "off"
    assert {figure["bench"] for figure in told["figures"]} == {"durable write", "write with rules"}
    assert not list(tmp_path.glob("judging.*"))
    assert "there is no pair model" in capsys.readouterr().out


def test_the_floor_runs_the_pairs_that_the_model_is_asked_about(folder):
    raw, model, counted = RawPairs(folder), OnnxPairModel(weights=folder), Bulk()
    texts = [("red", "red"), ("red.", "blue other"), ("gone", "more more"), ("same", "other"), ("blue", "old red")]
    read_pairs = pairs(*texts)

    counted.run(5, model, raw, lambda noted: noted.relations(read_pairs[1:]))

    assert (counted.pairs, counted.asked) == (5, 4)
    assert 0 < counted.model <= counted.whole
    assert counted.floor > 0
    assert [len(batch["input_ids"]) for batch in raw.batches(texts)] == [4, 1]
    scores = OnnxPairModel(weights=folder).relations(read_pairs)
    assert [len(row) for row in scores] == [6] * 5


def test_the_corpus_gives_each_pair_once_and_five_candidates_a_set():
    assert all(len(told.known) == FEW for told in sets()[:50])
    first, rest = corpus_pairs(20), corpus_pairs(20, skipped=20)
    assert len(set(first + rest)) == 40


@pytest.mark.parametrize(
    ("number", "demanded", "least", "met"),
    [
        (5.0, 5.0, False, True),
        (5.1, 5.0, False, False),
        (0.98, 0.98, True, True),
        (0.97, 0.98, True, False),
        (1.0, None, False, None),
    ],
)
def test_a_figure_knows_whether_its_demand_is_met(number, demanded, least, met):
    figure = Figure(bench="", what="", against="", number=number, n=1, demanded=demanded, least=least)
    assert figure.met is met


def test_llm_calls_are_counted_for_both_ways_of_asking(tmp_path, capsys):
    sessions = tmp_path / "sessions.json"
    said = ["I enjoy long hikes in Norway.", "I hike in Norway mostly alone."]
    messages = [{"role": "user", "content": text} for text in said]
    session = {"sessionId": "S1", "metadata": {"date": "2025-01-01"}, "messages": messages}
    sessions.write_text(json.dumps([session]), encoding="utf-8")
    where = ["--sessions", str(sessions), "--results", str(tmp_path), "--pair-model", str(tmp_path / "none")]
    assert main(["--only", "llm", *where]) == 0
    told = json.loads((tmp_path / "llm_cost.json").read_text(encoding="utf-8"))
    calls = {
        (one["bench"], one["against"]): (one["number"], one["n"])
        for one in told["figures"]
        if one["what"] == "LLM calls"
    }
    assert len(calls) == 4
    assert {n for (_, against), (_, n) in calls.items() if against == "a write"} == {2}
    assert main(["--only", "llm", "--sessions", str(tmp_path / "none.json")]) == 0
    assert "calls are not counted" in capsys.readouterr().out


def test_a_sweep_beside_judged_facts_is_timed_apart_for_both(tmp_path, capsys):
    assert sweep_beside.main(["--beside", "40", "80", "--results", str(tmp_path)]) == 0
    told = json.loads((tmp_path / "sweep_beside.json").read_text(encoding="utf-8"))
    assert [row["beside"] for row in told["rows"]] == [40, 80]
    assert all(row["passed_over_ms"] > 0 and row["decided_ms"] > 0 and row["pairs_a_fact"] > 1 for row in told["rows"])
    assert "python -m bench.sweep_beside --beside 40 80" in (tmp_path / "sweep_beside.md").read_text(encoding="utf-8")
