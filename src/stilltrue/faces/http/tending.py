"""Which routes look after a memory? drain, sweep, detect, proposals, maintain, settings, members: one call each.

All but reading proposals and estimates need the role admin. They can be repeated as they are: a second sweep, pass or
look changes nothing that the first has settled.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse

from stilltrue.errors import AccessError, InvalidInputError
from stilltrue.faces import wire
from stilltrue.faces.http import answers, bodies
from stilltrue.faces.http.access import Role
from stilltrue.faces.http.door import Calling, door_of
from stilltrue.faces.http.inside import PROBLEMS, Cursor, Limit, Read, Run

router = APIRouter(responses=PROBLEMS, tags=["upkeep"])


@router.post("/drain", responses=answers.DECISIONS)
def drain(memory: Run) -> JSONResponse:
    """Do the work that writes left for later, now. The server's worker does it anyway."""
    return JSONResponse(wire.decisions(memory.drain()))


@router.get("/estimate", responses=answers.ESTIMATE)
def estimate(memory: Read) -> JSONResponse:
    """What an LLM would be asked about what is left for later."""
    return JSONResponse(wire.estimate(memory.estimate()))


@router.post("/sweep", responses=answers.SWEPT)
def sweep(memory: Run, body: bodies.Sweep) -> JSONResponse:
    """Judge what was never judged, left undecided, or can be judged better now."""
    if body.plan and body.shadow:
        raise InvalidInputError("a plan writes nothing and shadow writes proposals; give one of them")
    return JSONResponse(wire.swept(memory.sweep(plan=body.plan, shadow=body.shadow), plan=body.plan))


@router.post("/detect", responses=answers.DETECTED)
def detect(memory: Run, body: bodies.Plan) -> JSONResponse:
    """Look for reversals, ambiguities and stale claims, without an LLM; each becomes a conflict."""
    return JSONResponse(wire.detected(memory.detect(plan=body.plan)))


@router.post("/story", responses=answers.STORY)
def story(memory: Run, body: bodies.Story) -> JSONResponse:
    """Have the LLM read it all as one story."""
    return JSONResponse(wire.story_run(memory.read_story(whole=body.whole, seed=body.seed)))


@router.post("/maintain", responses=answers.MAINTENANCE)
def maintain(memory: Run, body: bodies.Plan) -> JSONResponse:
    """Archive what has faded or is over, and bring back what was asked for again: one pass."""
    return JSONResponse(wire.maintenance(memory.maintain(plan=body.plan)))


@router.get("/proposals", responses=answers.PROPOSALS)
def proposals(request: Request, memory: Read, cursor: Cursor = None, limit: Limit = 50) -> JSONResponse:
    """What shadow mode would have done."""
    cursors, of = door_of(request).cursors, ("proposals", memory.space)
    after = cursors.read(of, cursor) or 0
    left = [row for row in memory.proposals() if row.seq > after]
    following = cursors.made(of, left[limit - 1].seq) if len(left) > limit else None
    return JSONResponse({**wire.proposals(left[:limit]), "next": following})


@router.post("/proposals/apply", responses=answers.APPLIED)
def apply(memory: Run, body: bodies.Apply) -> JSONResponse:
    """Carry out proposals."""
    return JSONResponse(wire.applied(memory.review().apply(*body.proposals)))


@router.post("/proposals/{proposal}/grade", responses=answers.PRECISION)
def grade(memory: Run, proposal: Annotated[str, Path(min_length=1, max_length=64)], body: bodies.Grade) -> JSONResponse:
    """Say whether a proposal is right; the share of those that are."""
    hands = memory.review()
    hands.grade(proposal, right=body.right)
    return JSONResponse(wire.precision(hands.precision()))


@router.patch("/settings", responses=answers.SETTINGS)
def configure(memory: Run, body: bodies.Knobs) -> JSONResponse:
    """Set knobs for this space."""
    return JSONResponse(wire.settings(memory.configure(**body.settings)))


@router.put("/members", responses=answers.MEMBERS)
def set_members(memory: Run, body: bodies.Members) -> JSONResponse:
    """Say who shares this space from now on."""
    return JSONResponse({"space": memory.space, "members": list(memory.set_members(body.members))})


@router.post("/check-store", responses=answers.SOUND)
def check_store(request: Request, calling: Calling) -> JSONResponse:
    """Check that the store is sound: all of it, so the token must be good for all spaces."""
    door = door_of(request)
    calling.check(Role.ADMIN)
    if calling.spaces is not None:
        raise AccessError("the store holds all spaces, and this token is not good for all of them; use another")
    wrong = door.memory.check_invariants()
    return JSONResponse({"sound": not wrong, "findings": wrong})
