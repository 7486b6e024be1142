"""A space whose facts a test writes itself, through the real store and `write.apply`, without any judging."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

from stilltrue.engine import Engine
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.model.change import BeliefChanged, ChangeSet, ConflictChanged, FactAdded, Link, LinkChanged, LinkKind
from stilltrue.model.conflict import Conflict, ConflictKind
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.episode import Episode, Source, Span
from stilltrue.model.fact import Belief, Fact, Retirement, Standing, Statement
from stilltrue.model.ids import BatchId, ConflictId, DecisionId, EpisodeId, FactId, SpaceId, uuid7
from stilltrue.model.slot import Slot, Value, ValueType
from stilltrue.model.timeline import Interval
from stilltrue.settings import Settings
from stilltrue.store.sqlite import SqliteStore
from stilltrue.write.apply import apply

EMBEDDER = MiniLMEmbedder()


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


class Hands:
    """A clock that stands where it was put."""

    def __init__(self, start):
        self.moment = start

    def now(self):
        return self.moment


class House:
    """`tell` keeps a fact, `retire` ends one, `decide` writes a decision with a receipt; all return ids."""

    def __init__(self, settings=None, **judges):
        self.clock = Hands(day("2025-06-10T12:00"))
        self.space = SpaceId("house")
        self._ids = count(1)
        self.store = SqliteStore.open(
            ":memory:",
            clock=self.clock,
            dimensions=EMBEDDER.dimensions,
            model_version=EMBEDDER.model_version,
            lock_timeout_seconds=5.0,
        )
        self.engine = Engine(
            store=self.store,
            embedder=EMBEDDER,
            clock=self.clock,
            entropy=self._entropy,
            settings=settings or Settings(),
            **judges,
        )

    def _entropy(self, length):
        return next(self._ids).to_bytes(length, "little")  # the last characters of an id are the ones people see

    def id(self):
        return uuid7(self.clock.now(), next(self._ids).to_bytes(5, "big")[::-1] + next(self._ids).to_bytes(5, "big"))

    def fact(self, fact_id, space=None):
        with self.store.read() as reader:
            return reader.fact(space or self.space, fact_id)

    def tell(
        self,
        text,
        said="2025-06-01",
        *,
        valid=None,
        slot=("user", None),
        value=None,
        space=None,
        standing=None,
        supersedes=(),
        **statement,
    ):
        space = space or self.space
        said_at = day(said)
        start, end = valid or (said, None)
        interval = Interval(day(start) if start else None, day(end) if end else None)
        now = self.clock.now()
        episode = Episode(
            id=EpisodeId(self.id()), space_id=space, text=f"Well: {text}", said_at=said_at, recorded_at=now
        )
        with self.store.write(space) as transaction:
            transaction.add_episode(episode)
        fact = Fact(
            id=FactId(self.id()),
            space_id=space,
            statement=Statement(
                text=text,
                slot=Slot(*slot),
                value=Value(value, ValueType.TEXT, value.lower()) if value else None,
                valid=interval,
                said_at=said_at,
                **statement,
            ),
            belief=Belief(valid=interval, known=Interval(now, None)),
            standing=Standing(last_seen_at=said_at, **(standing or {})),
            recorded_at=now,
            episode_id=episode.id,
            supersedes=tuple(supersedes),
        )
        source = Source(
            fact_id=fact.id,
            episode_id=episode.id,
            span=Span(6, 6 + len(text)),
            quote=text,
            said_at=said_at,
            held_from=interval.start,
        )
        vector = EMBEDDER.embed([text])[0].astype("<f4").tobytes()
        self.decide(Action.ACCEPT, text, changes=(FactAdded(fact, (source,), vector),), fact_id=fact.id, space=space)
        return fact.id

    def retire(self, old, at, word=Retirement.SUPERSEDED, by=None):
        fact = self.fact(old)
        end = day(at)
        valid = fact.belief.valid if word is Retirement.CORRECTED else fact.belief.valid.until(end)
        after = replace(fact.belief, valid=valid, retirement=word, superseded_by=by)
        changes = [BeliefChanged(old, fact.belief, after)]
        if by is not None:
            changes.append(LinkChanged(Link(LinkKind.SUPERSEDES, by, old)))
        return self.decide(Action.SUPERSEDE, fact.statement.text, changes=tuple(changes), fact_id=by, targets=(old,))

    def withdraw(self, fact_id):
        self.decide(Action.UNDO, "", changes=(BeliefChanged(fact_id, self.fact(fact_id).belief, None),))

    def ask(self, question, *fact_ids, at="2025-06-10"):
        conflict = Conflict(
            id=ConflictId(self.id()),
            space_id=self.space,
            kind=ConflictKind.CONTRADICTION,
            fact_ids=tuple(sorted(fact_ids)),
            question=question,
            opened_at=day(at),
        )
        self.decide(Action.ASK, question, changes=(ConflictChanged(None, conflict),), conflict_id=conflict.id)
        return conflict.id

    def decide(self, action, text, *, changes=(), space=None, receipt=None, **fields):
        space = space or self.space
        decision = Decision(
            id=DecisionId(self.id()),
            space_id=space,
            batch_id=BatchId(self.id()),
            action=action,
            text=text,
            decided_at=self.clock.now(),
            receipt=receipt or Receipt(rule="as the test says"),
            **fields,
        )
        with self.store.read() as reader:
            revision = reader.revision(space)
        return apply(
            self.store, ChangeSet(space_id=space, decision=decision, changes=tuple(changes), revision=revision)
        ).id
