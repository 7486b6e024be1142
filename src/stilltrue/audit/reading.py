"""What does a memory file claim, statement by statement, and on which line?

Answer: `read_claims`. The blocks of a file (`audit.structure`) go through the extraction that every episode goes
through; headings and parent items give topic and scope, dates in headings and entries say since when. A cell of a table
is what its column says of its row. Left to others: other formats (`audit.records`), comparing (`audit.comparing`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from stilltrue.audit.claims import Claim, Form
from stilltrue.audit.structure import blocks, front_matter, lines_of
from stilltrue.model.candidate import Given
from stilltrue.model.episode import Episode
from stilltrue.model.ids import EpisodeId, SpaceId
from stilltrue.write.extract import extract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.audit.structure import Block
    from stilltrue.model.timeline import Instant
    from stilltrue.settings import Settings

UNDATED: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""When what tells no date counts as said: one instant for all, so that none of it outranks another."""
_DATE: Final = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


def read_claims(name: str, text: str, *, saved_at: Instant | None, settings: Settings) -> list[Claim]:
    """The claims of a markdown file in the order of its lines; `saved_at` dates what the file itself does not date."""
    text = lines_of(text)
    dated = _date(front_matter(text))
    claims: list[Claim] = []
    for block in blocks(text):
        own = _date(block.text[:40]) or next(filter(None, map(_date, reversed(block.headings))), dated)
        claims += _claims(name, block, own, saved_at, settings)
    return [replace(claim, order=place) for place, claim in enumerate(claims)]


def _claims(
    name: str, block: Block, dated: Instant | None, saved_at: Instant | None, settings: Settings
) -> Iterator[Claim]:
    lead, body = _framed(block)
    episode = Episode(
        id=EpisodeId(name),
        space_id=SpaceId("audit"),
        text=lead + body,
        said_at=dated or saved_at or UNDATED,
        recorded_at=dated or saved_at or UNDATED,
    )
    found = extract(episode, _given(block), settings)
    for candidate in found:
        start = candidate.span.start - len(lead)
        if start < 0:
            continue
        first = block.line + body.count("\n", 0, start)
        last = block.line + body.count("\n", 0, max(start, candidate.span.end - len(lead)))
        yield Claim(
            file=name,
            line=first,
            end_line=min(last, block.end_line),
            text=" ".join(episode.text[candidate.span.start : candidate.span.end].split()),
            statement=candidate.statement,
            headings=block.headings,
            dated=dated,
            form=block.form,
            order=first,
            whole=block.whole and len(found) == 1,
        )


def _framed(block: Block) -> tuple[str, str]:
    """The context that extraction needs to see above a block, and the block's own words."""
    if block.form is Form.CELL:
        return "", block.text
    headings = "".join(f"{'#' * min(depth, 6)} {title}\n\n" for depth, title in enumerate(block.headings, start=1))
    if block.form is Form.BULLET:
        return f"{headings}- ", block.text
    return headings, block.text


def _given(block: Block) -> Given:
    if block.form is not Form.CELL:
        return Given()
    return Given(subject=block.row, attribute=block.column, value=block.text)


def _date(text: str) -> Instant | None:
    found = _DATE.search(text)
    if found is None:
        return None
    try:
        return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC)
    except ValueError:
        return None
