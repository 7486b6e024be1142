"""Does the command line tell what asking an LLM would take, without asking, and without making anything?"""

import json

import pytest

LINES = [
    {"text": "User enjoys long hikes in Norway.", "at": "2025-01-01"},
    {"text": "User hikes in Norway mostly alone.", "at": "2025-03-01"},
]


@pytest.fixture
def notes(tmp_path, monkeypatch):
    monkeypatch.setenv("STILLTRUE_PAIR_MODEL", "off")
    file = tmp_path / "notes.jsonl"
    file.write_text("\n".join(map(json.dumps, LINES)), encoding="utf-8")
    return file


def test_C11_import_estimates_before_there_is_a_memory(ok, notes, db):
    told = ok("import", notes, "--estimate", "--json").json["estimate"]
    assert (told["facts"], told["pairs"], told["requests"]) == (1, 1, 1)
    assert told["tokens"] > 0
    assert not db.exists()


def test_C11_import_from_standard_input_is_estimated_too(ok, notes):
    (line,) = ok("import", "-", "--format", "jsonl", "--estimate", stdin=notes.read_bytes()).lines
    assert "1 pairs of 1 facts" in line
    assert "nothing was asked" in line


def test_C11_drain_estimates_and_no_classify_is_no_error(ok, notes):
    assert ok("import", notes, "--no-classify", "--json").json["decisions"] == {"ACCEPT": 2}
    told = ok("drain", "--estimate", "--json").json["estimate"]
    assert told == {"facts": 0, "pairs": 0, "requests": 0, "tokens": 0, "cache_hits": 0, "unjudged": 0}


def test_B8_stats_say_in_words_that_no_llm_is_asked(ok, notes):
    ok("import", notes)
    told = ok("stats", "--json").json
    assert told["judges"]["llm"].startswith("off: no LLM is configured")
    assert (told["llm_calls"], told["llm_calls_left"]) == (0, None)
