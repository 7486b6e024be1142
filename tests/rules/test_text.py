"""Two texts are compared by their words without losing what can turn a sentence round."""

import json
import time
from pathlib import Path

import pytest
from snowballstemmer.english_stemmer import EnglishStemmer

from stilltrue.rules.text import content_stems, exact_hash, normal_hash, normalise, overlap, stem, tokens

CASES = json.loads((Path(__file__).parent / "text_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES["tokens"], ids=lambda case: case["text"])
def test_tokens(case):
    assert list(tokens(case["text"])) == case["tokens"], case["why"]


@pytest.mark.parametrize("case", CASES["same"], ids=lambda case: case["a"])
def test_c10_texts_that_are_one(case):
    assert normal_hash(case["a"]) == normal_hash(case["b"]), case["why"]


@pytest.mark.parametrize("case", CASES["different"], ids=lambda case: case["a"])
def test_c10_texts_that_must_not_fall_together(case):
    assert normal_hash(case["a"]) != normal_hash(case["b"]), case["why"]


def test_the_exact_hash_sees_every_letter():
    assert exact_hash("User likes tea.") != exact_hash("User likes Tea.")
    assert exact_hash(" User likes tea.\n") == exact_hash("User likes tea.")


def test_content_leaves_out_stop_words_and_the_speaker():
    assert content_stems("The user is not in the garden") == {"garden"}
    assert content_stems("") == frozenset()


def test_overlap_lies_between_nothing_and_all():
    assert overlap("User likes coffee", "coffee") == 1.0
    assert overlap("", "coffee") == 0.0


def test_stems_keep_versions_and_bring_inflections_together():
    assert stem("2.0.0") == "2.0.0"
    assert stem("moved") == stem("moving") == stem("moves")


def test_normal_form_is_stable():
    for text in ("Ｆｕｌｌ　ｗｉｄｔｈ", "don’t", "a–b", "ẞ", "\x00 \x07"):
        assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize("unit", ["a", "1.", "-1", "'s ", "a'", "->", "a1:", "é", "\u0301", "("])
def test_hostile_strings_cost_linear_time(unit):
    text = unit * (8192 // len(unit))
    tokens(text)  # stems and lexicons are loaded
    started = time.thread_time()
    tokens(text)
    assert time.thread_time() - started < 0.2


def test_every_word_has_the_stem_that_the_library_gives_it():
    """Ours only finds endings faster: each ending on each opening, and twice, comes out as the library's own does."""
    library = EnglishStemmer()
    endings = {entry.s for table in vars(EnglishStemmer).values() if isinstance(table, list) for entry in table}
    openings = ("", "b", "ab", "hopp", "gener", "univers", "yo", "try", "trell", "proc", "arsenab", "market", "use")
    words = {a + b + c for a in openings for b in endings for c in ("", "s", "ed", "ing", "ly", "ies", "e")}
    assert [word for word in sorted(words) if word.isalpha() and stem(word) != library.stemWord(word)] == []
