"""Does the door let in only what names it, comes from its own pages, and is of bearable size? Are all errors alike?"""

import itertools
import json
import socket

import pytest

from stilltrue.errors import InvalidInputError
from stilltrue.faces.http.guard import DEFAULT_MAX_BODY, Allowed
from tests.faces.http.conftest import opened

OURS = "http://127.0.0.1:{port}"
HOSTS = {
    # what a Host header says, and whether it names this server
    "127.0.0.1:{port}": True,
    "127.0.0.1": True,
    "localhost:{port}": True,
    "LOCALHOST:{port}": True,
    "[::1]:{port}": True,
    "memory.example.org": True,
    "memory.example.org:8443": True,
    "example.org": False,
    "evil.memory.example.org": False,
    "memory.example.org.evil.net": False,
    "localhost.evil.net:{port}": False,
    "127.0.0.1.evil.net": False,
    "localhost@evil.net": False,
    "evil.net#localhost": False,
    "localhost:{port}:80": False,
    "localhost:x": False,
    "127.0.0.2:{port}": False,
    "0.0.0.0:{port}": False,
    "[::]:{port}": False,
    "2130706433": False,
    "localhost.": False,
    "": False,
}
ORIGINS = {
    # what an Origin header says; None: there is none; "same": the page is the server's own
    None: True,
    "same": True,
    "https://app.example.org": True,
    "HTTPS://APP.EXAMPLE.ORG": True,
    "https://app.example.org:443": True,
    "https://app.example.org:80": False,
    "http://app.example.org": False,
    "https://app.example.org:8443": False,
    "https://evil.app.example.org": False,
    "https://app.example.org.evil.net": False,
    "http://localhost:1": False,
    "http://localhost": False,
    "null": False,
    "": False,
    "file://": False,
    "https://evil.net": False,
    "chrome-extension://abcdefg": False,
}


@pytest.fixture(scope="module")
def place(tmp_path_factory, embedder):
    folder = tmp_path_factory.mktemp("door")
    hosts, origins = ("memory.example.org",), ("HTTPS://App.example.org:443/",)
    with opened(folder / "memory.db", embedder, hosts=hosts, origins=origins) as held:
        yield held


def port_of(place):
    return place.url.rpartition(":")[2]


def spoken(place, raw):
    """The status and the whole answer to bytes on the socket."""
    with socket.create_connection(("127.0.0.1", int(port_of(place))), timeout=30) as wire:
        wire.sendall(raw)
        told = b""
        while chunk := wire.recv(65536):
            told += chunk
    return int(told.split(b" ", 2)[1]), told


def test_guard_host_and_origin_pairs(place):
    """22 × 15 pairs; each header alone decides, and both must be fit."""
    token, pairs = place.token("reader"), 0
    for (host, named), (origin, ours) in itertools.product(HOSTS.items(), ORIGINS.items()):
        shown = host.format(port=port_of(place))
        lines = ["GET /v1/whoami HTTP/1.1", f"Host: {shown}", f"Authorization: Bearer {token}", "Connection: close"]
        if origin is not None:
            lines.append(f"Origin: {f'http://{shown}' if origin == 'same' else origin}")
        status, told = spoken(place, "\r\n".join([*lines, "", ""]).encode())
        pairs += 1
        expected = 200 if named and ours else 403 if named else 421
        assert status == expected or (not named and status == 400), (shown, origin, told)
        assert (named and ours) or b'"name"' not in told
    assert pairs >= 160


@pytest.mark.parametrize("path", ["/healthz", "/openapi.json", "/metrics", "/v1/facts", "/nowhere"])
def test_guard_no_address_is_open_to_foreign_hosts_or_pages(place, path):
    client = place.role("admin")
    assert client.get(path, headers={"Host": "evil.net"}).status_code == 421
    assert client.get(path, headers={"Origin": "https://evil.net"}).status_code == 403
    preflight = {"Origin": "https://evil.net", "Access-Control-Request-Method": "POST"}
    assert client.options(path, headers=preflight).status_code == 403


@pytest.mark.parametrize("named", ["*", "null", "app.example.org", "https://app.example.org/page", "https://a:99999"])
def test_guard_what_is_no_origin_cannot_be_allowed(named):
    with pytest.raises(InvalidInputError, match=r"is no origin; write it like https://"):
        Allowed.of(origins=[named])


def test_guard_two_hosts_or_none_are_refused(place):
    for lines in (["Host: localhost", "Host: evil.net"], ["Host: localhost", "Origin: null", "Origin: x"], []):
        status, _ = spoken(place, "\r\n".join(["GET /healthz HTTP/1.1", *lines, "Connection: close", "", ""]).encode())
        assert status in {400, 403, 421}


def test_guard_a_page_on_the_list_may_call_and_is_told_so(place):
    page = {"Origin": "https://app.example.org"}
    asks = {**page, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    preflight = place.client().options("/v1/search", headers=asks)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (200, page["Origin"])
    assert "access-control-allow-credentials" not in preflight.headers
    answer = place.role("reader").get("/v1/facts", headers=page)
    assert answer.headers["access-control-allow-origin"] == page["Origin"]


def test_guard_without_a_list_no_page_is_told_anything(tmp_path, embedder):
    with opened(tmp_path / "memory.db", embedder) as place:
        answer = place.role("reader").get("/v1/facts")
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/healthz", "/v1/facts", "/nowhere", "/openapi.json"])
def test_guard_every_answer_carries_the_headers_that_keep_browsers_from_guessing(place, path):
    headers = place.client().get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_guard_a_request_keeps_its_callers_id_if_it_is_one(place):
    client = place.client()
    assert client.get("/healthz", headers={"X-Request-Id": "abc-1.2_3"}).headers["x-request-id"] == "abc-1.2_3"
    for odd in ("a b", "x" * 65, "<b>", ""):
        made = client.get("/healthz", headers={"X-Request-Id": odd}).headers["x-request-id"]
        assert made != odd
        assert len(made) == 16


def test_guard_bodies_over_the_limit_are_refused_told_or_not(place):
    client = place.role("writer")
    whole = json.dumps({"text": "x" * DEFAULT_MAX_BODY}).encode()
    assert client.post("/v1/memories", content=whole).status_code == 413

    def pieces():
        for start in range(0, len(whole), 65536):
            yield whole[start : start + 65536]

    assert client.post("/v1/memories", content=pieces()).status_code == 413
    for odd in ("-1", "x", "9" * 30):
        head = f"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Length: {odd}\r\nConnection: close\r\n\r\n"
        assert spoken(place, head.encode())[0] in {400, 413}
    assert client.ok("GET", "/v1/facts")["results"] == []


def test_guard_a_body_at_the_limit_comes_in(tmp_path, embedder):
    with opened(tmp_path / "memory.db", embedder, max_body=100) as place:
        client = place.role("writer")
        for length, status in ((100, 200), (101, 413)):
            body = json.dumps({"text": "We use Postgres."})
            body = body[:-1] + " " * (length - len(body)) + "}"
            sent = client.post("/v1/memories", content=body, headers={"Content-Type": "application/json"})
            assert sent.status_code == status


DEEP = "[" * 100_000
ODD_BODIES = {
    "nothing": "",
    "no JSON": "{",
    "deep": DEEP,
    "deep object": '{"text":' * 50_000,
    "half a character": '{"text": "\\ud800"}',
    "half an author": '{"text": "We use tea.", "author": "\\udfff"}',
    "half a key": '{"text": "We use tea.", "\\ud800": 1}',
    "not a number": '{"text": "We use tea.", "importance": NaN}',
    "endless": '{"text": "We use tea.", "importance": Infinity}',
    "long number": '{"text": "We use tea.", "importance": ' + "9" * 5000 + "}",
    "no such word": '{"text": "We use tea.", "colour": "red"}',
    "a list": "[]",
    "a text": '"tea"',
    "null": "null",
    "null character": '{"text": "a\\u0000b"}',
    "wrong type": '{"text": 3}',
    "no text": "{}",
    "both": '{"text": "a", "messages": [{"role": "user", "content": "b"}]}',
    "bad date": '{"text": "We use tea.", "said_at": "soonish"}',
    "backwards": '{"text": "We use tea.", "valid_from": "2025-02-01", "valid_until": "2025-01-01"}',
    "bytes": b"\xff\xfe{}",
}


@pytest.mark.parametrize("name", ODD_BODIES)
def test_C1_what_cannot_be_used_is_a_problem_and_writes_nothing(place, name):
    client = place.role("admin")
    answer = client.post("/v1/memories", content=ODD_BODIES[name], headers={"Content-Type": "application/json"})
    assert answer.status_code in {400, 422}, answer.text
    assert client.ok("GET", "/v1/facts")["results"] == []


@pytest.mark.parametrize(
    "knobs",
    [
        '{"self": 1}',
        '{"min_importance": NaN}',
        '{"min_importance": 1e400}',
        '{"max_candidates": ' + "9" * 40 + "}",
        '{"author_trust": {"ada": "much"}}',
        '{"author_trust": {"ada": NaN}}',
        '{"timezone": "\\ud800"}',
        '{"no_such_knob": 1}',
        "{}",
    ],
)
def test_D11_knobs_that_nothing_can_work_with_are_refused(place, knobs):
    client = place.role("admin")
    body = f'{{"settings": {knobs}}}'
    answer = client.patch("/v1/settings", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in {400, 422}, answer.text
    assert client.ok("GET", "/v1/stats")["changed_settings"] == {}


def test_C1_unknown_addresses_and_methods_are_problems_too(place):
    client = place.role("admin")
    for path in ("/nowhere", "/v1", "/v1/", "/v1/facts/", "/docs", "/v1/%2e%2e/x", "/v2/facts"):
        assert client.get(path, follow_redirects=True).status_code == 404
    refused = client.delete("/v1/facts")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET")


def test_C1_a_fault_of_the_servers_own_says_its_id_and_nothing_else(place, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("secret-detail")

    monkeypatch.setattr("stilltrue.read.stats._changed", broken)
    answer = place.role("reader").get("/v1/stats")
    assert (answer.status_code, "secret-detail" in answer.text) == (500, False)
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_C1_a_store_that_cannot_be_read_is_said_to_be_away(place, monkeypatch):
    from stilltrue.errors import StoreError

    def broken(*_, **__):
        raise StoreError("/home/mara/memory.db is damaged")

    monkeypatch.setattr("stilltrue.read.stats._changed", broken)
    answer = place.role("reader").get("/v1/stats")
    assert (answer.status_code, "mara" in answer.text) == (503, False)
    assert answer.headers["retry-after"]
