"""A worker that dies: `python -m tests.store.postgres.worker ADDRESS HOW` takes a job, or writes half, and waits."""

import sys
import time
from datetime import timedelta

from stilltrue.model.job import Claim, Lease
from tests.store.making import SPACE, Clock, add, day
from tests.store.postgres.servers import open_server


def main(address, how):
    store = open_server(Clock(day(1)), address)
    if how == "claims":
        claim = Claim(kind="judge", due_at=day(1), limit=1, lease=Lease("dead", day(1) + timedelta(minutes=30)))
        with store.write(SPACE) as tx:
            taken = tx.claim_jobs(SPACE, claim)[0].id
        sys.stdout.write(f"{taken}\n")
        sys.stdout.flush()
        time.sleep(600)
    with store.write(SPACE) as tx:
        add(tx, "half of it", seed=1)
        sys.stdout.write("writing\n")
        sys.stdout.flush()
        time.sleep(600)


if __name__ == "__main__":
    main(*sys.argv[1:])
