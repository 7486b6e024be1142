"""Does the API keep what its OpenAPI promises, whatever is sent? schemathesis makes up fit and unfit requests.

A few examples an operation by default; `SCHEMATHESIS_EXAMPLES=100` makes it as many as the bar asks of a commit.
"""

import os

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    response_schema_conformance,
    status_code_conformance,
)

from tests.faces.http.conftest import opened

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "5"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    ignored_auth,
]


@pytest.fixture(scope="module")
def place(tmp_path_factory, embedder):
    with opened(tmp_path_factory.mktemp("door") / "memory.db", embedder) as held:
        client = held.role("admin")
        for city, day in (("Porto", "2024-01-10"), ("Lisbon", "2024-05-02")):
            client.say(f"Mara lives in {city}.", subject="mara", attribute="residence", value=city, said_at=day)
        yield held


@pytest.mark.timeout(1200)
def test_C1_requests_that_nobody_thought_of(place):
    schema = schemathesis.openapi.from_dict(place.promised.spec)
    schema.config.update(base_url=place.url)
    token = place.token("admin")
    seen = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        reset(place.memory.engine.store)

        @hypothesis.settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(case=operation.as_strategy())
        def fuzz(case):
            nonlocal seen
            seen += 1
            case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=CHECKS)

        fuzz()
    assert seen >= 30 * EXAMPLES


def reset(store):
    """What is made up for one operation shuts no door to the next."""
    with store.write("default") as transaction:
        transaction.put_members("default", ())
        transaction.put_space_settings("default", {})
