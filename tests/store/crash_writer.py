"""A writer to be killed: remembers facts in a loop, and notes each one in a file of its own once the store said so.

usage: crash_writer.py DATABASE ACKNOWLEDGED NAME COUNT
"""

import os
import sys

from stilltrue.model.fact import Retirement
from tests.store.making import SPACE, add, decision, history, open_store, retire


def main(path, acknowledged, name, count):
    acks = os.open(acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with open_store(path) as store:
        print("ready", flush=True)  # noqa: T201 - whoever kills it waits for this
        previous = None
        for number in range(count):
            with store.write(SPACE) as tx:
                fact = add(tx, f"writer {name} says {number}", seed=number, subject=name)
                made = decision(tx, fact)
                tx.add_decision(made)
                tx.add_history(history(tx, made))
                if previous is not None:
                    retire(tx, previous, tx.now, Retirement.SUPERSEDED, superseded_by=fact.id)
            os.write(acks, f"{fact.id}\n".encode())
            previous = fact
    os.close(acks)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
