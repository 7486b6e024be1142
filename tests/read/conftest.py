import pytest

from tests.read.house import House


@pytest.fixture
def house():
    made = House()
    yield made
    made.store.close()
