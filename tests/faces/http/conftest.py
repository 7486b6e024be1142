"""A real server on a real socket, and a client that holds every answer against what OpenAPI promises of it."""

import json
import re
import threading
import time
from contextlib import contextmanager

import httpx2
import jsonschema_rs
import pytest

from stilltrue import Memory
from stilltrue.faces.http.access import Tokens
from stilltrue.faces.http.app import Options, build_app
from stilltrue.faces.http.run import listener_on, server_of

ROLES = ("reader", "writer", "reviewer", "admin")


@contextmanager
def listening(app):
    """The application behind a socket, in a thread of its own; its address."""
    with listener_on("127.0.0.1", 0) as listener:
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.005)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


class Promised:
    """What OpenAPI says of each operation. It hangs on no memory, so it is made once for all servers."""

    _once = None

    @classmethod
    def by(cls, app):
        if cls._once is None:
            cls._once = cls(app.openapi())
        return cls._once

    def __init__(self, spec):
        self.spec = spec
        self.paths = [(re.compile(re.sub(r"{\w+}", "[^/]+", path) + "$"), path) for path in self.spec["paths"]]
        self.paths.sort(key=lambda one: "{" in one[1])
        self._forms = {}

    def operations(self):
        for path, methods in self.spec["paths"].items():
            for method, told in methods.items():
                yield method.upper(), path, told

    def check(self, method, path, answer):
        """Every status is promised, every body has the promised form, and nothing more."""
        template = next((name for pattern, name in self.paths if pattern.match(path)), None)
        told = self.spec["paths"].get(template, {}).get(method.lower())
        if answer.status_code >= 400:
            problem = answer.json()
            self._hold({"$ref": "#/components/schemas/Problem"}, problem)
            assert answer.headers["content-type"] == "application/problem+json"
            assert problem["status"] == answer.status_code
            assert problem["request_id"] == answer.headers["x-request-id"]
            assert told is None or str(answer.status_code) in told["responses"] or answer.status_code in {405, 408}
            return
        if told is None:
            return
        media = answer.headers["content-type"].partition(";")[0]
        form = told["responses"][str(answer.status_code)]["content"][media]["schema"]
        self._hold(form, answer.json() if media == "application/json" else answer.text)

    def _hold(self, form, said):
        """Against the description itself, as any reader of it would."""
        key = json.dumps(form)
        if key not in self._forms:
            whole = {**form, "components": self.spec["components"]}
            self._forms[key] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
        faults = [f"{fault.instance_path}: {fault.message}" for fault in self._forms[key].iter_errors(said)]
        assert faults == [], form


class Client(httpx2.Client):
    """A caller with a token."""

    def __init__(self, url, promised, token=None, **options):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        # Nothing here is encrypted; reading the machine's certificates for each client would take a tenth of a second.
        super().__init__(base_url=url, headers=headers, timeout=60, trust_env=False, verify=False, **options)
        self.promised = promised

    def request(self, method, url, **options):
        answer = super().request(method, url, **options)
        self.promised.check(method, answer.request.url.path, answer)
        return answer

    def ok(self, method, url, body=None, **query):
        answer = self.request(method, url, json=body, params=query)
        assert answer.status_code in {200, 202}, answer.text
        return answer.json()

    def say(self, text, space="default", **words):
        (decision,) = self.ok("POST", "/v1/memories", {"text": text, **words}, space=space)["decisions"]
        return decision


class Place:
    """A running server, its memory, and callers of every role."""

    def __init__(self, url, app, memory, tokens):
        self.url, self.app, self.memory, self.tokens = url, app, memory, tokens
        self.promised = Promised.by(app)
        self._clients = []

    def token(self, role="admin", spaces=None, **words):
        return self.tokens.issue("test", role, spaces=spaces, **words)

    def client(self, token=None, **options):
        made = Client(self.url, self.promised, token, **options)
        self._clients.append(made)
        return made

    def role(self, role="admin", spaces=None, **words):
        return self.client(self.token(role, spaces, **words))

    def close(self):
        for client in self._clients:
            client.close()


@contextmanager
def opened(path, embedder, *, worker=False, clock=None, **options):
    with Memory.open(path, embedder=embedder, worker=worker, clock=clock) as memory:
        tokens = Tokens(f"{path}.access")
        app = build_app(memory, tokens, Options(**options))
        try:
            with listening(app) as url:
                place = Place(url, app, memory, tokens)
                try:
                    yield place
                finally:
                    place.close()
            assert memory.check_invariants() == []
        finally:
            tokens.close()


@pytest.fixture
def place(tmp_path, embedder):
    with opened(tmp_path / "memory.db", embedder) as held:
        yield held


@pytest.fixture
def admin(place):
    return place.role("admin")


def text_of(answer):
    """All that an answer says, headers included."""
    return json.dumps(dict(answer.headers)) + answer.text
