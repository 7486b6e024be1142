"""Does the store on a server, too, agree with a few lines of Python, whatever is written in whatever order?

The machine is the embedded store's. Each example has an empty database, which is lent again afterwards.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg is not installed")

from tests.store.making import open_postgres
from tests.store.test_machine import StoreMachine

EXAMPLES = int(os.environ.get("TEST_PG_EXAMPLES", "8"))
STEPS = 25


class ServerMachine(StoreMachine):
    @staticmethod
    def opened(clock):
        return open_postgres(clock)


class TestE9ServerAgreesWithTheModel(ServerMachine.TestCase):
    settings = settings(max_examples=EXAMPLES, stateful_step_count=STEPS, suppress_health_check=list(HealthCheck))
    pytestmark = pytest.mark.timeout(60 + 10 * EXAMPLES)
