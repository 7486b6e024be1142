"""Does memory know whom "my sister" means? Row D12: where one name was told, the question is put by that name."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stilltrue.read.ask import ask
from stilltrue.testing import FrozenClock, memory

TODAY = datetime(2026, 6, 10, 12, tzinfo=UTC)
TOLD = (
    ("2026-01-05", "My sister Marta lives in Madrid."),
    ("2026-02-05", "Marta moved to Barcelona and started at BBVA."),
    ("2026-02-06", "Ana is my wife."),
    ("2026-03-01", "Ana works at Zara."),
    ("2026-03-02", "My friend Bo plays golf."),
    ("2026-03-02", "My friend Cy lives in Bonn."),
)


@pytest.fixture(scope="module")
def family():
    with memory(FrozenClock(TODAY)) as story:
        for day, text in TOLD:
            story.remember(text, said_at=day)
        story.remember("My brother Tom lives in Rome.", said_at="2026-01-05", author="ben")
        yield story


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where does my sister live?", "Barcelona"),
        ("Where does my sister work?", "BBVA"),
        ("Where does my wife work?", "Zara"),
    ],
)
def test_D12_kin_are_asked_about_by_the_name_they_were_given(family, question, answer):
    answered = family.ask(question)
    assert answered.text.startswith(answer)
    assert answered.reason.startswith("asked as “")
    assert answered.citations


@pytest.mark.parametrize(
    "question",
    ["Where does my friend live?", "Where does my mother live?", "Where does my brother live?"],
    ids=["two names", "none", "another's"],
)
def test_D12_whoever_has_no_one_name_is_not_guessed(family, question):
    answered = family.ask(question)
    assert answered.refused
    assert "asked as" not in answered.reason


def test_D12_each_asks_about_their_own(family):
    told, refused = (
        ask(family.engine, family.space, f"Where does my {kin} live?", asker="ben") for kin in ("brother", "sister")
    )
    assert told.text.startswith("Rome")
    assert refused.refused
