"""Every pair of tests/rules/pairs, by family: is it a conflict, and which relation is it?

A case that is answered "undecided" passes where no conflict was to be found: the pair goes on to the next judge. What
the rules get wrong is listed, with its reason, in known_pair_failures.json; a listed case that passes is news.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stilltrue.model.verdict import CONFLICTS, Relation, Undecided, Verdict
from stilltrue.rules.cascade import judge_texts, replay
from stilltrue.rules.measured import RETIRES

HERE = Path(__file__).parent
KNOWN = json.loads((HERE / "known_pair_failures.json").read_text(encoding="utf-8"))


def cases():
    for path in sorted((HERE / "pairs").glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))["cases"]


CASES = list(cases())


def accepted(case):
    also = case.get("accept", [])
    return {Relation(label) for label in [case["label"], *([also] if isinstance(also, str) else also)]}


def judged(case):
    said = [case.get("old_at"), case.get("new_at")]
    moments = [datetime.fromisoformat(at).replace(tzinfo=UTC) if at else None for at in said]
    return judge_texts(case["old"], case["new"], *moments)


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
    claims = isinstance(found, Verdict) and found.relation in CONFLICTS
    assert claims == (Relation(case["label"]) in CONFLICTS), found


@pytest.mark.parametrize("case", list(known("relation")))
def test_relation(case):
    found = judged(case)
    if isinstance(found, Undecided):
        assert Relation(case["label"]) not in CONFLICTS, found
    else:
        assert found.relation in accepted(case), found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_f5_stored_evidence_replays_to_the_relation(case):
    found = judged(case)
    assert replay(found.evidence) == (found.relation if isinstance(found, Verdict) else None)


def test_wrong_retirements_are_listed_openly():
    wrong = {
        case["id"]
        for case in CASES
        if Relation(case["label"]) not in CONFLICTS
        and isinstance(found := judged(case), Verdict)
        and found.relation in CONFLICTS
        and found.conflict >= RETIRES
    }
    assert wrong == set(KNOWN["wrong_retirements"])


def test_known_failures_name_cases_that_exist():
    ids = {case["id"] for case in CASES}
    assert not (set(KNOWN["conflict"]) | set(KNOWN["relation"]) | set(KNOWN["wrong_retirements"])) - ids
