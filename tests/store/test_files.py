"""What becomes of a file that is foreign, damaged, locked, full or in the wrong place? One sentence, nothing lost."""

import shutil
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from stilltrue.errors import StoreError
from stilltrue.ports import Filter
from stilltrue.store import connection
from stilltrue.store.migrations import APPLICATION_ID, latest_version, migrate, migrations, statements
from tests.store.making import SPACE, add, conflict, decision, history, open_store, vector


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "memory.db"


def filled(path, count=20):
    with open_store(path) as store:
        for number in range(count):
            with store.write(SPACE) as tx:
                add(tx, f"fact number {number}", seed=number)
    return path


def refused(path, **options):
    """The one line that opening ends with; it names the file."""
    with pytest.raises(StoreError) as caught:
        open_store(path, **options).close()
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def test_the_folder_is_made_and_the_file_is_marked(path):
    filled(path, 1)
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert raw.execute("PRAGMA user_version").fetchone() == (latest_version(),)
    assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    raw.close()


def test_every_key_and_index_begins_with_the_space(path):
    filled(path, 1)
    raw = sqlite3.connect(path)
    tables = [
        row[0]
        for row in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'facts_fts%'")
    ]
    for table in tables:
        columns = raw.execute(f"SELECT name, pk, \"notnull\" FROM pragma_table_info('{table}')").fetchall()
        assert ("space_id", 1, 1) in columns, table
        assert raw.execute("SELECT strict FROM pragma_table_list WHERE name = ?", (table,)).fetchone() == (1,)
        for (index,) in raw.execute("SELECT name FROM pragma_index_list(?)", (table,)).fetchall():
            assert raw.execute("SELECT name FROM pragma_index_info(?)", (index,)).fetchone() == ("space_id",), index
        for row in raw.execute('SELECT seq, "from" FROM pragma_foreign_key_list(?)', (table,)).fetchall():
            assert row[0] != 0 or row[1] == "space_id", table
    raw.close()


def test_nothing_in_the_sql_asks_for_the_time():
    for file in Path(connection.__file__).parent.rglob("*.*"):
        if file.suffix in (".py", ".sql"):
            text = file.read_text(encoding="utf-8").lower()
            assert not any(word in text for word in ("current_timestamp", "datetime('", "strftime(", "julianday("))


@pytest.mark.parametrize("content", [b"not a database at all", b"\x00" * 5000, b"SQLite format 3\x00" + b"\xff" * 50])
def test_a_file_that_is_no_database_is_left_as_it_is(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    refused(path)
    assert path.read_bytes() == content
    assert sorted(item.name for item in path.parent.iterdir()) == ["memory.db"]


def test_another_programs_database_is_left_as_it_is(path):
    path.parent.mkdir()
    raw = sqlite3.connect(path)
    raw.execute("CREATE TABLE theirs (a)")
    raw.commit()
    raw.close()
    before = path.read_bytes()
    assert "another program" in refused(path)
    assert path.read_bytes() == before


def test_a_newer_schema_is_left_as_it_is(path):
    filled(path)
    raw = sqlite3.connect(path)
    raw.execute(f"PRAGMA user_version = {latest_version() + 1}")
    raw.close()
    before = path.read_bytes()
    assert "newer" in refused(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_memory(path):
    path.parent.mkdir()
    path.touch()
    filled(path, 1)


@pytest.mark.parametrize("share", [0.0005, 0.01, 0.3, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_refused_and_left_as_it_is(path, share):
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: max(1, int(len(whole) * share))])
    before = path.read_bytes()
    refused(path)
    assert path.read_bytes() == before


def test_damage_inside_is_told_in_words_by_whatever_meets_it(path):
    filled(path, 60)
    whole = bytearray(path.read_bytes())
    for start in range(4096, len(whole) - 4096, 4096):
        whole[start : start + 300] = b"\xa5" * 300
    path.write_bytes(whole)
    with pytest.raises(StoreError, match=r"damaged|could not"), open_store(path) as store, store.read() as reader:
        reader.in_slot(SPACE, "ada", None)


def test_a_folder_is_no_memory(tmp_path):
    assert "is a folder" in refused(tmp_path)


def test_a_place_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file" / "memory.db")


def test_a_place_that_cannot_be_written():
    refused(Path("/proc/stilltrue/memory.db"))


def test_a_file_that_cannot_be_written(path, monkeypatch):
    filled(path, 1)

    def read_only(place):
        session = real(place)
        session.raw.execute("PRAGMA query_only = ON")
        return session

    real = connection.connect
    monkeypatch.setattr("stilltrue.store.sqlite.connect", read_only)
    with open_store(path) as store, pytest.raises(StoreError, match="cannot be written"), store.write(SPACE) as tx:
        add(tx)


def test_a_full_disk_keeps_what_was_there(path):
    with open_store(path) as store:
        with store.write(SPACE) as tx:
            kept = add(tx, seed=1)
        pages = store._writer.number("PRAGMA page_count")
        store._writer.run(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match="no room left"), store.write(SPACE) as tx:  # noqa: PT012 - a write is a block
            for number in range(500):
                add(tx, f"too much, number {number}", seed=number)
        store._writer.run("PRAGMA max_page_count = 1000000")
        with store.write(SPACE) as tx:
            later = add(tx, "there is room again", seed=2)
        with store.read() as reader:
            assert [fact.id for fact in reader.in_slot(SPACE, "ada", None)] == [kept.id, later.id]
        assert store.check_invariants() == []


def test_a_lock_held_too_long_is_told_and_readers_do_not_wait(path):
    filled(path, 1)
    with open_store(path) as first, open_store(path, lock_timeout_seconds=0.2) as second, first.write(SPACE) as tx:
        add(tx, "not committed yet")
        with second.read() as reader:
            assert reader.counts(SPACE)["facts"] == 1
        started = time.monotonic()
        with pytest.raises(StoreError, match="locked"), second.write(SPACE):
            pass
        assert time.monotonic() - started < 5


def test_a_lock_of_sqlites_own_is_told(path, monkeypatch):
    filled(path, 1)
    monkeypatch.setattr(connection, "_BUSY_TIMEOUT_MILLISECONDS", 50)
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("BEGIN IMMEDIATE")
    with open_store(path) as store, pytest.raises(StoreError, match="locked by another program"), store.write(SPACE):
        pass
    raw.close()


def test_threads_write_in_turn_and_read_at_any_time(path):
    errors = []

    def work(name):
        try:
            for number in range(15):
                with store.write(SPACE) as tx:
                    add(tx, f"thread {name} says {number}", seed=number)
                with store.read() as reader:
                    assert reader.counts(SPACE)["facts"] >= number
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    with open_store(path) as store:
        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        with store.read() as reader:
            assert reader.counts(SPACE)["facts"] == 60
            assert reader.revision(SPACE) == 60
        assert store.check_invariants() == []


def test_a_snapshot_stays_as_it_was_while_others_write(path):
    filled(path, 3)
    with open_store(path) as store, store.read() as old:
        revision = old.revision(SPACE)
        with store.write(SPACE) as tx:
            fact = add(tx, "written after the snapshot", seed=99)
            where = Filter(tx.now)
        with store.read() as new:
            assert fact.id in [hit.fact_id for hit in new.near(SPACE, vector(99), 9, where)]
            assert fact.id in [hit.fact_id for hit in new.mentioning(SPACE, ["snapshot"], 9, where)]
        assert old.revision(SPACE) == revision
        assert len(old.near(SPACE, vector(99), 9, where)) == 3
        assert old.mentioning(SPACE, ["snapshot"], 9, where) == []
        assert len(old.mentioning(SPACE, ["fact"], 9, where)) == 3


def test_a_failing_migration_leaves_the_schema_as_it_was(monkeypatch):
    raw = sqlite3.connect(":memory:", isolation_level=None)
    broken = migrations()[0].__class__(1, "broken", (*migrations()[0].statements, "CREATE TABLE spaces (again)"))
    monkeypatch.setattr("stilltrue.store.migrations.migrations", lambda: (broken,))
    with pytest.raises(sqlite3.OperationalError):
        migrate(raw, 0)
    assert raw.execute("PRAGMA user_version").fetchone() == (0,)
    assert raw.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)


def test_migrations_are_numbered_without_a_gap():
    assert [item.version for item in migrations()] == list(range(1, len(migrations()) + 1))
    with pytest.raises(ValueError, match="unfinished"):
        list(statements("CREATE TABLE half (a"))


# Every invariant is planted broken once, and found.

BREAKAGES = {
    "more than one open belief": "DROP INDEX beliefs_open; INSERT INTO beliefs SELECT space_id, fact_id, known_from + 1, NULL, valid_from, valid_until, retirement, superseded_by, contradicted_by FROM beliefs LIMIT 1",  # noqa: E501
    "overlap": "DROP INDEX beliefs_open; INSERT INTO beliefs SELECT space_id, fact_id, known_from - 5, known_from + 5, valid_from, valid_until, retirement, superseded_by, contradicted_by FROM beliefs LIMIT 1",  # noqa: E501
    "stamped later": "UPDATE spaces SET last_stamp = 5",
    "points to a row of facts": "UPDATE vectors SET fact_id = 'nobody'",
    "supersedes itself": "DROP TRIGGER beliefs_are_closed_never_rewritten; UPDATE beliefs SET superseded_by = fact_id",
    "not in its space": "DROP TRIGGER beliefs_are_closed_never_rewritten; UPDATE beliefs SET superseded_by = 'nobody'",
    "has no source": "DELETE FROM sources",
    "beyond its episode": "UPDATE sources SET span_end = 4000",
    "has no episode": "DROP TRIGGER episodes_never_go; DELETE FROM episodes",
    "still has a vector": "UPDATE facts SET tier = 'stub'",
    "missing from the full-text": "INSERT INTO facts_fts (facts_fts) VALUES ('delete-all')",
    "not found by its own words": "DROP TRIGGER facts_statement_never_changes; UPDATE facts SET text = 'other words'",
    "belongs to no fact": "INSERT INTO facts_fts (rowid, text) VALUES (3, 'stray')",
    "wrong size": "UPDATE vectors SET vector = x'00'",
    "outside its space": "UPDATE spaces SET number = 9",
    "has not reached": "UPDATE spaces SET revision = 0",
    "does not list": "UPDATE conflicts SET fact_set = '[]'",
    "closed without an end": "UPDATE conflicts SET status = 'answered'",
    "no history row tells": "DROP TRIGGER history_never_goes; DELETE FROM history",
    "made a fact that is not": "UPDATE decisions SET fact_id = 'nobody'",
    "still has words": "UPDATE facts SET erased = 1",
}


@pytest.mark.parametrize("sentence", BREAKAGES)
def test_what_is_broken_is_found(path, tmp_path, sentence):
    with open_store(path) as store:
        with store.write(SPACE) as tx:
            fact = add(tx, seed=1)
            made = decision(tx, fact)
            tx.add_decision(made)
            tx.add_history(history(tx, made))
            tx.put_conflict(conflict(tx, [fact]))
        assert store.check_invariants() == []
        store._writer.run("PRAGMA foreign_keys = OFF")
        for statement in BREAKAGES[sentence].split("; "):
            store._writer.run(statement)
        assert any(sentence in found for found in store.check_invariants())


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE episodes SET text = 'else'",
        "DELETE FROM episodes",
        "UPDATE facts SET text = 'else'",
        "UPDATE facts SET valid_from = 5",
        "DELETE FROM facts",
        "UPDATE beliefs SET valid_until = 9e15",
        "UPDATE beliefs SET retirement = 'corrected'",
        "UPDATE history SET payload = '{}'",
        "DELETE FROM history",
    ],
)
def test_the_schema_itself_forbids_rewriting(path, statement):
    with open_store(path) as store:
        with store.write(SPACE) as tx:
            fact = add(tx, seed=1)
            made = decision(tx, fact)
            tx.add_decision(made)
            tx.add_history(history(tx, made))
        with pytest.raises(StoreError, match="refused"):
            store._writer.run(statement)


def test_a_copy_of_the_file_is_a_memory(path, tmp_path):
    filled(path, 3)
    shutil.copy(path, tmp_path / "copy.db")
    with open_store(tmp_path / "copy.db") as store, store.read() as reader:
        assert reader.counts(SPACE)["facts"] == 3
