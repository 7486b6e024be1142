"""How is a language model asked, so that it can neither hold a write up nor learn more than it must?

Answer: `OpenAIChat` sends one request through the `openai` package (loaded with the first request) to one server that
speaks its protocol, and returns the text, or raises ModelError. One limit of time holds for all of it: waiting for a
free place, connecting, reading, and trying again. The exchange runs in a thread of its own, so that a server that
sends a byte now and then, or a name that cannot be looked up, holds nobody beyond the limit; such a thread keeps its
place until it ends, and there are only so many places.

Left to others: the form of requests and replies (``.chat_protocol``), which headers leave (``.chat_transport``), the
prompts, and what the answer is worth.
"""

from __future__ import annotations

import importlib.util
import random
import threading
import time
import weakref
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from stilltrue.errors import InvalidInputError, ModelError, UnusableReplyError
from stilltrue.inference.chat_protocol import Manner, NoAnswerError, asked_wrongly, read, refused, request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openai import OpenAI

    from stilltrue.ports import Reply

    Outcome = SimpleQueue[Reply | NoAnswerError]

OPENAI_URL: Final = "https://api.openai.com/v1"
DEFAULT_PATH: Final = "/v1"
"""Where OpenAI, Ollama, vLLM, LM Studio and llama.cpp all serve the protocol: added to an address without a path."""

LARGEST_REPLY: Final = 4 * 1024 * 1024
"""Bytes: some hundred times the longest reply of today's models; more is no answer."""

FIRST_PAUSE: Final = 0.25
"""Seconds before the first repetition, doubled each time, and spread from half to one and a half times that."""

_SPREAD: Final = random.SystemRandom()


def base_url(told: str) -> str:
    """The address requests go to. Raises InvalidInputError with the remedy for anything but an http(s) address.

    >>> base_url("http://localhost:11434")
    'http://localhost:11434/v1'
    >>> base_url("https://llm.example/openai/v1/")
    'https://llm.example/openai/v1'
    """
    remedy = "give off, openai, or a base URL such as http://127.0.0.1:8080/v1"
    try:
        parts = urlsplit(told.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not host:
        message = f"setting llm is neither off nor openai nor the http address of a server; {remedy}"
        raise InvalidInputError(message)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        message = (
            f"setting llm has more than an address in it (a name, password, query or fragment); {remedy}, and put a "
            "key into STILLTRUE_LLM_API_KEY"
        )
        raise InvalidInputError(message)
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or DEFAULT_PATH}"


class OpenAIChat:
    """A chat (`ports.Chat`) with one model of one server. Safe to share between threads."""

    def __init__(
        self,
        *,
        model: str,
        url: str = OPENAI_URL,
        key: str | None = None,
        timeout: float = 30.0,
        retries: int = 2,
        concurrency: int = 4,
    ) -> None:
        """Prepare it; nothing is sent or loaded yet.

        `timeout`: seconds for one answer, repetitions included. `key` goes to the host of `url` and nowhere else.
        Raises InvalidInputError for an address or key it cannot use, ModelError where the package is not installed.
        """
        if not _installed("openai"):
            message = (
                "A language model is asked through the package openai: pip install 'stilltrue[llm]', or set llm=off."
            )
            raise ModelError(message)
        if not model.strip():
            message = "setting llm_model is empty; name a model that the server has"
            raise InvalidInputError(message)
        self._url = base_url(url)
        self._host = urlsplit(self._url).netloc
        self._model = model
        self._headers = {"Authorization": f"Bearer {_checked(key)}"} if key else {}
        self._timeout = timeout
        self._retries = retries
        self._places = threading.BoundedSemaphore(concurrency)
        self._concurrency = concurrency
        self._manner = Manner()
        self._lock = threading.Lock()
        self._client: OpenAI | None = None

    def __repr__(self) -> str:
        """Model and host: never the key."""
        return f"OpenAIChat(model={self._model!r}, host={self._host!r})"

    @property
    def model(self) -> str:
        """The model's name."""
        return self._model

    @property
    def host(self) -> str:
        """Where it is asked: host and port."""
        return self._host

    @property
    def form(self) -> str:
        """The form in which the server was last found to answer: schema, json or free."""
        return self._manner.form.name.lower()

    def complete(self, system: str, user: str, schema: Mapping[str, object]) -> Reply:
        """One reply, within the time limit. Raises ModelError that names the host and the remedy."""
        self._connected()  # before the clock starts: loading the package is not the server's time
        end = time.monotonic() + self._timeout
        if not self._places.acquire(timeout=self._timeout):
            said = f"is still busy with {self._concurrency} requests after {self._timeout:g} s; look at its log"
            raise self._error(said)
        outcome: Outcome = SimpleQueue()
        worker = threading.Thread(
            target=self._work, args=(system, user, schema, end, outcome), name="stilltrue-llm", daemon=True
        )
        try:
            worker.start()
        except RuntimeError:
            self._places.release()
            message = "No thread can be started to ask the language model; lower llm_concurrency."
            raise ModelError(message) from None
        try:
            told = outcome.get(timeout=max(0.0, end - time.monotonic()))
        except Empty:
            told = NoAnswerError(self._late())
        if isinstance(told, NoAnswerError):
            raise self._error(told.said, told.spent)
        return told

    def _work(self, system: str, user: str, schema: Mapping[str, object], end: float, outcome: Outcome) -> None:
        """In a thread of its own: the answer or why there is none, and the place given back."""
        try:
            outcome.put(self._ask(system, user, schema, end))
        except NoAnswerError as trouble:
            outcome.put(trouble)
        except Exception as error:  # noqa: BLE001 - whatever a foreign package raises, its text may hold memory
            said = f"could not be asked ({type(error).__name__}); check the installed version of openai"
            outcome.put(NoAnswerError(said))
        finally:
            self._places.release()

    def _ask(self, system: str, user: str, schema: Mapping[str, object], end: float) -> Reply:
        """The exchange, repeated while that may help and time is left."""
        for repetition in range(self._retries + 1):
            try:
                return self._in_some_manner(system, user, schema, end)
            except NoAnswerError as trouble:
                pause = max(trouble.after, FIRST_PAUSE * 2**repetition * _SPREAD.uniform(0.5, 1.5))
                if not trouble.again or repetition == self._retries or time.monotonic() + pause >= end:
                    raise
            time.sleep(pause)
        raise AssertionError  # the last repetition has raised

    def _in_some_manner(self, system: str, user: str, schema: Mapping[str, object], end: float) -> Reply:
        """The exchange in the strictest form that the server takes; what it takes is remembered."""
        from openai import APIStatusError

        manner = self._manner
        while True:
            try:
                body = self._send(request(self._model, system, user, schema, manner), end)
            except APIStatusError as error:
                gentler = manner.gentler(error.response.text) if asked_wrongly(error.status_code) else None
                if gentler is None:
                    raise refused(error.status_code, error.response.headers, self._model) from None
                manner = gentler
            else:
                self._manner = manner
                return read(body)

    def _send(self, asked: dict[str, Any], end: float) -> bytes:
        """The body of a reply with status 200. Raises NoAnswerError, and APIStatusError for other statuses."""
        import httpx2
        from openai import APIConnectionError, APITimeoutError

        left = end - time.monotonic()
        if left <= 0:
            raise NoAnswerError(self._late())
        completions = self._connected().chat.completions.with_streaming_response
        try:
            with completions.create(**asked, timeout=left) as response:
                return self._whole(response.iter_bytes(), end)
        except (APITimeoutError, httpx2.TimeoutException):
            raise NoAnswerError(self._late()) from None
        except APIConnectionError as error:
            if isinstance(error.__cause__, httpx2.ConnectError):
                raise NoAnswerError("cannot be reached; start it, or correct the setting llm", again=True) from None
            raise NoAnswerError("broke the connection off; look at its log", again=True) from None
        except httpx2.HTTPError:
            raise NoAnswerError("broke the connection off; look at its log", again=True) from None

    def _whole(self, parts: Any, end: float) -> bytes:  # noqa: ANN401 - the package's iterator has no type of its own
        """All parts of a body that ends in time and is of a sane size."""
        body = bytearray()
        for part in parts:
            body += part
            if time.monotonic() > end:
                raise NoAnswerError(self._late())
            if len(body) > LARGEST_REPLY:
                said = f"sent more than {LARGEST_REPLY:,} bytes; another model may do better (setting llm_model)"
                raise NoAnswerError(said)
        return bytes(body)

    def _connected(self) -> OpenAI:
        """The package's client, made with the first request: loading the package takes about a second."""
        from stilltrue.inference.chat_transport import connected

        with self._lock:
            if self._client is None:
                self._client = connected(self._url, self._headers)
                weakref.finalize(self, self._client.close)  # idle connections end with the last user of the chat
            return self._client

    def _late(self) -> str:
        return f"did not answer within {self._timeout:g} s; raise llm_timeout_seconds, or choose a faster model"

    def _error(self, said: str, spent: int | None = None) -> ModelError:
        message = f"The language model at {self._host} {said}."
        return ModelError(message) if spent is None else UnusableReplyError(message, spent)


def _checked(key: str) -> str:
    """A key that can stand in a header. Raises InvalidInputError, which does not repeat it."""
    if not key.isascii() or not key.isprintable() or " " in key:
        message = "the key in the environment has characters that no key has (a line break, a space?); set it anew"
        raise InvalidInputError(message)
    return key


def _installed(package: str) -> bool:
    """Whether it is there, without loading it."""
    try:
        return importlib.util.find_spec(package) is not None
    except ValueError:  # somebody has put something else, or None, in its place
        return False
