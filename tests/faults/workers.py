"""What do the processes do that are killed, or write all at once? Each notes a line when it was told that it is done.

A note is written to a file of the tests' own, with one call, once the store has answered: what stands there was
acknowledged. `tests.faults.test_kill` and `test_processes` start these functions by name.
"""

from __future__ import annotations

import json
import os
import random
import time
from datetime import UTC, datetime
from pathlib import Path

from stilltrue.connect.archive import export_space
from stilltrue.memory import Memory
from stilltrue.model.fact import Retirement
from tests.faults.scanner import traces
from tests.flow.teller import WordEmbedder
from tests.store.making import SPACE, add, decision, history, open_store, retire


class Notes:
    """A file that outlives the process. Half a line is no note."""

    def __init__(self, path):
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._parent = os.getppid()

    def note(self, **what):
        if os.getppid() != self._parent:
            os._exit(1)  # nobody is left to end it
        os.write(self._file, (json.dumps(what) + "\n").encode())


def noted(path):
    """What was acknowledged, oldest first."""
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def chains(path, notes, name, count):
    """One transaction after the other, as fast as it goes: a fact that takes the place of the last one."""
    acknowledged = Notes(notes)
    with open_store(path) as store:
        previous = None
        for number in range(count):
            begun = time.perf_counter()
            with store.write(SPACE) as tx:
                fact = add(tx, f"writer {name} says {number}", seed=number % 50, subject=name)
                made = decision(tx, fact)
                tx.add_decision(made)
                tx.add_history(history(tx, made))
                if previous is not None:
                    retire(tx, previous, tx.now, Retirement.SUPERSEDED, superseded_by=fact.id)
            acknowledged.note(fact=fact.id, text=fact.statement.text, seconds=round(time.perf_counter() - begun, 6))
            previous = fact


def remembers(path, notes, name, seed):
    """The verbs, in an order of chance, on three things that change; for ever."""
    acknowledged, chance = Notes(notes), random.Random(seed)
    memory = Memory.open(path, embedder=WordEmbedder(), pair_model="off")
    done = []
    for number in range(1_000_000):
        thing = f"box {name} {number % 3}"
        roll = chance.random()
        standing = memory.lookup(thing, "color")
        if roll < 0.12 and standing:
            made = memory.forget(standing[0].id)
            acknowledged.note(verb="forget", decision=made.id)
        elif roll < 0.2 and done:
            made = memory.undo(done.pop())
            acknowledged.note(verb="undo", decision=made.id)
        elif roll < 0.26 and standing:
            made = memory.erase(standing[0].id)
            acknowledged.note(verb="erase", decision=made.id, fact=standing[0].id)
            done = []  # what was erased cannot be undone
        else:
            text = f"Box {name} {number % 3} is painted shade{number}x{name} now."
            wait = roll < 0.8
            given = {"subject": thing, "attribute": "color", "value": f"shade{number}x{name}", "cardinality": "one"}
            (made,) = memory.remember(text, said_at=datetime.now(UTC), wait=wait, **given)
            acknowledged.note(verb="remember", decision=made.id, fact=made.fact_id, text=text)
            if wait:
                done = [made.id]
            else:
                memory.drain()
                done = []


ENDINGS = ("open", "closed", "killed", "read")
SYLLABLES = ("zan", "qui", "vex", "lor", "mub", "tyn", "gax", "wop", "kro", "jid")


def secret_of(chance):
    """Three words that stand nowhere else."""
    return ["".join(chance.sample(SYLLABLES, 4)) for _ in range(3)]


def life(memory, chance, words):
    """Remember the secret in several ways, with other things around it, and let memory do what it does with it."""
    place = " ".join(words).title()
    given = {"subject": "key", "attribute": "place", "cardinality": "one"}

    def key():
        return memory.lookup("key", "place")[:1]

    deeds = (
        lambda: memory.remember(f"The key lies at {place}.", value=place, topic=place, author="ann", **given),
        lambda: memory.remember(f"At {place} lies the key.", value=place, author="ben", **given),
        lambda: memory.remember("The key was moved to the office.", value="the office", **given),
        lambda: memory.remember(f"I like tea. The shop is at {place}. I have a cat.", wait=chance.random() < 0.5),
        lambda: memory.remember(f"Tea is served because the shop is at {place}."),
        lambda: memory.search(f"Where is {place}?"),
        lambda: memory.undo(memory.remember(f"The {place} bench is red {chance.random()}.")[0].id),
        lambda: [memory.forget(one.id, reason=place if words[0] in one.text.lower() else "") for one in key()],
        memory.drain,
        memory.sweep,
        memory.maintain,
        lambda: memory.remember(f"Number {chance.random()} is a number."),
        lambda: [memory.resolve(one.conflict.id, "dismiss") for one in memory.conflicts()[:1]],
    )
    deeds[0]()
    for _ in range(chance.randint(4, 14)):
        chance.choice(deeds)()


def erases(folder, notes, seed, ending):
    """A life with a secret, which is erased; then what is left is exported, and told, and the ending comes."""
    chance, folder = random.Random(seed), Path(folder)
    words = secret_of(chance)
    memory = Memory.open(folder / "m.db", embedder=WordEmbedder(), pair_model="off")
    life(memory, chance, words)
    before = bool(traces(folder, words))
    store, held = memory.engine.store, None
    if ending.startswith("read"):
        held = store.read()
        held.__enter__().counts(memory.space)
    sql = "SELECT episode_id FROM episodes WHERE lower(text) LIKE ? LIMIT 1"
    while doomed := store._writer.rows(sql, (f"%{words[0]}%",)):
        memory.erase(doomed[0][0])
    with (folder / "export.jsonl").open("w") as file:
        export_space(memory, lambda line: file.write(f"{line}\n"))
    answers = [memory.search(" ".join(words), include_superseded=True).results, memory.conflicts(None), memory.stats()]
    (folder / "answers.txt").write_text(repr(answers))
    pending = store.erasure_pending
    if ending == "closed":
        memory.close()
    Notes(notes).note(words=words, pending=pending, before=before)
    if ending in ("open", "killed", "read and killed"):
        time.sleep(60)


def opens(folder):
    """A write by a process that comes later, and a proper end."""
    with Memory.open(Path(folder) / "m.db", embedder=WordEmbedder(), pair_model="off") as memory:
        memory.remember("It is a new day.")
