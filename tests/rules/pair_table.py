"""The pairs of tests/rules/pairs as the judge meets them: each with its instants, its labels and its verdict."""

import json
from datetime import UTC, datetime
from pathlib import Path

from stilltrue.model.verdict import CONFLICTS, Relation, Verdict
from stilltrue.rules.cascade import judge_texts
from stilltrue.rules.measured import RETIRES

HERE = Path(__file__).parent
KNOWN_FILE = HERE / "known_pair_failures.json"


def cases():
    """Every case, in the order of the files."""
    for path in sorted((HERE / "pairs").glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))["cases"]


def instants(case):
    """When the two were said, None where the case does not tell."""
    said = [case.get("old_at"), case.get("new_at")]
    return [datetime.fromisoformat(at).replace(tzinfo=UTC) if at else None for at in said]


def judged(case):
    """What the judge says."""
    return judge_texts(case["old"], case["new"], *instants(case))


def accepted(case):
    """The relations that are right."""
    also = case.get("accept", [])
    return {Relation(label) for label in [case["label"], *([also] if isinstance(also, str) else also)]}


def right_on_conflict(case, found):
    """Whether conflict or not is told rightly; undecided is no conflict."""
    claims = isinstance(found, Verdict) and found.relation in CONFLICTS
    return claims == (Relation(case["label"]) in CONFLICTS)


def right_on_relation(case, found):
    """Whether the relation is right; undecided is right where no conflict was to be found."""
    if isinstance(found, Verdict):
        return found.relation in accepted(case)
    return Relation(case["label"]) not in CONFLICTS


def wrongly_retires(case, found):
    """Whether something true would be hidden."""
    claims = isinstance(found, Verdict) and found.relation in CONFLICTS and found.conflict >= RETIRES
    return claims and Relation(case["label"]) not in CONFLICTS
