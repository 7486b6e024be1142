"""How does a text leave the store for good? Every place that holds it, its values or its quotes is emptied.

Four ways lead to the places: by the ids erased (rows, vectors, full text, quotes, judgements, jobs), by the decisions
about them or about the same words (receipts, history), by the questions about them, standing, proposed or taken back,
with every decision that opened or settled one, and by the words themselves (any other stored text that repeats a whole
erased text; marks on a subject of which nothing else is known). Ids and times stay. Freed pages are zeroed by SQLite
(secure_delete); the log is cut by `store.sqlite` after the commit.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from stilltrue.store.blanks import bare, cleaned, emptied, without_grounds, without_words
from stilltrue.store.receipts import to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.ids import EpisodeId, FactId, SpaceId
    from stilltrue.store.session import Session

_SHORTEST_NEEDLE: Final = 8  # characters; shorter texts would empty what only happens to hold them


class Eraser:
    """One erasure in one space, inside its transaction."""

    def __init__(self, session: Session, space: SpaceId, now: int, revision: int) -> None:
        self._session = session
        self._space = space
        self._now = now
        self._revision = revision
        self._texts: set[str] = set()

    def erase(self, fact_ids: Sequence[FactId], episode_ids: Sequence[EpisodeId]) -> None:
        """Empty everything that holds the words of these facts and episodes."""
        fact_ids = [*fact_ids, *self._withdrawn_twins(fact_ids)]
        needles = self._needles(fact_ids, episode_ids)
        subjects, heard = self._of(fact_ids, "subject", "facts"), self._of(fact_ids, "episode_id", "sources")
        questions = self._questions_about(fact_ids)
        self._decisions_on_the_words()
        for fact_id in fact_ids:
            self._spans(fact_id)
            self._fact(fact_id)
        for episode_id in episode_ids:
            self._episode(episode_id)
        for said_in in heard:
            self._topic(said_in)
        for subject in subjects:
            self._marks_on(subject)
        for conflict_id in questions:
            self._question(conflict_id)
        for fact_id in fact_ids:
            self._decisions_about("fact_id", fact_id)
        for episode_id in episode_ids:
            self._decisions_about("episode_id", episode_id)
        self._wherever(needles)
        self._jobs({*fact_ids, *episode_ids, *heard})
        self._run("DELETE FROM llm_cache WHERE space_id = ?")
        # Why reading failed may quote what was read, and no id says which facts that were.
        self._run("UPDATE story_runs SET failure = 'erased' WHERE space_id = ? AND failure <> ''")
        self._session.words.tidy(self._session)

    def _run(self, sql: str, *values: object) -> None:
        self._session.put(sql, (self._space, *values))

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
        self._texts = found - {""}
        return sorted((text for text in found if len(text) >= _SHORTEST_NEEDLE), key=len, reverse=True)

    def _fact(self, fact_id: FactId) -> None:
        row = self._session.row("SELECT * FROM facts WHERE space_id = ? AND fact_id = ?", (self._space, fact_id))
        if row is None or row["erased"]:
            return
        self._session.words.drop(self._session, self._space, row["doc"], row["text"])
        self._run("DELETE FROM vectors WHERE space_id = ? AND fact_id = ?", fact_id)
        self._run(
            "DELETE FROM tombstones WHERE space_id = ? AND kind <> 'erased' AND (text_hash IN (?, ?) "
            "OR (subject = ? AND attribute IS ? AND value_key IS ?))",
            row["exact_hash"], row["normal_hash"], row["subject"], row["attribute"], row["value_key"],
            )  # fmt: skip
        self._run("UPDATE sources SET quote = '' WHERE space_id = ? AND fact_id = ?", fact_id)
        self._session.put(
            "UPDATE facts SET erased = 1, text = '', exact_hash = '', normal_hash = '', subject = '', "
            "attribute = NULL, qualifiers = '[]', value_text = NULL, value_type = NULL, value_key = NULL, "
            "value_number = NULL, value_unit = NULL, value_bound = NULL, topic = NULL, leaves = '[]', "
            "changed_revision = ? WHERE space_id = ? AND fact_id = ?",
            (self._revision, self._space, fact_id),
        )
        self._judgements(fact_id)
        self._end_belief(fact_id)

    def _judgements(self, fact_id: FactId) -> None:
        """Why a pair was judged as it was may quote either side."""
        found = self._session.rows(
            "SELECT low_id, high_id, judgement FROM judgements WHERE space_id = ? AND ? IN (low_id, high_id)",
            (self._space, fact_id),
        )
        self._session.run_many(
            "UPDATE judgements SET judgement = ? WHERE space_id = ? AND low_id = ? AND high_id = ?",
            [(to_json(without_grounds(json.loads(row[2]))), self._space, row[0], row[1]) for row in found],
        )

    def _end_belief(self, fact_id: FactId) -> None:
        self._run(
            "DELETE FROM beliefs WHERE space_id = ? AND fact_id = ? AND known_until IS NULL AND known_from = ?",
            fact_id,
            self._now,
        )
        self._session.put(
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

    def _withdrawn_twins(self, fact_ids: Sequence[FactId]) -> list[FactId]:
        """Facts of the same words that nobody believes any more: said before, and taken back."""
        sql = (
            "SELECT t.fact_id FROM facts f JOIN facts t ON t.space_id = f.space_id AND t.exact_hash = f.exact_hash "
            "WHERE f.space_id = ? AND f.fact_id = ? AND f.erased = 0 AND t.erased = 0 AND NOT EXISTS (SELECT 1 FROM "
            "beliefs b WHERE b.space_id = t.space_id AND b.fact_id = t.fact_id AND b.known_until IS NULL)"
        )
        found = [row[0] for one in fact_ids for row in self._session.rows(sql, (self._space, one))]
        return [twin for twin in dict.fromkeys(found) if twin not in fact_ids]

    def _of(self, fact_ids: Sequence[FactId], column: str, table: str) -> set[str]:
        """What a table says of the facts in a column: their subjects, or the episodes that said them."""
        sql = f"SELECT {column} FROM {table} WHERE space_id = ? AND fact_id = ?"
        return {row[0] for one in fact_ids for row in self._session.rows(sql, (self._space, one)) if row[0]}

    def _topic(self, episode_id: str) -> None:
        """The topic of an episode goes with the last of its facts."""
        self._session.put(
            "UPDATE episodes SET topic = NULL WHERE space_id = :space AND episode_id = :id AND erased = 1 "
            "AND NOT EXISTS (SELECT 1 FROM sources s JOIN facts f ON f.space_id = s.space_id AND f.fact_id = s.fact_id "
            "AND f.erased = 0 WHERE s.space_id = :space AND s.episode_id = :id)",
            self._named(episode_id),
        )

    def _marks_on(self, subject: str) -> None:
        """Marks name their subject; where no fact does any more, neither may they."""
        self._session.put(
            "DELETE FROM tombstones WHERE space_id = :space AND subject = :id AND NOT EXISTS "
            "(SELECT 1 FROM facts f WHERE f.space_id = :space AND f.subject = :id AND f.erased = 0)",
            self._named(subject),
        )

    def _episode(self, episode_id: EpisodeId) -> None:
        self._rewrite_episode(episode_id, "")
        self._run("UPDATE episodes SET topic = NULL WHERE space_id = ? AND episode_id = ?", episode_id)

    def _rewrite_episode(self, episode_id: str, text: str) -> None:
        """The episode's text, and every quote from it, which may reach over what was blanked."""
        self._session.put(
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

    def _decisions_on_the_words(self) -> None:
        """A statement that was turned down made no fact: only its words tell that the decision was about them."""
        for text in sorted(self._texts):
            said = self._session.rows(
                "SELECT decision_id FROM decisions WHERE space_id = ? AND text = ?", (self._space, text)
            )
            for row in said:
                self._receipt(row[0], "", whole=True)
                self._history("decision_id = :id", row[0])

    def _named(self, identifier: str) -> dict[str, str]:
        return {"space": self._space, "id": identifier}

    def _questions_about(self, fact_ids: Sequence[FactId]) -> list[str]:
        """Conflicts over one of the facts, with those that were only proposed or were taken back again."""
        found: dict[str, None] = {}
        for fact_id in fact_ids:
            named = self._session.rows(
                "SELECT conflict_id FROM conflict_facts WHERE space_id = :space AND fact_id = :id UNION "
                "SELECT conflict_id FROM history WHERE space_id = :space AND conflict_id IS NOT NULL "
                "AND instr(payload, :id) > 0",
                self._named(fact_id),
            )
            found.update((row[0], None) for row in named)
        return list(found)

    def _question(self, conflict_id: str) -> None:
        """The question, the reason of its answer, and both in the decisions that opened, settled or took it back."""
        self._run("UPDATE conflicts SET question = '', reason = '' WHERE space_id = ? AND conflict_id = ?", conflict_id)
        decisions = (
            "SELECT decision_id FROM decisions WHERE space_id = :space AND conflict_id = :id UNION "
            "SELECT decision_id FROM history WHERE space_id = :space AND conflict_id = :id"
        )
        for row in self._session.rows(decisions, self._named(conflict_id)):
            self._receipt(row[0], "", whole=False)
        self._history(f"conflict_id = :id OR decision_id IN ({decisions})", conflict_id)

    def _receipt(self, decision_id: str, fact_id: str, *, whole: bool) -> None:
        """`whole`: the decision was about the erased text itself; otherwise the text was one of those weighed."""
        row = self._session.row(
            "SELECT d.text, d.receipt, d.episode_id IS NOT NULL OR d.text = f.text AS own FROM decisions d "
            "LEFT JOIN facts f ON f.space_id = d.space_id AND f.fact_id = d.fact_id "
            "WHERE d.space_id = :space AND d.decision_id = :id",
            self._named(decision_id),
        )
        if row is None:
            return
        receipt: dict[str, Any] = json.loads(row["receipt"])
        receipt["reason"] = ""
        for item in receipt["considered"]:
            if whole or item["fact_id"] == fact_id:
                item["judgement"] = emptied(item["judgement"])
            if item["fact_id"] == fact_id or item["text"] in self._texts:
                item["text"] = ""
        kept = row["own"] and not whole and row["text"] not in self._texts  # its text is what another statement says
        self._session.put(
            "UPDATE decisions SET text = ?, receipt = ? WHERE space_id = ? AND decision_id = ?",
            (row["text"] if kept else "", to_json(receipt), self._space, decision_id),
        )

    def _history(self, condition: str, identifier: str) -> None:
        found = self._session.rows(
            f"SELECT seq, fact_id, payload FROM history WHERE space_id = :space AND erased = 0 AND ({condition})",
            self._named(identifier),
        )
        self._session.run_many(
            "UPDATE history SET erased = 1, reason = '', payload = ? WHERE space_id = ? AND seq = ?",
            [(to_json(without_words(json.loads(row["payload"]))), self._space, row["seq"]) for row in found],
        )

    def _jobs(self, identifiers: set[str]) -> None:
        """What callers gave along with a text that is erased now, and why doing the job failed."""
        for row in self._session.rows("SELECT job_id, payload FROM jobs WHERE space_id = ?", (self._space,)):
            if any(identifier in row["payload"] for identifier in identifiers):
                payload: dict[str, Any] = json.loads(row["payload"])
                payload.update({"given": bare(payload["given"])} if "given" in payload else {})
                payload.pop("unread", None)
                sql = "UPDATE jobs SET payload = ?, failure = '' WHERE space_id = ? AND job_id = ?"
                self._session.put(sql, (to_json(payload), self._space, row["job_id"]))

    def _wherever(self, needles: list[str]) -> None:
        """Whatever else in the space repeats an erased text word for word."""
        for needle in needles:
            sql = "SELECT episode_id, text FROM episodes WHERE space_id = ? AND instr(text, ?) > 0"
            for row in self._session.rows(sql, (self._space, needle)):
                self._rewrite_episode(row["episode_id"], row["text"].replace(needle, " " * len(needle)))
                self._topic(row["episode_id"])
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
                clean = [cleaned(text, needles) for text in texts]
                if clean != texts:
                    assignments = ", ".join(f"{column} = ?" for column in columns)
                    self._session.put(
                        f"UPDATE {table} SET {mark}{assignments} WHERE space_id = ? AND {key} = ?",
                        (*clean, self._space, identifier),
                    )
