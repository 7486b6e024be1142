"""Is anything that was acknowledged ever lost, doubled or half there, whenever the process is killed?

Real processes, real kills. The parent waits until so many notes stand in a file of its own and kills some moments
later, so that how much was written does not depend on how fast the machine is."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import replace

from stilltrue.memory import Memory
from stilltrue.model.change import BeliefChanged, FactAdded
from stilltrue.model.timeline import Interval
from stilltrue.write.undo import change_of
from tests.faults.proof import many
from tests.faults.workers import noted
from tests.flow.teller import WordEmbedder
from tests.store.making import SPACE, open_store

RAW_ROUNDS, RAW_NOTES = many(250, 4_500), 40
ROUNDS, NOTES = many(25, 500), 10


def killed(nursery, chance, notes, lines, function, *arguments):
    """Run a worker until it has noted so many lines more, wait a little, kill it; the number of notes it made."""
    size = notes.stat().st_size if notes.exists() else 0
    child = nursery.start(f"tests.faults.workers:{function}", *arguments)
    deadline = time.monotonic() + 60
    while _lines(notes, size) < lines and time.monotonic() < deadline:
        time.sleep(0.0005)
    time.sleep(chance.random() * 0.004)
    nursery.kill(child)
    assert nursery.wait(child) == -9


def _lines(notes, size):
    if not notes.exists() or notes.stat().st_size == size:
        return 0
    with notes.open("rb") as file:
        file.seek(size)
        return file.read().count(b"\n")


def half_there(reader, fact):
    """Whether a part of it is missing: its episode, source, belief, decision or history."""
    whole = (
        reader.episode(SPACE, fact.episode_id).text == fact.statement.text
        and len(reader.sources(SPACE, fact.id)) == 1
        and reader.beliefs(SPACE, fact.id)[-1].known.end is None
        and len(reader.decisions(SPACE, fact_id=fact.id)) == 1
        and len(reader.history(SPACE, fact_id=fact.id)) == 1
    )
    return not whole


def test_C3_no_transaction_that_was_acknowledged_is_lost_doubled_or_partial(place, nursery, proven):
    chance, wrong, acknowledged, spare = random.Random(7), [], 0, 0
    for first in range(0, RAW_ROUNDS, 50):  # a file for every fifty, so that looking through one stays quick
        path, notes = place / f"m{first}.db", place / f"notes{first}"
        rounds = min(50, RAW_ROUNDS - first)
        for number in range(rounds):
            killed(
                nursery, chance, notes, chance.randint(1, 2 * RAW_NOTES), "chains", path, notes, f"w{number}", 100_000
            )
        acks = noted(notes)
        ids = [one["fact"] for one in acks]
        with open_store(path) as store:
            wrong += store.check_invariants()
            with store.read() as reader:
                facts = reader.facts(SPACE, ids)
                texts = {fact.id: fact.statement.text for fact in facts}
                wrong += [("lost", one) for one in acks if texts.get(one["fact"]) != one["text"]]
                wrong += [("partial", fact.id) for fact in facts if half_there(reader, fact)]
                stored = reader.counts(SPACE)["facts"]
        if not len(acks) == len(set(ids)) <= stored <= len(acks) + rounds:  # it may die between commit and note
            wrong.append(("doubled", stored, len(acks)))
        acknowledged, spare = acknowledged + len(acks), spare + stored - len(acks)
        for file in place.glob(f"m{first}.db*"):
            file.unlink()
    also = f"{RAW_ROUNDS:,} kills; {spare} were written and not yet acknowledged"
    proven("kill -9, transactions", "acknowledged", acknowledged, wrong, also)


def told_apart(memory):
    """Facts whose belief is not what their history adds up to, decisions without their rows, texts kept twice."""
    space, found = memory.space, []
    with memory.engine.store.read() as reader:
        rows = reader.history(space)
        beliefs, decided = {}, {row.decision_id for row in rows}
        for row in rows:
            if row.kind == "erased":
                beliefs[row.fact_id] = None
            elif row.kind in ("fact_added", "belief_changed"):
                change = change_of(row)
                if isinstance(change, FactAdded):
                    beliefs[change.fact.id] = change.fact.belief
                elif isinstance(change, BeliefChanged):
                    beliefs[change.fact_id] = change.after
        facts = {fact.id: fact for fact in reader.facts(space, list(beliefs))}
        for fact_id, belief in beliefs.items():
            if _timeless(facts[fact_id].belief) != _timeless(belief):
                found.append(("history tells another story", fact_id))
        made = reader.decisions(space)
        found += [("decision without history", one.id) for one in made if one.id not in decided and one.fact_id]
        texts = Counter(fact.statement.text for fact in facts.values() if fact.statement.text)
        found += [("doubled", text) for text, times in texts.items() if times > 1]
    return found


def _timeless(belief):
    return belief and replace(belief, known=Interval())


def missing(memory, acks):
    """Acknowledged decisions and facts that are not there, or not as they were."""
    found = []
    erased = {one["fact"] for one in acks if one["verb"] == "erase"}
    with memory.engine.store.read() as reader:
        decisions = {one.id: one for one in reader.decisions(memory.space)}
        facts = {fact.id: fact for fact in reader.facts(memory.space, [one["fact"] for one in acks if "fact" in one])}
        for one in acks:
            if one["decision"] not in decisions:
                found.append(("lost", one))
            elif one["verb"] == "remember" and one["fact"] not in erased:
                fact = facts.get(one["fact"])
                if fact is None or (fact.statement.text != one["text"] and fact.statement.text):
                    found.append(("lost fact", one))
                elif fact.statement.text and one["text"] not in reader.episode(memory.space, fact.episode_id).text:
                    found.append(("lost episode", one))
            elif one["verb"] == "erase" and facts[one["fact"]].statement.text:
                found.append(("not erased", one))
    return found


def test_B13_no_verb_that_was_acknowledged_is_lost_doubled_or_partial(place, nursery, proven):
    chance, wrong, acknowledged = random.Random(8), [], 0
    for first in range(0, ROUNDS, 10):
        path, notes = place / f"v{first}.db", place / f"notes{first}"
        for number in range(min(10, ROUNDS - first)):
            name = f"{first + number}"
            killed(nursery, chance, notes, chance.randint(1, 2 * NOTES), "remembers", path, notes, name, first + number)
        acks = noted(notes)
        with Memory.open(path, embedder=WordEmbedder(), pair_model="off") as memory:
            memory.drain()
            wrong += [*memory.check_invariants(), *told_apart(memory), *missing(memory, acks)]
            if memory.stats().counts["jobs"]:
                wrong.append(("left undone", first))
        acknowledged += len(acks)
    proven("kill -9, verbs", "acknowledged", acknowledged, wrong, f"{ROUNDS:,} kills")


def test_a_process_that_is_killed_lets_the_next_one_write_at_once(place, nursery):
    path, notes = place / "m.db", place / "notes"
    killed(nursery, random.Random(9), notes, 3, "chains", path, notes, "first", 100_000)
    with open_store(path, lock_timeout_seconds=2) as store, store.write(SPACE) as tx:
        assert tx.counts(SPACE)["facts"] >= 3
