"""What does a verb leave when its files fail? What was there before it, or all that it does; and one clear error.

Every call that a verb makes to its files is failed once in turn: alone, with all after it (a disk that is gone), half
written, or for want of room. The store then has to hold the state before the verb or after it, be sound, and do the
same verb properly once the disk is well again."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass

import pytest

from stilltrue.errors import StoreError
from stilltrue.testing import FrozenClock
from tests.faults.companion import ROOT, environment
from tests.faults.proof import SHARE, many
from tests.faults.scanner import traces
from tests.faults.vfs import Disk
from tests.flow.canon import content
from tests.flow.teller import START, Story, WordEmbedder
from tests.flow.test_sweep import drop_jobs

SEEDS, STEP = many(1, 6), 1 if SHARE else 3  # with all tests every third call, in the long run each
SIZES = many(100, 1_000)
ERASED = "moved to the north"
CITIES = ("Oslo", "Rome", "Bonn", "Turin", "Lyon", "Kiel", "Bern", "Graz", "Metz", "Cork")


@dataclass(frozen=True)
class Told:
    """What the story before the verb has told: its last facts and decision, an open conflict."""

    fact: str
    decision: str
    conflict: str


def begun(path, seed):
    """A store with some history, closed."""
    chance = random.Random(seed)
    story = Story.open(WordEmbedder(), path, pair_model="off")
    for number in range(3):
        story.home(chance.choice(CITIES), f"2025-01-{number + 2:02}", f"User moved to {CITIES[number]}.")
    story.say(f"Ada has {chance.randint(2, 9)} cats.", "2025-01-08")
    story.says("Deploys on Fridays are forbidden.", kind="constraint", subject="deploys", attribute="rule")
    story.says("Deploys on Fridays are allowed.", subject="deploys", attribute="rule")
    for text in ("The gate is red.", "The gate is blue now."):  # kept, and never judged: work for a sweep
        story.says(text, "2025-01-20", wait=False, subject="gate", attribute="color", value=text.split()[3].strip("."))
        story.clock.advance(60)
    drop_jobs(story)
    asked = story.conflicts()
    last = story.home(f"{chance.choice(CITIES)} Nord", "2025-02-01", "User moved to the north.")
    told = Told(last.fact_id, last.id, asked[0].conflict.id if asked else "")
    story.memory.close()
    return told


VERBS = {
    "remember": lambda story, told: story.home("Ulm", "2025-03-01", "User moved to Ulm."),
    "forget": lambda story, told: story.memory.forget(told.fact),
    "undo": lambda story, told: story.memory.undo(told.decision),
    "erase": lambda story, told: story.memory.erase(told.fact),
    "keep": lambda story, told: story.home("Ulm", "2025-03-01", "User moved to Ulm.", wait=False),
    "resolve": lambda story, told: story.memory.resolve(told.conflict, "dismiss"),
    "maintain": lambda story, told: story.memory.maintain(),
    "sweep": lambda story, told: story.memory.sweep(),
}
EVERYDAY = ("remember", "forget", "undo", "erase")
WAYS = ({}, {"stays": True}, {"torn": True}, {"room": True})


def opened(folder, source):
    """A copy of the store, opened."""
    shutil.copytree(source, folder)
    return Story.open(WordEmbedder(), folder / "m.db", clock=FrozenClock(START.replace(month=3)), pair_model="off")


def done(story):
    """What is held once nothing waits to be judged."""
    story.memory.drain()
    return content(story.memory)


def after_a_fault(folder, source, verb, told, spoil):
    """What is wrong with the store after a verb in which the disk failed; "unharmed" where no call was failed."""
    with Disk() as disk:
        story = opened(folder, source)
        try:
            spoil(disk)
            answered = True
            try:
                VERBS[verb](story, told)
            except StoreError:
                answered = False
            failed = disk.failed
            disk.mend()
            held, sound = done(story), story.memory.check_invariants()
            if verb == "erase" and held["facts"] and not story.memory.engine.store.erasure_pending and gone(held):
                sound += [f"erased words in {name}" for name in traces(folder, [ERASED])]
        finally:
            disk.mend()
            story.memory.close()
        again = Story.open(WordEmbedder(), folder / "m.db", clock=story.clock, pair_model="off")
        reopened = content(again.memory)
        again.memory.close()
    return failed, answered, held, sound, reopened


def gone(held):
    return not any(ERASED in fact for fact in held["facts"])


def judged(outcome, before, after):
    """Sentences about an outcome that may not be."""
    failed, answered, held, sound, reopened = outcome
    wrong = [("not sound", one) for one in sound]
    if held not in (before, after):
        wrong.append("neither before nor after")
    if answered and held != after:
        wrong.append("said to be done, and is not")
    if reopened != held:
        wrong.append("not the same once opened again")
    return [(failed[:3], one) for one in wrong]


@pytest.mark.parametrize("verb", list(VERBS) if SHARE else EVERYDAY)
def test_C4_a_verb_whose_files_fail_is_done_or_not_done(place, proven, verb):
    trials, wrong, spared = 0, [], 0
    for seed in range(SEEDS):
        source = place / f"source{seed}"
        source.mkdir()
        told = begun(source / "m.db", seed)
        calls, before, after = measured(place / f"{seed}", source, verb, told)
        for number in range(0, calls, STEP):
            way = WAYS[(number // STEP + seed) % len(WAYS)]

            def spoil(disk, number=number, way=way):
                if "room" in way:
                    disk.room = number * 997  # bytes: about as many places as calls
                else:
                    disk.fail(number, **way)

            folder = place / f"{verb}{seed}-{number}"  # each its own: SQLite knows files by their numbers, not by names
            outcome = after_a_fault(folder, source, verb, told, spoil)
            shutil.rmtree(folder)
            spared += not outcome[0]
            trials += 1
            wrong += [(verb, seed, number, way, one) for one in judged(outcome, before, after)]
    proven(f"files fail in {verb}", "faults", trials - spared, wrong)


def measured(place, source, verb, told):
    """How many calls a verb makes to its files, and what is held before and after it."""
    with Disk() as disk:
        story = opened(place / f"{verb} before", source)
        before = done(story)
        story.memory.close()
        story = opened(place / f"{verb} after", source)
        disk.mend()
        VERBS[verb](story, told)
        calls = disk.calls
        after = done(story)
        story.memory.close()
    return calls, before, after


def test_a_file_that_may_not_grow_keeps_what_was_acknowledged(place, proven):
    """The limit of the system on the size of files, which no layer of ours has a part in."""
    found = full(place, "limit", SIZES)
    proven("files that may not grow (RLIMIT_FSIZE)", "sizes", found["sizes"], found["wrong"], found["also"])


def test_a_full_file_system_keeps_what_was_acknowledged(place, proven):
    """A file system of its own that really is full, where the system lets a process have one."""
    found = full(place, "mount", SIZES, "unshare", "--mount", "--map-root-user")
    if "refused" in found:
        pytest.skip(f"no file system of one's own to be had here: {found['refused']}")
    proven("full file system (tmpfs)", "sizes", found["sizes"], found["wrong"], found["also"])


def full(folder, how, sizes, *before):
    command = [*before, sys.executable, "-m", "tests.faults.full", str(folder), how, str(sizes)]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment(), text=True, capture_output=True, check=False)
    except FileNotFoundError as error:
        return {"refused": str(error)}
    if before and done.returncode and not done.stdout:
        return {"refused": done.stderr.strip()[-200:]}
    return json.loads(done.stdout)
