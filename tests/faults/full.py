"""What happens where there really is no room? A process that writes until it is told so, for many amounts of room.

usage: full.py FOLDER limit|mount SIZES. `limit` has the system refuse files beyond a size; `mount` puts a small file
system on FOLDER (in a mount namespace of one's own: `unshare --mount`) and leaves so much of it free. Prints JSON.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
from pathlib import Path

from stilltrue.errors import StoreError
from tests.store.making import SPACE, add, open_store

MOST = 400  # facts a round; more than any room that is left
A_STORE = 10  # rounds that share a store


class Limit:
    """No file may grow beyond what the largest has now, and a little more."""

    def __init__(self, folder):
        self._folder = folder
        self._hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

    def tighten(self, room):
        largest = max(file.stat().st_size for file in self._folder.iterdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest + room, self._hard))

    def loosen(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._hard, self._hard))


class Mount:
    """A small file system, filled up with ballast but for a little."""

    def __init__(self, folder):
        self._ballast = folder / "ballast"
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], check=True)

    def tighten(self, room):
        free = os.statvfs(self._ballast.parent).f_bavail * os.statvfs(self._ballast.parent).f_frsize
        with self._ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(1, free - room))

    def loosen(self):
        self._ballast.unlink(missing_ok=True)


def round_(store, place, room, acknowledged):
    """Write until there is no room; what is wrong then, and once there is room again."""
    place.tighten(room)
    refused = None
    try:
        for number in range(MOST):
            with store.write(SPACE) as tx:
                fact = add(tx, f"fact {len(acknowledged)} of the full disk", seed=number % 9)
            acknowledged[fact.id] = fact.statement.text
    except StoreError as error:
        refused = str(error)
    finally:
        place.loosen()
    wrong = [] if refused else ["there was always room"]
    with store.write(SPACE) as tx:
        fact = add(tx, f"fact {len(acknowledged)} when there is room again", seed=1)
    acknowledged[fact.id] = fact.statement.text
    return wrong, refused


def held(path, acknowledged):
    with open_store(path) as store:
        wrong = store.check_invariants()
        with store.read() as reader:
            facts = {fact.id: fact.statement.text for fact in reader.facts(SPACE, list(acknowledged))}
            stored = reader.counts(SPACE)["facts"]
    wrong += [f"lost: {text}" for name, text in acknowledged.items() if facts.get(name) != text]
    return wrong + ([f"{stored} stored, {len(acknowledged)} acknowledged"] if stored != len(acknowledged) else [])


def main(folder, how, sizes):
    place = {"limit": Limit, "mount": Mount}[how](Path(folder))
    chance, wrong, said, written = random.Random(5), [], {}, 0
    for first in range(0, sizes, A_STORE):
        path, acknowledged = Path(folder) / f"full{first}.db", {}
        with open_store(path) as store:
            for _ in range(min(A_STORE, sizes - first)):
                odd, refused = round_(store, place, chance.randrange(4_096, 400_000), acknowledged)
                wrong += odd
                name = "no room left" if "no room left" in str(refused) else "reading or writing"
                said[name] = said.get(name, 0) + 1
        wrong += held(path, acknowledged)
        written += len(acknowledged)
        for file in Path(folder).glob(f"{path.name}*"):
            file.unlink()
    also = f"{written:,} writes acknowledged; told {' / '.join(f'{name} {times}' for name, times in said.items())}"
    print(json.dumps({"sizes": sizes, "wrong": wrong, "also": also}))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
