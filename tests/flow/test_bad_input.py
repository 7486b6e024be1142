"""What happens to what cannot be used? Issue 2's last line: empty, endless, binary and broken texts, impossible dates,
unknown ids and words, and files that are locked, cut, foreign, folders or read-only: one clear error, nothing lost."""

from __future__ import annotations

import os
import sqlite3

import pytest

from stilltrue.errors import InvalidInputError, NotFoundError, StateError, StilltrueError, StoreError
from stilltrue.memory import Memory
from stilltrue.settings import Settings
from stilltrue.testing import FrozenClock
from tests.flow.canon import snapshot
from tests.flow.teller import START, WordEmbedder

NOBODY = "01900000-0000-7000-8000-000000000001"


def whole(memory):
    """Everything countable and everything believed."""
    return snapshot(memory), dict(memory.stats().counts), memory.members(), dict(memory.stats().changed_settings)


def said(error):
    """The message is one line, says something and offers a way out."""
    text = str(error.value)
    assert text
    assert "\n" not in text
    assert "Traceback" not in text
    assert len(text) < 400
    return text


BAD = {
    "empty": {"text": ""},
    "blank": {"text": " \n\t "},
    "too long": {"text": "User likes tea. " * 70_000},
    "binary": {"text": "\x00\x01\x02 PNG \x89\x1a"},
    "control": {"text": "\x01\x02\x03\x04 ab"},
    "lone surrogate": {"text": "User lives in \ud83d."},
    "bytes": {"text": b"User lives in Oslo."},
    "number": {"text": 42},
    "nothing": {},
    "both": {"text": "User lives in Oslo.", "messages": [{"role": "user", "content": "Hello"}]},
    "message without role": {"messages": [{"content": "User lives in Oslo."}]},
    "message that is text": {"messages": ["User lives in Oslo."]},
    "backwards": {"text": "User lives in Oslo.", "valid_from": "2025-02-01", "valid_until": "2025-01-01"},
    "empty time": {"text": "User lives in Oslo.", "valid_from": "2025-02-01", "valid_until": "2025-02-01"},
    "no such month": {"text": "User lives in Oslo.", "valid_from": "2025-13-45"},
    "no date": {"text": "User lives in Oslo.", "said_at": "whenever"},
    "naive": {"text": "User lives in Oslo.", "said_at": START.replace(tzinfo=None)},
    "date of another kind": {"text": "User lives in Oslo.", "said_at": object()},
    "kind": {"text": "User lives in Oslo.", "kind": "rule"},
    "category": {"text": "User lives in Oslo.", "category": "kernel"},
    "cardinality": {"text": "User lives in Oslo.", "cardinality": "some"},
    "importance": {"text": "User lives in Oslo.", "importance": 1.01},
    "importance that is none": {"text": "User lives in Oslo.", "importance": float("nan")},
    "confidence": {"text": "User lives in Oslo.", "confidence": -0.1},
    "trust": {"text": "User lives in Oslo.", "trust": "high"},
    "unknown id": {"text": "User lives in Oslo.", "supersedes": NOBODY},
    "short id": {"text": "User lives in Oslo.", "supersedes": "abc"},
    "unknown support": {"text": "User lives in Oslo.", "depends_on": [NOBODY]},
    "broken author": {"text": "User lives in Oslo.", "author": "\ud83d"},
    "broken value": {"text": "User lives in Oslo.", "subject": "user", "attribute": "residence", "value": "\ud83d"},
    "broken topic": {"text": "User lives in Oslo.", "topic": "\udfff"},
}


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_to_remember(stories, case, wait):
    story = stories(embedder=WordEmbedder())
    story.home("Oslo", "2025-01-01")
    before = whole(story.memory)
    with pytest.raises((InvalidInputError, NotFoundError)) as error:
        story.memory.remember(wait=wait, **BAD[case])
    said(error)
    assert whole(story.memory) == before
    assert story.memory.drain() == []


def test_a_megabyte_in_one_text_is_refused_and_in_pieces_taken(stories):
    story = stories(embedder=WordEmbedder())
    with pytest.raises(InvalidInputError, match="max_episode_characters"):
        story.says("x" * 1_000_000)
    assert story.memory.stats().counts["episodes"] == 0
    assert story.says("User lives in Oslo. " + "x" * 190_000)


def test_many_statements_are_refused_whole(stories):
    story = stories(embedder=WordEmbedder(), settings=Settings(max_facts_per_episode=3))
    with pytest.raises(InvalidInputError, match="max_facts_per_episode"):
        story.says("User speaks French. User speaks Italian. User speaks Dutch. User speaks Danish.")
    assert story.memory.stats().counts["episodes"] == 0


@pytest.mark.parametrize(
    "text", ["Zoë lives in Kraków 🏙.", "用户住在奥斯陆。", "User\u2028lives in Oslo.", "\u202eUser lives", "?!"]
)
def test_odd_but_honest_texts_are_taken_as_they_are(stories, text):
    story = stories(embedder=WordEmbedder())
    for decision in story.says(text):
        cited = story.fact(decision.fact_id).sources[0]
        assert text[cited.start : cited.end] == cited.quote
    assert story.memory.stats().counts["episodes"] == 1


ASK = {
    "empty query": lambda memory: memory.search("  "),
    "endless query": lambda memory: memory.search("where " * 5000),
    "limit": lambda memory: memory.search("where", limit=0),
    "large limit": lambda memory: memory.search("where", limit=10**9),
    "as_of": lambda memory: memory.search("where", as_of="2025-13-45"),
    "known_at": lambda memory: memory.lookup("user", known_at="soon-ish"),
    "naive as_of": lambda memory: memory.lookup("user", as_of=START.replace(tzinfo=None)),
    "no subject": lambda memory: memory.lookup(" "),
    "no key": lambda memory: memory.lookup("user", ""),
    "no history": lambda memory: memory.history(),
    "too much history": lambda memory: memory.history(NOBODY, subject="user"),
    "status": lambda memory: memory.conflicts("closed"),
    "unknown fact": lambda memory: memory.history(NOBODY),
    "short id": lambda memory: memory.history("ab"),
    "hostile id": lambda memory: memory.history("%' OR 1=1 --"),
    "unknown to explain": lambda memory: memory.explain(NOBODY),
    "unknown to forget": lambda memory: memory.forget(NOBODY),
    "unknown to erase": lambda memory: memory.erase(NOBODY),
    "unknown to undo": lambda memory: memory.undo(NOBODY),
    "unknown to resolve": lambda memory: memory.resolve(NOBODY, "dismiss"),
    "unknown knob": lambda memory: memory.configure(temperature=1),
    "knob of another type": lambda memory: memory.configure(search_limit="ten"),
    "knob out of range": lambda memory: memory.configure(search_limit=0),
    "unknown zone": lambda memory: memory.configure(timezone="Mars/Olympus"),
    "unknown cardinality": lambda memory: memory.configure(cardinalities={"colour": "some"}),
}


@pytest.mark.parametrize("case", ASK)
def test_bad_questions_and_orders(stories, case):
    story = stories(embedder=WordEmbedder())
    story.home("Oslo", "2025-01-01")
    before = whole(story.memory)
    with pytest.raises((InvalidInputError, NotFoundError)) as error:
        ASK[case](story.memory)
    said(error)
    assert whole(story.memory) == before


ANSWERS = {
    "word": {"answer": "maybe"},
    "keep nobody": {"answer": "keep"},
    "keep a stranger": {"answer": "keep", "keep": NOBODY},
    "never nobody": {"answer": "never_true"},
    "condition for nobody": {"answer": "both", "condition": "in winter"},
    "rewrite without text": {"answer": "rewrite"},
    "text without rewrite": {"answer": "keep", "text": "User lives in Bern."},
    "rewrite to nothing": {"answer": "rewrite", "text": "  "},
    "rewrite to a question": {"answer": "rewrite", "text": "\x00"},
}


@pytest.mark.parametrize("case", ANSWERS)
def test_bad_answers_to_a_conflict(stories, case):
    story = stories(embedder=WordEmbedder())
    story.memory.configure(supersession_enabled=False)
    story.home("Oslo", "2025-01-01")
    asked = story.home("Rome", "2025-02-01", "User moved to Rome.")
    before = whole(story.memory)
    with pytest.raises(InvalidInputError) as error:
        story.memory.resolve(asked.conflict_id, **ANSWERS[case])
    said(error)
    assert whole(story.memory) == before


def test_what_is_over_cannot_be_done_again(stories):
    story = stories(embedder=WordEmbedder())
    story.memory.configure(supersession_enabled=False)
    first = story.home("Oslo", "2025-01-01")
    asked = story.home("Rome", "2025-02-01", "User moved to Rome.")
    story.memory.resolve(asked.conflict_id, "dismiss")
    story.memory.forget(first.fact_id)
    before = whole(story.memory)
    for again in (
        lambda: story.memory.resolve(asked.conflict_id, "dismiss"),
        lambda: story.memory.resolve(asked.conflict_id, "rewrite", text="User lives in Bern."),
        lambda: story.memory.forget(first.fact_id),
    ):
        with pytest.raises(StateError) as error:
            again()
        said(error)
        assert whole(story.memory) == before


def opened(path, **settings):
    return Memory.open(
        path, embedder=WordEmbedder(), clock=FrozenClock(START), settings=Settings(lock_timeout_seconds=0.2, **settings)
    )


@pytest.fixture
def kept(tmp_path):
    """A sound memory in a file, closed."""
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        for number in range(30):
            memory.remember(f"User likes dish {number} a lot.", subject="user", attribute=f"dish {number}", value="yes")
    return path


def refused(path, match):
    """Opening or using it fails with one clear line that names it, and not a byte of it has changed."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError, match=match) as error, opened(path) as memory:
        memory.remember("User lives in Oslo.")
    assert str(path) in said(error)
    if before is not None:
        assert path.read_bytes() == before


def test_a_cut_file_is_refused_and_left_alone(kept):
    data = kept.read_bytes()
    for share in (0.3, 0.6, 0.95):
        kept.write_bytes(data[: int(len(data) * share)])
        refused(kept, "cut short|damaged")


def test_a_damaged_file_is_told(kept):
    data = bytearray(kept.read_bytes())
    data[4096 : 4096 * 6] = b"\xff" * (4096 * 5)
    kept.write_bytes(bytes(data))
    with pytest.raises(StilltrueError) as error, opened(kept) as memory:
        memory.remember("User lives in Oslo.")
    assert str(kept) in said(error)


def test_a_foreign_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE songs (title TEXT)")
        other.execute("INSERT INTO songs VALUES ('Oslo')")
    other.close()
    refused(path, "another program")


def test_a_text_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.db"
    path.write_text("User lives in Oslo.\n" * 100)
    refused(path, "not a SQLite database")


def test_a_folder_is_refused(tmp_path):
    refused(tmp_path, "folder")


def test_a_file_of_a_newer_program_is_refused_and_left_alone(kept):
    with sqlite3.connect(kept) as raw:
        raw.execute("PRAGMA user_version = 999")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    refused(kept, "newer")


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write anywhere")
def test_a_read_only_folder_is_refused(tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o500)
    refused(folder / "memory.db", "write|cannot")


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("here")
    refused(tmp_path / "file" / "memory.db", "cannot")


@pytest.mark.parametrize("words", ["host=db.example dbname=agents password=geheim", "dbname=agents", "service=memory"])
def test_words_of_a_connection_become_no_file(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match="postgresql://USER@HOST") as raised:
        opened(words)
    assert "geheim" not in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_an_address_is_no_file(tmp_path):
    with pytest.raises(InvalidInputError, match="postgresql://"):
        opened("mysql://localhost/memory")


def test_a_locked_file_is_waited_for_and_then_told(kept):
    with opened(kept) as memory:
        before = whole(memory)
        raw = sqlite3.connect(kept, isolation_level=None)
        raw.execute("PRAGMA busy_timeout = 0")
        with opened(kept) as holder, holder.engine.store.write(holder.space):
            with pytest.raises(StoreError, match="locked") as error:
                memory.remember("User lives in Oslo.")
            assert memory.lookup("user")  # readers do not wait for writers
        said(error)
        raw.close()
        assert whole(memory) == before
        assert memory.remember("User lives in Oslo.")
