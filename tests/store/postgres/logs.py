"""What do two stores make of one random log of verbs? Each answers; answers and all that is kept must be the same.

Ids, clock and vectors depend on the log alone, so whatever differs is the store's doing.
"""

import hashlib
import json
import random
from datetime import timedelta

from stilltrue.engine import Engine
from stilltrue.errors import StilltrueError
from stilltrue.faces import wire
from stilltrue.memory import Memory
from stilltrue.settings import Settings
from stilltrue.testing import FrozenClock
from tests.flow.canon import everything
from tests.flow.teller import START, WordEmbedder

SPACES = ("ada", "bob")
CITIES = ("Oslo", "Rome", "Bonn", "Zürich", "São Paulo")
TEXTS = (
    "The cache TTL is {n} seconds.",
    "The session TTL is {n} seconds.",
    "Ada enjoys café crème number {n}.",
    "Deploys on Fridays are banned.",
    "Hotfixes may go out on Fridays.",
    "Ada doesn't eat peanuts any more.",
    "Ada is allergic to peanuts.",
    "Ada broke up with Amari in March.",
    "Ada is apartment hunting with Amari.",
    "We use GraphQL for the public API.",
    "We moved from GraphQL back to REST.",
    "Tests run on Python 3.{n}.",
    "Das Büro in Zürich hat {n} Zimmer \u4e2d\u6587.",
    'NEAR(x) OR "quoted" ; DROP TABLE facts; -- {n}',
    "enjoying enjoyment enjoyed; the deployments were deployed",
)
QUERIES = ("cache", "where does the user live", "peanuts allergy", "deploying on a Friday", "cafe creme", "enjoy")


def memory_on(store, clock, seed):
    """A memory whose ids come from the seed."""
    engine = Engine(
        store=store,
        embedder=WordEmbedder(),
        clock=clock,
        entropy=random.Random(seed).randbytes,
        settings=Settings(),
    )
    return Memory(engine, SPACES[0])


def play(store, seed, steps=40, clock=None):
    """Every answer of a log, in turn, and what is kept in the end, by space."""
    clock = clock or FrozenClock(START)
    chance = random.Random(f"log {seed}")
    memory = memory_on(store, clock, seed)
    told = []
    ids = {space: {"facts": [], "decisions": [], "conflicts": []} for space in SPACES}
    for _ in range(steps):
        clock.set(clock.now() + timedelta(hours=chance.randint(1, 200)))
        space = chance.choice(SPACES)
        step = chance.choices(list(STEPS), [weight for _, weight in STEPS.values()])[0]
        told.append((step, _answer(STEPS[step][0], memory.in_space(space), chance, ids[space], clock)))
    kept = {space: everything(memory.in_space(space)) for space in SPACES}
    return told, timeless(kept)


def digest(kept):
    """What is kept, as one canonical hash."""
    text = json.dumps(kept, ensure_ascii=True, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def _answer(step, memory, chance, ids, clock):
    try:
        found = step(memory, chance, ids, clock)
    except StilltrueError as error:
        return f"{type(error).__name__}: {error}"
    return json.dumps(timeless(wire.value(found)), default=repr, sort_keys=True)


def timeless(value):
    """Without how long it took."""
    if isinstance(value, dict):
        return {name: None if name == "seconds" else timeless(item) for name, item in value.items()}
    return [timeless(item) for item in value] if isinstance(value, (list, tuple)) else value


def _noted(ids, decisions):
    for one in decisions:
        ids["decisions"].append(one.id)
        if one.fact_id is not None:
            ids["facts"].append(one.fact_id)
        if one.conflict_id is not None:
            ids["conflicts"].append(one.conflict_id)
    return decisions


def _home(memory, chance, ids, clock):
    city = chance.choice(CITIES)
    back = timedelta(days=chance.choice((0, 0, 30, 200)))
    given = {"subject": "user", "attribute": "residence", "value": city, "said_at": clock.now() - back}
    return _noted(ids, memory.remember(f"User lives in {city}.", **given))


def _text(memory, chance, ids, clock):
    text = chance.choice(TEXTS).format(n=chance.randint(1, 4))
    return _noted(ids, memory.remember(text, wait=chance.random() < 0.8, author=chance.choice((None, "ada", "eve"))))


def _search(memory, chance, ids, clock):
    when = chance.choice(
        (
            {},
            {"as_of": clock.now() - timedelta(days=chance.randint(1, 60))},
            {"known_at": clock.now() - timedelta(days=chance.randint(1, 60))},
        )
    )
    return memory.search(chance.choice(QUERIES), **when)


def _picked(chance, known):
    return chance.choice(known) if known else "00000000"


STEPS = {
    "home": (_home, 6),
    "text": (_text, 10),
    "search": (_search, 6),
    "lookup": (lambda memory, chance, ids, clock: memory.lookup("user", "residence"), 2),
    "forget": (lambda memory, chance, ids, clock: memory.forget(_picked(chance, ids["facts"])), 1),
    "never": (lambda memory, chance, ids, clock: memory.forget(_picked(chance, ids["facts"]), never_true=True), 1),
    "undo": (lambda memory, chance, ids, clock: memory.undo(_picked(chance, ids["decisions"])), 2),
    "erase": (lambda memory, chance, ids, clock: memory.erase(_picked(chance, ids["facts"])), 1),
    "resolve": (
        lambda memory, chance, ids, clock: memory.resolve(
            _picked(chance, ids["conflicts"]), chance.choice(("dismiss", "both", "new", "old"))
        ),
        1,
    ),
    "drain": (lambda memory, chance, ids, clock: _noted(ids, memory.drain()), 2),
    "sweep": (lambda memory, chance, ids, clock: memory.sweep(), 1),
    "history": (lambda memory, chance, ids, clock: memory.history(_picked(chance, ids["facts"])), 1),
    "stats": (lambda memory, chance, ids, clock: memory.stats(), 1),
}
