"""Which routes read? search, ask, lookup, facts, histories, explanations, conflicts: each one call of `Memory`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse

from stilltrue.faces import wire
from stilltrue.faces.http import answers, bodies
from stilltrue.faces.http.cursors import page
from stilltrue.faces.http.door import Calling, door_of
from stilltrue.faces.http.inside import PROBLEMS, Cursor, Limit, Read
from stilltrue.memory import Memory
from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.timeline import iso
from stilltrue.ports import Filter
from stilltrue.read.conflicts import conflict
from stilltrue.read.listing import listed
from stilltrue.rules.as_of import named_moment

router = APIRouter(responses=PROBLEMS)
FactId = Annotated[str, Path(min_length=1, max_length=64, description="The whole id, or 6 characters of an end of it.")]
AsOf = Annotated[str | None, Query(min_length=1, max_length=64, description="What was true then.")]
KnownAt = Annotated[str | None, Query(min_length=1, max_length=64, description="What this memory believed then.")]
Author = Annotated[str | None, Query(min_length=1, max_length=200, description="Only facts that they said.")]
Text = Annotated[str, Query(min_length=1, max_length=2_000)]


@router.post("/search", tags=["read"], responses=answers.FOUND)
def search(memory: Read, body: bodies.Search) -> JSONResponse:
    """Facts that answer a query, best first; by default those that are true now."""
    return JSONResponse(wire.found(memory.search(**body.model_dump())))


@router.post("/ask", tags=["read"], responses=answers.ANSWERED)
def ask(memory: Read, body: bodies.Ask) -> JSONResponse:
    """An answer in words with citations, or a refusal where memory holds none."""
    return JSONResponse(wire.answered(memory.ask(**body.model_dump())))


@router.post("/check", tags=["read"], responses=answers.CHECKED)
def check(memory: Read, body: bodies.Check) -> JSONResponse:
    """What a question, plan or draft takes for granted that memory says is stale, with citations."""
    return JSONResponse(wire.checked(memory.check(body.text)))


@router.get("/lookup", tags=["read"], responses=answers.FACTS)
def lookup(
    request: Request,
    memory: Read,
    subject: Text,
    key: Annotated[str | None, Query(min_length=1, max_length=2_000, description="Which attribute of it.")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    include_superseded: bool = False,
    author: Author = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> JSONResponse:
    """Facts of a subject and attribute, newest first. All pages tell what the first one's instant knew."""
    cursors = door_of(request).cursors
    of = ("lookup", memory.space, subject, key, as_of, known_at, include_superseded, author)
    now = memory.engine.clock.now()
    after, *pinned = cursors.read(of, cursor) or (None, _pinned(memory, as_of, now), _pinned(memory, known_at, now))
    valid, known = (datetime.fromisoformat(one) for one in pinned)
    found = memory.lookup(
        subject, key, as_of=valid, known_at=known, include_superseded=include_superseded, author=author
    )
    shown, last = page([(fact.id, fact) for fact in found], after, limit)
    following = None if last is None else cursors.made(of, (last, *pinned))
    return JSONResponse({**wire.results(shown, historical=include_superseded), "next": following})


def _pinned(memory: Memory, given: str | None, now: datetime) -> str:
    """The instant meant, so that later pages mean the same."""
    return iso(now if given is None else named_moment(given, "time", now, memory.settings.timezone, end_of_day=True))


@router.get("/facts", tags=["read"], responses=answers.FACTS)
def facts(
    request: Request,
    memory: Read,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    include_superseded: bool = False,
    author: Author = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> JSONResponse:
    """All facts, in the order in which they were stored; by default those that are true now."""
    cursors = door_of(request).cursors
    of = ("facts", memory.space, as_of, known_at, include_superseded, author)
    now = memory.engine.clock.now()
    after, valid = cursors.read(of, cursor) or (0, _pinned(memory, as_of, now))
    known = None if known_at is None else datetime.fromisoformat(_pinned(memory, known_at, now))
    where = Filter(datetime.fromisoformat(valid), known, include_superseded, author=author)
    found = listed(memory.engine, memory.space, where, after, limit + 1)
    following = cursors.made(of, (found[limit - 1][0], valid)) if len(found) > limit else None
    shown = [fact for _, fact in found[:limit]]
    return JSONResponse({**wire.results(shown, historical=include_superseded), "next": following})


@router.get("/facts/{fact_id}", tags=["read"], responses=answers.FACT)
def fact(memory: Read, fact_id: FactId) -> JSONResponse:
    """One fact as it stands now, with its sources."""
    return JSONResponse({"fact": wire.history(memory.history(fact_id))["fact"]})


@router.get("/facts/{fact_id}/history", tags=["read"], responses=answers.HISTORY)
def fact_history(memory: Read, fact_id: FactId) -> JSONResponse:
    """All about one fact: what was ever believed of it, its chain both ways, its changes."""
    return JSONResponse(wire.history(memory.history(fact_id)))


@router.get("/timeline", tags=["read"], responses=answers.TIMELINE)
def timeline(
    memory: Read,
    subject: Text,
    attribute: Annotated[str | None, Query(min_length=1, max_length=2_000)] = None,
) -> JSONResponse:
    """What a slot held, when."""
    return JSONResponse(wire.history(memory.history(subject=subject, attribute=attribute)))


@router.get("/explanations/{identifier}", tags=["read"], responses=answers.EXPLANATION)
def explain(memory: Read, identifier: FactId) -> JSONResponse:
    """Why a fact is what it is, or why a decision fell."""
    return JSONResponse(wire.explanation(memory.explain(identifier)))


@router.get("/conflicts", tags=["conflicts"], responses=answers.CONFLICTS)
def conflicts(
    request: Request,
    memory: Read,
    status: Annotated[ConflictStatus | Literal["all"], Query()] = ConflictStatus.OPEN,
    order: Annotated[
        Literal["weight", "opened"],
        Query(description="weight: first what settles most, one page only. opened: oldest first, page by page."),
    ] = "weight",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> JSONResponse:
    """Questions to settle."""
    cursors = door_of(request).cursors
    of = ("conflicts", memory.space, str(status), order)
    after = cursors.read(of, cursor)
    cards = list(memory.conflicts(None if status == "all" else str(status)))
    if order == "weight":
        return JSONResponse({**wire.conflicts(cards[:limit]), "next": None})
    left = sorted((card for card in cards if card.conflict.id > (after or "")), key=lambda card: card.conflict.id)
    following = cursors.made(of, left[limit - 1].conflict.id) if len(left) > limit else None
    return JSONResponse({**wire.conflicts(left[:limit]), "next": following})


@router.get("/conflicts/{conflict_id}", tags=["conflicts"], responses=answers.CONFLICT)
def one_conflict(memory: Read, conflict_id: FactId) -> JSONResponse:
    """One question, whatever its status, with its facts."""
    card = conflict(memory.engine, memory.space, conflict_id)
    return JSONResponse({"conflict": wire.conflicts([card])["conflicts"][0]})


@router.get("/rechecks", tags=["read"], responses=answers.RECHECKS)
def rechecks(request: Request, memory: Read, cursor: Cursor = None, limit: Limit = 50) -> JSONResponse:
    """Facts that rest on what holds no longer, and need a look."""
    cursors, of = door_of(request).cursors, ("rechecks", memory.space)
    after = cursors.read(of, cursor)
    left = [card for card in memory.rechecks() if after is None or card.fact.id > after]
    left.sort(key=lambda card: card.fact.id)
    following = cursors.made(of, left[limit - 1].fact.id) if len(left) > limit else None
    return JSONResponse({**wire.rechecks(left[:limit]), "next": following})


@router.get("/stats", tags=["read"], responses=answers.STATS)
def stats(memory: Read) -> JSONResponse:
    """Counts, judges, costs and changed settings of the space."""
    return JSONResponse(wire.stats(memory.stats()))


@router.get("/settings", tags=["read"], responses=answers.SETTINGS)
def settings(memory: Read) -> JSONResponse:
    """Every knob: its value in this space, its default, what it means and trades."""
    return JSONResponse(wire.settings(memory.settings))


@router.get("/members", tags=["read"], responses=answers.MEMBERS)
def members(memory: Read) -> JSONResponse:
    """Who shares this space; nobody where it is private."""
    return JSONResponse({"space": memory.space, "members": list(memory.members())})


@router.get("/spaces", tags=["read"], responses=answers.SPACES)
def spaces(request: Request, calling: Calling, cursor: Cursor = None, limit: Limit = 50) -> JSONResponse:
    """Spaces that exist and that the token opens."""
    door = door_of(request)
    of = ("spaces", calling.token_id)
    after = door.cursors.read(of, cursor)
    held = sorted(name for name in door.spaces_of(calling) if after is None or name > after)
    following = door.cursors.made(of, held[limit - 1]) if len(held) > limit else None
    return JSONResponse({"spaces": held[:limit], "next": following})


@router.get("/whoami", tags=["read"], responses=answers.CALLER)
def whoami(calling: Calling) -> JSONResponse:
    """Whom this token speaks for."""
    held = None if calling.spaces is None else sorted(calling.spaces)
    return JSONResponse({"name": calling.name, "role": calling.role, "spaces": held, "member": calling.member})
