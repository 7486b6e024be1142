"""Do several workers share a server without treading on each other? Leases, the lock on a space, a worker's death."""

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest

from stilltrue.errors import StilltrueError, StoreError
from stilltrue.model.job import Claim, Job, Lease
from stilltrue.testing import FrozenClock
from tests.flow.canon import content
from tests.flow.teller import START
from tests.store.making import SPACE, Clock, RealClock, add, day, open_store
from tests.store.postgres import servers
from tests.store.postgres.logs import memory_on

LIKE = (64, "words-1")
ROOT = Path(__file__).parents[3]


@pytest.fixture
def address():
    made = servers.database()
    yield made
    servers.drop(made)


def jobs_of(store, count, space=SPACE):
    with store.write(space) as tx:
        for number in range(count):
            tx.add_job(Job(id=f"job-{number:03}", space_id=space, kind="judge", payload={}, due_at=day(0)))


def claim(owner, at, limit=1):
    return Claim(kind="judge", due_at=at, limit=limit, lease=Lease(owner, at + timedelta(minutes=30)))


def child(address, how):
    """The worker that dies, once it has said how far it is."""
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-m", "tests.store.postgres.worker", address, how]
    started = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}
    )
    return started, started.stdout.readline().strip()


def test_B5_a_lease_outlives_the_worker_that_was_killed_and_then_ends(address):
    with servers.open_server(Clock(day(1)), address) as store:
        jobs_of(store, 1)
        started, taken = child(address, "claims")
        os.kill(started.pid, signal.SIGKILL)
        started.wait()
        started.stdout.close()
        assert taken == "job-000"
        with store.write(SPACE) as tx:
            assert tx.leases(SPACE) == ("dead",)
            assert tx.claim_jobs(SPACE, claim("other", day(1))) == []
        with store.write(SPACE) as tx:
            later = day(1) + timedelta(minutes=31)
            assert [job.id for job in tx.claim_jobs(SPACE, claim("other", later))] == ["job-000"]
        assert store.check_invariants() == []


def test_B5_a_worker_killed_in_a_write_lets_go_of_the_space_and_leaves_nothing(address):
    with servers.open_server(Clock(day(1)), address, lock_timeout_seconds=60) as store:
        started, said = child(address, "writes")
        assert said == "writing"
        os.kill(started.pid, signal.SIGKILL)
        started.wait()
        started.stdout.close()
        begun = time.monotonic()
        with store.write(SPACE) as tx:
            fact = add(tx, "all of it", seed=2)
        assert time.monotonic() - begun < 30
        with store.read() as reader:
            assert [item.id for item in reader.in_slot(SPACE, "ada", None)] == [fact.id]
        assert store.check_invariants() == []


def test_B5_no_job_is_given_to_two_workers(address):
    taken, failures = [], []
    with servers.open_server(Clock(day(1)), address) as first, servers.open_server(Clock(day(1)), address) as second:
        jobs_of(first, 40)

        def work(store, owner):
            try:
                while True:
                    with store.write(SPACE) as tx:
                        found = tx.claim_jobs(SPACE, claim(owner, day(1), limit=2))
                    if not found:
                        return
                    taken.extend(job.id for job in found)
            except StilltrueError as error:
                failures.append(error)

        workers = [threading.Thread(target=work, args=(store, f"w{n}")) for n, store in enumerate((first, second) * 2)]
        for one in workers:
            one.start()
        for one in workers:
            one.join()
        assert failures == []
        assert sorted(taken) == [f"job-{number:03}" for number in range(40)]
        assert first.check_invariants() == []


def test_D9_one_space_has_one_writer_and_spaces_do_not_wait_for_each_other(address):
    order = []
    with (
        servers.open_server(RealClock(), address) as first,
        servers.open_server(RealClock(), address, lock_timeout_seconds=0.3) as hasty,
        servers.open_server(RealClock(), address) as patient,
    ):

        def wait():
            with patient.write(SPACE) as tx:
                order.append("second")
                add(tx, "after")

        with first.write(SPACE) as tx:
            add(tx, "before")
            waiting = threading.Thread(target=wait)
            waiting.start()
            with hasty.write("bob") as other:
                add(other, space="bob")
            with pytest.raises(StoreError, match="locked by another writer"), hasty.write(SPACE):
                pass
            order.append("first")
        waiting.join()
        assert order == ["first", "second"]
        with first.read() as reader:
            stamps = [item.recorded_at for item in reader.in_slot(SPACE, "ada", None)]
            assert reader.revision(SPACE) == 2
        assert stamps == sorted(set(stamps))
        assert first.check_invariants() == []


def test_D9_many_first_writers_of_a_new_space_follow_each_other(address):
    with servers.open_server(RealClock(), address) as store:
        failures = []

        def write(number):
            try:
                with store.write("new") as tx:
                    add(tx, f"fact {number}", space="new", seed=number)
            except StilltrueError as error:
                failures.append(error)

        writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for one in writers:
            one.start()
        for one in writers:
            one.join()
        assert failures == []
        with store.read() as reader:
            assert reader.revision("new") == reader.counts("new")["facts"] == 8
        assert store.check_invariants() == []


CITIES = ("Oslo", "Rome", "Bonn", "Lima", "Bern")


def tell(memory, clock, number):
    clock.set(START + timedelta(days=number))
    city = CITIES[number % len(CITIES)]
    memory.remember(f"User lives in {city}.", subject="user", attribute="residence", value=city)


def test_E9_inline_writers_and_sweeps_come_to_what_a_serial_run_comes_to():
    dimensions, model = LIKE
    shape = {"dimensions": dimensions, "model_version": model}
    address = servers.database(like=LIKE)
    clock = FrozenClock(START)
    with open_store(":memory:", FrozenClock(START), **shape) as embedded:
        alone = memory_on(embedded, FrozenClock(START), 1)
        for number in range(12):
            tell(alone, alone.engine.clock, number)
        alone.sweep()
        with (
            servers.open_server(clock, address, **shape) as mine,
            servers.open_server(clock, address, **shape) as theirs,
        ):
            teller, sweeper = memory_on(mine, clock, 1), memory_on(theirs, clock, 2)
            done, failures, sweeps = threading.Event(), [], []

            def sweep():
                try:
                    while not done.is_set():
                        sweeps.append(sweeper.sweep())
                except StilltrueError as error:
                    failures.append(error)

            beside = threading.Thread(target=sweep)
            beside.start()
            try:
                for number in range(12):
                    tell(teller, clock, number)
            finally:
                done.set()
                beside.join()
            teller.sweep()
            assert failures == []
            assert sweeps
            assert content(teller) == content(alone)
            assert mine.check_invariants() == []
    servers.drop(address)
