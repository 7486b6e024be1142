"""Does the store agree with a few lines of Python, whatever is written in whatever order?

The model keeps every belief ever held in plain lists; after each step all readers are asked about random points on both
clocks and must agree with it.
"""

from dataclasses import replace
from datetime import timedelta

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from stilltrue.errors import NotFoundError, StaleJudgementError
from stilltrue.model.fact import Belief, Retirement
from stilltrue.model.timeline import Interval
from stilltrue.ports import Filter
from tests.store.making import START, Clock, add, day, open_store, vector

SPACES = ("ada", "bob")
WORDS = ("tea", "coffee", "milk")
AUTHORS = ("ann", "ben")
days = st.integers(0, 12).map(day)


class Entry:
    """What the model knows of a fact."""

    def __init__(self, fact, word, seed):
        self.fact = fact
        self.word = word
        self.seed = seed
        self.beliefs = [fact.belief]
        self.erased = False

    def at(self, known):
        for belief in self.beliefs:
            if belief.known.end is None if known is None else known in belief.known:
                return belief
        return None

    def admitted(self, where):
        belief = self.at(where.known_at)
        if belief is None or self.erased or belief.retirement is Retirement.CORRECTED:
            return False
        if where.author not in (None, self.fact.statement.author):
            return False
        return where.include_superseded or where.valid_at in belief.valid


class StoreMachine(RuleBasedStateMachine):
    facts = Bundle("facts")

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.store = self.opened(self.clock)
        self.entries = {}
        self.revisions = dict.fromkeys(SPACES, 0)

    @staticmethod
    def opened(clock):
        """The store that is tried; other stores bring their own."""
        return open_store(":memory:", clock)

    @initialize(target=facts)
    def begin(self):
        return multiple()

    def write(self, space):
        self.revisions[space] += 1
        return self.store.write(space)

    @rule(target=facts, space=st.sampled_from(SPACES), word=st.sampled_from(WORDS), seed=st.integers(0, 9), start=days,
          length=st.none() | st.integers(0, 9), author=st.none() | st.sampled_from(AUTHORS))  # fmt: skip
    def remember(self, space, word, seed, start, length, author):
        with self.write(space) as tx:
            end = None if length is None else start + timedelta(days=length)
            told = {"attribute": word, "author": author}
            fact = add(tx, f"likes {word}", seed=seed, space=space, start=start, end=end, **told)
        self.entries[fact.id] = Entry(fact, word, seed)
        return fact.id

    @rule(fact_id=facts, end=days, retirement=st.sampled_from(Retirement), by=st.none() | facts)
    def believe_otherwise(self, fact_id, end, retirement, by):
        entry = self.entries[fact_id]
        space = entry.fact.space_id
        held = entry.at(None)
        if by is not None and self.entries[by].fact.space_id != space:
            by = None
        with self.store.write(space) as tx:
            valid = entry.fact.statement.valid.until(end) if held is None else held.valid.until(end)
            after = Belief(
                valid=valid, known=Interval(tx.now), retirement=retirement, superseded_by=by if by != fact_id else None
            )
            if entry.erased:
                return
            tx.set_belief(space, fact_id, held, after)
            changed = held is None or replace(held, known=after.known) != after
            now = tx.now
        self.revisions[space] += 1
        if changed:
            self.close(entry, now)
            entry.beliefs.append(after)

    @rule(fact_id=facts)
    def withdraw(self, fact_id):
        entry = self.entries[fact_id]
        held = entry.at(None)
        with self.write(entry.fact.space_id) as tx:
            tx.set_belief(entry.fact.space_id, fact_id, held, None)
            self.close(entry, tx.now)

    @rule(fact_id=facts)
    def judge_what_is_stale(self, fact_id):
        entry = self.entries[fact_id]
        wrong = Belief(valid=Interval(START - timedelta(days=1), day(99)), known=Interval())
        with pytest.raises(StaleJudgementError), self.store.write(entry.fact.space_id) as tx:
            tx.set_belief(entry.fact.space_id, fact_id, wrong, None)

    @rule(fact_id=facts, data=st.data())
    def fail_halfway(self, fact_id, data):
        entry = self.entries[fact_id]
        with pytest.raises(ZeroDivisionError), self.store.write(entry.fact.space_id) as tx:  # noqa: PT012 - a write is a block
            add(tx, "never said", space=entry.fact.space_id, seed=3)
            tx.set_belief(entry.fact.space_id, fact_id, entry.at(None), None)
            if data.draw(st.booleans()):
                tx.near(entry.fact.space_id, vector(1), 3, Filter(START))
            1 / 0  # noqa: B018

    @rule(fact_id=facts, seed=st.integers(0, 9))
    def embed_again(self, fact_id, seed):
        entry = self.entries[fact_id]
        with self.write(entry.fact.space_id) as tx:
            tx.set_vector(entry.fact.space_id, fact_id, vector(seed).tobytes())
        entry.seed = seed

    @rule(fact_id=consumes(facts))
    def erase(self, fact_id):
        entry = self.entries[fact_id]
        with self.write(entry.fact.space_id) as tx:
            tx.erase(entry.fact.space_id, [fact_id], [entry.fact.episode_id])
            self.close(entry, tx.now)
        entry.erased = True
        for twin in self.entries.values():
            if (twin.fact.space_id, twin.word) == (entry.fact.space_id, entry.word) and twin.at(None) is None:
                twin.erased = True  # the same words, said before and taken back

    @rule(hours=st.integers(-30, 30))
    def time_passes(self, hours):
        self.clock.move(timedelta(hours=hours))

    @rule()
    def look_at_the_store(self):
        assert self.store.check_invariants() == []

    @staticmethod
    def close(entry, now):
        held = entry.at(None)
        if held is not None:
            entry.beliefs[entry.beliefs.index(held)] = replace(held, known=Interval(held.known.start, now))

    def expected(self, space, where, word=None):
        return {
            fact_id
            for fact_id, entry in self.entries.items()
            if entry.fact.space_id == space and entry.admitted(where) and word in (None, entry.word)
        }

    @rule(space=st.sampled_from(SPACES), valid=days, known=st.none() | days, everything=st.booleans(),
          word=st.sampled_from(WORDS), seed=st.integers(0, 9), author=st.none() | st.sampled_from(AUTHORS))  # fmt: skip
    def ask(self, space, valid, known, everything, word, seed, author):
        where = Filter(valid, known, everything, author=author)
        with self.store.read() as reader:
            near = reader.near(space, vector(seed), 99, where)
            assert {hit.fact_id for hit in near} == self.expected(space, where)
            for hit in near:
                cosine = float(vector(seed) @ vector(self.entries[hit.fact_id].seed))
                assert hit.score == pytest.approx(cosine, abs=1e-5)
            assert [hit.score for hit in near] == sorted((hit.score for hit in near), reverse=True)
            assert reader.near(space, vector(seed), 2, where) == near[:2]
            found = {hit.fact_id for hit in reader.mentioning(space, [word], 99, where)}
            assert found == self.expected(space, where, word)
            assert near == [hit for hit in reader.near(space, vector(seed), 99, replace(where, author=None))
                            if self.entries[hit.fact_id].admitted(where)]  # fmt: skip
            looked = reader.lookup(space, "ada", word, where)
            assert {fact.id for fact in looked} == self.expected(space, where, word)

    @invariant()
    def all_is_as_it_was_written(self):
        with self.store.read() as reader:
            for space in SPACES:
                assert reader.revision(space) == self.revisions[space]
            for fact_id, entry in self.entries.items():
                space = entry.fact.space_id
                assert list(reader.beliefs(space, fact_id)) == entry.beliefs
                if not entry.erased:
                    assert reader.fact(space, fact_id) == replace(entry.fact, belief=entry.at(None))
                with pytest.raises(NotFoundError):
                    reader.fact("bob" if space == "ada" else "ada", fact_id)

    def teardown(self):
        assert self.store.check_invariants() == []
        self.store.close()


TestMachine = StoreMachine.TestCase
TestMachine.settings = settings(max_examples=120, stateful_step_count=40, suppress_health_check=list(HealthCheck))
