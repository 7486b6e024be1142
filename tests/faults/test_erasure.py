"""Is what was erased gone from every byte, in the eyes of a process that knows nothing of the store?

A process remembers random lives with a secret in them, erases it, exports what is left and writes down what the verbs
say; another reads all files of the folder. The first is left running, closed, killed at once, or kept from cutting the
log by a reader with an older snapshot: then it has to say that the erasure is pending."""

from __future__ import annotations

import time

from tests.faults.proof import many
from tests.faults.scanner import Scanner
from tests.faults.workers import ENDINGS, noted

LIVES = many(60, 1_000)


def until_noted(nursery, child, notes, ending):
    """What the process says once it has erased; killed or awaited then, as the ending wants."""
    deadline = time.monotonic() + 60
    while not noted(notes):
        assert time.monotonic() < deadline, "nothing was noted"
        time.sleep(0.001)
    if ending == "killed":
        nursery.kill(child)
    if ending != "open":
        nursery.wait(child)
    return noted(notes)[-1]


def test_D10_what_was_erased_is_in_no_byte_of_any_file(place, nursery, proven):
    wrong, pending, seen = [], 0, 0
    with Scanner() as scanner:
        for number in range(LIVES):
            folder, notes, ending = place / f"life{number}", place / f"notes{number}", ENDINGS[number % len(ENDINGS)]
            folder.mkdir()
            child = nursery.start("tests.faults.workers:erases", folder, notes, number, ending)
            told = until_noted(nursery, child, notes, ending)
            found = scanner.traces(folder, told["words"])
            pending += told["pending"]
            seen += sum(file.stat().st_size for file in folder.iterdir())
            wrong += [(number, ending, name) for name in found if not told["pending"]]
            if told["pending"] is not (ending == "read"):
                wrong.append((number, ending, "pending", told["pending"]))
            if not told["before"]:
                wrong.append((number, ending, "the secret was nowhere before"))
            if ending == "open":
                nursery.kill(child)
                nursery.wait(child)
    also = f"{seen / 1e6:.0f} MB read; {pending} were told to be pending, for a reader held an older snapshot"
    proven("erased, every byte read by another process", "lives", LIVES, wrong, also)


def test_D10_what_was_pending_is_gone_with_the_next_write_though_the_process_died(place, nursery, proven):
    """Who erased died before the log could be cut: whoever opens the file next cuts it."""
    wrong, lives = [], many(3, 100)
    with Scanner() as scanner:
        for number in range(lives):
            folder, notes = place / f"life{number}", place / f"notes{number}"
            folder.mkdir()
            child = nursery.start("tests.faults.workers:erases", folder, notes, number, "read and killed")
            told = until_noted(nursery, child, notes, "killed")
            assert told["pending"]
            nursery.wait(nursery.start("tests.faults.workers:opens", folder))
            wrong += [(number, name) for name in scanner.traces(folder, told["words"])]
    proven("erased and killed while pending, opened again", "lives", lives, wrong)
