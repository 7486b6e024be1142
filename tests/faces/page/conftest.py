"""What is there to look at? A story that leaves three questions open, behind a real server on a socket."""

import shutil
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx2
import pytest

from stilltrue.faces.demo import STORY
from stilltrue.faces.http.access import Tokens
from stilltrue.faces.http.app import build_app
from stilltrue.faces.http.run import listener_on, server_of
from stilltrue.faces.page.app import add_page
from stilltrue.memory import Memory
from stilltrue.testing import FrozenClock, memory

NOW = datetime(2024, 11, 4, 9, tzinfo=UTC)
LATER = (
    ("2024-10-03", "ines", "We moved things this week. The search service runs in Frankfurt. Costs went down."),
    ("2024-10-04", "robin", "The search service runs in Dublin."),
    ("2024-10-12", "robin", "The checkout service is written in Kotlin."),
    ("2024-10-13", "ines", "The checkout service is written in Go."),
    ("2024-10-14", "noor", "I moved to Antwerp."),
    ("2024-10-20", "noor", "I moved to Lisbon."),
    ("2024-10-21", "noor", "From March 2025 I live in Berlin."),
)


class Site:
    """A running server: where it is, its memory and its tokens."""

    def __init__(self, url, kept, tokens):
        self.url, self.memory, self.tokens = url, kept, tokens
        self.token = tokens.issue("petra", "reviewer", spaces=None)

    @contextmanager
    def client(self, token=None, *, signed_in=True):
        # Nothing here is encrypted; reading the machine's certificates costs each client more than all it asks.
        with httpx2.Client(base_url=self.url, timeout=60, trust_env=False, verify=False) as client:
            if signed_in:
                sign_in(client, token or self.token)
            yield client


def field(html, name):
    """The value of the first hidden field of a name."""
    return html.split(f'name="{name}" value="')[1].split('"')[0]


def sign_in(client, token):
    form = field(client.get("/login").text, "forms")
    answer = client.post("/login", data={"token": token, "forms": form})
    assert answer.status_code == 303, answer.text
    return answer


def story(clock):
    """The demo's story, and what came after it."""
    kept = memory(clock, pair_model=None)
    for said in STORY:
        clock.set(datetime.fromisoformat(f"{said.day}T09:00+00:00"))
        kept.remember(said.text, author=said.author, kind=said.kind)
    for day, author, text in LATER:
        clock.set(datetime.fromisoformat(f"{day}T09:00+00:00"))
        kept.remember(text, author=author)
    clock.set(NOW)
    return kept


@contextmanager
def serving(kept):
    """A server of this memory, until the block ends; the store is sound then."""
    tokens = Tokens(":memory:")
    server = server_of(add_page(build_app(kept, tokens)))
    listener = listener_on("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Site(f"http://127.0.0.1:{listener.getsockname()[1]}", kept, tokens)
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
        assert kept.check_invariants() == []
        tokens.close()
        kept.close()


@pytest.fixture(scope="session")
def told_once(tmp_path_factory):
    """The story in a file, told once for all tests."""
    place = tmp_path_factory.mktemp("story") / "memory.db"
    with story(FrozenClock(NOW)) as kept:
        kept.engine.store.copy_to(place)
    return place


@pytest.fixture
def told(_one_embedder, told_once, tmp_path):
    """A memory of the story, for this test alone."""
    place = tmp_path / "memory.db"
    shutil.copy(told_once, place)
    return Memory.open(place, clock=FrozenClock(NOW))


@pytest.fixture
def site(told):
    """A server of the story."""
    with serving(told) as running:
        yield running


@pytest.fixture
def client(site):
    with site.client() as client:
        yield client


@pytest.fixture(scope="module")
def standing(told_once, tmp_path_factory, embedder):
    """A server of the story for tests that change nothing, or are refused."""
    place = tmp_path_factory.mktemp("standing") / "memory.db"
    shutil.copy(told_once, place)
    with serving(Memory.open(place, clock=FrozenClock(NOW), embedder=embedder)) as running:
        yield running


def chromium():
    """The system's browser, where there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for path in map(shutil.which, names) if path), None)
