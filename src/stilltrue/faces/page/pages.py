"""Which pages are there to look at? Inbox, search, timeline, a fact, health: each reads through the public verbs, has a
view made of it, and shows that. Nothing here changes memory.
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from stilltrue.errors import InvalidInputError
from stilltrue.faces.doctor import state
from stilltrue.faces.page.paper import PageRoute
from stilltrue.faces.page.views.cards import Card, bundles, card
from stilltrue.faces.page.views.facts import fact_page
from stilltrue.faces.page.views.found import FoundPage, found_page
from stilltrue.faces.page.views.health import health_page
from stilltrue.faces.page.views.slots import Chart, charts
from stilltrue.faces.page.visit import Seen, Visit
from stilltrue.model.ids import ConflictId
from stilltrue.read.provenance import closings, passages
from stilltrue.read.results import FactHistory, OpenConflict, Timeline
from stilltrue.read.search import search

router = APIRouter(route_class=PageRoute, include_in_schema=False)

SHOWN_AT_ONCE: Final = 50
"""Cards on one page: more than anybody answers in a sitting."""

RESULTS: Final = 20
EVER: Final = 100
"""Facts, of any time, whose dates mark the slider."""

RUNS: Final = 10


@router.get("/")
def inbox(seen: Seen, tab: str = "open", page: int = 1) -> Response:
    """Questions to settle, heaviest first; or those that were answered, last first."""
    waiting = seen.memory.conflicts()
    if tab == "open":
        told, page, pages = _slice(waiting, page)
        shown = bundles(told, _cards(seen, told))
        return seen.show("inbox.html", bundles=shown, tab=tab, waiting=len(waiting), page=page, pages=pages)
    done = [one for word in ("answered", "dismissed") for one in seen.memory.conflicts(word)]
    done.sort(key=lambda one: (one.conflict.closed_at or one.conflict.opened_at, one.conflict.id), reverse=True)
    told, page, pages = _slice(done, page)
    shown = bundles(told, _cards(seen, told))
    return seen.show("inbox.html", bundles=shown, tab="answered", waiting=len(waiting), page=page, pages=pages)


@router.get("/search")
def find(seen: Seen, q: str = "", as_of: str = "", known_at: str = "", over: bool = False) -> Response:
    """Facts that answer a question, at any time on both clocks."""
    asked = {"q": q, "as_of": as_of, "known_at": known_at, "over": over}
    found, wrong = None, ""
    if q.strip():
        try:
            found = _found(seen, q, as_of, known_at, over=over)
        except InvalidInputError as error:
            wrong = str(error)
    return seen.show("search.html", found=found, wrong=wrong, asked=asked)


@router.get("/timeline")
def timeline(seen: Seen, subject: str = "", attribute: str = "") -> Response:
    """What a subject's slots held, drawn on valid time."""
    drawn: tuple[Chart, ...] = ()
    told = None
    if subject.strip():
        told = seen.memory.history(subject=subject, attribute=attribute.strip() or None)
        if isinstance(told, Timeline):
            drawn = charts(told, seen.lens, _marked(seen))
    return seen.show("timeline.html", charts=drawn, told=told, subject=subject, attribute=attribute)


@router.get("/facts/{fact_id}")
def fact(seen: Seen, fact_id: str) -> Response:
    """All about one fact."""
    told = seen.memory.history(fact_id)
    if not isinstance(told, FactHistory):
        message = "a fact's id gave the timeline of a slot"
        raise TypeError(message)
    why = seen.memory.explain(told.fact.id)
    said = passages(seen.memory.engine, seen.memory.space, [told.fact.id])
    return seen.show("fact.html", told=fact_page(told, why, said.get(told.fact.id, ()), seen.lens))


@router.get("/health")
def health(seen: Seen) -> Response:
    """The state of the space."""
    memory = seen.memory
    with memory.engine.store.read() as reader:
        runs = reader.story_runs(memory.space, RUNS)
    return seen.show("health.html", told=health_page(memory.stats(), list(state(memory)), runs, seen.lens))


def _slice(told: tuple[OpenConflict, ...] | list[OpenConflict], page: int) -> tuple[list[OpenConflict], int, int]:
    """The cards of one page, which one that is, and how many there are."""
    pages = max(1, -(-len(told) // SHOWN_AT_ONCE))
    page = min(max(1, page), pages)
    return list(told[(page - 1) * SHOWN_AT_ONCE : page * SHOWN_AT_ONCE]), page, pages


def _cards(seen: Visit, told: list[OpenConflict]) -> dict[ConflictId, Card]:
    memory = seen.memory
    said = passages(memory.engine, memory.space, [fact.id for one in told for fact in one.facts])
    closed = closings(memory.engine, memory.space, [one.conflict for one in told])
    marked, lens = _marked(seen), seen.lens
    return {one.conflict.id: card(one, said, lens, closed.get(one.conflict.id), marked) for one in told}


def _found(seen: Visit, query: str, as_of: str, known_at: str, *, over: bool) -> FoundPage:
    memory = seen.memory
    answer = memory.search(
        query, limit=RESULTS, as_of=as_of.strip() or None, known_at=known_at.strip() or None, include_superseded=over
    )
    ever = search(memory.engine, memory.space, query, limit=EVER, include_superseded=True)
    return found_page(query, answer, ever.results, memory.engine.clock.now(), seen.lens, _marked(seen))


def _marked(seen: Visit) -> tuple[str, ...]:
    """Facts that need a look (F9)."""
    return tuple(one.fact.id for one in seen.memory.rechecks())
