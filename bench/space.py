"""How does a memory come to hold 100,000 facts within a minute? By whole rows in large transactions.

A few thousand texts get vectors from the real embedder; the others get one of those, moved a little and brought back to
length 1 (cosine to its origin about 0.86), which keeps the clusters that real texts have. Nothing is judged here.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.made import Made, facts
from stilltrue.model.episode import Episode, Source, Span
from stilltrue.model.fact import Belief, Fact, Standing, Statement
from stilltrue.model.ids import EpisodeId, FactId, SpaceId
from stilltrue.model.slot import Slot, Value, ValueType
from stilltrue.model.timeline import Interval
from stilltrue.rules.text import exact_hash, normal_hash

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Embedder, Transaction, Vectors

TOLD: Final = timedelta(days=365)
"""The facts were told evenly over so long, up to now."""

MOVED: Final = 0.6
"""Length of the random step away from a real vector."""

_AT_ONCE: Final = 5_000


def fill(engine: Engine, space: SpaceId, count: int, embedded: int) -> list[Made]:
    """Keep `count` facts in `space`, `embedded` of them with the embedder's own vectors; what they say."""
    made = facts(count)
    vectors = _vectors(engine.embedder, made, embedded)
    begun = engine.clock.now() - TOLD
    for start in range(0, count, _AT_ONCE):
        with engine.store.write(space) as transaction:
            for number in range(start, min(start + _AT_ONCE, count)):
                said = begun + TOLD * (number / count)
                _keep(engine, transaction, space, made[number], said, vectors[number].tobytes())
    return made


def moved(origins: Vectors, chance: np.random.Generator) -> Vectors:
    """Each a little away from its origin, of length 1."""
    step = chance.standard_normal(origins.shape, dtype=np.float32) * np.float32(MOVED / np.sqrt(origins.shape[1]))
    found = origins + step
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found.astype("<f4")


def _vectors(embedder: Embedder, made: list[Made], embedded: int) -> Vectors:
    real = embedder.embed([item.text for item in made[:embedded]])
    chance = np.random.default_rng(2)
    origins = real[chance.integers(len(real), size=len(made) - len(real))]
    return np.concatenate([real.astype("<f4"), moved(origins, chance)])


def _keep(engine: Engine, transaction: Transaction, space: SpaceId, made: Made, said: Instant, vector: bytes) -> None:
    episode = Episode(
        id=EpisodeId(engine.new_id(said)), space_id=space, text=made.text, said_at=said, recorded_at=transaction.now
    )
    value = Value(made.value, ValueType.NAME, made.value.lower())
    statement = Statement(
        text=made.text, slot=Slot(made.subject, made.attribute), value=value, valid=Interval(said), said_at=said
    )
    fact = Fact(
        id=FactId(engine.new_id(said)),
        space_id=space,
        statement=statement,
        belief=Belief(valid=Interval(said), known=Interval(transaction.now)),
        standing=Standing(last_seen_at=said),
        recorded_at=transaction.now,
        episode_id=episode.id,
    )
    span = Span(0, len(made.text))
    transaction.add_episode(episode)
    transaction.add_fact(fact, vector, exact_hash(made.text), normal_hash(made.text))
    source = Source(fact_id=fact.id, episode_id=episode.id, span=span, quote=made.text, said_at=said, held_from=said)
    transaction.set_source(space, source, present=True)
