"""What do tests of the store write? Small whole nouns with sensible defaults, a clock that only moves when told."""

import hashlib
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from stilltrue.model.change import HistoryRow
from stilltrue.model.conflict import Conflict, ConflictKind
from stilltrue.model.decision import Action, Considered, Decision, Receipt
from stilltrue.model.episode import Episode, Source, Span
from stilltrue.model.fact import Belief, Fact, Standing, Statement
from stilltrue.model.slot import Slot
from stilltrue.model.timeline import Interval
from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Verdict
from stilltrue.store.sqlite import SqliteStore

DAY = timedelta(days=1)
START = datetime(2025, 1, 1, tzinfo=UTC)
DIMENSIONS = 16
MODEL = "test-model"
SPACE = "ada"


class Clock:
    """Stands still until it is moved."""

    def __init__(self, at=START):
        self.at = at

    def now(self):
        return self.at

    def move(self, by=DAY):
        self.at += by


class RealClock:
    def now(self):
        return datetime.now(UTC)


def open_store(path, clock=None, **options):
    values = {"dimensions": DIMENSIONS, "model_version": MODEL, **options}
    return SqliteStore.open(path, clock=clock or RealClock(), **values)


def open_postgres(clock, **database):
    """A store on a server, in a database of its own that goes with it. Skips where there is no server."""
    from tests.store.postgres import servers

    address = servers.database(**database)
    store = servers.open_server(clock, address)
    close = store.close

    def close_and_drop():
        if not store._closed:
            close()
            servers.drop(address)

    store.close = close_and_drop
    return store


# What a store is made of, for the suite that every store must pass: a name, and how to open one under a folder.
FACTORIES = {
    "sqlite-file": lambda folder, clock: open_store(Path(folder) / "memory.db", clock),
    "sqlite-memory": lambda folder, clock: open_store(":memory:", clock),
    "postgres": lambda folder, clock: open_postgres(clock),
}


def new_id():
    return str(uuid.uuid4())


def day(number):
    return START + number * DAY


def vector(seed):
    """A unit vector that depends on `seed` alone."""
    values = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype("<f4")
    return values / np.linalg.norm(values)


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def episode(tx, text, **values):
    given = {"id": new_id(), "space_id": SPACE, "said_at": tx.now, "recorded_at": tx.now, **values}
    return Episode(text=text, **given)


def statement(tx, text="Ada lives in Berlin", subject="ada", attribute="home", **values):
    return Statement(text=text, slot=Slot(subject, attribute), **{"said_at": tx.now, **values})


def belief(tx, start=START, end=None, **values):
    return Belief(valid=Interval(start, end), known=Interval(tx.now), **values)


def add(tx, text="Ada lives in Berlin", *, seed=None, space=SPACE, fact_id=None, start=START, end=None, **values):
    """An episode of one sentence and the fact that it states; the fact as it was written."""
    said = episode(tx, text, space_id=space)
    tx.add_episode(said)
    standing = values.pop("standing", Standing(last_seen_at=tx.now))
    held = values.pop("belief", belief(tx, start, end))
    supersedes = values.pop("supersedes", ())
    fact = Fact(
        id=fact_id or new_id(),
        space_id=space,
        statement=statement(tx, text, **values),
        belief=held,
        standing=standing,
        recorded_at=tx.now,
        episode_id=said.id,
        supersedes=supersedes,
    )
    tx.add_fact(fact, None if seed is None else vector(seed).tobytes(), digest(text), digest(text.lower()))
    tx.set_source(space, source(tx, fact, said), present=True)
    return fact


def source(tx, fact, said, **values):
    given = {"span": Span(0, len(said.text)), "quote": said.text, "said_at": said.said_at, "held_from": None, **values}
    return Source(fact_id=fact.id, episode_id=said.id, **given)


def retire(tx, fact, end, retirement, **values):
    """Close the open belief at the valid instant `end`."""
    held = tx.fact(fact.space_id, fact.id).belief
    after = replace(held, valid=held.valid.until(end), retirement=retirement, **values)
    tx.set_belief(fact.space_id, fact.id, held, after)


def verdict(note="they differ", relation=Relation.UPDATE):
    evidence = (Evidence(EvidenceSource.TYPED, "same slot", relation, 0.9, note),)
    return Verdict(relation, 0.9, 0.95, evidence, "typed")


def decision(tx, fact=None, *, space=SPACE, considered=(), **values):
    receipt = Receipt(
        considered=tuple(Considered(item.id, item.statement.text, "slot", 0.7, verdict()) for item in considered),
        rule="newer wins",
        reason="the newer statement holds",
    )
    given = {
        "id": new_id(),
        "space_id": space,
        "batch_id": new_id(),
        "action": Action.ACCEPT,
        "text": fact.statement.text if fact else "said",
        "decided_at": tx.now,
        "fact_id": fact and fact.id,
        "receipt": receipt,
        **values,
    }
    return Decision(**given)


def history(tx, made, kind="fact_added", **values):
    given = {
        "seq": 0,
        "space_id": made.space_id,
        "decision_id": made.id,
        "batch_id": made.batch_id,
        "at": tx.now,
        "fact_id": made.fact_id,
        "conflict_id": None,
        "reason": "",
        "payload": {},
        **values,
    }
    return HistoryRow(kind=kind, **given)


def conflict(tx, facts, **values):
    given = {
        "id": new_id(),
        "space_id": SPACE,
        "kind": ConflictKind.CONTRADICTION,
        "fact_ids": tuple(sorted(fact.id for fact in facts)),
        "question": "Does Ada live in Berlin?",
        "opened_at": tx.now,
        **values,
    }
    return Conflict(**given)
