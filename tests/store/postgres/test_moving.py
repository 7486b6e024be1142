"""Does a memory arrive whole, whichever way it moves? Also after a kill, and never over another memory."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg is not installed")

from stilltrue.connect.moving import migrate
from stilltrue.errors import InvalidInputError, StateError, StoreError
from stilltrue.faces.cli import main
from stilltrue.store import moving
from stilltrue.store.connection import connect
from stilltrue.testing import FrozenClock
from stilltrue.wiring import moving_source, moving_target
from tests.flow.canon import everything
from tests.flow.teller import START
from tests.store.making import add, open_store, vector
from tests.store.postgres import servers
from tests.store.postgres.logs import SPACES, digest, memory_on, play

LIKE = (64, "words-1")
SHAPE = {"dimensions": LIKE[0], "model_version": LIKE[1]}
ROOT = Path(__file__).parents[3]
AT_A_KILL = int(os.environ.get("TEST_PG_KILLS", "2"))


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A file with two spaces in which everything was done that can be done, some of it erased."""
    path = tmp_path_factory.mktemp("moved") / "told.db"
    with open_store(path, FrozenClock(START), **SHAPE) as store:
        play(store, 3, steps=70, clock=store._clock)
        add_odd_texts(store)
    return path


def add_odd_texts(store):
    with store.write("odd") as tx:
        add(tx, "half\0way \ufdd0 there \u2028 'quoted' %s ? :name", space="odd", seed=None)
    with store.write("odd") as tx:
        tx.put_members("odd", ["ada", "bob"])


@pytest.fixture
def empty():
    """The address of a database in which nothing was ever made."""
    return servers.address_of(servers.empty_database())


def kept(store):
    """All that every space holds, by the public reader."""
    memory = memory_on(store, store._clock, 1)
    return {space: everything(memory.in_space(space)) for space in SPACES}


def server_at(address):
    return servers.open_server(FrozenClock(START), address, **SHAPE)


def file_at(path):
    return open_store(path, FrozenClock(START), **SHAPE)


def moved(source, target, **more):
    with moving_source(source, 30) as there, moving_target(target, 30) as here:
        return moving.move(there, here, **more)


def test_E9_there_and_back_again_all_of_it_is_the_same(told, empty, tmp_path):
    source = shutil.copy(told, tmp_path / "source.db")
    before = source.read_bytes()
    bars = []
    there = migrate(source, empty, progress=lambda done, whole: bars.append((done, whole)))
    back = migrate(empty, tmp_path / "back.db")
    assert source.read_bytes() == before
    assert there.digest == back.digest
    assert there.spaces == 3
    assert there.facts == back.facts > 20
    assert bars[-1][0] == bars[-1][1] == 3 * there.rows
    assert bars == sorted(bars)
    with file_at(source) as first, server_at(empty) as second, file_at(tmp_path / "back.db") as third:
        assert kept(first) == kept(second) == kept(third)
        assert digest(kept(first)) == digest(kept(third))
        assert first.check_invariants() == second.check_invariants() == third.check_invariants() == []


def test_E9_what_was_moved_goes_on_as_the_source_would(told, empty, tmp_path):
    source = shutil.copy(told, tmp_path / "source.db")
    moved(source, empty)
    with file_at(source) as first, server_at(empty) as second:
        answers = []
        for store in (first, second):
            memory = memory_on(store, FrozenClock(START.replace(year=START.year + 9)), 5)
            made = memory.remember("User lives in Lima.", subject="user", attribute="residence", value="Lima")
            found = memory.search("where does the user live").results
            answers.append([(one.action, one.targets) for one in made] + [(one.text, one.score) for one in found])
        assert answers[0] == answers[1]
        assert first.check_invariants() == second.check_invariants() == []


def killed_after(batches, source, target):
    """A move in a process of its own, killed in the middle."""
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-m", "tests.store.postgres.mover", str(source), str(target)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}
    ) as child:
        for _ in range(batches):
            assert child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)


@pytest.mark.parametrize("batches", [2 + 7 * number for number in range(AT_A_KILL)])
@pytest.mark.parametrize("way", ["there", "back"])
def test_E9_a_move_that_was_killed_goes_on_where_it_ended(told, empty, tmp_path, way, batches):
    source, target, opened = told, empty, server_at
    if way == "back":
        moved(told, empty)
        source, target, opened = empty, tmp_path / "target.db", file_at
    killed_after(batches, source, target)
    with pytest.raises(StoreError, match="half moved"):
        opened(target)
    whole = moved(source, target)
    assert 0 < whole.resumed < whole.rows
    with file_at(told) as first, opened(target) as second:
        assert kept(first) == kept(second)
        assert second.check_invariants() == []


def test_E9_a_target_that_holds_something_is_refused_and_left_alone(told, empty, tmp_path):
    path = tmp_path / "other.db"
    for opened, target in ((file_at, path), (server_at, empty)):
        with opened(target) as store, store.write("mine") as tx:
            add(tx, "stays", space="mine")
        with pytest.raises(StateError, match="holds a memory already"):
            moved(told, target)
        with opened(target) as store:
            with store.read() as reader:
                assert reader.spaces() == ["mine"]
            assert store.check_invariants() == []


def test_E9_a_target_half_moved_from_elsewhere_is_refused(told, empty, tmp_path):
    other = tmp_path / "other.db"
    with file_at(other) as store, store.write("mine") as tx:
        add(tx, "another memory", space="mine")
    for target in (tmp_path / "target.db", empty):
        killed_after(2, told, target)
        assert "half moved from another memory" in refusal(other, target)


def refusal(source, target):
    """Why a move is refused; a server takes a moment to notice that the program which filled the target was killed."""
    for _ in range(50):
        with pytest.raises(StateError) as refused:
            moved(source, target)
        if "is being filled by another" not in str(refused.value):
            break
        time.sleep(0.2)
    return str(refused.value)


@pytest.mark.parametrize("way", ["there", "back"])
def test_E9_a_source_that_is_written_to_meanwhile_is_noticed(told, empty, tmp_path, way):
    source = shutil.copy(told, tmp_path / "source.db")
    target, writes = empty, file_at
    if way == "back":
        moved(source, empty)
        source, target, writes = empty, tmp_path / "target.db", lambda _: server_at(empty)
    late = []

    def write(done, whole):
        if not late:
            with writes(source) as store, store.write(SPACES[0]) as tx:
                late.append(add(tx, "said too late", space=SPACES[0], seed=None))

    with pytest.raises(StateError, match="written to while it was moved"):
        moved(source, target, progress=write, batch=50)
    with pytest.raises(StoreError, match="half moved"):
        (server_at if way == "there" else file_at)(empty if way == "there" else target)


def test_E9_a_row_that_did_not_arrive_is_noticed(told, empty, monkeypatch):
    from stilltrue.store.postgres.moving import ServerTarget

    put = ServerTarget.put

    def changed(self, session, space, table, rows):
        if table.name == "episodes":
            rows = [{**row, "author": "somebody else"} for row in rows]
        put(self, session, space, table, rows)

    monkeypatch.setattr(ServerTarget, "put", changed)
    with pytest.raises(StoreError, match="is not what was sent"):
        moved(told, empty)


def test_E9_two_moves_do_not_fill_one_database(told, empty):
    with moving_target(empty, 1) as first, moving_target(empty, 1) as second:
        assert first.begin("mark") is False
        with pytest.raises(StateError, match="another `stilltrue migrate`"):
            second.begin("mark")


def test_E9_what_cannot_be_moved_is_said(told, empty, tmp_path):
    with pytest.raises(InvalidInputError, match="onto itself"):
        migrate(told, told)
    with pytest.raises(InvalidInputError, match="vanishes"):
        migrate(":memory:", told)
    with pytest.raises(StoreError, match="there is no memory"):
        migrate(tmp_path / "nowhere.db", tmp_path / "new.db")
    with pytest.raises(StoreError, match="holds no memory of this version"):
        migrate(empty, tmp_path / "new.db")
    (tmp_path / "note.txt").write_text("no database, and longer than a header of a hundred bytes" * 3)
    with pytest.raises(StoreError, match="not a SQLite database"):
        migrate(tmp_path / "note.txt", tmp_path / "new.db")
    file_at(tmp_path / "empty.db").close()
    with pytest.raises(StateError, match="nothing to move"):
        migrate(tmp_path / "empty.db", tmp_path / "new.db")


def test_E9_the_command_line_moves_a_memory(told, empty, capfd):
    with pytest.raises(SystemExit) as ended:
        main(["migrate", str(told), empty])
    shown = capfd.readouterr().out
    assert ended.value.code == 0
    assert re.match(r"3 spaces, \d+ facts, \d+ rows moved\nboth sides have the digest [0-9a-f]{64}\n$", shown)


def test_E9_no_table_is_forgotten(told, empty):
    with server_at(empty):
        pass
    own = {"space_names", "schema_version", "fact_words"}
    found = servers.execute(
        empty, "SELECT relname FROM pg_class WHERE relnamespace = 'stilltrue'::regnamespace AND relkind IN ('r', 'p')"
    )
    names = {table.name for table in moving.TABLES}
    assert {name for (name,) in found} - own == names
    session = connect(told)
    kinds = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'facts_fts%'"
    assert {row[0] for row in session.rows(kinds)} == names
    session.close()


def test_E9_vectors_arrive_bit_by_bit(empty, tmp_path):
    source = tmp_path / "vectors.db"
    with open_store(source, FrozenClock(START)) as store, store.write("ada") as tx:
        facts = [add(tx, f"fact {seed}", seed=seed) for seed in range(5)]
    moved(source, empty)
    with servers.open_server(FrozenClock(START), empty) as store:
        with store.read() as reader:
            assert [reader.vector("ada", fact.id) for fact in facts] == [vector(seed).tobytes() for seed in range(5)]
        assert store.check_invariants() == []
