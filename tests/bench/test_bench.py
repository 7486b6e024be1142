"""Does the bench run, and is its report complete? How fast anything is, no test can say on shared cores."""

from __future__ import annotations

import json

import pytest

from bench.__main__ import main
from bench.report import HEADINGS, NAME
from bench.timing import Figure


def test_a_quick_run_measures_everything_and_writes_both_reports(tmp_path, capsys):
    assert main(["--quick", "--results", str(tmp_path)]) == 0

    told = json.loads((tmp_path / f"{NAME}.json").read_text(encoding="utf-8"))
    benches = {figure["bench"] for figure in told["figures"]}
    assert benches == {
        "search, 200 facts",
        "search, 1,000 facts",
        "durable write",
        "write with rules",
        "memory",
        "import",
        "size",
    }
    assert set(told["about"]) == {"machine", "load", "date", "commit"}
    assert all(figure["number"] > 0 and figure["n"] > 0 for figure in told["figures"])
    assert all((figure["met"] is None) == (figure["demanded"] is None) for figure in told["figures"])

    page = (tmp_path / f"{NAME}.md").read_text(encoding="utf-8")
    assert f"| {' | '.join(HEADINGS)} |" in page
    assert page.count("\n| ") == len(told["figures"]) + 2
    assert "durable write" in capsys.readouterr().out


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
