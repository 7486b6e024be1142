"""How does a text leave the store for good? Every place that holds it, its values or its quotes is emptied.

Three ways lead to the places: by the ids erased (rows, vectors, full text, quotes, judgements, tombstones), by the
decisions about them (receipts, history, questions), and by the words themselves (any other stored text that repeats a
whole erased text). Ids and times stay. Freed pages are zeroed by SQLite (secure_delete); the log is cut by
`store.sqlite` after the commit.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from stilltrue.store.receipts import to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.ids import EpisodeId, FactId, SpaceId
    from stilltrue.store.connection import Session

# Keys of our own JSON whose strings are words of ours: they hold nothing that anybody said. Ids and times are known by
# their form. What is neither is emptied, so that a key nobody thought of here loses its words rather than keeps them.
_KEPT_KEYS: Final = frozenset(
    {"is", "action", "answer", "bound", "cardinality", "category", "kind", "modality", "relation", "retirement",
     "status", "tier", "type"}
)  # fmt: skip
_ID_OR_TIME: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z")

_SHORTEST_NEEDLE: Final = 8  # characters; shorter texts would empty what only happens to hold them


class Eraser:
    """One erasure in one space, inside its transaction."""

    def __init__(self, session: Session, space: SpaceId, now: int, revision: int) -> None:
        self._session = session
        self._space = space
        self._now = now
        self._revision = revision

    def erase(self, fact_ids: Sequence[FactId], episode_ids: Sequence[EpisodeId]) -> None:
        """Empty everything that holds the words of these facts and episodes."""
        needles = self._needles(fact_ids, episode_ids)
        for fact_id in fact_ids:
            self._spans(fact_id)
            self._fact(fact_id)
        for episode_id in episode_ids:
            self._episode(episode_id)
        for fact_id in fact_ids:
            self._decisions_about("fact_id", fact_id)
        for episode_id in episode_ids:
            self._decisions_about("episode_id", episode_id)
        self._wherever(needles)
        self._run("DELETE FROM llm_cache WHERE space_id = ?")
        # Merging all segments is what drops deleted words from a full-text index of any SQLite version.
        self._session.run("INSERT INTO facts_fts (facts_fts) VALUES ('optimize')")

    def _run(self, sql: str, *values: object) -> None:
        self._session.run(sql, (self._space, *values))

    def _needles(self, fact_ids: Sequence[FactId], episode_ids: Sequence[EpisodeId]) -> list[str]:
        """Whole texts and quotes that no other text may repeat."""
        found: set[str] = set()
        for sql, ids in (
            ("SELECT text FROM facts WHERE space_id = ? AND fact_id = ?", fact_ids),
            ("SELECT quote FROM sources WHERE space_id = ? AND fact_id = ?", fact_ids),
            ("SELECT text FROM episodes WHERE space_id = ? AND episode_id = ?", episode_ids),
            ("SELECT quote FROM sources WHERE space_id = ? AND episode_id = ?", episode_ids),
        ):
            for identifier in ids:
                found.update(row[0].strip() for row in self._session.rows(sql, (self._space, identifier)))
        return sorted((text for text in found if len(text) >= _SHORTEST_NEEDLE), key=len, reverse=True)

    def _fact(self, fact_id: FactId) -> None:
        row = self._session.row("SELECT * FROM facts WHERE space_id = ? AND fact_id = ?", (self._space, fact_id))
        if row is None or row["erased"]:
            return
        self._session.run(
            "INSERT INTO facts_fts (facts_fts, rowid, text) VALUES ('delete', ?, ?)", (row["doc"], row["text"])
        )
        self._run("DELETE FROM vectors WHERE space_id = ? AND fact_id = ?", fact_id)
        self._run(
            "DELETE FROM tombstones WHERE space_id = ? AND kind <> 'erased' AND (text_hash IN (?, ?) "
            "OR (subject = ? AND attribute IS ? AND value_key IS ?))",
            row["exact_hash"], row["normal_hash"], row["subject"], row["attribute"], row["value_key"],
            )  # fmt: skip
        self._run("UPDATE sources SET quote = '' WHERE space_id = ? AND fact_id = ?", fact_id)
        self._session.run(
            "UPDATE facts SET erased = 1, text = '', exact_hash = '', normal_hash = '', subject = '', "
            "attribute = NULL, qualifiers = '[]', value_text = NULL, value_type = NULL, value_key = NULL, "
            "value_number = NULL, value_unit = NULL, value_bound = NULL, topic = NULL, leaves = '[]', "
            "changed_revision = ? WHERE space_id = ? AND fact_id = ?",
            (self._revision, self._space, fact_id),
        )
        self._session.run(
            "UPDATE judgements SET judgement = json_replace(judgement, '$.evidence', json('[]'), '$.undecided', '') "
            "WHERE space_id = ? AND ? IN (low_id, high_id)",
            (self._space, fact_id),
        )
        self._end_belief(fact_id)

    def _end_belief(self, fact_id: FactId) -> None:
        self._run(
            "DELETE FROM beliefs WHERE space_id = ? AND fact_id = ? AND known_until IS NULL AND known_from = ?",
            fact_id,
            self._now,
        )
        self._session.run(
            "UPDATE beliefs SET known_until = ? WHERE space_id = ? AND fact_id = ? AND known_until IS NULL",
            (self._now, self._space, fact_id),
        )

    def _spans(self, fact_id: FactId) -> None:
        """Blank the fact's own words inside its episodes; every span stays where it was."""
        spans = self._session.rows(
            "SELECT s.episode_id, s.span_start, s.span_end, e.text FROM sources s JOIN episodes e "
            "ON e.space_id = s.space_id AND e.episode_id = s.episode_id WHERE s.space_id = ? AND s.fact_id = ?",
            (self._space, fact_id),
        )
        texts = {row["episode_id"]: row["text"] for row in spans}
        for episode_id, start, end, _ in spans:
            text = texts[episode_id]
            texts[episode_id] = text[:start] + " " * len(text[start:end]) + text[end:]
        for episode_id, text in texts.items():
            self._rewrite_episode(episode_id, text)

    def _episode(self, episode_id: EpisodeId) -> None:
        self._rewrite_episode(episode_id, "")
        self._run("UPDATE episodes SET topic = NULL WHERE space_id = ? AND episode_id = ?", episode_id)

    def _rewrite_episode(self, episode_id: str, text: str) -> None:
        """The episode's text, and every quote from it, which may reach over what was blanked."""
        self._session.run(
            "UPDATE episodes SET erased = 1, text = ? WHERE space_id = ? AND episode_id = ?",
            (text, self._space, episode_id),
        )
        quoted = self._session.rows(
            "SELECT rowid, span_start, span_end FROM sources WHERE space_id = ? AND episode_id = ?",
            (self._space, episode_id),
        )
        self._session.run_many(
            "UPDATE sources SET quote = ? WHERE space_id = ? AND rowid = ?",
            [(text[start:end], self._space, row) for row, start, end in quoted],
        )

    def _decisions_about(self, column: str, identifier: str) -> None:
        """Receipts, history rows, questions that were written because of it: every word in them goes."""
        self._questions(identifier)
        made = self._session.rows(
            f"SELECT decision_id FROM decisions WHERE space_id = :space AND {column} = :id", self._named(identifier)
        )
        weighed = self._session.rows(
            "SELECT DISTINCT decision_id FROM decision_facts WHERE space_id = :space AND fact_id = :id",
            self._named(identifier),
        )
        own = {row[0] for row in made}
        for decision_id in own | {row[0] for row in weighed}:
            self._receipt(decision_id, identifier, whole=decision_id in own)
        self._history(
            "fact_id = :id OR decision_id IN (SELECT decision_id FROM decision_facts WHERE space_id = :space "
            f"AND fact_id = :id UNION SELECT decision_id FROM decisions WHERE space_id = :space AND {column} = :id)",
            identifier,
        )

    def _named(self, identifier: str) -> dict[str, str]:
        return {"space": self._space, "id": identifier}

    def _questions(self, fact_id: str) -> None:
        ids = self._session.rows(
            "SELECT conflict_id FROM conflict_facts WHERE space_id = :space AND fact_id = :id", self._named(fact_id)
        )
        for row in ids:
            self._run("UPDATE conflicts SET question = '', reason = '' WHERE space_id = ? AND conflict_id = ?", row[0])
            self._history("conflict_id = :id", row[0])

    def _receipt(self, decision_id: str, fact_id: str, *, whole: bool) -> None:
        """`whole`: the decision was about the erased text itself; otherwise the text was one of those weighed."""
        row = self._session.row(
            "SELECT text, receipt FROM decisions WHERE space_id = :space AND decision_id = :id",
            self._named(decision_id),
        )
        if row is None:
            return
        receipt: dict[str, Any] = json.loads(row["receipt"])
        receipt["reason"] = ""
        for item in receipt["considered"]:
            if whole or item["fact_id"] == fact_id:
                item["judgement"] = _emptied(item["judgement"])
            if item["fact_id"] == fact_id:
                item["text"] = ""
        self._session.run(
            "UPDATE decisions SET text = ?, receipt = ? WHERE space_id = ? AND decision_id = ?",
            ("" if whole else row["text"], to_json(receipt), self._space, decision_id),
        )

    def _history(self, condition: str, identifier: str) -> None:
        found = self._session.rows(
            f"SELECT seq, fact_id, payload FROM history WHERE space_id = :space AND erased = 0 AND ({condition})",
            self._named(identifier),
        )
        self._session.run_many(
            "UPDATE history SET erased = 1, reason = '', payload = ? WHERE space_id = ? AND seq = ?",
            [(to_json(_without_words(json.loads(row["payload"]))), self._space, row["seq"]) for row in found],
        )

    def _wherever(self, needles: list[str]) -> None:
        """Whatever else in the space repeats an erased text word for word."""
        for table, key, columns in (
            ("decisions", "decision_id", ("text", "receipt")),
            ("history", "seq", ("reason", "payload")),
            ("conflicts", "conflict_id", ("question", "reason")),
            ("judgements", "low_id || high_id", ("judgement",)),
            ("jobs", "job_id", ("payload", "failure")),
        ):
            mark = "erased = 1, " if table == "history" else ""
            rows = self._session.rows(
                f"SELECT {key}, {', '.join(columns)} FROM {table} WHERE space_id = ?", (self._space,)
            )
            for identifier, *texts in rows:
                cleaned = [_cleaned(text, needles) for text in texts]
                if cleaned != texts:
                    assignments = ", ".join(f"{column} = ?" for column in columns)
                    self._session.run(
                        f"UPDATE {table} SET {mark}{assignments} WHERE space_id = ? AND {key} = ?",
                        (*cleaned, self._space, identifier),
                    )


def _emptied(judgement: dict[str, Any]) -> dict[str, Any]:
    """The judgement without the notes of its evidence."""
    evidence = [[*item[:-1], ""] for item in judgement["evidence"]]
    emptied = {**judgement, "evidence": evidence}
    if "undecided" in emptied:
        emptied["undecided"] = ""
    return emptied


def _without_words(value: Any, key: str = "") -> Any:  # noqa: ANN401 - JSON
    """A payload with every string emptied that could hold what somebody said."""
    if isinstance(value, dict):
        return {name: _without_words(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_words(item, key) for item in value]
    if not isinstance(value, str) or key in _KEPT_KEYS or _ID_OR_TIME.fullmatch(value):
        return value
    return ""


def _cleaned(text: str, needles: list[str]) -> str:
    """A text, or the strings of JSON, without the erased words; as it was where it holds none."""
    if not any(needle in text or to_json(needle)[1:-1] in text for needle in needles):
        return text
    if text.startswith(("{", "[")):
        return to_json(_strings_cleaned(json.loads(text), needles))
    return ""


def _strings_cleaned(value: Any, needles: list[str]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _strings_cleaned(item, needles) for name, item in value.items()}
    if isinstance(value, list):
        return [_strings_cleaned(item, needles) for item in value]
    return "" if isinstance(value, str) and any(needle in value for needle in needles) else value
