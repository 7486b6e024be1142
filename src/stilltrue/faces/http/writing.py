"""Which routes change what is remembered? remember, resolve, forget, confirm, undo, erase: each one call of `Memory`.

Each takes an Idempotency-Key, so that a caller who got no answer can simply ask again.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse

from stilltrue.faces.http import answers, bodies
from stilltrue.faces.http.inside import PROBLEMS, Review, Rule, Write

router = APIRouter(responses=PROBLEMS, tags=["write"])
Identifier = Annotated[str, Path(min_length=1, max_length=64)]


@router.post("/memories", responses={**answers.DECISIONS, **answers.LATER})
def remember(once: Write, body: bodies.Remember) -> JSONResponse:
    """Remember a text or a chat's messages, and tell what was decided of each statement in it."""
    given = body.model_dump()
    status = HTTPStatus.OK if body.wait else HTTPStatus.ACCEPTED
    return once.decide(lambda memory: memory.remember(**given), status)


@router.post("/conflicts/{conflict_id}/resolve", responses=answers.DECISIONS)
def resolve(once: Review, conflict_id: Identifier, body: bodies.Resolve) -> JSONResponse:
    """Answer the question of a conflict: keep one, both under a condition, never true, rewrite, or dismiss it."""
    given = body.model_dump()
    return once.decide(lambda memory: [memory.resolve(conflict_id, **given)])


@router.post("/facts/{fact_id}/forget", responses=answers.DECISIONS)
def forget(once: Review, fact_id: Identifier, body: bodies.Forget) -> JSONResponse:
    """Stop serving a fact. Its text stays in the history, and undo brings it back."""
    return once.decide(lambda memory: [memory.forget(fact_id, reason=body.reason, never_true=body.never_true)])


@router.post("/facts/{fact_id}/confirm", responses=answers.DECISIONS)
def confirm(once: Review, fact_id: Identifier, body: bodies.Confirm) -> JSONResponse:
    """A fact that needs a look is still true."""
    return once.decide(lambda memory: [memory.confirm(fact_id, reason=body.reason, author=body.author)])


@router.post("/undo", responses=answers.DECISIONS)
def undo(once: Review, body: bodies.Undo) -> JSONResponse:
    """Take back a decision or a whole batch, exactly."""
    return once.decide(lambda memory: [memory.undo(body.id)])


@router.post("/erase", responses=answers.DECISIONS)
def erase(once: Rule, body: bodies.Erase) -> JSONResponse:
    """Remove a text everywhere, the history included. This cannot be undone."""
    return once.decide(lambda memory: [memory.erase(body.id, reason=body.reason)])
