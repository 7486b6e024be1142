"""Does `judge` keep its contract: same order, one line a pair, bad lines named, honest figures?"""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.connect.pairs import judge_file
from stilltrue.connect.scores import Tally, f1_rate, wilson
from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Undecided, Verdict

EVIDENCE = Evidence(EvidenceSource.SIGNAL, "value conflict", Relation.UPDATE, 0.9, "8 / 16")


def scripted(old, new, old_at=None, new_at=None):
    """Says the relation that the new text names, with its probability of conflict; undecided otherwise."""
    word, _, share = new.partition(" ")
    if word not in set(Relation):
        return Undecided("nobody can tell", (EVIDENCE,), 0.4)
    return Verdict(Relation(word), 0.9, float(share or 0.5), (EVIDENCE,), "value conflict")


def run(*lines, judge=scripted):
    data = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    written, heard = [], []
    report = judge_file(io.BytesIO(data), written.append, complain=heard.append, judge=judge)
    return [json.loads(line) for line in written], heard, report


def pair(number, new, **more):
    return {"id": str(number), "old": "old", "new": new, **more}


def test_every_verdict_has_the_fields_of_the_contract_and_the_order_of_the_file():
    verdicts, _, report = run(pair(1, "UPDATE 0.9"), pair(2, "NONE 0.1"))
    assert [verdict["id"] for verdict in verdicts] == ["1", "2"]
    assert list(verdicts[0]) == ["id", "relation", "confidence", "conflict", "evidence", "ms"]
    assert verdicts[0]["evidence"] == [
        {"source": "signal", "signal": "value conflict", "relation": "UPDATE", "weight": 0.9, "note": "8 / 16"}
    ]
    assert (verdicts[0]["relation"], verdicts[0]["confidence"], verdicts[0]["conflict"]) == ("UPDATE", 0.9, 0.9)
    assert verdicts[0]["ms"] >= 0
    assert (report.summary, report.exit_status) == (None, 0)


def test_an_undecided_pair_says_so_and_keeps_its_estimate():
    (verdict,), _, report = run(pair(1, "hm", label="UPDATE"))
    assert (verdict["relation"], verdict["conflict"]) == ("UNDECIDED", 0.4)
    assert report.summary.confusion == {("UPDATE", "UNDECIDED"): 1}
    assert report.summary.recall.share == 0


BAD = [
    (b"nonsense", "no valid JSON"),
    (b"[]", "a JSON object is expected"),
    ({"old": "a", "new": "b"}, "'id' is missing"),
    ({"id": True, "old": "a", "new": "b"}, "'id' is missing"),
    ({"id": "x", "new": "b"}, "'old' is missing"),
    ({"id": "x", "old": "a", "new": " "}, "'new' is missing or empty"),
    ({"id": "x", "old": ["a"], "new": "b"}, "'old' should be a string"),
    (pair(9, "x", label="COMPATIBLE"), "label 'COMPATIBLE' is none of CONTRADICTION"),
    (pair(9, "x", old_at="yesterday"), "'old_at' is no time"),
]


@pytest.mark.parametrize(("bad", "words"), BAD, ids=[words for _, words in BAD])
def test_a_bad_line_is_reported_and_the_rest_is_judged(bad, words):
    verdicts, heard, report = run(pair(1, "NONE"), bad, pair(3, "NONE"))
    assert [verdict["id"] for verdict in verdicts] == ["1", "3"]
    assert heard == list(report.errors)
    assert [error.line for error in heard] == [2]
    assert words in heard[0].message
    assert (report.exit_status, report.judged) == (1, 2)


def test_dates_reach_the_judge_as_instants():
    seen = []
    run(
        pair(1, "x", old_at="2025-01-01", new_at="2025-01-02T02:00:00+02:00", label=None),
        judge=lambda old, new, old_at, new_at: seen.append((old_at, new_at)) or Undecided("no"),
    )
    assert [moment.isoformat() for moment in seen[0]] == ["2025-01-01T00:00:00+00:00", "2025-01-02T00:00:00+00:00"]


def test_the_summary_counts_conflicts_whatever_their_word():
    _, _, report = run(
        pair(1, "UPDATE 1", label="CONTRADICTION"),
        pair(2, "RETRACTION 1", label="RETRACTION"),
        pair(3, "UPDATE 1", label="OVERLAP"),
        pair(4, "hm", label="UPDATE"),
        pair(5, "NONE 0", label="NONE"),
        pair(6, "NONE 0"),
    )
    summary = report.summary
    assert summary.pairs == 5
    assert summary.precision == wilson(2, 3)
    assert summary.recall == wilson(2, 3)
    assert summary.f1 == f1_rate(2, 1, 1)
    assert summary.macro_f1 == pytest.approx((0 + 0 + 1 + 0 + 1) / 5)
    assert summary.calibration_error == pytest.approx((1 + 0.6) / 5)
    assert "conflict precision  0.667 [" in str(summary)
    assert summary.as_json()["confusion"]["UPDATE"]["UNDECIDED"] == 1


def test_figures_at_the_edges():
    assert Tally().summary(1.0) is None
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0, 1)
    assert wilson(5, 5).high == pytest.approx(1)
    assert wilson(5, 5).low == pytest.approx(0.5655, abs=1e-4)  # Wilson 1927, n = 5
    assert wilson(0, 10).low == 0


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500))
def test_every_interval_holds_its_share(hits, alarms, misses):
    for rate in (wilson(hits, hits + alarms), f1_rate(hits, alarms, misses)):
        assert 0 <= rate.low <= rate.high <= 1
        assert rate.share is None or rate.low - 1e-9 <= rate.share <= rate.high + 1e-9


@given(st.lists(st.binary(max_size=60), max_size=5))
def test_no_file_stops_the_judge(lines):
    verdicts, _, report = run(*lines, pair("last", "NONE"))
    assert verdicts == [] or verdicts[-1]["id"] == "last"
    assert report.judged == len(verdicts)


def test_the_default_judge_is_the_local_rules():
    written = []
    line = json.dumps({"id": 7, "old": "User likes coffee.", "new": "User likes coffee."}).encode()
    judge_file(io.BytesIO(line), written.append)
    verdict = json.loads(written[0])
    assert (verdict["id"], verdict["relation"]) == (7, "DUPLICATE")
