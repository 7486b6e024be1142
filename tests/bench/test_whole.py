"""Is the one report what the results beside it give, does every number name what made it, and does a comparison tell a
change from noise?
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bench.whole import comparing, page
from bench.whole.__main__ import COMPARISON, main, written
from bench.whole.comparing import Word
from bench.whole.entries import EXACT, MEDIANS, Better, Entry, shown
from bench.whole.published import PUBLISHED
from bench.whole.sources import CARD, RESULTS, ROOT, SOURCES, gathered

ABOUT = {"machine": "2 cores", "load": "idle", "date": "2026-03-01", "commit": "abc1234", "pair model": "tiny"}
ABOUT_LINES = "".join(f"- {name}: {words}\n" for name, words in ABOUT.items())


def share(hits, of, low, high):
    return {"hits": hits, "of": of, "share": hits / of, "low": low, "high": high}


def way(precision):
    told = share(precision, 10, precision / 10 - 0.1, precision / 10 + 0.1)
    return dict.fromkeys(("precision", "recall", "false_alarms"), told) | {"retire": {"precision": told}}


def figure(bench, what, against, number, **others):
    told = {"bench": bench, "what": what, "against": against, "number": number, "n": 40}
    return told | {"demanded": None, "least": False, "unit": "×"} | others


SWEPT = {
    "facts": 30,
    "heard": 25,
    "ratio": 0.5,
    "two_cores": 0.9,
    "by_the_clock": 0.8,
    "seconds": 2.0,
    "second_sweep_ms_a_fact": 1.0,
}
MADE_UP = {
    "judge_test.json": {
        "about": ABOUT,
        "kinds": {kind: {"rules": way(5), "both": way(8)} for kind in ("hard", "plain", "families")},
    },
    "stories.json": {"about": ABOUT, "counts": {"stories": {"what": "stories", "hold": 8, "of": 9}}},
    "false_alarms.md": ABOUT_LINES
    + "\n| told | statements told | facts kept | conflicts open | right | needless | unread |\n"
    + "| --- | --- | --- | --- | --- | --- | --- |\n| some facts | 50 | 49 | 1 | 0 | 1 | 0 |\n",
    "audit_stores.md": ABOUT_LINES
    + "\n| export | statements | kind | faults | precision | recall |\n| --- | --- | --- | --- | --- | --- |\n"
    + "| a.json | 9 | conflict | 2 | – | – |\n| **held out** |  |  | 12 | 9/10 = 0.90 (0.60–0.98) | – |\n",
    "llm_cost.json": {
        "about": ABOUT | {"pair model": "an earlier one"},
        "figures": [figure("by default", "LLM calls", "a write", 0.3, demanded=0.2, unit="")],
    },
    "main_path.json": {
        "about": {name: ABOUT[name] for name in ABOUT if name != "pair model"} | {"commit": "abc1234 with changes"},
        "figures": [
            figure("search", "whole search, p50", "one embedding, p50", 2.5),
            figure("search", "nearest ten", "the exact ten", 0.99, demanded=0.98, least=True, unit=""),
            figure("2 pairs", "of its time: the rules", "its time", 10.0, unit="%"),
        ],
    },
    "sweeps.json": {"about": ABOUT | {"date": "2026-01-02"}, "rows": [SWEPT, SWEPT | {"facts": 60, "seconds": 4.0}]},
    "sweep_beside.json": {
        "about": ABOUT,
        "rows": [{"beside": 40, "fresh": 30, "decided_ms": 30.0, "passed_over_ms": 1.5}],
    },
    "postgres.json": {
        "about": ABOUT,
        "rows": [{"verb": "search", "facts": 100, "spaces": 2, "n": 9, "ratio": 3.0}],
        "layouts": [{"facts": 100, "spaces": 2, "server": 6000.0, "file": 5000.0, "index_seconds": 0.2}],
    },
    "workers.json": {
        "about": ABOUT,
        "rows": [{"spaces": 8, "workers": 2, "facts": 40, "ratio": 1.5, "processor": 9.0}],
    },
    "soak.md": ABOUT_LINES
    + "\n| what | N | failed | 95% bound of the rate | also measured |\n| --- | --- | --- | --- | --- |\n"
    + "| kill -9 | 1,000 rounds | 0 | 0.003 |  |\n",
    "judge_peers.json": {
        "measured": "run by us",
        "hard_pairs": 7,
        "plain_pairs": 6,
        "rows": [{"who": "Somebody", "hard": None, "plain": {"precision": 0.5, "recall": 0.25, "f1": 1 / 3}}],
    },
}  # fmt: skip


@pytest.fixture
def results(tmp_path):
    """A folder of small made-up results; of the audits of real and of large files there are none."""
    for name, told in MADE_UP.items():
        text = told if isinstance(told, str) else json.dumps(told)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


class TestWhatIsGathered:
    def test_every_row_stands_under_what_made_it(self, results):
        text = written(results, "tiny")["report.md"]
        for row in (
            "| hard, rules alone: of the conflicts reported, right (precision) | 0.50 (0.40–0.60) |  |  |  | 10 |",
            "| stories: 8 of 9 hold; that do not | 1 |  |  |  | 9 |",
            "| some facts: questions, needless | 1 |  |  |  | 50 |",
            "| some facts: questions, unread | 0 (95%: under 6.0%) |  |  |  | 50 |",
            "| exports, held out: precision of findings | 0.90 (0.60–0.98) |  |  |  | 10 |",
            "| by default: LLM calls, against a write | 0.30 |  | ≤ 0.20 | **not met** | 40 |",
            "| search: whole search, p50, against one embedding, p50 | 2.50× | 1.4× |  |  | 40 |",
            "| search: nearest ten, against the exact ten | 0.99 |  | ≥ 0.98 | met | 40 |",
            "pairs/s of the bare network, by the clock | 80% | 4× | ≥ 70% | met | 25 |",
            "| sweep beside 40 judged facts: deciding about a fact, processor time | 30 ms | 1.4× |  |  | 30 |",
            "| search, 100 facts in 2 spaces: server against file, medians | 3× | 1.4× |  |  | 9 |",
            "| 100 facts, 2 spaces: bytes a fact on a server | 6,000 bytes |  |  |  | 100 |",
            "| 100 facts, 2 spaces: the server's index of vectors built, a fact | 2 ms | 4× |  |  | 100 |",
            "| 40 facts in 8 spaces, 2 workers: facts a second, to those of one | 1.50× | 1.4× |  |  | 40 |",
            "| kill -9: failed, of so many rounds | 0 (95%: under 0.3%) |  |  |  | 1,000 |",
            "| Somebody | – | 0.50 / 0.25 / 0.33 |",
        ):
            assert row in text
        assert (
            text.index("`python -m bench.stories`")
            < text.index("| stories: 8 of 9")
            < text.index("bench.false_alarms`")
        )
        assert "3 of 4 demands are met. Not met:\n\n- by default: LLM calls" in text

    def test_what_is_old_undated_or_absent_is_marked(self, results):
        told = {one.source.name: one for one in gathered(results, "tiny")}
        assert told["stories"].remarks == told["judge"].remarks == told["postgres"].remarks == ()
        assert told["llm_cost"].remarks == ("old: with the pair model an earlier one; what ships is tiny",)
        assert told["main_path"].remarks == (
            "old: it does not say which pair model judged",
            "measured on a tree that differed from its commit",
        )
        assert told["sweeps"].remarks == ("old: more than 30 days before the newest result",)
        assert told["audits"].absent
        assert told["audits"].remarks == ("absent: never measured, or not kept",)
        text = written(results, "tiny")["report.md"]
        assert all(remark in text for one in told.values() for remark in one.remarks)

    def test_what_has_neither_date_nor_commit_is_undated(self, results):
        (results / "judge_test.json").write_text(
            json.dumps({**MADE_UP["judge_test.json"], "about": {}, "model": "tiny"})
        )
        [judge] = [one for one in gathered(results, "tiny") if one.source.name == "judge"]
        assert judge.remarks == ("undated: it says neither when nor on what commit it was measured",)

    def test_a_result_of_another_form_is_an_error_and_not_left_out(self, results):
        (results / "postgres.json").write_text("{}")
        with pytest.raises(KeyError):
            written(results, "tiny")

    def test_keys_are_unique_and_json_gives_back_the_entries(self, results):
        texts = written(results, "tiny")
        told = json.loads(texts["report.json"])
        entries = comparing.entries_of(told, "report.json")
        assert entries == [entry for one in gathered(results, "tiny") for entry in one.entries]
        assert len({entry.key for entry in entries}) == len(entries) > 20
        assert {one["name"] for one in told["sources"]} == {source.name for source in SOURCES}
        assert {entry.source for entry in entries} <= {source.name for source in SOURCES}

    def test_each_drawing_shows_its_numbers(self, results):
        texts = written(results, "tiny")
        assert texts["report_quality.svg"].count("stilltrue, as it ships") == 4
        assert ">Somebody<" in texts["report_quality.svg"]
        assert ">1.50 × the limit<" in texts["report_demands.svg"]
        assert texts["report_scale.svg"].count(">1.00 × the first<") == 2  # 2 s for 30 facts, 4 s for 60: linear
        for name in re.findall(r"\]\((report_\w+\.svg)\)", texts["report.md"]):
            assert texts[name].startswith("<svg ")


class TestTheCommittedReport:
    def test_it_is_what_the_committed_results_give(self):
        for name, text in written(RESULTS).items():
            kept = (RESULTS / name).read_text(encoding="utf-8")
            assert kept == text, f"bench/results/{name} is not up to date: make report"

    def test_every_link_leads_to_a_file_and_every_source_to_its_script(self):
        text = (RESULTS / "report.md").read_text(encoding="utf-8")
        headings = {page._anchor(line.lstrip("# ")) for line in text.splitlines() if line.startswith("#")}
        links = re.findall(r"\]\(([^)]+)\)", text)
        assert len(links) > 30
        for link in links:
            if link.startswith("#"):
                assert link[1:] in headings
            elif not link.startswith("https://"):
                assert (RESULTS / link).resolve().is_file(), link
                assert (RESULTS / link).resolve().is_relative_to(ROOT)
        for source in SOURCES:
            assert (ROOT / source.script).is_file()
            first = source.arguments[0]
            if source.module:
                assert first in {"bench", "training"} or source.script == f"{first.replace('.', '/')}.py"
            else:
                assert re.search(rf"^{source.arguments[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)

    def test_the_published_figures_stand_beside_entries_of_ours(self):
        keys = {entry.key for one in gathered(RESULTS) for entry in one.entries}
        assert {key for one in PUBLISHED for key in one.ours} <= keys
        assert all(one.page.startswith("https://") for one in PUBLISHED)

    def test_the_model_that_ships_is_asked_of_the_package(self):
        assert json.loads(CARD.read_text(encoding="utf-8"))["model_version"]


def entry(number, **others):
    return Entry(**{"key": "k", "source": "s", "what": "what", "number": number, "n": 9, **others})


class TestComparison:
    @pytest.mark.parametrize(
        ("before", "now", "word"),
        [
            (entry(1.0, noise=MEDIANS), entry(1.3, noise=MEDIANS), Word.SAME),
            (entry(1.0, noise=MEDIANS), entry(1.5, noise=MEDIANS), Word.WORSE),
            (entry(1.5, noise=MEDIANS), entry(1.0, noise=MEDIANS), Word.BETTER),
            (entry(1.0, noise=MEDIANS), entry(1.5, noise=4.0), Word.SAME),
            (entry(1.0, noise=MEDIANS, better=Better.HIGHER), entry(1.5, better=Better.HIGHER), Word.BETTER),
            (entry(10.0, noise=EXACT, better=Better.OPEN), entry(11.0, better=Better.OPEN), Word.OTHER),
            (entry(3), entry(3), Word.SAME),
            (entry(0), entry(1), Word.WORSE),
            (entry(2, noise=MEDIANS), entry(0, noise=MEDIANS), Word.BETTER),
        ],
    )
    def test_counts_and_ratios_differ_beyond_their_factor(self, before, now, word):
        assert comparing.verdict(before, now) is word

    @pytest.mark.parametrize(("hits", "word"), [(90, Word.SAME), (85, Word.SAME), (99, Word.BETTER), (75, Word.WORSE)])
    def test_shares_differ_where_the_interval_of_their_difference_leaves_out_zero(self, hits, word):
        # Wilson's intervals of 90, 85, 99 and 75 of 100.
        ends = {90: (0.826, 0.945), 85: (0.767, 0.907), 99: (0.946, 0.998), 75: (0.657, 0.825)}
        before, now = (
            entry(one / 100, low=ends[one][0], high=ends[one][1], better=Better.HIGHER) for one in (90, hits)
        )
        assert comparing.verdict(before, now) is word

    def test_both_ways_give_opposite_words_and_name_what_only_one_has(self, results, tmp_path, capsys):
        before = written(results, "tiny")["report.json"]
        told = json.loads((results / "main_path.json").read_text())
        told["figures"][0]["number"] = 5.0
        told["figures"].pop()
        (results / "main_path.json").write_text(json.dumps(told))
        (results / "stories.json").write_text(
            json.dumps({"about": ABOUT, "counts": {"stories": {"what": "stories", "hold": 9, "of": 9}}})
        )
        after = written(results, "tiny")["report.json"]
        old, new = (comparing.entries_of(json.loads(text), "report.json") for text in (before, after))

        there, back = comparing.compared(old, new), comparing.compared(new, old)
        worse = ["main_path.search.whole search, p50.one embedding, p50"]
        assert [change.now.key for change in there.of(Word.WORSE)] == worse
        assert [change.now.key for change in there.of(Word.BETTER)] == ["stories.stories"]
        assert [change.now.key for change in back.of(Word.BETTER)] == worse
        assert [change.now.key for change in back.of(Word.WORSE)] == ["stories.stories"]
        assert there.gone == back.new == ("main_path.2 pairs.of its time: the rules.its time",)
        assert there.new == back.gone == ()

        kept = tmp_path / "before.json"
        kept.write_text(before, encoding="utf-8")
        assert main(["--compare", str(kept), "--results", str(results)]) == 0
        text = (results / COMPARISON).read_text(encoding="utf-8")
        assert text in capsys.readouterr().out
        assert "## Worse: 1\n" in text
        assert "one embedding, p50 | 2.50× | 5× | 1.4× | 40 |" in text
        assert "## Only in the other report: 1\n" in text

    @pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"form": 99, "entries": []}'])
    def test_what_is_no_report_is_refused_with_the_remedy(self, text, results, tmp_path, capsys):
        other = tmp_path / "other.json"
        other.write_text(text)
        assert main(["--compare", str(other), "--results", str(results)]) == 1
        assert "other.json is no" in (told := capsys.readouterr().err)
        assert "give the report.json of `python -m bench.whole`" in told
        assert not (results / "report.md").exists()


class TestMeasuring:
    def test_a_bench_is_run_by_the_command_that_the_report_names(self, results, monkeypatch):
        ran = []
        monkeypatch.setattr("subprocess.run", lambda words, **told: ran.append((words[1:], told["check"])))
        place = ["--place", "postgres=postgresql://somewhere"]
        assert main(["--run", "postgres", "audits", "--results", str(results), *place]) == 0
        assert ran == [(["-m", "bench.audits"], True), (["-m", "bench.postgres", "postgresql://somewhere"], True)]

    def test_a_place_that_is_wanted_and_not_given_is_asked_for(self, results, capsys):
        assert main(["--run", "audit_real_files", "--results", str(results)]) == 1
        assert "give --place audit_real_files=WHERE" in capsys.readouterr().err
        assert main(["--run", "audits", "--place", "nobody=here", "--results", str(results)]) == 1
        assert "give NAME=WHERE" in capsys.readouterr().err

    def test_figures_are_shown_with_their_units(self):
        assert [shown(one, "×") for one in (0.5, 3, 13.64, 1234.5)] == ["0.50×", "3×", "13.6×", "1,234×"]
        assert replace(entry(1.0), low=0.5).interval is None
        assert Path(CARD).is_file()
