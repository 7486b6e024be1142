"""Is it claimed, ordered, remembered, planned, supposed, asked or heard? Case tables: tests/rules/reading."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.rules.modality import is_chatter, modality

HERE = Path(__file__).parent / "reading"
VOICES = json.loads((HERE / "modality.json").read_text(encoding="utf-8"))
CHATTER = json.loads((HERE / "chatter.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", VOICES, ids=lambda case: case["text"][:60])
def test_voice(case):
    assert modality(case["text"]).value == case["modality"]


@pytest.mark.parametrize("case", CHATTER, ids=lambda case: case["text"][:60])
def test_chatter(case):
    assert is_chatter(case["text"]) is case["chatter"]


@given(st.text(max_size=300))
def test_any_text_has_a_voice(text):
    modality(text)
    is_chatter(text)
