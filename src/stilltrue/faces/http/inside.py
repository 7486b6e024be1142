"""What does a route get once its caller is let in? The memory of one space, and where its verb decides, `Once`.

Each route says which role it needs by the type of its parameter: `Read`, `Write`, `Review`, `Run`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import Depends, Header, Query, Request
from fastapi.responses import JSONResponse

from stilltrue.faces import wire
from stilltrue.faces.http.access import Caller, Role
from stilltrue.faces.http.answers import PLACE, Problem
from stilltrue.faces.http.door import Calling, Door, door_of
from stilltrue.faces.http.problems import MEDIA_TYPE
from stilltrue.memory import DEFAULT_SPACE, Memory
from stilltrue.model.decision import Decision

SpaceName = Annotated[
    str, Query(alias="space", min_length=1, max_length=200, description="Whose memory it is.", examples=["default"])
]
Cursor = Annotated[str | None, Query(max_length=400, description="`next` of the page before.")]
Limit = Annotated[int, Query(ge=1, le=200, description="How many a page.")]
Key = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        description="Of your own choosing; a repetition with the same key and content is done once, for a day.",
    ),
]

REPLAYED: Final = "Idempotency-Replayed"


def _problems(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    return {
        int(status): {
            "description": status.phrase,
            "content": {MEDIA_TYPE: {"schema": {"$ref": f"{PLACE}{Problem.__name__}"}}},
        }
        for status in statuses
    }


PROBLEMS: Final = _problems(
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.MISDIRECTED_REQUEST,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.SERVICE_UNAVAILABLE,
)


def _enters(needed: Role) -> Callable[..., Memory]:
    def enter(request: Request, calling: Calling, space: SpaceName = DEFAULT_SPACE) -> Memory:
        return door_of(request).enter(calling, needed, space)

    return enter


Read = Annotated[Memory, Depends(_enters(Role.READER))]
Run = Annotated[Memory, Depends(_enters(Role.ADMIN))]


@dataclass(frozen=True, slots=True)
class Once:
    """A verb that decides, in a space, done once however often its request comes."""

    door: Door
    memory: Memory
    calling: Caller
    key: str | None
    sent: bytes

    def decide(self, verb: Callable[[Memory], Sequence[Decision]], status: HTTPStatus = HTTPStatus.OK) -> JSONResponse:
        """The answer with what was decided."""
        made, again = self.door.repeats.once(
            self.memory, self.calling.token_id, self.key, self.sent, lambda: verb(self.memory)
        )
        headers = {REPLAYED: "true"} if again else None
        return JSONResponse(wire.decisions(made), status_code=status, headers=headers)


def _once(needed: Role) -> Callable[..., Any]:
    async def once(
        request: Request,
        calling: Calling,
        memory: Memory = Depends(_enters(needed)),
        idempotency_key: Key = None,
    ) -> Once:
        line = f"{request.method} {request.url.path}?{request.url.query}\n"
        return Once(door_of(request), memory, calling, idempotency_key, line.encode() + await request.body())

    return once


Write = Annotated[Once, Depends(_once(Role.WRITER))]
Review = Annotated[Once, Depends(_once(Role.REVIEWER))]
Rule = Annotated[Once, Depends(_once(Role.ADMIN))]
