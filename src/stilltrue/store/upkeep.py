"""What do those who look after a memory read of it? Facts in an order of their own, readings, passes, marks, counts.

Answer: `UpkeepReader`, the part of a reader that only `upkeep` and the sweeps of `write` use. Everything walks an
index or a page, because it is asked about whole spaces.

Left to others: jobs (`store.jobs`), everything that answers questions (`store.reader`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from stilltrue.model.story import Outline
from stilltrue.model.timeline import from_micros, to_micros
from stilltrue.store import queries, records, rows
from stilltrue.store.jobs import JobReader

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from stilltrue.model.change import JudgedPair, Link
    from stilltrue.model.decision import Action
    from stilltrue.model.fact import Kept
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.job import Pass
    from stilltrue.model.story import StoryRun
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Filter


# Named: left to itself SQLite walks all judgements in a covering index.
_BY_HIGH = "low_id FROM judgements INDEXED BY judgements_by_high WHERE space_id = ? AND high_id"


class UpkeepReader(JobReader):
    """The part of a reader that is about upkeep."""

    def judged(self, space: SpaceId, *, undecided_only: bool = False) -> list[JudgedPair]:
        condition = " AND relation IS NULL" if undecided_only else ""
        sql = f"SELECT * FROM judgements WHERE space_id = ?{condition} ORDER BY low_id, high_id"
        return [records.judged_from(row) for row in self._session.rows(sql, (space,))]

    def judged_beside(self, space: SpaceId, fact_ids: Sequence[FactId]) -> set[FactId]:
        found: set[FactId] = set()
        for selected in ("high_id FROM judgements WHERE space_id = ? AND low_id", _BY_HIGH):
            for chunk in rows.chunks(fact_ids):
                sql = f"SELECT {selected} IN ({queries.marks(chunk)})"
                found.update(row[0] for row in self._session.rows(sql, (space, *chunk)))
        return found

    def judged_with(self, space: SpaceId, fact_id: FactId) -> list[JudgedPair]:
        # UNION: each side by its own index.
        sides = [
            f"SELECT {place} AS place, j.* FROM judgements j WHERE j.space_id = :space AND j.{side} = :fact"
            for place, side in enumerate(("low_id", "high_id"))
        ]
        sql = f"SELECT * FROM ({' UNION ALL '.join(sides)}) AS sides ORDER BY place, low_id, high_id"
        return [records.judged_from(row) for row in self._session.rows(sql, {"space": space, "fact": fact_id})]

    def decided(
        self, space: SpaceId, fact_ids: Sequence[FactId], rule: str, by_hand: Collection[Action]
    ) -> set[FactId]:
        found: set[FactId] = set()
        for chunk in rows.chunks(fact_ids):
            asked = (space, *chunk, *(action.value for action in by_hand), rule, space, *chunk)
            found.update(row[0] for row in self._session.rows(queries.decided(chunk, by_hand), asked))
        return found

    def outlines(self, space: SpaceId) -> list[Outline]:
        found = self._session.rows(queries.OUTLINES, (space,))
        return [
            Outline(
                id=row["fact_id"],
                subject=row["subject"],
                attribute=row["attribute"],
                said_at=from_micros(row["said_at"]),
                last_said_at=from_micros(row["last_seen_at"]),
                recorded_at=from_micros(row["recorded_at"]),
            )
            for row in found
        ]

    def added_since(self, space: SpaceId, revision: int) -> bool:
        sql = "SELECT EXISTS (SELECT 1 FROM facts WHERE space_id = ? AND changed_revision > ? AND added_revision > ?)"
        return bool(self._session.number(sql, (space, revision, revision)))

    def story_runs(self, space: SpaceId, limit: int) -> list[StoryRun]:
        sql = "SELECT * FROM story_runs WHERE space_id = ? ORDER BY rowid DESC LIMIT ?"
        return [records.story_run_from(row) for row in self._session.rows(sql, (space, limit))]

    def stored_order(
        self, space: SpaceId, after: int, limit: int, where: Filter | None = None
    ) -> list[tuple[int, FactId]]:
        # Places are told within the space, so that a cursor means the same in a copy of it.
        number = self._session.number("SELECT number FROM spaces WHERE space_id = ?", (space,))
        first = number * queries.DOCS_PER_SPACE
        condition, parameters = ("", {}) if where is None else queries.also_admitted(where)
        sql = (
            "SELECT f.doc, f.fact_id FROM facts f JOIN beliefs n ON n.space_id = f.space_id AND n.fact_id = f.fact_id "
            f"AND n.known_until IS NULL WHERE f.space_id = :space AND f.doc > :after{condition} "
            "ORDER BY f.doc LIMIT :limit"
        )
        asked = {"space": space, "after": first + after % queries.DOCS_PER_SPACE, "limit": limit, **parameters}
        found = self._session.rows(sql, asked)
        return [(row["doc"] - first, row["fact_id"]) for row in found]

    def kept(self, space: SpaceId, after: str, limit: int) -> list[Kept]:
        return [rows.kept_from(row) for row in self._session.rows(queries.KEPT, (space, after, limit))]

    def passes(self, space: SpaceId) -> list[Pass]:
        sql = "SELECT * FROM passes WHERE space_id = ? ORDER BY at, batch_id"
        return [records.pass_from(row) for row in self._session.rows(sql, (space,))]

    def marks(self, space: SpaceId, at: Instant) -> list[Link]:
        asked = {"space": space, "at": to_micros(at)}
        found = self._session.rows(f"{queries.MARKS} ORDER BY l.from_id, l.position", asked)
        return [records.link_from(row) for row in found]

    def marked(self, space: SpaceId, fact_ids: Sequence[FactId], at: Instant) -> frozenset[FactId]:
        listed = json.dumps(list(fact_ids))
        asked = {"space": space, "at": to_micros(at), "ids": listed}
        sql = f"{queries.MARKS} AND l.from_id IN (SELECT value FROM json_each(:ids))"
        return frozenset(row["from_id"] for row in self._session.rows(sql, asked))

    def recalls(self, space: SpaceId, fact_ids: Sequence[FactId]) -> dict[FactId, int]:
        """How often each fact was served so far; facts never served are left out."""
        found: dict[FactId, int] = {}
        for chunk in rows.chunks(fact_ids):
            sql = f"SELECT fact_id, recalls FROM usage WHERE space_id = ? AND fact_id IN ({queries.marks(chunk)})"
            found.update((row["fact_id"], row["recalls"]) for row in self._session.rows(sql, (space, *chunk)))
        return found

    def open_pairs(self, space: SpaceId, fact_ids: Sequence[FactId]) -> dict[FactId, int]:
        found: dict[FactId, int] = {}
        for chunk in rows.chunks(fact_ids):
            for row in self._session.rows(queries.open_pairs(chunk), (space, *chunk, space, *chunk)):
                found[row["fact_id"]] = row["pairs"]
        return found

    def _upkeep_counts(self, space: SpaceId, at: Instant) -> Mapping[str, int]:
        """Keys: jobs, jobs_failed, rechecks, passes; of the story: waiting, runs, failed, dropped.

        What comes round by itself (the story, the next pass) is no work that is left, unless it failed for good.
        """
        return {row[0]: row[1] for row in self._session.rows(queries.UPKEEP, {"space": space, "at": to_micros(at)})}
