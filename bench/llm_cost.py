"""How many calls of an LLM does a write cost? The coding sessions, told message by message to an LLM that is scripted.

Two memories hear the same: one by default, where what local judges leave is asked about in batches when a session is
over, and one that asks inside each write. The script answers UPDATE where a careful reader found that the new statement
ends the old one (`tests/flow/sessions.json`), and OVERLAP everywhere else; how often it is asked hardly depends on it.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.timing import Figure
from stilltrue.connect.importers.chat import read_sessions
from stilltrue.connect.importers.record import Record, Upload
from stilltrue.memory import Memory
from stilltrue.model.verdict import Relation
from stilltrue.testing import FrozenClock, ScriptedExpert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from stilltrue.ports import PairModel

ROOT: Final = Path(__file__).parents[1]
SESSIONS: Final = ROOT.parent / "shared" / "data" / "sessions" / "coding_sessions.json"
"""Real conversations; they lie outside the repository."""
READ: Final = ROOT / "tests" / "flow" / "sessions.json"
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
DEMANDED: Final = 0.2


def counted(sessions: Path, count: int | None, model: PairModel | None) -> list[Figure]:
    """Calls and pairs per write over the first `count` sessions (None: all), by default and inside each write."""
    told = json.loads(sessions.read_text(encoding="utf-8"))[:count]
    return [
        *_told("by default, drained after each session", told, model, inline=False),
        *_told("classify_before_write", told, model, inline=True),
    ]


def _told(bench: str, sessions: list[object], model: PairModel | None, *, inline: bool) -> Iterator[Figure]:
    expert = ScriptedExpert(oracle())
    writes = statements = 0
    with Memory.open(":memory:", clock=FrozenClock(NOW), pair_model=model or "off", expert=expert) as memory:
        memory.configure(classify_before_write=inline)
        for session in sessions:
            for record in _records(session):
                writes, statements = writes + 1, statements + len(record.remembered_by(memory))
            memory.drain()
        wrong = memory.check_invariants()
    assert not wrong, wrong
    calls, pairs = len(expert.requests), len(expert.pairs)
    demanded = None if inline else DEMANDED
    yield Figure(
        bench=bench, what="LLM calls", against="a write", number=calls / writes, n=writes, demanded=demanded, unit=""
    )
    yield Figure(bench=bench, what="LLM calls", against="a statement", number=calls / statements, n=statements, unit="")
    yield Figure(bench=bench, what="pairs asked about", against="a write", number=pairs / writes, n=writes, unit="")
    yield Figure(bench=bench, what="pairs", against="a call", number=pairs / max(1, calls), n=calls, unit="")


def _records(session: object) -> Iterable[Record]:
    upload = Upload(json.dumps([session]), "", None)
    return [item for item in read_sessions(upload) if isinstance(item, Record)]


def oracle() -> Callable[[str, str], Relation]:
    """What a careful reader found, as a script: UPDATE where the new statement ended the old one."""
    table = json.loads(READ.read_text(encoding="utf-8"))["retirements"]
    ended = {(one["old"], one["new"]) for one in table if one["right"]}
    return lambda existing, new: Relation.UPDATE if (existing, new) in ended else Relation.OVERLAP
