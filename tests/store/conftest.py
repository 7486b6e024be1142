"""Which stores must pass the same tests? Each one below; every test that takes `store` ends with a sound store."""

import pytest

from tests.store.making import FACTORIES, Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=FACTORIES)
def store(request, tmp_path, clock):
    opened = FACTORIES[request.param](tmp_path, clock)
    yield opened
    assert opened.check_invariants() == []
    opened.close()
