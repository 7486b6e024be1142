"""Is anything acknowledged ever lost, or anything half there, whatever dies when? Real processes, real kills, cut logs.

The counts are the everyday set; STORE_ROUNDS multiplies them for a long run.
"""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from stilltrue.model.fact import Retirement
from tests.store.making import SPACE, add, open_store, retire

TIMES = int(os.environ.get("STORE_ROUNDS", "1"))
KILLS = 30 * TIMES
CUTS = 100 * TIMES
WRITERS, WRITES = 4, 100 * TIMES


def writer(path, acknowledged, name, count):
    command = [sys.executable, "-m", "tests.store.crash_writer", str(path), str(acknowledged), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def whole_facts(reader, fact_ids):
    """Each of them complete: text, episode, source, belief, decision, history."""
    for fact in reader.facts(SPACE, fact_ids):
        assert reader.episode(SPACE, fact.episode_id).text == fact.statement.text
        assert len(reader.sources(SPACE, fact.id)) == 1
        assert reader.beliefs(SPACE, fact.id)[-1].known.end is None
        assert len(reader.decisions(SPACE, fact_id=fact.id)) == 1
        assert len(reader.history(SPACE, fact_id=fact.id)) == 1


@pytest.mark.timeout(300)
def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(tmp_path):
    path, acknowledged = tmp_path / "m.db", tmp_path / "acks"
    chance = random.Random(7)
    for number in range(KILLS):
        process = writer(path, acknowledged, f"w{number}", 10_000)
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.random() * 0.12)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    acks = acknowledged.read_text().split()
    with open_store(path) as store:
        assert store.check_invariants() == []
        with store.read() as reader:
            whole_facts(reader, acks)
            stored = reader.counts(SPACE)["facts"]
            print(  # noqa: T201 - the figure is the result
                f"{KILLS} kills, {len(acks)} acknowledged, {stored} stored; lost 0 (95% bound {3 / len(acks):.5f})"
            )
            assert len(reader.facts(SPACE, acks)) == len(set(acks)) == len(acks)
            assert len(acks) <= stored <= len(acks) + KILLS  # a kill may fall between the commit and its note


def test_several_processes_lose_nothing_to_each_other(tmp_path):
    path = tmp_path / "m.db"
    open_store(path).close()
    files = [tmp_path / f"acks{name}" for name in range(WRITERS)]
    processes = [writer(path, file, f"w{name}", WRITES) for name, file in enumerate(files)]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    acks = [fact_id for file in files for fact_id in file.read_text().split()]
    assert len(acks) == WRITERS * WRITES
    with open_store(path) as store:
        assert store.check_invariants() == []
        with store.read() as reader:
            assert reader.counts(SPACE)["facts"] == reader.revision(SPACE) == len(acks)
            assert len(reader.facts(SPACE, acks)) == len(acks)
            for name in range(WRITERS):
                texts = [fact.statement.text for fact in reader.in_slot(SPACE, f"w{name}", None)]
                assert sorted(texts) == sorted(f"writer w{name} says {number}" for number in range(WRITES))


def test_processes_may_open_a_new_file_at_once(tmp_path):
    path = tmp_path / "m.db"
    processes = [writer(path, tmp_path / f"acks{name}", f"w{name}", 3) for name in range(4)]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    with open_store(path) as store, store.read() as reader:
        assert reader.counts(SPACE)["facts"] == 12


def test_a_log_cut_anywhere_leaves_a_committed_prefix(tmp_path):
    """Power loss: the log ends at any byte. What is there is the state after some write, never between two."""
    source = tmp_path / "m.db"
    states = [()]
    with open_store(source) as store:
        store._writer.run("PRAGMA wal_autocheckpoint = 0")
        previous = None
        for number in range(12):
            with store.write(SPACE) as tx:
                fact = add(tx, f"step {number}", seed=number)
                if previous is not None:
                    retire(tx, previous, tx.now, Retirement.SUPERSEDED, superseded_by=fact.id)
            previous = fact
            with store.read() as reader:
                states.append(tuple((item.id, item.belief) for item in reader.in_slot(SPACE, "ada", None)))
        database, log = source.read_bytes(), (tmp_path / "m.db-wal").read_bytes()
    chance = random.Random(11)
    folder = tmp_path / "cut"
    for number in range(CUTS):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "m.db").write_bytes(database)
        length = len(log) if number == 0 else chance.randrange(len(log))
        torn = bytes(chance.randrange(256) for _ in range(chance.randrange(64)))  # a sector half written
        (folder / "m.db-wal").write_bytes(log[:length] + torn)
        with open_store(folder / "m.db") as store:
            with store.read() as reader:
                found = tuple((item.id, item.belief) for item in reader.in_slot(SPACE, "ada", None))
                assert reader.revision(SPACE) == states.index(found)
                if length == len(log):
                    assert found == states[-1]
            if number % 10 == 0:
                assert store.check_invariants() == []
                with store.write(SPACE) as tx:
                    add(tx, "and on it goes")


def test_a_file_of_sqlites_own_making_can_be_read_back_by_sqlite(tmp_path):
    """Nothing but SQLite is needed to get at one's memory."""
    with open_store(tmp_path / "m.db") as store, store.write(SPACE) as tx:
        fact = add(tx)
    raw = sqlite3.connect(tmp_path / "m.db")
    assert raw.execute("SELECT text FROM facts").fetchall() == [(fact.statement.text,)]
    raw.close()
