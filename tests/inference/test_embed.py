"""Does the embedder give true, repeatable unit vectors, load late, and fail with a remedy?"""

from __future__ import annotations

import hashlib
import json
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import stilltrue
from stilltrue.errors import ModelError
from stilltrue.inference import embed
from stilltrue.inference.embed import MiniLMEmbedder
from tests.inference.texts import EVERYDAY

WEIGHTS = Path(stilltrue.__file__).parent / "weights"

# Anchor, a text about the same matter, a text about another matter.
MEANINGS = (
    ("Alice works at Apple.", "Alice is employed by Apple.", "The recipe needs two eggs."),
    ("We deploy on Tuesdays.", "Releases go out every Tuesday.", "My sister plays the violin."),
    ("The user prefers dark mode.", "She likes a dark colour theme.", "The train leaves at noon."),
    ("PostgreSQL is our main database.", "We store our data in Postgres.", "Paris is lovely in spring."),
    ("He is allergic to peanuts.", "Nuts make him ill.", "The build uses CMake."),
    ("The API allows 500 requests a minute.", "The rate limit is 500 calls per minute.", "The dog sleeps."),
    ("Bob moved to Berlin.", "Bob now lives in Germany's capital.", "Invoices are due in 30 days."),
    ("Run the tests before you commit.", "Check that tests pass before committing.", "It rained all week."),
    ("The budget was cut to $1.2 million.", "We have less money to spend this year.", "Cats dislike water."),
    ("Meetings are held over Zoom.", "We meet by video call.", "The soil is rich in iron."),
    ("The server listens on port 8443.", "Port 8443 is open on the host.", "She reads poems at night."),
    ("The customer asked for a refund.", "The buyer wants the money back.", "Use tabs in Makefiles."),
)


@pytest.fixture(scope="module")
def embedder():
    return MiniLMEmbedder()


@pytest.fixture
def copied(tmp_path):
    """A folder of our own with the shipped files, to be damaged."""
    for name in (embed.CARD_FILE, embed.MODEL_FILE, "vocab.txt"):
        shutil.copyfile(WEIGHTS / name, tmp_path / name)
    return tmp_path


def test_rows_are_unit_vectors(embedder):
    vectors = embedder.embed(EVERYDAY)
    assert vectors.shape == (len(EVERYDAY), embedder.dimensions) == (len(EVERYDAY), 384)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_no_texts_give_no_rows(embedder):
    vectors = embedder.embed([])
    assert vectors.shape == (0, 384)
    assert vectors.dtype == np.float32


def test_a_text_has_one_vector_alone_in_company_and_again():
    fresh = MiniLMEmbedder(cache_size=0)
    batch = fresh.embed(EVERYDAY)
    backwards = fresh.embed(EVERYDAY[::-1])[::-1]
    alone = np.concatenate([MiniLMEmbedder().embed([text]) for text in EVERYDAY[:3]])
    assert batch.tobytes() == backwards.tobytes() == fresh.embed(EVERYDAY).tobytes()
    assert alone.tobytes() == batch[:3].tobytes()


def test_the_cache_changes_no_bit(embedder):
    uncached = MiniLMEmbedder(cache_size=0).embed(EVERYDAY)
    assert embedder.embed(EVERYDAY).tobytes() == uncached.tobytes()
    assert embedder.embed(EVERYDAY).tobytes() == uncached.tobytes()


def test_more_threads_change_no_bit(embedder):
    assert MiniLMEmbedder(threads=2).embed(EVERYDAY).tobytes() == embedder.embed(EVERYDAY).tobytes()


def test_a_caller_may_write_into_the_result(embedder):
    before = embedder.embed(["kept"])
    embedder.embed(["kept"])[:] = 0
    assert embedder.embed(["kept"]).tobytes() == before.tobytes()


def test_text_beyond_the_limit_is_not_read(embedder):
    # 254 pieces fit beside the two special tokens.
    head = "word " * 254
    first, second, shorter = embedder.embed([head, head + "completely different ending", "word " * 253])
    assert first.tobytes() == second.tobytes() != shorter.tobytes()


@pytest.mark.parametrize(("anchor", "related", "unrelated"), MEANINGS, ids=[m[0] for m in MEANINGS])
def test_related_texts_are_nearer_than_unrelated(embedder, anchor, related, unrelated):
    vectors = embedder.embed([anchor, related, unrelated])
    near, far = vectors[1:] @ vectors[0]
    assert near > far + 0.2


def test_the_card_matches_the_files_and_names_the_version(embedder):
    card = json.loads((WEIGHTS / embed.CARD_FILE).read_text(encoding="utf-8"))
    assert embedder.model_version == card["model_version"]
    for name, expected in card["sha256"].items():
        assert hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() == expected
    joined = "".join(card["sha256"][name] for name in sorted(card["sha256"]))
    assert embedder.model_version == "all-minilm-l6-v2-int8-" + hashlib.sha256(joined.encode()).hexdigest()[:8]


def test_nothing_heavy_before_the_first_text():
    script = """
import sys
from stilltrue.inference.embed import MiniLMEmbedder
embedder = MiniLMEmbedder()
assert embedder.dimensions == 384 and embedder.model_version
assert embedder.embed([]).shape == (0, 384)
assert "onnxruntime" not in sys.modules, "runtime loaded too early"
assert not embedder._engine.made, "weights loaded too early"
embedder.embed(["now"])
assert "onnxruntime" in sys.modules
for name in ("torch", "tokenizers", "transformers", "huggingface_hub", "onnx"):
    assert name not in sys.modules, name
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_threads_share_one_load_and_one_truth(monkeypatch, embedder):
    expected = embedder.embed(EVERYDAY)  # which loads it, if no other test has
    loads = []
    real = embed._load
    monkeypatch.setattr(embed, "_load", lambda *args: (loads.append(1), real(*args))[1])
    shared = MiniLMEmbedder(cache_size=4)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda shift: (shift, shared.embed(EVERYDAY[shift:])), list(range(8)) * 2))
    assert len(loads) == 1
    assert all(vectors.tobytes() == expected[shift:].tobytes() for shift, vectors in results)


def test_the_cache_is_bounded_and_forgets_the_oldest():
    small = MiniLMEmbedder(cache_size=2)
    small.embed(["a", "b", "a", "c"])
    keys = list(small._recent._vectors)
    assert keys == [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in ("a", "c")]
    small.forget()
    assert not small._recent._vectors


def test_the_cache_saves_the_model_run(monkeypatch):
    cached = MiniLMEmbedder()
    cached.embed(["once"])
    monkeypatch.setattr(cached, "_engine", lambda: pytest.fail("the model ran again"))
    cached.embed(["once"])


@pytest.mark.parametrize("name", [embed.MODEL_FILE, "vocab.txt"])
def test_missing_files_are_named_with_the_remedy(copied, name):
    (copied / name).unlink()
    broken = MiniLMEmbedder(weights=copied)
    with pytest.raises(ModelError, match=rf"{name}.*reinstall stilltrue"):
        broken.embed(["text"])


@pytest.mark.parametrize("name", [embed.MODEL_FILE, "vocab.txt"])
def test_damaged_files_are_named_with_the_remedy(copied, name):
    content = bytearray((copied / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copied / name).write_bytes(content)
    broken = MiniLMEmbedder(weights=copied)
    with pytest.raises(ModelError, match=rf"{name}.*damaged.*reinstall stilltrue"):
        broken.embed(["text"])
    shutil.copyfile(WEIGHTS / name, copied / name)
    assert broken.embed(["text"]).shape == (1, 384), "a repaired file is read without a restart"


def test_a_model_the_runtime_cannot_read_is_named(copied):
    (copied / embed.MODEL_FILE).write_bytes(b"not a model")
    card = json.loads((copied / embed.CARD_FILE).read_text(encoding="utf-8"))
    card["sha256"][embed.MODEL_FILE] = hashlib.sha256(b"not a model").hexdigest()
    (copied / embed.CARD_FILE).write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(ModelError, match=r"onnxruntime cannot run .*embedder\.onnx"):
        MiniLMEmbedder(weights=copied).embed(["text"])


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"model_version": 1, "sha256": 3}', "\x00"])
def test_a_missing_or_damaged_card_is_named(tmp_path, content):
    if content is not None:
        (tmp_path / embed.CARD_FILE).write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"embedder\.json.*reinstall stilltrue"):
        MiniLMEmbedder(weights=tmp_path)


@pytest.mark.parametrize("wrong", [{"threads": 0}, {"cache_size": -1}])
def test_senseless_settings_are_refused(wrong):
    with pytest.raises(ValueError, match="at least"):
        MiniLMEmbedder(**wrong)


def test_figures_are_printed_and_only_absurd_ones_fail(capsys):
    started = time.perf_counter()
    timed = MiniLMEmbedder(cache_size=0)
    timed.embed(["load"])
    load = time.perf_counter() - started
    runs = []
    for turn in range(40):
        started = time.perf_counter()
        timed.embed([EVERYDAY[turn % 14]])
        runs.append(time.perf_counter() - started)
    typical = statistics.median(runs)
    with capsys.disabled():
        sys.stdout.write(f"\nembedder: loaded in {load:.2f} s, {typical * 1000:.1f} ms per text (p50 of {len(runs)})\n")
    assert load < 20
    assert typical < 1
