"""How does the door say that something went wrong? With one form for every error: a problem document (RFC 9457).

What the caller sent is never repeated in it. A fault of the server's own says only which request it was; the log says
the rest.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from stilltrue.errors import (
    AccessError,
    BudgetError,
    InvalidInputError,
    NotFoundError,
    StaleJudgementError,
    StateError,
    StilltrueError,
    StoreError,
    TokenError,
)

MEDIA_TYPE: Final = "application/problem+json"
_SOON: Final = {"Retry-After": "1"}
_SIGN_IN: Final = {"WWW-Authenticate": 'Bearer realm="stilltrue"'}
_log = logging.getLogger("stilltrue.http")

_STATUS: Final[tuple[tuple[type[StilltrueError], HTTPStatus], ...]] = (
    (TokenError, HTTPStatus.UNAUTHORIZED),
    (AccessError, HTTPStatus.FORBIDDEN),
    (NotFoundError, HTTPStatus.NOT_FOUND),
    (InvalidInputError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (StateError, HTTPStatus.CONFLICT),
    (StaleJudgementError, HTTPStatus.CONFLICT),
    (BudgetError, HTTPStatus.TOO_MANY_REQUESTS),
    (StoreError, HTTPStatus.SERVICE_UNAVAILABLE),
)


def status_of(error: Exception) -> HTTPStatus:
    """The status that an error of ours is answered with, by every door that speaks HTTP."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)


def problem(
    status: int, detail: str, *, request_id: str = "", headers: dict[str, str] | None = None, **more: object
) -> JSONResponse:
    """A problem document. `more`: members of its own kind, such as `errors`."""
    title = HTTPStatus(status).phrase
    told: dict[str, object] = {"type": "about:blank", "title": title, "status": status, "detail": _utf8(detail), **more}
    if request_id:
        told["request_id"] = request_id
    return JSONResponse(told, status_code=status, headers=headers, media_type=MEDIA_TYPE)


def add_handlers(app: FastAPI) -> None:
    """Every error that leaves a route becomes a problem."""
    app.add_exception_handler(StilltrueError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _of_http)


def _id(request: Request) -> str:
    return str(request.scope.get("stilltrue.request_id", ""))


def _ours(request: Request, error: Exception) -> JSONResponse:
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    detail, headers = str(error), None
    if status is HTTPStatus.UNAUTHORIZED:
        headers = _SIGN_IN
    if isinstance(error, StaleJudgementError) or status is HTTPStatus.SERVICE_UNAVAILABLE:
        headers = _SOON
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("request %s: %s", _id(request), error)
        detail = "the memory cannot do it now; the server's log says why under this request's id"
    return problem(status, detail, request_id=_id(request), headers=headers)


def _invalid(request: Request, error: Exception) -> JSONResponse:
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    malformed = any(item["type"] == "json_invalid" for item in found)
    errors = [
        {"where": [_place(part) for part in item["loc"]], "what": _utf8(str(item["msg"])[:300])} for item in found
    ][:20]
    if malformed:
        return problem(HTTPStatus.BAD_REQUEST, "the body is not JSON", request_id=_id(request), errors=errors[:20])
    detail = "the request does not have the form that this verb takes; `errors` says where"
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, request_id=_id(request), errors=errors[:20])


def _place(part: object) -> str | int:
    return part if isinstance(part, int) else _utf8(str(part)[:100])


def _utf8(text: str) -> str:
    """Text that can be sent, whatever came in."""
    return text.encode("utf-8", "replace").decode()


def _of_http(request: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else HTTPStatus.INTERNAL_SERVER_ERROR
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else None
    detail = {
        HTTPStatus.NOT_FOUND: "there is nothing at this address; /openapi.json lists what there is",
        HTTPStatus.METHOD_NOT_ALLOWED: "this address does not take that method; the header Allow names those it takes",
    }.get(HTTPStatus(status), HTTPStatus(status).description or HTTPStatus(status).phrase)
    return problem(status, detail, request_id=_id(request), headers=headers)


def fault(request_id: str, error: Exception) -> JSONResponse:
    """What a caller is told of an error that nobody foresaw; the log is told all of it."""
    _log.error("request %s: a fault of stilltrue's own", request_id, exc_info=error)
    detail = "a fault of stilltrue's own; the server's log says more under this request's id, please report it"
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail, request_id=request_id)
