"""Does our tokenizer give the ids of the reference implementation, whatever the text?"""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stilltrue
from stilltrue.errors import ModelError
from stilltrue.inference import wordpiece
from tests.inference.texts import TEXTS

VOCAB = Path(stilltrue.__file__).parent / "weights" / wordpiece.VOCAB_FILE


@pytest.fixture(scope="module")
def reference():
    """The reference, told to treat special tokens inside a text as text, as ours does."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.BertWordPieceTokenizer(str(VOCAB), lowercase=True)
    tokenizer.enable_truncation(wordpiece.MAX_TOKENS)
    tokenizer._tokenizer.encode_special_tokens = True
    return tokenizer


def is_stable(char: str) -> bool:
    """Known since Unicode 3.2 and of the same class ever since, so that every library's tables agree on it."""
    category = unicodedata.category(char)
    return category == unicodedata.ucd_3_2_0.category(char) and category not in ("Cs", "Cn")


def test_the_list_is_long_and_varied_enough():
    assert len(set(TEXTS)) >= 200


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_same_ids_as_the_reference(reference, text):
    assert wordpiece.bundled().encode(text) == reference.encode(text).ids


def test_every_long_known_character_is_treated_alike(reference):
    ours = wordpiece.bundled()
    stable = [char for char in map(chr, range(0x110000)) if is_stable(char)]
    assert len(stable) > 90_000
    texts = [f"a{char}b {char}" for char in stable if unicodedata.category(char) != "Co"]
    theirs = [encoding.ids for encoding in reference.encode_batch(texts)]
    assert [text for text, ids in zip(texts, theirs, strict=True) if ours.encode(text) != ids] == []


@given(st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from(" \n\t.,-'#[]ΣİßÅé\u0301漢が")), max_size=200))
def test_same_ids_on_random_text(reference, text):
    known = "".join(char for char in text if is_stable(char))
    assert wordpiece.bundled().encode(known) == reference.encode(known).ids


@pytest.mark.parametrize("limit", [2, 3, 7, 64, 256])
def test_truncation_keeps_both_specials(reference, limit):
    ours = wordpiece.bundled()
    text = "The quick brown fox jumps over the lazy dog. " * 60
    ids = ours.encode(text, limit)
    assert len(ids) == limit
    assert (ids[0], ids[-1]) == (ours.cls_id, ours.sep_id)
    assert ids[:-1] == ours.encode(text)[: limit - 1]


def test_no_room_for_the_specials_is_refused():
    with pytest.raises(ValueError, match="at least 2"):
        wordpiece.bundled().encode("text", 1)


def test_special_tokens_in_a_text_stay_text():
    ours = wordpiece.bundled()
    inner = ours.encode("say [SEP] and [MASK] [CLS] [PAD]")[1:-1]
    specials = {ours.cls_id, ours.sep_id, ours.pad_id, ours.unk_id}
    assert specials.isdisjoint(inner)


def test_lone_surrogates_are_dropped():
    ours = wordpiece.bundled()
    assert ours.encode("broken \ud800 pair") == ours.encode("broken pair")


def test_pieces_can_be_joined_into_pairs():
    ours = wordpiece.bundled()
    assert ours.pieces("hello world", 10) == ours.encode("hello world")[1:-1]
    assert ours.pieces("hello world", 1) == ours.encode("hello")[1:-1]
    assert ours.pieces("hello", 0) == []


def test_the_whole_vocabulary_is_read():
    assert len(wordpiece.bundled()) == 30_522


@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"[CLS]\n[SEP]\nword\n"])
def test_a_damaged_vocabulary_is_named(tmp_path, content):
    file = tmp_path / wordpiece.VOCAB_FILE
    file.write_bytes(content)
    with pytest.raises(ModelError, match=r"vocab\.txt.*reinstall"):
        wordpiece.load(file)


def test_a_missing_vocabulary_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"vocab\.txt.*reinstall"):
        wordpiece.load(tmp_path / wordpiece.VOCAB_FILE)
