"""What is lost, doubled or half there when a server is stopped or a link is cut? Nothing that was acknowledged, and
nothing by halves. And do transactions of a space look as if they had followed each other? Lists that many append to
say.
"""

import itertools
import os
import random
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg is not installed")

from stilltrue.errors import StilltrueError
from stilltrue.store.postgres import store as opening
from tests.store.making import SPACE, RealClock, add
from tests.store.postgres import servers
from tests.store.postgres.faults import Cutting, stoppable

STOPS = int(os.environ.get("TEST_PG_STOPS", "20"))
CUTS = int(os.environ.get("TEST_PG_CUTS", "20"))
TRANSACTIONS = int(os.environ.get("TEST_PG_TRANSACTIONS", "500"))
IN_A_WRITE = 3
WRITERS = 4


def write(store, number):
    """One transaction of several facts, whose ids say which."""
    with store.write(SPACE) as tx:
        for part in range(IN_A_WRITE):
            add(tx, f"write {number} part {part}", fact_id=f"{number:08}-{part}", seed=number, attribute=f"n{number}")


def until_it_fails(store, numbers):
    """Those writes that were acknowledged before one was not."""
    done = []
    try:
        for number in numbers:
            write(store, number)
            done.append(number)
    except StilltrueError:
        pass
    return done


def found(store):
    """By write, which of its parts are there."""
    parts = defaultdict(list)
    with store.read() as reader:
        if SPACE in reader.spaces():
            for _, fact_id in reader.stored_order(SPACE, 0, 1_000_000):
                number, part = fact_id.split("-")
                parts[int(number)].append(int(part))
    return parts


def check(store, acknowledged):
    parts = found(store)
    assert set(acknowledged) <= set(parts), "lost"
    assert all(sorted(one) == list(range(IN_A_WRITE)) for one in parts.values()), "doubled or partial"
    assert store.check_invariants() == []


@pytest.mark.timeout(1_800)
def test_E9_a_server_that_is_stopped_in_the_middle_loses_nothing():
    chance = random.Random(8)
    acknowledged = []
    numbers = iter(range(10**8))
    with stoppable() as server:
        servers.execute(server.link, "CREATE DATABASE memory TEMPLATE template0")
        address = servers.changed(server.link, dbname="memory")
        for _ in range(STOPS):
            with servers.open_server(RealClock(), address, lock_timeout_seconds=20) as store:
                for _ in range(chance.randint(1, 3)):
                    acknowledged.append(number := next(numbers))
                    write(store, number)
                stopper = threading.Timer(chance.uniform(0.0, 0.1), server.stop)
                stopper.start()
                acknowledged += until_it_fails(store, numbers)
                stopper.join()
            server.start()
        with servers.open_server(RealClock(), address) as store:
            check(store, acknowledged)
    assert len(acknowledged) >= STOPS


@pytest.mark.timeout(1_800)
def test_E9_a_link_that_is_cut_loses_nothing():
    chance = random.Random(9)
    address = servers.database()
    cutting = Cutting(address)
    acknowledged = []
    number = 0
    with servers.open_server(RealClock(), cutting.address, lock_timeout_seconds=20) as store:
        while cutting.cuts < CUTS:
            cutting.left = chance.randint(1, 12_000)
            for _ in range(50):
                number += 1
                try:
                    write(store, number)
                    acknowledged.append(number)
                except StilltrueError:
                    break
    cutting.close()
    with servers.open_server(RealClock(), address) as store:
        check(store, acknowledged)
    assert len(acknowledged) > CUTS / 2
    servers.drop(address)


# List-append: each transaction reads some lists and appends to some. All that was read must fit one order.

LISTS = 4
TOGETHER = 100
"""So many transactions in turn share their lists; the next have others, so that lists stay short."""


def append(store, chance, number):
    """A transaction: the lists as it read them, and to which it appended its number."""
    read, appended = {}, []
    with store.write(SPACE) as tx:
        first = number // TOGETHER * LISTS
        for name in chance.sample(range(first, first + LISTS), 2):
            held = tx.in_slot(SPACE, f"list {name}", "items")
            read[name] = tuple(int(fact.id) for fact in sorted(held, key=lambda fact: fact.recorded_at))
        if chance.random() < 0.8:
            appended.append(chance.choice(list(read)))
            add(tx, f"{number}", fact_id=f"{number:08}", subject=f"list {appended[0]}", attribute="items")
    return number, read, appended


def mine(writer):
    return range(writer, TRANSACTIONS, WRITERS)


def lists(store):
    with store.read() as reader:
        return {
            name: tuple(
                int(fact.id)
                for fact in sorted(reader.in_slot(SPACE, f"list {name}", "items"), key=lambda fact: fact.recorded_at)
            )
            for name in range(LISTS * (1 + TRANSACTIONS // TOGETHER))
        }


def before(done, final):
    """Who must have been before whom: writes in the order of the list, what was read before it and after."""
    edges = defaultdict(set)
    for held in final.values():
        for first, second in itertools.pairwise(held):
            edges[first].add(second)
    for number, read, _ in done:
        for name, seen in read.items():
            if seen and seen[-1] != number:
                edges[seen[-1]].add(number)
            rest = [one for one in final[name][len(seen) :] if one != number]
            if rest:
                edges[number].add(rest[0])
    return edges


def circle(edges):
    """Whether somebody is before themselves."""
    state = {}
    for start in list(edges):
        stack = [(start, iter(edges[start]))]
        if start in state:
            continue
        state[start] = "open"
        while stack:
            node, following = stack[-1]
            for goal in following:
                if state.get(goal) == "open":
                    return True
                if goal not in state:
                    state[goal] = "open"
                    stack.append((goal, iter(edges.get(goal, ()))))
                    break
            else:
                state[node] = "done"
                stack.pop()
    return False


@pytest.mark.timeout(3_600)
def test_E9_transactions_of_a_space_look_as_if_they_had_followed_each_other():
    address = servers.database()
    done, failures = [], []
    with (
        servers.open_server(RealClock(), address) as one,
        servers.open_server(RealClock(), address) as other,
    ):

        def work(writer):
            chance = random.Random(writer)
            try:
                done.extend(append((one, other)[writer % 2], chance, number) for number in mine(writer))
            except StilltrueError as error:
                failures.append(error)

        writers = [threading.Thread(target=work, args=(writer,)) for writer in range(WRITERS)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert failures == []
        final = lists(one)
        assert one.check_invariants() == []
    servers.drop(address)
    assert len(done) == TRANSACTIONS
    written = sorted(number for number, _, appended in done if appended)
    assert sorted(number for held in final.values() for number in held) == written
    for _, read, _ in done:
        assert all(final[name][: len(seen)] == seen for name, seen in read.items())
    assert not circle(before(done, final))


class TestTheCheckItself:
    """It fires on what a lock is there to prevent."""

    def test_a_lost_update_is_a_circle(self):
        assert circle(before([(1, {0: ()}, [0]), (2, {0: ()}, [0])], {0: (1, 2)}))

    def test_a_write_skew_is_a_circle(self):
        done = [(1, {0: (), 1: ()}, [0]), (2, {0: (), 1: ()}, [1])]
        assert circle(before(done, {0: (1,), 1: (2,)}))

    def test_one_after_the_other_is_none(self):
        assert not circle(before([(1, {0: ()}, [0]), (2, {0: (1,)}, [0])], {0: (1, 2)}))


@pytest.mark.alone
def test_E9_who_waits_for_a_server_has_it_soon_after_it_is_back(monkeypatch):
    """However long it was away: left to psycopg, the pauses between attempts double."""
    monkeypatch.setattr(opening, "_RETRY_SECONDS", 0.2)
    with stoppable() as server, servers.open_server(RealClock(), server.link) as store, ThreadPoolExecutor() as others:
        write(store, 1)
        server.stop()
        waiting = others.submit(found, store)
        time.sleep(3.5)  # attempts after 0, 1, 3 and 7 seconds would be the usual ones
        server.start()
        begun = time.monotonic()
        assert set(waiting.result()) == {1}
        assert time.monotonic() - begun < 2
