"""A move that can be killed: `python -m tests.store.postgres.mover FROM TO` says how far it is, batch by batch."""

import sys
import time

from stilltrue.store.moving import move
from stilltrue.wiring import moving_source, moving_target

BATCH = 20


def main(source, target):
    def progress(done, whole):
        sys.stdout.write(f"{done} {whole}\n")
        sys.stdout.flush()
        time.sleep(0.01)

    with moving_source(source, 30) as there, moving_target(target, 30) as here:
        move(there, here, progress, BATCH)


if __name__ == "__main__":
    main(*sys.argv[1:])
