"""What can a person do on the page? Answer a question, forget a fact, confirm one, and take any of it back.

Every act is a form that is posted, one public verb, and a notice on the page that follows; what memory refuses is told
there in its own words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final

from fastapi import APIRouter, Form
from fastapi.responses import Response

from stilltrue.errors import AccessError, StilltrueError
from stilltrue.faces.page.paper import PageRoute, go, local
from stilltrue.faces.page.visit import Acting, Visit
from stilltrue.model.conflict import Answer
from stilltrue.model.decision import Action, Decision

router = APIRouter(route_class=PageRoute, include_in_schema=False)

Field = Annotated[str, Form()]
Act = Callable[[], Decision]

_DONE: Final = {
    Answer.KEEP: "Kept. The other is no longer served.",
    Answer.BOTH: "Both are true.",
    Answer.NEVER_TRUE: "Marked as never true; it will not come back.",
    Answer.REWRITE: "Rewritten. The new text stands in the place of the others.",
    Answer.DISMISS: "Dismissed. This question will not be asked again.",
}


@router.post("/conflicts/{conflict_id}")
def answer(
    seen: Acting,
    conflict_id: str,
    answer: Field,
    keep: Field = "",
    text: Field = "",
    condition: Field = "",
    back: Field = "/",
) -> Response:
    """Settle a question."""
    told = answer if answer in list(Answer) else ""
    condition = condition.strip()

    def resolve() -> Decision:
        return seen.memory.resolve(
            conflict_id,
            answer,
            keep=keep or None if told != Answer.BOTH or condition else None,
            text=text if told == Answer.REWRITE else None,
            condition=condition or None,
            author=seen.who,
        )

    def undo_of(made: Decision) -> str:
        return made.batch_id if told == Answer.REWRITE else made.id

    return _do(seen, resolve, _DONE[Answer(told)] if told else "", back, undo_of)


@router.post("/undo")
def undo(seen: Acting, decision: Field, back: Field = "/") -> Response:
    """Take a decision or a batch back."""
    return _do(seen, lambda: seen.memory.undo(decision), "Taken back.", back)


@router.post("/facts/{fact_id}/forget")
def forget(
    seen: Acting, fact_id: str, reason: Field = "", never_true: Annotated[bool, Form()] = False, back: Field = "/"
) -> Response:
    """Retract a fact by hand."""
    done = "Marked as never true; it will not come back." if never_true else "Forgotten. It is no longer served."
    return _do(seen, lambda: seen.memory.forget(fact_id, reason=reason, never_true=never_true), done, back)


@router.post("/facts/{fact_id}/confirm")
def confirm(seen: Acting, fact_id: str, reason: Field = "", back: Field = "/") -> Response:
    """A fact that needed a look is still true."""
    return _do(
        seen, lambda: seen.memory.confirm(fact_id, reason=reason, author=seen.who), "Confirmed: it still holds.", back
    )


def _do(
    seen: Visit, verb: Act, done: str, back: str, undo_of: Callable[[Decision], str] = lambda made: made.id
) -> Response:
    """Carry it out, say what came of it, and go back."""
    try:
        made = verb()
    except AccessError:
        raise
    except StilltrueError as error:
        seen.tell(str(error), failed=True)
    else:
        seen.tell(done, undo="" if made.action is Action.UNDO else undo_of(made))
    return go(local(back))
