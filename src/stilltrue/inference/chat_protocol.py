"""What is said to a server of language models, and what counts as an answer?

Answer: one system text and one user text, temperature 0, and a form for the reply: a strict JSON schema, where the
server cannot do that JSON mode, where it cannot do that either no form at all; without a schema in the request the
system text carries it. An answer is the text of one whole choice that the model ended itself. A refusal, a reply cut at
the token limit, an empty one or anything that is not the protocol is a `NoAnswerError`: a sentence, and whether to try
again.

No sentence quotes the server, because servers repeat what they were sent, and that is memory.

Left to others: sockets, time and retries (``.chat``), and whether the text says anything of use (``.replies``).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import IntEnum
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from stilltrue.ports import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA_NAME: Final = "answer"

FORM_WORDS: Final = ("response_format", "json_schema", "json_object", "schema", "grammar", "structured")
"""A refused request whose error names one of these is refused for the form it asked for."""

_WAITING: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS})
_KEY: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_ASKED_WRONGLY: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.NOT_IMPLEMENTED})


class Form(IntEnum):
    """What is asked of the reply's form, strictest first; a server that refuses one is asked for the next."""

    SCHEMA = 0
    JSON = 1
    FREE = 2


@dataclass(frozen=True, slots=True)
class Manner:
    """How this server is asked, as far as it has been found out."""

    form: Form = Form.SCHEMA
    temperature: bool = True

    def gentler(self, body: str) -> Manner | None:
        """The next manner to try after a refusal with this body; None: the refusal was about something else.

        >>> Manner().gentler('{"error": "response_format is not supported"}')
        Manner(form=<Form.JSON: 1>, temperature=True)
        >>> Manner().gentler('{"error": "the text is too long"}') is None
        True
        """
        told = body.lower()
        if self.temperature and "temperature" in told:
            return Manner(self.form, temperature=False)
        if self.form is not Form.FREE and any(word in told for word in FORM_WORDS):
            return Manner(Form(self.form + 1), self.temperature)
        return None


_CUT: Final = {
    "length": "stopped at its token limit; let it write longer replies, or lower llm_pairs_per_request",
    "content_filter": "had its answer withheld by a content filter; another model may not (setting llm_model)",
}
"""Why an answer ended before it was whole, by the protocol's word for it."""


class NoAnswerError(Exception):
    """Why there is no answer, with the remedy. `again`: it may pass; `after`: not before so many seconds.

    `spent`: tokens that the server counted for an answer that is none; None where it made no attempt at one.
    """

    def __init__(self, said: str, *, again: bool = False, after: float = 0.0, spent: int | None = None) -> None:
        """`said` goes on where "The language model at HOST" stops."""
        super().__init__(said)
        self.said = said
        self.again = again
        self.after = after
        self.spent = spent


def request(model: str, system: str, user: str, schema: Mapping[str, object], manner: Manner) -> dict[str, Any]:
    """The body of a request."""
    if manner.form is not Form.SCHEMA:
        wanted = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        system = f"{system}\n\nAnswer with one JSON object and nothing else. It has to fit this JSON schema: {wanted}"
    asked: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
    }
    if manner.temperature:
        asked["temperature"] = 0
    if manner.form is Form.SCHEMA:
        named = {"name": SCHEMA_NAME, "strict": True, "schema": dict(schema)}
        asked["response_format"] = {"type": "json_schema", "json_schema": named}
    elif manner.form is Form.JSON:
        asked["response_format"] = {"type": "json_object"}
    return asked


def read(body: bytes) -> Reply:
    """The answer in the body of a reply with status 200. Raises NoAnswerError."""
    try:
        told = json.loads(body)
        [choice] = told["choices"]
        message, ended = choice["message"], choice.get("finish_reason")
        content, refusal = message.get("content"), message.get("refusal")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        said = "sent something that is no chat completion; give the setting llm the base URL of its OpenAI protocol"
        raise NoAnswerError(said) from None
    tokens = _tokens(told.get("usage"))
    if refusal:
        raise NoAnswerError("refused to answer; another model may not (setting llm_model)", spent=tokens)
    if ended in _CUT:
        raise NoAnswerError(_CUT[ended], spent=tokens)
    if not isinstance(content, str) or not content.strip():
        raise NoAnswerError("sent an empty answer; another model may do better (setting llm_model)", spent=tokens)
    return Reply(content, tokens)


def _tokens(usage: object) -> int:
    """Tokens in and out together; 0 where the server does not say."""
    if not isinstance(usage, dict):
        return 0
    total = usage.get("total_tokens")
    parts = (total,) if isinstance(total, int) else (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    return sum(part for part in parts if isinstance(part, int) and part > 0)


def refused(status: int, headers: Mapping[str, str], model: str) -> NoAnswerError:
    """What a status other than 200 means."""
    if status in _KEY:
        return NoAnswerError(f"did not accept the key ({status}); put the right one into STILLTRUE_LLM_API_KEY")
    if status == HTTPStatus.NOT_FOUND:
        return NoAnswerError(f"knows no model {model!r} or no such address (404); correct the setting llm_model or llm")
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        said = "takes no more requests for now (429); wait, lower llm_concurrency, or look at the account's limits"
        return NoAnswerError(said, again=True, after=_wait(headers))
    if status in _WAITING or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return NoAnswerError(f"failed ({status}); look at its log", again=True, after=_wait(headers))
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        said = f"wants to send us elsewhere ({status}), where neither key nor memory goes; set llm to the final address"
        return NoAnswerError(said)
    return NoAnswerError(f"did not accept the request ({status}); check the setting llm_model and the server's log")


def asked_wrongly(status: int) -> bool:
    """Whether a server says with this status that it cannot do what was asked for."""
    return status in _ASKED_WRONGLY


def _wait(headers: Mapping[str, str]) -> float:
    """Seconds to wait as Retry-After says, in seconds or as a date; 0 where it says nothing that can be read."""
    told = headers.get("retry-after", "")
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(told).replace(tzinfo=UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0
