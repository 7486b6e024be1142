"""What is left when the power goes? A committed state, with the schema whole, and everything that was acknowledged.

Two ways to cut it: the log ends at any byte, with rubbish behind it; and every write since the last sync is there or
not, whole or in part, in any order, which is what disks with a cache do. Only the second can tell a store that does not
sync: there, what was acknowledged has to be there."""

from __future__ import annotations

import random
import shutil
import sqlite3

from stilltrue.errors import StoreError
from stilltrue.model.fact import Retirement
from tests.faults.power import left
from tests.faults.proof import many
from tests.faults.vfs import Disk
from tests.store.making import SPACE, Clock, add, open_store, retire

CUTS, OUTAGES = many(600, 50_000), many(200, 10_000)
STEPS = 12


def state(reader):
    return tuple((fact.id, fact.belief) for fact in reader.in_slot(SPACE, "ada", None))


def step(store, number, previous):
    """One transaction that adds a fact and ends another."""
    with store.write(SPACE) as tx:
        fact = add(tx, f"step {number}", seed=number)
        if previous is not None:
            retire(tx, previous, tx.now, Retirement.SUPERSEDED, superseded_by=fact.id)
    return fact


def test_a_log_cut_anywhere_leaves_a_committed_prefix(place, proven):
    source, states, previous = place / "m.db", [()], None
    with open_store(source, Clock()) as store:
        store._writer.run("PRAGMA wal_autocheckpoint = 0")
        for number in range(STEPS):
            previous = step(store, number, previous)
            with store.read() as reader:
                states.append(state(reader))
        database, log = source.read_bytes(), (place / "m.db-wal").read_bytes()
    chance, folder, wrong = random.Random(11), place / "cut", []
    for number in range(CUTS):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "m.db").write_bytes(database)
        length = len(log) if number == 0 else chance.randrange(len(log))
        torn = bytes(chance.randrange(256) for _ in range(chance.randrange(64)))  # a sector half written
        (folder / "m.db-wal").write_bytes(log[:length] + torn)
        if number == 0:
            assert reads(folder / "m.db") == states[-1]  # uncut it is all there
        wrong += [(length, one) for one in prefix(folder / "m.db", states, deep=number % 25 == 0)]
    proven("log cut at any byte", "cuts", CUTS, wrong)


def reads(path):
    with open_store(path, Clock()) as store, store.read() as reader:
        return state(reader)


def prefix(path, states, least=0, most=STEPS, *, deep):
    """What is wrong with the store after a cut, which must hold at least so many steps and at most so many."""
    try:
        with open_store(path, Clock()) as store:
            with store.read() as reader:
                found, revision = state(reader), reader.revision(SPACE)
            wrong = [] if found in states and states.index(found) == revision else [("between two states", revision)]
            if not least <= revision <= most:
                wrong.append(("lost or invented", revision, least, most))
            if deep:
                wrong += store.check_invariants()
                step(store, 99, None)  # and on it goes
            return wrong
    except (StoreError, sqlite3.Error) as error:
        return [("does not open", str(error))]


def test_what_was_acknowledged_outlives_the_power(place, proven):
    """The state after a power cut holds every step that was acknowledged before it, and none that was not begun."""
    origin, states, previous = place / "origin", [()], None
    origin.mkdir()
    with Disk(records=True) as disk, open_store(origin / "m.db", Clock()) as store:
        store._writer.run("PRAGMA wal_autocheckpoint = 40")  # so that the database itself is written on the way
        disk.note("acknowledged")
        for number in range(STEPS):
            previous = step(store, number, previous)
            disk.note("acknowledged")
            with store.read() as reader:
                states.append(state(reader))
        events = disk.events
    starts = next(place for place, event in enumerate(events) if event.kind == "note")
    chance, folder, wrong = random.Random(12), place / "cut", []
    for number in range(OUTAGES):
        cut = chance.randrange(starts, len(events) + 1)
        acknowledged = sum(event.kind == "note" for event in events[:cut]) - 1
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for path, content in left(events[:cut], chance).items():
            (folder / path.rpartition("/")[2]).write_bytes(content)
        least = max(0, acknowledged)
        wrong += [(cut, one) for one in prefix(folder / "m.db", states, least, least + 1, deep=number % 10 == 0)]
    proven("power cut, unsynced writes kept at random", "cuts", OUTAGES, wrong)
