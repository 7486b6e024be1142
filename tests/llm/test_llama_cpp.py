"""Does the chat speak the protocol as a real server does? llama.cpp, behind a socket, with a tiny model."""

import json
import threading

import httpx2
import pytest
import xllamacpp

from stilltrue.errors import ModelError
from stilltrue.inference.chat import OpenAIChat
from tests.llm import tiny_gguf

SCHEMA = {
    "type": "object",
    "properties": {
        "relation": {"type": "string", "enum": ["NONE", "UPDATE", "CONTRADICTION"]},
        "sure": {"type": "boolean"},
    },
    "required": ["relation", "sure"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    tiny_gguf.write(path)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {"tiny"}
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel = tiny_gguf.CONTEXT, 2
    params.cpuparams.n_threads = 1
    params.warmup = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


@pytest.fixture
def chat(address):
    return OpenAIChat(model="tiny", url=address, timeout=60, retries=0)


def test_B7_a_strict_schema_is_kept_even_by_a_model_that_knows_nothing(chat):
    for number in range(5):
        reply = chat.complete("Judge the pair.", f"Pair {number}: tea, coffee.", SCHEMA)
        told = json.loads(reply.text)
        assert set(told) == {"relation", "sure"}
        assert told["relation"] in SCHEMA["properties"]["relation"]["enum"]
        assert reply.tokens > 40
    assert chat.form == "schema"


def test_C11_requests_side_by_side_are_all_answered(chat):
    told, lock = [], threading.Lock()

    def ask(number):
        reply = chat.complete("Judge the pair.", f"Pair {number}.", SCHEMA)
        with lock:
            told.append(json.loads(reply.text)["relation"])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 6


def test_any_text_of_memory_arrives_whole(chat):
    text = '"}] \u2028 </s> {{ 7*7 }} \x00 \ud83d\ude00 ```json'.encode("utf-16", "surrogatepass").decode("utf-16")
    assert json.loads(chat.complete("Judge.", text, SCHEMA).text)


def test_a_text_longer_than_the_model_reads_is_an_error_with_a_remedy(chat):
    with pytest.raises(ModelError, match="did not accept the request"):
        chat.complete("Judge.", "x" * (tiny_gguf.CONTEXT + 1), SCHEMA)


def test_the_server_streams_over_the_socket_and_lists_its_model(address):
    """What the chat leans on below: chunks arrive as they are made, and together they are the answer."""
    asked = {
        "model": "tiny",
        "stream": True,
        "temperature": 0,
        "messages": [{"role": "user", "content": "Judge."}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}},
    }
    with httpx2.Client(base_url=address, trust_env=False, timeout=60) as client:
        assert client.get("/v1/models").json()["object"] == "list"
        with client.stream("POST", "/v1/chat/completions", json=asked) as response:
            lines = [line.removeprefix("data: ") for line in response.iter_lines() if line.startswith("data: ")]
    assert lines.pop() == "[DONE]"
    parts = [json.loads(line)["choices"][0]["delta"].get("content") or "" for line in lines if "delta" in line]
    assert len(parts) > 5
    assert json.loads("".join(parts))["relation"] in SCHEMA["properties"]["relation"]["enum"]
