"""Which answers does OpenAPI promise, and under which names? Those of `faces.shapes`, each described once.

What verbs answer is described by `shapes`, read off the nouns that `faces.wire` walks; here they get their names, and
lists that come in pages their `next`. What only this door says (problems, tokens, spaces, health) is described here.
Each constant is what a route promises, as FastAPI takes it: `responses=answers.FOUND`. Nothing is validated here; the
tests hold every answer of a real server against the description.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from stilltrue.faces import shapes
from stilltrue.faces.http.access import Role
from stilltrue.read import results
from stilltrue.read.checked import Checked

Promise: TypeAlias = dict[int | str, dict[str, Any]]

PLACE: Final = "#/components/schemas/"
_BOOK: Final = shapes.Book(PLACE)
SCHEMAS: Final[Mapping[str, shapes.Schema]] = _BOOK.defs
"""Everything that is promised, and what it refers to, by name: the components of the description."""


class Problem(BaseModel):
    """Every error, as RFC 9457 has it."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "Not Found",
                "status": 404,
                "detail": "there is no fact '5f0c21ab' in space 'default'",
                "request_id": "0f3c9a51d2e47b68",
            }
        }
    )

    type: str
    title: str
    status: int
    detail: str = Field(description="What was wrong, and what to do about it.")
    request_id: str | None = Field(None, description="Under this id the server's log says more.")
    errors: list[dict[str, Any]] | None = Field(None, description="Where the request has not the form it needs.")


def _promised(name: str, answer: shapes.Answer, status: HTTPStatus = HTTPStatus.OK, meaning: str = "") -> Promise:
    schema = _BOOK.named(name, answer, lambda: answer(_BOOK))
    content = {"application/json": {"schema": schema}}
    return {int(status): {"description": meaning or "Done.", "content": content}}


def _paged(answer: shapes.Answer) -> shapes.Answer:
    following = {
        **_BOOK.of(str | None),
        "description": "Give it as `cursor` for the next page; null: this was the last.",
    }

    def page(book: shapes.Book) -> shapes.Schema:
        whole = answer(book)
        return shapes.whole({**whole["properties"], "next": following})

    return page


def _own(**fields: Any) -> shapes.Answer:  # noqa: ANN401 - any annotation
    """An answer of this door's own, by the types of its keys."""
    return lambda book: shapes.whole({name: book.of(hint) for name, hint in fields.items()})


FOUND: Final = _promised("Found", shapes.noun(results.Found))
CHECKED: Final = _promised("Checked", shapes.noun(Checked))
ANSWERED: Final = _promised("Answered", shapes.noun(results.Answered))
FACTS: Final = _promised("Facts", _paged(shapes.lookup))
FACT: Final = _promised("OneFact", shapes.single("fact", results.Result))
HISTORY: Final = _promised("FactHistory", shapes.noun(results.FactHistory))
TIMELINE: Final = _promised("Timeline", shapes.noun(results.Timeline))
EXPLANATION: Final = _promised("Explanation", shapes.noun(results.Explanation))
CONFLICTS: Final = _promised("Conflicts", _paged(shapes.conflicts))
CONFLICT: Final = _promised("OneConflict", lambda book: shapes.whole({"conflict": shapes.card(book)}))
RECHECKS: Final = _promised("Rechecks", _paged(shapes.rechecks))
STATS: Final = _promised("Stats", shapes.noun(results.Stats))

DECISIONS: Final = _promised("Decisions", shapes.decisions)
LATER: Final = _promised(
    "Decisions", shapes.decisions, HTTPStatus.ACCEPTED, "It is durable and served; it is judged later."
)

ESTIMATE: Final = _promised("Estimated", shapes.estimate)
SWEPT: Final = _promised("Swept", shapes.swept)
DETECTED: Final = _promised("Detected", shapes.detected)
STORY: Final = _promised("StoryTold", shapes.story_run)
MAINTENANCE: Final = _promised("Maintenance", shapes.maintenance)
PROPOSALS: Final = _promised("Proposals", _paged(shapes.proposals))
APPLIED: Final = _promised("Applied", shapes.applied)
PRECISION: Final = _promised("Precision", shapes.precision)
SETTINGS: Final = _promised("Settings", shapes.settings)

MEMBERS: Final = _promised("SpaceMembers", _own(space=str, members=list[str]))
SPACES: Final = _promised("Spaces", _paged(_own(spaces=list[str])))
CALLER: Final = _promised("Caller", _own(name=str, role=Role, spaces=list[str] | None, member=str | None))
SOUND: Final = _promised("Soundness", _own(sound=bool, findings=list[str]))
HEALTH: Final = _promised("Health", _own(status=str))
