"""Does it matter in which order a sweep and writers get their turns? What is believed in the end is what one after the
other would have come to.

Turns are given, not awaited: every thread stops before each of its transactions and goes on when an order of chance
says so. A schedule is a seed, and a failure comes back with it."""

from __future__ import annotations

import random
import threading
from dataclasses import replace

import pytest

from stilltrue.testing import FrozenClock
from tests.faults.proof import many
from tests.flow.teller import Story, WordEmbedder, day
from tests.flow.test_sweep import lives, told, unjudged

SCHEDULES = many(40, 4_000)
A_LOG = 20  # schedules of one log
NOW = day("2025-02-10")


class Turns:
    """One thread at a time, from one transaction to the next. What a thread has helpers for is done in its turn."""

    def __init__(self, chance):
        self._chance = chance
        self._lock = threading.Condition()
        self._waiting: list[threading.Thread] = []
        self._running = None
        self._acting: set[threading.Thread] = set()
        self.errors: list[BaseException] = []
        self.given = 0

    def wait(self):
        me = threading.current_thread()
        if me not in self._acting:
            return  # a helper of the one whose turn it is
        with self._lock:
            self._waiting.append(me)
            if self._running is me:
                self._running = None
            self._next()
            self._lock.wait_for(lambda: self._running is me)

    def _next(self):
        """Once all who are left wait, one of them goes on."""
        if self._running is None and self._waiting and len(self._waiting) == len(self._acting):
            self._running = self._waiting.pop(self._chance.randrange(len(self._waiting)))
            self.given += 1
            self._lock.notify_all()

    def run(self, *acts):
        threads = [threading.Thread(target=self._act, args=(act,), daemon=True) for act in acts]
        self._acting = set(threads)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads), "somebody waits for ever"

    def _act(self, act):
        try:
            self.wait()
            act()
        except BaseException as error:  # noqa: BLE001 - the test tells
            self.errors.append(error)
        with self._lock:
            self._acting.discard(threading.current_thread())
            self._running = None
            self._next()


class InTurn:
    """A store each of whose transactions waits for its turn. Before and after the acts nobody waits."""

    def __init__(self, store, turns):
        self._store, self._turns, self.open = store, turns, False

    def __getattr__(self, name):
        return getattr(self._store, name)

    def read(self):
        if self.open:
            self._turns.wait()
        return self._store.read()

    def write(self, space):
        if self.open:
            self._turns.wait()
        return self._store.write(space)


def log_of(seed):
    """What was said before anybody judged, and what two writers say now, each on days of its own."""
    chance = random.Random(seed)
    colours = ["red", "blue", "green", "white", "black", "grey"]
    boxes = range(chance.randint(1, 3))

    def painted(box, colour, when):
        given = {"subject": f"box {box}", "attribute": "color", "value": colour, "said_at": when}
        return f"Box {box} is {colour} now.", given

    def some(days):
        return [painted(box, chance.choice(colours), f"2025-{month:02}-{number:02}")
                for month, number in days for box in boxes if chance.random() < 0.8]  # fmt: skip

    old = some([(1, 1), (1, 5)]) or [painted(0, "red", "2025-01-01")]
    return old, some([(2, 1), (2, 3)]), some([(2, 2), (2, 4)])


def dated(part):
    return [(text, given["said_at"], {**given}) for text, given in part]


def says(memory, part, *, wait):
    def act():
        for text, given in part:
            memory.remember(text, wait=wait, **given)
        if not wait:
            memory.drain()

    return act


def scheduled(seed, old, first, second):
    """What is believed after a sweep ran among two writers, one of whom leaves the judging for later."""
    chance = random.Random(seed)
    turns = Turns(chance)
    story = unjudged(Story.open(WordEmbedder(), clock=FrozenClock(NOW), pair_model="off"), dated(old)).on("2025-02-10")
    gate = InTurn(story.memory.engine.store, turns)
    story.memory.engine = replace(story.memory.engine, store=gate)
    at_once, later = (says(story.memory, part, wait=wait) for part, wait in ((first, True), (second, False)))
    gate.open = True
    turns.run(story.memory.sweep, at_once, later)
    gate.open = False
    story.clock.advance(60)
    story.memory.drain()
    story.memory.sweep()
    held = lives(story), story.memory.check_invariants(), story.memory.stats().counts["jobs"]
    story.memory.close()
    return held, turns


def serial(old, first, second):
    story = Story.open(WordEmbedder(), clock=FrozenClock(NOW), pair_model="off")
    everything = sorted([*dated(old), *dated(first), *dated(second)], key=lambda one: one[1])
    held = lives(told(story, everything))
    story.memory.close()
    return held


def test_E3_a_sweep_among_writers_ends_as_one_after_the_other_does(proven):
    wrong, given = [], 0
    for first in range(0, SCHEDULES, A_LOG):
        parts = log_of(first)
        expected = serial(*parts)
        for seed in range(first, min(first + A_LOG, SCHEDULES)):
            (held, unsound, jobs), turns = scheduled(seed, *parts)
            given += turns.given
            wrong += [(seed, "raised", repr(error)) for error in turns.errors]
            wrong += [(seed, one) for one in unsound]
            if held != expected or jobs:
                wrong.append((seed, "another end", jobs, sorted(set(held) ^ set(expected))))
    proven("inline writers beside a sweep", "schedules", SCHEDULES, wrong, f"{given:,} turns given by chance")


@pytest.mark.parametrize("seed", [2468, 2473])
def test_E3_what_awaits_its_turn_is_looked_at_again_once_it_came(seed):
    """A writer judges a fact between the sweep's look at another of its slot and the decision: it is decided anew."""
    parts = log_of(seed // A_LOG * A_LOG)
    (held, unsound, jobs), turns = scheduled(seed, *parts)
    assert (held, unsound, jobs, turns.errors) == (serial(*parts), [], 0, [])
