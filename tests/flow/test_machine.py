"""Does a memory behave like three lines of Python? A state machine tells, restates, backdates, ends, undoes and reopens
values of one functional slot and compares every day's answer with a fold over a plain list of events (F4, F6, C8)."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.flow.teller import START, Story, WordEmbedder

CITIES = ("Oslo", "Rome", "Bonn")
FIRST, LAST = 1, 60  # days on which things are said to hold; the story itself is told from day 100 on


def at(day: float):
    return START + timedelta(days=day)


def held(events, day):
    """What holds on a day: the latest statement up to it, unless that very value was ended since."""
    value = None
    for when, verb, city in sorted(events):
        if when > day:
            break
        if verb == "is":
            value = city
        elif value == city:
            value = None
    return [] if value is None else [value]


class Residence(RuleBasedStateMachine):
    @initialize()
    def open(self):
        self.story = Story.open(WordEmbedder())
        self.today = 100
        self.events: list[tuple[float, str, str]] = []
        self.log: list[tuple[str, list[tuple[float, str, str]]]] = []
        self.pins: list[tuple[float, float, list[str]]] = []
        self.story.clock.set(at(self.today))

    def tomorrow(self):
        self.today += 1
        self.story.clock.set(at(self.today))

    def did(self, decision, events):
        if self.story.memory.explain(decision.id).decisions[0].changes:
            self.log.append((decision.id, self.events))
            self.events = events

    @rule(city=st.sampled_from(CITIES), day=st.integers(FIRST, LAST))
    def backdated(self, city, day):
        if any(when == day for when, _, _ in self.events):
            return
        self.tomorrow()
        decision = self.story.home(city, said_at=at(day))
        self.did(decision, [*self.events, (day, "is", city)])

    @rule(city=st.sampled_from(CITIES))
    def told_today(self, city):
        self.tomorrow()
        decision = self.story.home(city)
        self.did(decision, [*self.events, (self.today, "is", city)])

    @precondition(lambda self: held(self.events, self.today))
    @rule()
    def forgotten(self):
        self.tomorrow()
        (current,) = self.story.memory.lookup("user", "residence")
        decision = self.story.memory.forget(current.id)
        self.did(decision, [*self.events, (self.today, "ends", current.value)])

    @precondition(lambda self: self.log)
    @rule()
    def undone(self):
        self.tomorrow()
        decision, events = self.log.pop()
        self.story.memory.undo(decision)
        self.events = events

    @rule(day=st.integers(FIRST, 200))
    def pinned(self, day):
        self.pins.append((day, self.today + 0.5, self.story.values(as_of=at(day))))
        self.tomorrow()

    @invariant()
    def agrees(self):
        if not hasattr(self, "story"):
            return
        assert self.story.values() == held(self.events, self.today)
        for day in (0, 7, 19, 33, 47, 61, 99, self.today):
            assert self.story.values(as_of=at(day)) == held(self.events, day), day
        for day, known, then in self.pins[-3:]:
            assert self.story.values(as_of=at(day), known_at=at(known)) == then

    def teardown(self):
        if hasattr(self, "story"):
            assert self.story.memory.check_invariants() == []
            self.story.memory.close()


TestResidence = Residence.TestCase
TestResidence.settings = settings(
    max_examples=60, stateful_step_count=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
