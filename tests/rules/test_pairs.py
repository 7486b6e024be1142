"""Every pair of tests/rules/pairs, by family: is it a conflict, and which relation is it?

A case that is answered "undecided" passes where no conflict was to be found: the pair goes on to the next judge. What
the rules get wrong is listed, with its reason, in known_pair_failures.json, which
`python -m tests.rules.known_failures` writes; a listed case that passes is news.
"""

import json

import pytest

from stilltrue.model.verdict import Verdict
from stilltrue.rules.cascade import replay, replay_marks
from tests.rules.pair_table import KNOWN_FILE, cases, judged, right_on_conflict, right_on_relation, wrongly_retires

KNOWN = json.loads(KNOWN_FILE.read_text(encoding="utf-8"))
CASES = list(cases())


def known(kind):
    for case in CASES:
        reason = KNOWN[kind].get(case["id"])
        needs = case.get("needs")
        marks = []
        if reason:
            marks = [pytest.mark.xfail(reason=reason, strict=not needs)]
        elif needs:
            marks = [pytest.mark.xfail(reason=f"needs: {needs}", strict=False)]
        yield pytest.param(case, id=case["id"], marks=marks)


@pytest.mark.parametrize("case", list(known("conflict")))
def test_conflict_or_not(case):
    found = judged(case)
    assert right_on_conflict(case, found), found


@pytest.mark.parametrize("case", list(known("relation")))
def test_relation(case):
    found = judged(case)
    assert right_on_relation(case, found), found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_f5_stored_evidence_replays_to_the_verdict(case):
    found = judged(case)
    assert replay(found.evidence) == (found.relation if isinstance(found, Verdict) else None)
    if isinstance(found, Verdict):
        assert replay_marks(found.evidence) == (found.corrects, found.narrows)


def test_wrong_retirements_are_listed_openly():
    assert {case["id"] for case in CASES if wrongly_retires(case, judged(case))} == set(KNOWN["wrong_retirements"])


def test_known_failures_name_cases_that_exist():
    ids = {case["id"] for case in CASES}
    assert not (set(KNOWN["conflict"]) | set(KNOWN["relation"]) | set(KNOWN["wrong_retirements"])) - ids
