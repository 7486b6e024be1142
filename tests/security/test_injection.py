"""Can a text reach past its place: into SQL, full-text syntax or another space? Who may read the file itself?"""

import os
import stat
from datetime import UTC, datetime

import pytest

from stilltrue.errors import StilltrueError
from stilltrue.memory import Memory
from stilltrue.testing import FrozenClock, memory

SQL = (
    "'; DROP TABLE facts; --",
    "x' OR '1'='1",
    '" OR 1=1 --',
    "%' UNION SELECT text FROM facts --",
    "x'); DELETE FROM history; --",
    "x\\'; PRAGMA writable_schema=1; --",
    "?1", ":space", "@space", "$1", "NULL", "a\x00b",
)  # fmt: skip
FULL_TEXT = (
    "text : canary", "NEAR(canary secret, 9)", "canary*", "canary OR secret", '"', '""', "{text space} : x", "^canary",
    "- canary", "space:theirs", "(((", "canary AND NOT x", "* ",
)  # fmt: skip
HOSTILE = SQL + FULL_TEXT
VERBS = {
    "remember": lambda own, text: own.remember(text),
    "slot": lambda own, text: own.remember(
        "It is so.", subject=text, attribute=text, value=text, author=text, topic=text
    ),
    "origin": lambda own, text: own.remember("It is so.", origin=text),
    "supersedes": lambda own, text: own.remember("It is so.", supersedes=text),
    "search": lambda own, text: own.search(text),
    "search by": lambda own, text: own.search("canary", include_superseded=True, as_of=text),
    "lookup": lambda own, text: own.lookup(text, text),
    "ask": lambda own, text: own.ask(text),
    "check": lambda own, text: own.check(text),
    "history": lambda own, text: own.history(text),
    "explain": lambda own, text: own.explain(text),
    "conflicts": lambda own, text: own.conflicts(text),
    "resolve": lambda own, text: own.resolve(text, "keep", keep=text),
    "forget": lambda own, text: own.forget(text, reason=text),
    "erase": lambda own, text: own.erase(text, reason=text),
    "undo": lambda own, text: own.undo(text),
    "confirm": lambda own, text: own.confirm(text, reason=text),
    "configure": lambda own, text: own.configure(timezone=text),
    "members": lambda own, text: own.set_members([text, "me"]),
    "space": lambda own, text: own.in_space(text).search("canary"),
    "changes": lambda own, text: own.changes(text),
    "backtest": lambda own, text: own.backtest(since=text),
}


@pytest.fixture
def store():
    """Overrides the fixture of all stores: one is enough here."""
    made = memory(FrozenClock(datetime(2025, 6, 1, tzinfo=UTC)))
    made.in_space("theirs").remember("The canary sings in the secret vault.")
    made.remember("The kettle is red.")
    yield made
    assert made.check_invariants() == []
    made.close()


@pytest.mark.parametrize("verb", VERBS)
def test_D9_no_text_is_syntax_to_any_verb(store, verb):
    theirs = store.in_space("theirs", "me")
    before = [one.text for one in theirs.search("canary").results]
    for text in HOSTILE:
        told = ""
        try:
            told = repr(VERBS[verb](store, text))
        except StilltrueError as refused:
            told = str(refused)
        assert "sings" not in told
    assert [one.text for one in theirs.search("canary").results] == before
    assert "The kettle is red." in [one.text for one in store.in_space("default", "me").search("kettle").results]


def test_every_public_verb_is_tried():
    """Those left out take no text."""
    without = {
        "batch", "check_invariants", "close", "detect", "drain", "estimate", "in_space", "maintain", "open",
        "proposals",
        "read_story", "rechecks", "review", "set_members", "settings", "spaces", "start_worker", "stats", "sweep",
    }  # fmt: skip
    public = {name for name in dir(Memory) if not name.startswith("_") and callable(getattr(Memory, name))}
    assert public - without - set(VERBS) - {"members", "settings"} == set()


@pytest.mark.skipif(os.name == "nt", reason="permissions of files are another matter there")
def test_D9_a_memory_is_its_owners_alone(tmp_path):
    before = os.umask(0o000)
    try:
        with Memory.open(tmp_path / "notes.db", pair_model="off") as own:
            own.remember("The kettle is red.")
            kept = sorted(tmp_path.iterdir())
            assert len(kept) >= 2
            open_to = {file.name: oct(stat.S_IMODE(file.stat().st_mode)) for file in kept}
    finally:
        os.umask(before)
    assert {name: mode for name, mode in open_to.items() if mode != "0o600"} == {}


@pytest.mark.skipif(os.name == "nt", reason="permissions of files are another matter there")
def test_D9_permissions_that_somebody_gave_stay(tmp_path):
    place = tmp_path / "notes.db"
    with Memory.open(place, pair_model="off"):
        place.chmod(0o640)
    with Memory.open(place, pair_model="off") as own:
        own.remember("The kettle is red.")
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
