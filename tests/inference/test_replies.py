"""What becomes of what a language model sends back? Tables of replies (good, sloppy, adversarial) and what they are
worth. The replies were written by hand, after the ways in which models of every size miss a format."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.inference.read_answer import answer
from stilltrue.inference.read_claims import claims
from stilltrue.inference.replies import LONGEST_REASON, ReplyError, object_in, shown, stored, verdicts, vote_in
from stilltrue.model.fact import Modality

FOLDER = Path(__file__).parent / "replies"
LEAST = {"classify": 40, "extract": 15, "answer": 15}


def table(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def cases(name):
    return [pytest.param(case, id=case["name"]) for case in table(name)]


@pytest.mark.parametrize("name", LEAST)
def test_A3_each_table_is_large_enough_and_has_every_kind(name):
    rows = table(name)
    assert len(rows) >= LEAST[name]
    assert (
        len({row["name"] for row in rows}) == len({row["reply"] + str(row.get("asked")) for row in rows}) == len(rows)
    )
    assert {row["kind"] for row in rows} == {"good", "sloppy", "adversarial"}


@pytest.mark.parametrize("case", cases("classify"))
def test_A3_only_a_clean_verdict_is_a_vote(case):
    read = verdicts(case["reply"], case["asked"])
    assert {pair: vote.relation for pair, vote in read.votes.items()} == case["votes"]
    assert read.faults == case["faults"]
    assert set(read.votes) | set(read.faults) == set(case["asked"])
    for vote in read.votes.values():
        assert len(vote.reason) <= LONGEST_REASON
        assert vote.reason.isprintable()
        assert vote_in(stored(vote)) == vote


@pytest.mark.parametrize("case", cases("extract"))
def test_D1_only_claims_whose_words_are_in_the_episode_remain(case):
    if case["fault"]:
        with pytest.raises(ReplyError) as caught:
            claims(case["reply"], case["episode"])
        assert str(caught.value) == case["fault"]
        return
    found = claims(case["reply"], case["episode"])
    assert [[claim.span.start, claim.span.of(case["episode"])] for claim in found] == case["quotes"]
    for claim in found:
        assert claim.text.isprintable()


@pytest.mark.parametrize("case", cases("answer"))
def test_D12_only_an_answer_borne_out_by_its_citations_remains(case):
    if case["fault"]:
        with pytest.raises(ReplyError) as caught:
            answer(case["reply"], case["facts"], case["question"])
        assert str(caught.value) == case["fault"]
        return
    assert answer(case["reply"], case["facts"], case["question"]) == (case["text"], tuple(case["cited"]))


def test_D1_a_claim_keeps_its_fields():
    item = {
        "text": "Ann's sister left Linz.",
        "quote": "she left Linz",
        "subject": "Ann's sister",
        "attribute": "home",
        "value": "Linz",
        "modality": "past",
        "negated": True,
        "valid_from": "2025-05-03T10:00:00+02:00",
        "valid_until": "2025-06-01",
    }
    (claim,) = claims(json.dumps({"claims": [item]}), "Ann says she left Linz.")
    assert (claim.text, claim.subject, claim.attribute, claim.value) == (
        "Ann's sister left Linz.",
        "Ann's sister",
        "home",
        "Linz",
    )
    assert (claim.modality, claim.negated) == (Modality.PAST, True)
    assert claim.valid_from == datetime(2025, 5, 3, 8, tzinfo=UTC)
    assert claim.valid_until == datetime(2025, 6, 1, tzinfo=UTC)


@given(st.text())
def test_A3_no_text_breaks_the_readers(text):
    assert set(verdicts(text, ["p1"]).votes) | set(verdicts(text, ["p1"]).faults) == {"p1"}
    for read in (lambda: claims(text, "I live in Graz."), lambda: answer(text, {"f1": {"text": "a"}}, "?")):
        with pytest.raises(ReplyError):
            read()
    assert shown(text).isprintable()


@pytest.mark.parametrize("text", ['{"a":' * 60_000, "{" * 300_000, "[" * 100_000, '{"a":"' + "x" * 500_000 + '"}'])
def test_A3_nesting_and_length_are_no_way_to_hurt(text):
    with pytest.raises(ReplyError):
        object_in(text)
