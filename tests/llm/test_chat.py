"""Does a chat say what it must, no more, and within its time, whatever the server does?"""

import contextlib
import logging
import socket
import subprocess
import sys
import threading
import time
import traceback

import pytest

from stilltrue.errors import InvalidInputError, ModelError, UnusableReplyError
from stilltrue.inference.chat import LARGEST_REPLY, OpenAIChat, base_url
from stilltrue.ports import Reply
from tests.llm.server import RETRY_AFTER, Asked, Fault, Say, ScriptedServer, instance

SCHEMA = {
    "type": "object",
    "properties": {
        "votes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "relation": {"type": "string", "enum": ["NONE", "UPDATE"]}},
                "required": ["id", "relation"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["votes"],
    "additionalProperties": False,
}
KEY = "sk-a-key-nobody-may-see"
MEMORY = "Ada's locker opens with 4711-0815"


def chat_with(server, **how):
    return OpenAIChat(**{"model": "scripted", "url": server.url, "timeout": 5.0, "retries": 0} | how)


def ask(chat):
    return chat.complete("Judge.", MEMORY, SCHEMA)


def failure(chat):
    with pytest.raises(ModelError) as caught:
        ask(chat)
    return str(caught.value)


class TestOneRequest:
    def test_C3_the_answer_and_its_price_come_back(self, server):
        server.play(Say('{"votes": []}', tokens=(100, 23)))
        assert ask(chat_with(server)) == Reply('{"votes": []}', 123)

    def test_a_server_that_does_not_count_costs_nothing_known(self, server):
        server.play(Say("{}", tokens=None))
        assert ask(chat_with(server)) == Reply("{}", 0)

    def test_B7_temperature_is_0_and_the_schema_strict(self, server):
        ask(chat_with(server))
        [asked] = server.completions
        assert asked.path == "/v1/chat/completions"
        assert asked.body["model"] == "scripted"
        assert asked.body["temperature"] == 0
        assert asked.body["response_format"]["type"] == "json_schema"
        assert asked.body["response_format"]["json_schema"]["strict"] is True
        assert asked.schema == SCHEMA
        assert (asked.system, asked.user) == ("Judge.", MEMORY)

    def test_requests_side_by_side_are_no_more_than_allowed(self, server):
        under_way, most, lock = [0], [0], threading.Lock()

        def slowly(asked):
            with lock:
                under_way[0] += 1
                most[0] = max(most[0], under_way[0])
            time.sleep(0.05)
            with lock:
                under_way[0] -= 1
            return "{}"

        server.play(slowly)
        chat = chat_with(server, concurrency=2)
        threads = [threading.Thread(target=ask, args=(chat,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.completions) == 8
        assert most[0] == 2


class TestForms:
    """A server that cannot do a strict schema is asked for less, once, and that is remembered."""

    @staticmethod
    def taking(*forms):
        def answer(asked):
            form = asked.body.get("response_format", {}).get("type", "free")
            if form in forms:
                return "{}"
            return Say(status=400, body=b'{"error": {"message": "response_format.type %s?"}}' % form.encode())

        return answer

    @pytest.mark.parametrize(
        ("takes", "form", "requests"), [("json_schema", "schema", 1), ("json_object", "json", 2), ("free", "free", 3)]
    )
    def test_the_next_gentler_form_is_tried_and_remembered(self, server, takes, form, requests):
        server.play(self.taking(takes))
        chat = chat_with(server)
        ask(chat)
        assert (chat.form, len(server.completions)) == (form, requests)
        ask(chat)
        assert len(server.completions) == requests + 1

    def test_without_a_schema_in_the_request_the_system_text_carries_it(self, server):
        server.play(self.taking("json_object"))
        ask(chat_with(server))
        first, second = server.completions
        assert "JSON" not in first.system
        assert '"enum":["NONE","UPDATE"]' in second.system

    def test_a_model_with_a_fixed_temperature_is_asked_without_one(self, server):
        server.play(lambda asked: Say(status=400, body=b"temperature: only 1") if "temperature" in asked.body else "{}")
        chat = chat_with(server)
        assert ask(chat).text == "{}"
        assert chat.form == "schema"

    def test_any_other_refusal_is_final_and_changes_nothing(self, server):
        server.play(Say(status=400, body=b'{"error": {"message": "too long"}}'))
        chat = chat_with(server, retries=3)
        assert "did not accept the request (400)" in failure(chat)
        assert (len(server.completions), chat.form) == (1, "schema")

    def test_a_server_that_refuses_every_form_is_given_up(self, server):
        server.play(self.taking())
        assert "(400)" in failure(chat_with(server))
        assert len(server.completions) == 3


FOR_THE_READER = {Fault.BROKEN_JSON, Fault.OTHER_SCHEMA, Fault.WRONG_IDS, Fault.OUT_OF_ENUM, Fault.INJECTED}
"""Sound in the protocol: what the text says is checked by who asked (tests of the replies)."""

SAYS = {
    Fault.SLOW: "did not answer within 0.3 s; raise llm_timeout_seconds",
    Fault.CUT_BEFORE: "broke the connection off",
    Fault.CUT_WITHIN: "broke the connection off",
    Fault.GARBAGE: "broke the connection off",
    Fault.EMPTY: "sent an empty answer",
    Fault.REFUSAL: "refused to answer",
    Fault.CUT_SHORT: "stopped at its token limit",
    Fault.TOO_MANY: "takes no more requests for now (429)",
    Fault.FAILING: "failed (500)",
}


class TestFaults:
    def test_there_are_fourteen(self):
        assert len(Fault) == 14
        assert {*SAYS} | FOR_THE_READER == {*Fault}

    @pytest.mark.parametrize("fault", SAYS, ids=lambda fault: fault.name)
    @pytest.mark.alone
    def test_a_failure_names_the_server_and_the_remedy(self, server, fault):
        server.play(fault)
        started = time.monotonic()
        said = failure(chat_with(server, timeout=0.3 if fault is Fault.SLOW else 5.0))
        assert said.startswith(f"The language model at 127.0.0.1:{server.port} {SAYS[fault]}")
        assert ";" in said or "log" in said
        assert time.monotonic() - started < 2

    @pytest.mark.parametrize("fault", sorted(FOR_THE_READER), ids=lambda fault: fault.name)
    def test_what_is_sound_in_the_protocol_is_handed_on_untouched(self, server, fault):
        server.play(fault)
        assert ask(chat_with(server)).text

    @pytest.mark.parametrize("fault", [Fault.CUT_BEFORE, Fault.CUT_WITHIN, Fault.GARBAGE, Fault.FAILING])
    def test_what_may_pass_is_tried_again(self, server, fault):
        server.play(fault, fault, otherwise="{}")
        assert ask(chat_with(server, retries=2)).text == "{}"
        assert len(server.completions) == 3

    @pytest.mark.parametrize("fault", [Fault.REFUSAL, Fault.EMPTY, Fault.CUT_SHORT])
    def test_what_will_not_pass_is_not(self, server, fault):
        server.play(fault)
        with pytest.raises(UnusableReplyError):
            ask(chat_with(server, retries=3))
        assert len(server.completions) == 1

    def test_repetitions_are_bounded(self, server):
        server.play(Fault.FAILING)
        failure(chat_with(server, retries=2))
        assert len(server.completions) == 3

    def test_retry_after_is_honoured(self, server):
        server.play(Say(status=429, headers={"Retry-After": "1"}, body=b"{}"), otherwise="{}")
        started = time.monotonic()
        ask(chat_with(server, retries=1))
        assert time.monotonic() - started >= 1.0

    @pytest.mark.alone
    def test_but_never_beyond_the_time_limit(self, server):
        server.play(Fault.TOO_MANY)
        started = time.monotonic()
        failure(chat_with(server, retries=3, timeout=2.0))
        assert time.monotonic() - started < 1 < RETRY_AFTER
        assert len(server.completions) == 1

    def test_a_server_that_is_down_is_told_from_one_that_fails(self, server):
        server.close()
        assert "cannot be reached; start it" in failure(chat_with(server))

    @pytest.mark.parametrize(
        ("status", "says"), [(401, "did not accept the key (401)"), (403, "(403)"), (404, "knows no model 'scripted'")]
    )
    def test_what_is_set_wrongly_is_said(self, server, status, says):
        server.play(Say(status=status, body=b"{}"))
        assert says in failure(chat_with(server, key=KEY))

    @pytest.mark.parametrize(
        "body", [b"", b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": null}]}', b"[" * 100_000]
    )
    def test_a_body_that_is_no_chat_completion_is_no_answer(self, server, body):
        server.play(Say(body=body))
        assert "no chat completion" in failure(chat_with(server))

    def test_a_reply_without_end_is_cut(self, server):
        server.play(Say(body=b"x" * (LARGEST_REPLY + 1)))
        assert "sent more than" in failure(chat_with(server))

    @pytest.mark.alone
    def test_a_server_that_sends_a_byte_now_and_then_holds_nobody(self, server):
        """The time limit of a read starts anew with every byte; ours does not."""

        def dripping(connection):
            for _ in range(40):
                connection.sendall(b"x")
                if server.closed.wait(0.05):
                    return

        with Raw(dripping) as raw:
            started = time.monotonic()
            assert "did not answer within 0.3 s" in failure(
                OpenAIChat(model="m", url=raw.url, timeout=0.3, retries=3, concurrency=1)
            )
            assert time.monotonic() - started < 1

    @pytest.mark.alone
    def test_places_held_by_such_a_server_are_waited_for_no_longer_than_the_limit(self, server):
        server.play(Fault.SLOW)
        chat = chat_with(server, concurrency=1, timeout=0.3)
        threads = [threading.Thread(target=failure, args=(chat,)) for _ in range(3)]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert time.monotonic() - started < 2


class Raw:
    """A listener that does to every connection what a test wants, below HTTP."""

    def __init__(self, does):
        self._does = does
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def _serve(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                with contextlib.suppress(OSError):
                    self._does(connection)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


class TestWhatLeaves:
    def test_the_key_goes_to_the_server_and_nothing_out_of_the_environment(self, server, monkeypatch):
        for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
            monkeypatch.setenv(name, "not-for-others")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Own: not-for-others\nAuthorization: Bearer not-for-others")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/elsewhere")
        ask(chat_with(server, key=KEY))
        [asked] = server.completions
        headers = {name.lower(): value for name, value in asked.headers.items()}
        assert headers["authorization"] == f"Bearer {KEY}"
        assert "not-for-others" not in str(headers)
        assert not [name for name in headers if name.startswith(("x-", "openai"))]

    def test_without_a_key_none_is_sent(self, server, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        ask(chat_with(server))
        [asked] = server.completions
        assert "authorization" not in {name.lower() for name in asked.headers}

    def test_no_proxy_of_the_environment_is_used(self, server, monkeypatch):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:1")
        assert ask(chat_with(server)).text == "{}"

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_a_redirect_is_not_followed(self, server, status):
        with ScriptedServer() as other:
            server.play(Say(status=status, headers={"Location": f"{other.url}/chat/completions"}, body=b""))
            assert "wants to send us elsewhere" in failure(chat_with(server, key=KEY))
            assert other.asked == []

    @pytest.mark.parametrize("fault", [*Fault], ids=lambda fault: fault.name)
    def test_no_key_and_no_memory_is_logged_or_told(self, server, caplog, fault):
        caplog.set_level(logging.DEBUG)
        echo = Say(status=400, body=f'{{"error": {{"message": "{MEMORY} {KEY}"}}}}'.encode())
        chat = chat_with(server, key=KEY, timeout=0.4, retries=1)
        told = [repr(chat)]
        for item in (fault, echo):
            server.play(item)
            try:
                ask(chat)
            except ModelError as error:
                told += [*traceback.format_exception(error), repr(error.__context__)]
        assert caplog.records or fault is Fault.SLOW
        seen = caplog.text + "".join(told)
        assert KEY not in seen
        assert MEMORY not in seen
        assert "4711-0815" not in seen

    @pytest.mark.parametrize(
        "code", ["import stilltrue", "import stilltrue.faces.cli", "import stilltrue.inference.chat"]
    )
    def test_nothing_of_it_is_loaded_before_the_first_request(self, code):
        shown = "import sys; print([n for n in ('openai', 'httpx2', 'pydantic') if n in sys.modules])"
        done = subprocess.run([sys.executable, "-c", f"{code}\n{shown}"], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"


class TestSettingUp:
    @pytest.mark.parametrize(
        "told",
        [
            "",
            "on",
            "ftp://x/v1",
            "http://",
            "http:///v1",
            "127.0.0.1:8080",
            "http://[::1",
            "http://h:99999/v1",
            "https:",
        ],
    )
    def test_what_is_no_address_is_refused_with_the_remedy(self, told):
        with pytest.raises(InvalidInputError, match=r"give off, openai, or a base URL"):
            base_url(told)

    @pytest.mark.parametrize("told", [f"http://u:{KEY}@h/v1", f"https://h/v1?key={KEY}", f"https://h/v1#{KEY}"])
    def test_a_key_in_the_address_is_refused_and_not_repeated(self, told):
        with pytest.raises(InvalidInputError, match="STILLTRUE_LLM_API_KEY") as caught:
            base_url(told)
        assert KEY not in str(caught.value)

    @pytest.mark.parametrize("key", ["two\nlines", "a b", "schlüssel", "tab\t"])
    def test_a_key_that_cannot_stand_in_a_header_is_refused_and_not_repeated(self, key):
        with pytest.raises(InvalidInputError) as caught:
            OpenAIChat(model="m", url="http://h", key=key)
        assert key not in str(caught.value)

    def test_a_missing_package_is_named_with_the_remedy(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "openai", None)
        with pytest.raises(ModelError, match=r"pip install 'stilltrue\[llm\]'"):
            OpenAIChat(model="m", url="http://h")

    def test_a_missing_model_name_is_told(self):
        with pytest.raises(InvalidInputError, match="llm_model"):
            OpenAIChat(model=" ", url="http://h")


ASKED = Asked("/v1/chat/completions", {}, {"messages": [{"role": "user", "content": '{"id": "p1"}'}]})
IDS = {"type": "object", "properties": {"id": {"type": "string", "enum": ["p1"]}, "relation": {"enum": ["NONE"]}}}


class TestTheServer:
    """The server of these tests: what its faults make of a schema with ids."""

    def test_an_instance_is_about_what_was_asked_unless_it_is_to_be_wrong(self):
        assert instance(ASKED, IDS) == {"id": "p1", "relation": "NONE"}
        assert instance(ASKED, IDS, ids=False) == {"id": "nobody-asked", "relation": "NONE"}
        assert instance(ASKED, IDS, words=False) == {"id": "p1", "relation": "PROBABLY"}
