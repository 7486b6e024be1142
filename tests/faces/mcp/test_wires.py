"""Do both wires hold: what was answered is durable, nobody disturbs another, the end leaves nothing behind?"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import product
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest

from stilltrue import Memory
from stilltrue.faces.http.access import Tokens, beside
from tests.faces.mcp.clients import BARE, command, over_http, over_socket, over_stdio, sound, talk, text_of

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
ACCEPTS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def raw_child(db):
    """A server spoken to line by line, so that it can be killed between one line and the next."""
    return subprocess.Popen(
        command(db), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def exchange(child, number, method, params):
    child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())["result"]


def say(text, *, wait=False):
    return {"name": "add_memory", "arguments": {"text": text, "wait": wait}}


def test_B13_over_stdio_what_was_answered_before_judging_survives_kill_9(db):
    child = raw_child(db)
    try:
        exchange(child, 1, "initialize", HELLO)
        answers = [exchange(child, n, "tools/call", say(f"Mara has {n} cats in Porto.")) for n in range(2, 6)]
    finally:
        child.kill()
        child.communicate()
    made = [decision for answer in answers for decision in answer["structuredContent"]["decisions"]]
    assert {one["action"] for one in made} == {"ACCEPT"}
    sound(db)
    with Memory.open(db) as memory:
        for one in made:
            assert memory.history(one["fact_id"]).fact.text == one["text"]
        memory.drain()
        assert memory.stats().counts["jobs"] == 0
        assert len(memory.lookup("Mara")) == 1


def test_B13_over_http_what_was_answered_before_judging_survives_kill_9(db):
    async def conversation(served):
        async with served.client(served.token("writer")) as client:
            answer = await client.call_tool("add_memory", {"text": "Mara lives in Porto.", "wait": False})
            served.process.kill()
            return answer.structured_content["decisions"][0]

    with over_http(db) as served:
        made = talk(lambda: conversation(served))
    with Memory.open(db) as memory:
        assert memory.history(made["fact_id"]).fact.text == "Mara lives in Porto."


def test_B13_what_waits_is_judged_by_the_server_itself(db):
    async def conversation():
        async with over_stdio(db) as client:
            for text in ("Mara lives in Porto.", "Mara moved to Lisbon."):
                await client.call_tool("add_memory", {"text": text, "wait": False})
            with anyio.fail_after(30):
                while True:
                    found = await client.call_tool("get_memories", {"subject": "Mara"})
                    if len(found.structured_content["results"]) == 1:
                        return found.structured_content["results"][0]["text"]
                    await anyio.sleep(0.1)

    assert talk(conversation) == "Mara moved to Lisbon."


def test_two_clients_at_once_lose_nothing(db):
    async def tell(client, name):
        for number in range(5):
            answer = await client.call_tool("add_memory", {"text": f"Box {number} of {name} holds {number} apples."})
            assert not answer.is_error, text_of(answer)

    async def conversation(served):
        async with (
            over_stdio(db) as one,
            over_stdio(db) as two,
            served.client() as three,
            served.client() as four,
            anyio.create_task_group() as group,
        ):
            for client, name in ((one, "Ana"), (two, "Ben"), (three, "Cleo"), (four, "Dan")):
                group.start_soon(tell, client, name)

    with over_http(db) as served:
        talk(lambda: conversation(served))
    with Memory.open(db) as memory:
        texts = {row.text for row in memory.search("box apples", limit=100).results}
        assert {
            f"Box {n} of {name} holds {n} apples." for n, name in product(range(5), ("Ana", "Ben", "Cleo", "Dan"))
        } <= texts


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_C1_agents_of_this_and_of_earlier_protocols_are_served_by_both_wires(db, mode):
    async def conversation(served):
        async with over_stdio(db, mode=mode) as one, served.client(mode=mode) as two:
            told = [await client.call_tool("search_memories", {"query": "deploy"}) for client in (one, two)]
            for client in (one, two):
                assert client.server_info.name == "stilltrue"
            return [answer.structured_content["results"][0]["text"] for answer in told]

    with over_socket(db) as served:
        assert len(set(talk(lambda: conversation(served)))) == 1


def test_the_end_of_a_conversation_is_the_end_of_the_server_and_it_ends_in_silence(db, tmp_path):
    log = tmp_path / "log"
    with log.open("w") as errors:
        child = subprocess.Popen(command(db), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        exchange(child, 1, "initialize", HELLO)
        exchange(child, 2, "tools/call", say("Mara lives in Porto.", wait=True))
        born = subprocess.run(["ps", "--ppid", str(child.pid), "-o", "pid="], capture_output=True, check=False)
        child.stdin.close()
        assert child.wait(20) == 0
        assert child.stdout.read() == ""
        child.stdout.close()
    assert born.stdout.split() == []
    assert log.read_text("utf-8") == ""


def test_asked_to_end_the_http_server_ends_by_itself(db):
    with over_http(db) as served:
        talk(lambda: _once(served))
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(20) == 130
    assert not alive(served.process.pid)


async def _once(served):
    async with served.client() as client:
        assert not (await client.call_tool("list_conflicts")).is_error


def test_interrupted_at_a_terminal_the_stdio_server_does_not_hang(db):
    child = raw_child(db)
    exchange(child, 1, "initialize", HELLO)
    child.send_signal(signal.SIGINT)
    assert child.wait(20) != 0
    child.communicate()


# Who comes in over HTTP


def post(url, headers, method="tools/list", params=None):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    return httpx2.post(url, headers={**ACCEPTS, **headers}, content=json.dumps(message), timeout=30, **BARE)


def test_nobody_comes_in_without_a_good_token_for_this_space(db):
    with over_socket(db) as served:
        good, other = served.token(), served.token(spaces=["other"])
        soon = served.token(expires_at=datetime.now(UTC) + timedelta(seconds=0.5))
        revoked = served.token()
        with closing(Tokens(beside(db))) as tokens:
            tokens.revoke(revoked.split("_")[1])
        time.sleep(0.6)
        bad = {
            "none": {},
            "wrong": {"Authorization": f"Bearer {good[:-1]}{'a' if good[-1] != 'a' else 'b'}"},
            "no token at all": {"Authorization": "Bearer x"},
            "another scheme": {"Authorization": f"Basic {good}"},
            "of another space": {"Authorization": f"Bearer {other}"},
            "expired": {"Authorization": f"Bearer {soon}"},
            "revoked": {"Authorization": f"Bearer {revoked}"},
            "in a cookie": {"Cookie": f"token={good}"},
        }
        for case, headers in bad.items():
            for method in ("initialize", "tools/list", "tools/call", "resources/read"):
                answer = post(served.url, headers, method, HELLO if method == "initialize" else None)
                assert answer.status_code == 401, (case, method)
                assert "Fridays" not in answer.text
        for verb in (httpx2.get, httpx2.delete):
            assert verb(served.url, headers=ACCEPTS, timeout=30, **BARE).status_code == 401
        assert post(f"{served.url}?token={good}", {}).status_code == 401
        assert post(served.url, {"Authorization": f"Bearer {good}"}, "initialize", HELLO).status_code == 200


def test_a_token_revoked_in_the_middle_of_a_conversation_opens_nothing_more(db):
    async def conversation(served):
        token = served.token()
        async with served.client(token) as client:
            assert not (await client.call_tool("list_conflicts")).is_error
            with closing(Tokens(beside(db))) as tokens:
                tokens.revoke(token.split("_")[1])
            with pytest.raises(Exception, match="error response"):
                await client.call_tool("list_conflicts")

    with over_socket(db) as served:
        talk(lambda: conversation(served))


ALLOWED = {
    "reader": {"search_memories"},
    "writer": {"search_memories", "add_memory"},
    "reviewer": {"search_memories", "add_memory", "delete_memory"},
}


@pytest.mark.parametrize("role", ALLOWED)
def test_a_token_may_do_what_its_role_says_and_no_more(db, rule, role):
    tries = {
        "search_memories": {"query": "deploy"},
        "add_memory": {"text": "Mara lives in Porto."},
        "delete_memory": {"memory_id": rule.id},
    }

    async def conversation(served):
        async with served.client(served.token(role)) as client:
            answers = {name: await client.call_tool(name, arguments) for name, arguments in tries.items()}
            refused = [text_of(answer) for answer in answers.values() if answer.is_error]
            assert all(f"the token has {role}" in sentence for sentence in refused)
            return {name for name, answer in answers.items() if not answer.is_error}

    with over_socket(db) as served:
        assert talk(lambda: conversation(served)) == ALLOWED[role]
    with Memory.open(db) as memory:
        assert (memory.history(rule.id).fact.status == "active") == (role != "reviewer")


def test_D9_a_group_space_lets_its_members_in_and_nobody_else(db):
    with Memory.open(db, space="team") as memory:
        memory.set_members(["mara", "joe"])

    async def conversation(served):
        async with served.client(served.token(spaces=["team"], member="joe")) as client:
            assert not (await client.call_tool("add_memory", {"text": "Joe prefers tea."})).is_error
        async with served.client(served.token(spaces=["team"], member="zoe")) as client:
            answer = await client.call_tool("search_memories", {"query": "tea"})
            assert answer.is_error
            assert "is a group's" in text_of(answer)

    with over_http(db, "--space", "team", "--as", "mara") as served:
        talk(lambda: conversation(served))


HOSTS = ("evil.example", "127.0.0.1.evil.example:{port}", "127.0.0.1", "localhost:1", "[::1]:{port}", "0.0.0.0:{port}")
ORIGINS = (
    "http://evil.example",
    "null",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1:1",
    "http://localhost.evil.example:{port}",
    "file://",
)


def test_pages_of_other_origins_and_rebound_names_are_turned_away(db):
    with over_socket(db) as served:
        port = urlsplit(served.url).port
        token = {"Authorization": f"Bearer {served.token()}"}
        here = [f"127.0.0.1:{port}", f"localhost:{port}"]
        for host in here:
            for origin in (None, *(f"http://{name}" for name in here)):
                headers = {"Host": host, **({"Origin": origin} if origin else {})}
                answer = post(served.url, {**token, **headers}, "initialize", HELLO)
                assert answer.status_code == 200, headers
        strangers = [(host.format(port=port), None) for host in HOSTS]
        strangers += [(here[0], origin.format(port=port)) for origin in ORIGINS]
        strangers += [(host.format(port=port), origin.format(port=port)) for host, origin in product(HOSTS, ORIGINS)]
        for host, origin in strangers:
            headers = {"Host": host, **({"Origin": origin} if origin else {})}
            answer = post(served.url, {**token, **headers}, "initialize", HELLO)
            assert answer.status_code in {403, 421}, headers
            assert "access-control-allow-origin" not in answer.headers


def test_a_body_beyond_reason_is_refused(db):
    with over_socket(db) as served:
        headers = {**ACCEPTS, "Authorization": f"Bearer {served.token()}"}
        assert httpx2.post(served.url, headers=headers, content=b"x" * 5_000_000, timeout=30, **BARE).status_code == 413
        assert post(served.url, {**headers, "Content-Type": "text/plain"}).status_code == 400


# The command


def ran(*words, code=None, **keywords):
    program = [sys.executable, *(["-c", code] if code else ["-m", "stilltrue"]), *map(str, words)]
    return subprocess.run(
        program, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL, **keywords
    )


def test_there_is_no_default_secret(tmp_path):
    told = ran("--db", tmp_path / "memory.db", "mcp", "--http", "--port", "0")
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
    assert "token new" in told.stderr
    assert list(tmp_path.iterdir()) == []
    with closing(Tokens(beside(tmp_path / "memory.db"))) as tokens:
        tokens.issue("somebody", "admin", spaces=["other"])
    told = ran("--db", tmp_path / "memory.db", "mcp", "--http", "--port", "0")
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "memory.db").exists()
    assert ran("--db", ":memory:", "mcp", "--http").returncode == 2


def test_a_port_that_is_taken_is_named(db):
    with over_http(db) as served:
        told = ran("--db", db, "mcp", "--http", "--port", urlsplit(served.url).port)
        assert told.returncode == 2
        assert f"127.0.0.1:{urlsplit(served.url).port} cannot be listened on" in told.stderr
        assert "--port" in told.stderr


def test_without_the_extra_one_line_names_the_remedy(tmp_path):
    code = "import sys; sys.modules['mcp'] = None; from stilltrue.faces.cli import main; main(sys.argv[1:])"
    told = ran("--db", tmp_path / "memory.db", "mcp", code=code)
    assert told.returncode == 2
    assert told.stderr == "error: agents are served through the package mcp: pip install 'stilltrue[mcp]'\n"
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize("arguments", [["--help"], ["mcp", "--help"], []])
def test_help_and_import_do_not_load_the_protocol(arguments):
    code = (
        "import sys, stilltrue\nfrom stilltrue.faces.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)\n"
    )
    told = ran(*arguments, code=code)
    loaded = set(told.stderr.split())
    assert "stilltrue" in loaded
    assert not {"mcp", "mcp_types", "starlette", "uvicorn", "anyio"} & loaded


def test_a_new_memory_begins_where_an_agent_is_first_connected(tmp_path):
    path = tmp_path / "new.db"

    async def conversation():
        async with over_stdio(path) as client:
            answer = await client.call_tool("search_memories", {"query": "anything"})
            assert answer.structured_content["results"] == []

    talk(conversation)
    sound(path)
