"""Does the program itself serve, as a child process on a socket of its own, and is what it said is durable durable?"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx2
import pytest

from stilltrue import Memory
from stilltrue.faces.http.access import Tokens

CODE = "import sys; from stilltrue.faces.cli import main; main(sys.argv[1:])"


def stilltrue(*words, db, **options):
    return subprocess.run(
        [sys.executable, "-c", CODE, "--db", str(db), *words], capture_output=True, text=True, check=False, **options
    )


@contextmanager
def served(db, *words):
    """A child process that serves; its address."""
    command = [sys.executable, "-c", CODE, "--db", str(db), "serve", "--port", "0", "--json", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            line = child.stdout.readline()
            assert line, child.stderr.read()
            yield child, json.loads(line)["url"]
        finally:
            child.kill()


@pytest.fixture
def token(db):
    tokens = Tokens(f"{db}.access")
    yield tokens.issue("test", "admin", spaces=None)
    tokens.close()


def caller(url, token):
    return httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, trust_env=False, verify=False)


def test_B13_what_was_answered_without_waiting_survives_a_kill(db, token, embedder):
    """SIGKILL right behind each answer; the next server has every fact, and judges it."""
    kept = []
    for number, city in enumerate(("Porto", "Lisbon", "Faro")):
        with served(db, "--no-worker") as (child, url), caller(url, token) as client:
            body = {"text": f"Mara lives in {city}.", "said_at": f"2025-0{number + 1}-01", "wait": False}
            body |= {"subject": "mara", "attribute": "residence", "value": city}
            answer = client.post("/v1/memories", json=body, headers={"Idempotency-Key": city})
            child.send_signal(signal.SIGKILL)
            assert answer.status_code == 202
            kept.append((answer.json()["decisions"][0]["fact_id"], city, body))
            assert child.wait(30) == -signal.SIGKILL
    with served(db) as (child, url), caller(url, token) as client:
        for fact_id, city, body in kept:
            assert client.get(f"/v1/facts/{fact_id}").json()["fact"]["value"] == city
            again = client.post("/v1/memories", json=body, headers={"Idempotency-Key": city})
            assert (again.status_code, again.json()["decisions"][0]["fact_id"]) == (202, fact_id)
        ends = time.monotonic() + 60
        while len(found := client.get("/v1/lookup", params={"subject": "mara"}).json()["results"]) > 1:
            assert time.monotonic() < ends, found
            time.sleep(0.2)
        assert [fact["value"] for fact in found] == ["Faro"]
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) in {0, -signal.SIGTERM, 143}
    with Memory.open(db, embedder=embedder) as memory:
        assert memory.stats().counts["episodes"] == 3
        assert memory.check_invariants() == []


def test_B13_the_server_ends_with_ctrl_c_and_leaves_no_process(db, token):
    with served(db) as (child, url), caller(url, token) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 130
        assert "Traceback" not in child.stderr.read()


def test_B13_nothing_is_served_without_a_token(db):
    for _ in range(2):
        refused = stilltrue("serve", "--port", "0", db=db)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "stilltrue token new" in refused.stderr
        assert not db.exists()
        ended = stilltrue("token", "new", "old", "--json", db=db)
        revoked = stilltrue("token", "revoke", json.loads(ended.stdout)["id"], db=db)
        assert revoked.returncode == 0


def test_B13_a_port_that_is_taken_is_said_in_one_line(db, token):
    with served(db) as (_, url):
        refused = stilltrue("serve", "--port", url.rpartition(":")[2], db=db)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "choose another --port" in refused.stderr


def test_D9_tokens_by_command(ok, run, db):
    made = ok("token", "new", "laptop", "--role", "writer", "--days", "2", "--json").json
    (other,) = ok("token", "new", "all", "--all-spaces").lines
    tokens = Tokens(f"{db}.access")
    try:
        assert tokens.caller(made["token"]).spaces == {"default"}
        assert tokens.caller(other).spaces is None
        listed = ok("token", "list", "--json")
        assert {one["name"]: one["role"] for one in listed.json["tokens"]} == {"laptop": "writer", "all": "reader"}
        assert not {"salt", "hash", "token"} & set(listed.json["tokens"][0])
        ok("token", "revoke", made["id"])
        assert sum("revoked" in line for line in ok("token", "list").lines) == 1
        with pytest.raises(Exception, match="does not open"):
            tokens.caller(made["token"])
    finally:
        tokens.close()
    assert "there is no token" in run("token", "revoke", "ffffffff").err
    assert "tokens cannot lie beside it" in run("token", "list", before=["--db", ":memory:"]).err
    member = ok("token", "new", "m", "--json", before=["--db", str(db), "--space", "crew", "--as", "mara"]).json
    tokens = Tokens(f"{db}.access")
    known = tokens.caller(member["token"])
    tokens.close()
    assert (known.spaces, known.member) == ({"crew"}, "mara")


def test_D9_tokens_lie_beside_the_users_own_memory(run):
    assert run("token", "new", "mine", before=[]).status == 0
    assert len(run("token", "list", before=[]).lines) == 1


@pytest.mark.parametrize("words", [["--help"], ["serve", "--help"], ["token", "list"], ["stats"]])
def test_C1_the_web_framework_is_loaded_by_serve_alone(db, token, words):
    code = f"{CODE[: -len('main(sys.argv[1:])')]}\ntry:\n  main(sys.argv[1:])\nexcept SystemExit: pass\n"
    heavy = {"fastapi", "starlette", "uvicorn", "prometheus_client"}  # typer itself looks for pydantic
    code += f"print('loaded', sorted({heavy} & set(sys.modules)))"
    told = subprocess.run(
        [sys.executable, "-c", code, "--db", str(db), *words], capture_output=True, text=True, check=True
    )
    assert told.stdout.splitlines()[-1] == "loaded []"


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "prometheus_client"])
def test_C1_a_missing_extra_is_said_in_one_line(db, token, missing):
    code = f"import sys; sys.modules[{missing!r}] = None; {CODE}"
    told = subprocess.run(
        [sys.executable, "-c", code, "--db", str(db), "serve", "--port", "0"],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
    )
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
    assert "pip install 'stilltrue[server]'" in told.stderr


def test_D9_tokens_of_a_memory_on_a_server_lie_where_access_says(ok, run, tmp_path):
    before = ["--db", "postgresql://db.example/agents"]
    assert "--access" in run("token", "list", before=before).err
    ok("token", "new", "laptop", "--access", tmp_path / "who.access", before=before)
    (line,) = ok("token", "list", "--access", tmp_path / "who.access", before=before).lines
    assert "laptop" in line
