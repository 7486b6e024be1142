"""What if a request comes twice, because its answer was lost? With the same Idempotency-Key it is done once.

Answer: before the verb runs, the key is noted with the batch that its decisions will carry, and afterwards which
decisions it answered with. A repetition is answered from those decisions, as the memory has them: no words are kept
here. If the server died in between, the batch in the memory tells whether the verb was done. Notes are kept for a day.

Only verbs that answer with decisions take a key; the others can be repeated as they are.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from stilltrue.errors import InvalidInputError, StateError
from stilltrue.model.ids import DecisionId

if TYPE_CHECKING:
    import sqlite3

    from stilltrue.faces.http.ledger import Ledger
    from stilltrue.memory import Memory
    from stilltrue.model.decision import Decision
    from stilltrue.model.ids import BatchId

KEPT_SECONDS: Final = 24 * 3600.0
_GIVEN_UP: Final = 60.0
"""A request that another server began and did not finish in this time is taken for dead."""


class Repeats:
    """The requests of the last day that carried a key. Safe to share between threads and processes."""

    def __init__(self, ledger: Ledger, now: Callable[[], float] = time.time) -> None:
        """Noted in `ledger`; `now` in seconds."""
        self._ledger = ledger
        self._now = now
        self._server = secrets.token_hex(8)
        self._secret = ledger.key("prints")

    def once(
        self, memory: Memory, token_id: str, key: str | None, sent: bytes, verb: Callable[[], Sequence[Decision]]
    ) -> tuple[list[Decision], bool]:
        """What the verb decided, and whether that is a repetition. `sent`: all of the request that matters.

        Raises InvalidInputError where the key was sent with something else, StateError while the first is under way,
        and whatever the verb raises; then the key is free again.
        """
        if key is None:
            return list(verb()), False
        with memory.batch() as batch_id:
            earlier = self._noted(token_id, key, hmac.digest(self._secret, sent, "sha256"), batch_id)
            if earlier is not None:
                known = self._known(memory, token_id, key, earlier, batch_id)
                if known is not None:
                    return known, True
            return self._done(token_id, key, verb), False

    def _noted(self, token_id: str, key: str, fingerprint: bytes, batch_id: BatchId) -> sqlite3.Row | None:
        """Note the key; the earlier note, where there is one. Raises InvalidInputError."""
        self._ledger.run("DELETE FROM requests WHERE began_at < ?", (self._now() - KEPT_SECONDS,))
        row = (token_id, key, fingerprint, self._server, batch_id, self._now())
        made = self._ledger.run(
            "INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?, ?, ?, NULL) RETURNING batch_id", row
        )
        if made:
            return None
        earlier = self._ledger.run("SELECT * FROM requests WHERE token_id = ? AND key = ?", (token_id, key))
        if not earlier:
            raise StateError("the first request with this Idempotency-Key has just failed; repeat this one")
        if not hmac.compare_digest(bytes(earlier[0]["print"]), fingerprint):
            raise InvalidInputError("this Idempotency-Key was sent with another request; take a new one")
        return earlier[0]

    def _known(
        self, memory: Memory, token_id: str, key: str, earlier: sqlite3.Row, batch_id: BatchId
    ) -> list[Decision] | None:
        """What the first request decided; None: nothing, and this one has its place now. Raises StateError."""
        if earlier["decisions"] is not None:
            with memory.engine.store.read() as reader:
                return [reader.decision(memory.space, DecisionId(one)) for one in json.loads(earlier["decisions"])]
        if earlier["server"] == self._server or self._now() - earlier["began_at"] < _GIVEN_UP:
            raise StateError("the first request with this Idempotency-Key is still under way; repeat this in a moment")
        with memory.engine.store.read() as reader:
            made = reader.decisions(memory.space, batch_id=earlier["batch_id"])
        taken = self._ledger.run(
            "UPDATE requests SET server = ?, batch_id = ?, began_at = ?, decisions = ? "
            "WHERE token_id = ? AND key = ? AND server = ? AND decisions IS NULL RETURNING key",
            (
                self._server,
                earlier["batch_id"] if made else batch_id,
                self._now(),
                json.dumps([one.id for one in made]) if made else None,
                token_id,
                key,
                earlier["server"],
            ),
        )
        if not taken:
            raise StateError("another request with this Idempotency-Key is under way; repeat this in a moment")
        return made or None

    def _done(self, token_id: str, key: str, verb: Callable[[], Sequence[Decision]]) -> list[Decision]:
        try:
            made = list(verb())
        except BaseException:
            self._ledger.run("DELETE FROM requests WHERE token_id = ? AND key = ?", (token_id, key))
            raise
        told = json.dumps([one.id for one in made])
        self._ledger.run("UPDATE requests SET decisions = ? WHERE token_id = ? AND key = ?", (told, token_id, key))
        return made
