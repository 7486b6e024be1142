"""What do all tests share? A home of their own, so that no test meets the memory of the person who runs it; and every
store that must pass the same tests, which a test that takes `store` leaves sound."""

import itertools
import os
import signal
import time

import hypothesis
import pytest

# Where several processes share the cores, the threads of one wait for those of another. Before numpy is loaded.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from tests.store.making import FACTORIES, Clock

# A slow machine is not a fault, and a failure must come back the next time.
hypothesis.settings.register_profile("stilltrue", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("stilltrue")

# Whoever starts the tests in the background has Ctrl-C ignored, and the processes that tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_homes = itertools.count()
_STARTED = time.monotonic()


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory, monkeypatch):
    """The user's folders lie in a place that does not exist yet, and no setting comes from outside."""
    home = tmp_path_factory.getbasetemp() / f"home-{next(_homes)}"
    for name in [name for name in os.environ if name.startswith("STILLTRUE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=FACTORIES)
def store(request, tmp_path, clock):
    opened = FACTORIES[request.param](tmp_path, clock)
    yield opened
    assert opened.check_invariants() == []
    opened.close()


def pytest_terminal_summary(terminalreporter):
    """The figures of tests/faults, from whichever process has run them; told by the one that gathers the run."""
    from tests.faults import proof

    if hasattr(terminalreporter.config, "workerinput"):
        return  # one of several, which knows its own figures only
    proof.at_the_end(terminalreporter, time.monotonic() - _STARTED)
