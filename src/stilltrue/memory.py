"""What can a program do with a memory? The verbs, nothing else: each checks what it was given and calls its module.
Those that only ask are `read.verbs`', those that look after it `upkeep.verbs`'. A verb's module is imported by its
first call, so that a hook at every prompt loads no more than a search needs.

One `Memory` speaks for one space. Times may be given as `datetime` (aware) or as text; text is read in the setting
`timezone`, and as `as_of` or `known_at` a bare date means the end of that day there.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from stilltrue.errors import AccessError, InvalidInputError, StateError
from stilltrue.model.fact import Category, Kind
from stilltrue.model.ids import BatchId, FactId, SpaceId, short
from stilltrue.model.slot import Cardinality
from stilltrue.read.verbs import Reading
from stilltrue.upkeep.verbs import Upkeep
from stilltrue.write.given import checked_name, checked_share, checked_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from stilltrue.engine import Engine
    from stilltrue.model.candidate import Given
    from stilltrue.model.decision import Decision
    from stilltrue.ports import Clock, Embedder, Expert, PairModel
    from stilltrue.read.results import OpenConflict
    from stilltrue.settings import Settings
    from stilltrue.upkeep.flips import Backtest
    from stilltrue.upkeep.sweep import SweepReport
    from stilltrue.upkeep.thread import Worker
    from stilltrue.write.jobs import Estimate
    from stilltrue.write.said import Said

DEFAULT_SPACE = "default"
ALL = "all"


class Memory(Reading, Upkeep):
    """The long-term memory of one space. Safe to share between threads; close it, or use it as a context manager."""

    def __init__(
        self, engine: Engine, space: str = DEFAULT_SPACE, member: str | None = None, *, vouched: bool | None = None
    ) -> None:
        """Speak for `space` of an engine, as `member` where it is a group's. Raises InvalidInputError, AccessError.

        `vouched` is for doors that know the caller: whether it may retire a constraint by naming it in `supersedes`.
        """
        self.engine = engine
        self.space = SpaceId(checked_name(space, "space"))
        self.member = member
        self.vouched = vouched
        self._batch: BatchId | None = None
        self._asks_later = False
        self._worker: Worker | None = None
        self._admit()

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        space: str = DEFAULT_SPACE,
        member: str | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        pair_model: PairModel | Path | str | None = None,
        expert: Expert | None = None,
        worker: bool = False,
    ) -> Self:
        """Open (and create, if need be) the memory kept in the SQLite file `path`, ":memory:" for one that vanishes.

        An address (postgresql://user@host/database) opens the one on that server: extra `postgres`.
        Settings default to STILLTRUE_* variables. `pair_model` is the local judge of what rules cannot tell: "bundled",
        "off", a folder (`wiring.pair_model_of` says of what) or an object of one's own; by default the setting of that
        name says which. `expert` is an LLM of one's own making; by default the setting `llm` says which, if any.
        With `worker` a thread does what writes leave for later.
        Raises StoreError, InvalidInputError, AccessError, ModelError.
        """
        from stilltrue.wiring import build_engine

        engine = build_engine(
            path, settings=settings, clock=clock, embedder=embedder, pair_model=pair_model, expert=expert
        )
        memory = cls(engine, space, member)
        return memory.start_worker() if worker else memory

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the worker and let go of the database. What was remembered is durable; what was read is counted now."""
        if self._worker is not None:
            self._worker.stop()
        if self.engine.tally.spaces():
            from stilltrue.upkeep.recalls import count_all

            count_all(self.engine)
        self.engine.store.close()

    def start_worker(self) -> Self:
        """From now on a thread does what writes leave for later, in every space, until `close()`. Returns itself."""
        from stilltrue.upkeep.thread import Worker

        self._worker = self._worker or Worker(self.engine)
        return self

    def in_space(self, space: str, member: str | None = None, *, vouched: bool | None = None) -> Memory:
        """The same database, another space. Raises AccessError for a group that `member` is not in."""
        return Memory(self.engine, space, member, vouched=vouched)

    # Writing

    def remember(  # noqa: PLR0913 - all that a caller may know better than inference
        self,
        text: str | None = None,
        *,
        messages: Iterable[Mapping[str, object]] | None = None,
        author: str | None = None,
        topic: str | None = None,
        said_at: datetime | str | None = None,
        role: str | None = None,
        origin: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        value: str | None = None,
        qualifiers: Mapping[str, str] | None = None,
        cardinality: str | None = None,
        valid_from: datetime | str | None = None,
        valid_until: datetime | str | None = None,
        kind: str | None = None,
        category: str | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        trust: float | None = None,
        supersedes: str | Sequence[str] = (),
        depends_on: str | Sequence[str] = (),
        wait: bool = True,
    ) -> list[Decision]:
        """Remember a text, or a chat's `messages` ({"role", "content"}), and tell what was decided of each statement.

        What the caller gives (slot, dates, kind, …) wins over what the words suggest; giving a subject, an attribute
        or a value makes the text one statement. `importance`, `confidence`, `trust`: 0..1. With `wait=False` the call
        returns as soon as the statements are durable, and `drain()` judges them. `origin` makes repeating it harmless.
        `supersedes` retires a constraint only for its author, for one trusted as much, and for who names no author;
        for others it opens a conflict.
        Raises InvalidInputError (nothing is written then), NotFoundError for an unknown id, AccessError, StoreError.
        """
        from stilltrue.model.candidate import Given
        from stilltrue.write.said import Said, messages_of

        self._admit()
        if (text is None) == (messages is None):
            raise InvalidInputError("give either a text or messages")
        given = Given(
            subject=subject,
            attribute=attribute,
            value=value,
            qualifiers=tuple(sorted((name.lower(), word.lower()) for name, word in (qualifiers or {}).items())),
            cardinality=checked_word(Cardinality, cardinality, "cardinality"),
            valid_from=self._moment(valid_from, "valid_from"),
            valid_until=self._moment(valid_until, "valid_until"),
            kind=checked_word(Kind, kind, "kind"),
            category=checked_word(Category, category, "category"),
            importance=checked_share(importance, "importance"),
            confidence=checked_share(confidence, "confidence"),
            trust=checked_share(trust, "trust"),
            supersedes=self._facts(supersedes),
            vouched=self.vouched,
            depends_on=self._facts(depends_on),
            whole=any(part is not None for part in (subject, attribute, value)),
        )
        if given.valid_from and given.valid_until and given.valid_until <= given.valid_from:
            raise InvalidInputError("valid_until is not after valid_from; swap them or leave one out")
        said = Said(
            text=text or "",
            author=author,
            topic=topic,
            said_at=self._moment(said_at, "said_at"),
            role=role,
            origin=origin,
        )
        return self._remembered([said] if messages is None else messages_of(said, messages), given, wait=wait)

    def _remembered(self, parts: Sequence[Said], given: Given, *, wait: bool) -> list[Decision]:
        """What was decided of each part, in one batch."""
        from stilltrue.upkeep.detective import noticed
        from stilltrue.upkeep.recalls import count_when_due
        from stilltrue.write.remember import remember

        count_when_due(self.engine, self.space)
        batch_id, asks = self._batch_id(), not self._asks_later
        made = [
            decision
            for part in parts
            for decision in remember(self.engine, self.space, part, given, batch_id, wait=wait, asks=asks)
        ]
        return noticed(self.engine, self.space, made) if wait else made

    @contextmanager
    def batch(self, *, ask_later: bool = False) -> Iterator[BatchId]:
        """All that is remembered inside shares one batch, which `undo` takes back as one.

        With `ask_later` no write inside waits for an LLM, whatever the settings say: the local reader reads, and
        `drain()` asks about what is left open.
        """
        outer, asked_later = self._batch, self._asks_later
        self._batch, self._asks_later = self._batch_id(), ask_later or asked_later
        try:
            yield self._batch
        finally:
            self._batch, self._asks_later = outer, asked_later

    def resolve(
        self,
        conflict_id: str,
        answer: str,
        *,
        keep: str | None = None,
        text: str | None = None,
        condition: str | None = None,
        reason: str = "",
        author: str | None = None,
    ) -> Decision:
        """Settle a conflict: keep | both | never_true | rewrite | dismiss.

        `keep` names the fact that stays (keep), that never was (never_true), or that holds under `condition` (both);
        `text` is the new wording (rewrite). Raises NotFoundError, StateError, InvalidInputError.
        """
        from stilltrue.model.conflict import Answer
        from stilltrue.write.resolve import Reply, resolve

        self._admit()
        told = checked_word(Answer, answer, "answer")
        if told is None or (told is Answer.REWRITE) != (text is not None):
            raise InvalidInputError("answer 'rewrite' needs the new text, and only that answer takes one")
        batch_id = self._batch_id()
        successor = self._rewritten(conflict_id, text, batch_id, author) if text is not None else None
        reply = Reply(
            answer=told,
            keep=keep,
            condition=condition,
            successor=successor,
            reason=reason,
            author=author or self.member,
        )
        return resolve(self.engine, self.space, conflict_id, reply, batch_id)

    def _rewritten(self, conflict_id: str, text: str, batch_id: BatchId, author: str | None) -> FactId:
        """The new wording as a fact, kept as said and not judged against the facts it replaces."""
        from stilltrue.model.candidate import Given
        from stilltrue.model.conflict import ConflictStatus
        from stilltrue.read.conflicts import conflict
        from stilltrue.write.remember import remember
        from stilltrue.write.said import Said

        status = conflict(self.engine, self.space, conflict_id).conflict.status
        if status is not ConflictStatus.OPEN:
            raise StateError(f"conflict {short(conflict_id)} is {status.value} already; undo that to answer anew")
        said = Said(text=text, author=author or self.member)
        kept = remember(self.engine, self.space, said, Given(whole=True), batch_id, wait=False)
        if not kept or kept[0].fact_id is None:
            raise InvalidInputError("the new text states nothing; write it as one plain statement")
        return kept[0].fact_id

    def forget(self, fact_id: str, *, reason: str = "", never_true: bool = False) -> Decision:
        """Retract a fact by hand: it ends now, or with `never_true` never was and does not come back. Can be undone.

        Raises NotFoundError, StateError.
        """
        from stilltrue.write.forget import forget

        self._admit()
        return forget(self.engine, self.space, fact_id, self._batch_id(), reason=reason, never_true=never_true)

    def erase(self, identifier: str, *, reason: str = "") -> Decision:
        """Remove a fact's words (or an episode's, with all its facts) everywhere, for good. Raises NotFoundError."""
        from stilltrue.write.forget import erase

        self._admit()
        return erase(self.engine, self.space, identifier, self._batch_id(), reason=reason)

    def undo(self, identifier: str) -> Decision:
        """Take back a decision or a batch exactly. Raises NotFoundError, StateError."""
        from stilltrue.write.undo import undo

        self._admit()
        return undo(self.engine, self.space, identifier, self._batch_id())

    def sweep(
        self, progress: Callable[[int, int], object] | None = None, *, shadow: bool = False, plan: bool = False
    ) -> SweepReport:
        """Judge what was never judged, left undecided, or can be judged better now (E3); `undo` takes it back as one.

        `shadow` only proposes; `plan` only tells what it would do. One that was cut short goes on. Raises StateError.
        """
        from stilltrue.upkeep.sweep import planned, swept
        from stilltrue.upkeep.worker import drain
        from stilltrue.wiring import copied

        self._admit()
        if plan:
            return planned(self.engine, self.space, copied, progress)
        return swept(self.engine, self.space, drain, progress, shadow=shadow)

    def backtest(
        self,
        changes: Mapping[str, object] | None = None,
        *,
        pair_model: PairModel | Path | str | None = None,
        since: datetime | str | None = None,
        progress: Callable[[Backtest], object] = lambda _: None,
    ) -> Backtest:
        """Which decisions would be others under these settings, or by this pair model; the memory is only read.

        Without either: by the settings, the model and the version of today. Raises InvalidInputError, ModelError.
        """
        from stilltrue.upkeep.backtest import backtest
        from stilltrue.wiring import beside, pair_model_of

        self._admit()
        told, model = dict(changes or {}), self.engine.pair_model
        settings = self.settings.replace(told)
        if pair_model is not None or "pair_model" in told:
            model = pair_model_of(pair_model, settings)
        start = self._moment(since, "since")
        return backtest(self.engine, self.space, told, model, beside, since=start, progress=progress)

    def estimate(self) -> Estimate:
        """What `drain()` would ask an LLM now: pairs, requests and tokens. Nothing is asked and nothing written."""
        from stilltrue.wiring import unasked
        from stilltrue.write.jobs import estimate

        self._admit()
        return estimate(unasked(self.engine), self.space)

    def conflicts(self, status: str | None = "open") -> tuple[OpenConflict, ...]:
        """Conflicts with facts and question, those first whose answer would settle most; `status` open, answered,
        dismissed, or "all", as None. Raises InvalidInputError.
        """
        from stilltrue.model.conflict import ConflictStatus
        from stilltrue.read.conflicts import conflicts

        self._admit()
        wanted = None if status == ALL else checked_word(ConflictStatus, status, "status", ALL)
        return conflicts(self.engine, self.space, wanted)

    def check_invariants(self) -> list[str]:
        """What is wrong with the store, a sentence each; empty when it is sound."""
        return self.engine.store.check_invariants()

    # The space

    def configure(self, /, **knobs: object) -> Settings:
        """Set knobs for this space only (None: back to the engine's own). Raises InvalidInputError."""
        self._admit()
        with self.engine.store.write(self.space) as transaction:
            own = dict(transaction.space_settings(self.space))
            own.update(knobs)
            own = {name: value for name, value in own.items() if value is not None}
            self.engine.settings.replace(own)
            transaction.put_space_settings(self.space, own)
        return self.settings

    def set_members(self, names: Sequence[str]) -> tuple[str, ...]:
        """Make this a group space of these members (empty: private again). Raises AccessError for strangers."""
        self._admit()
        members = tuple(dict.fromkeys(checked_name(name, "member") for name in names))
        with self.engine.store.write(self.space) as transaction:
            transaction.put_members(self.space, members)
        return members

    def members(self) -> tuple[str, ...]:
        """Members of this group space; empty for a private one. Raises AccessError for strangers."""
        self._admit()
        with self.engine.store.read() as reader:
            return reader.members(self.space)

    def spaces(self) -> list[str]:
        """Names of the spaces in this database that are private or that `member` belongs to."""
        with self.engine.store.read() as reader:
            return [name for name in reader.spaces() if not (team := reader.members(name)) or self.member in team]

    def _admit(self) -> None:
        """Raises AccessError unless the space is private or `member` is in its group (D9)."""
        with self.engine.store.read() as reader:
            members = reader.members(self.space)
        if members and self.member not in members:
            raise AccessError(
                f"space {self.space!r} is a group's, and {self.member or 'nobody'!r} is not in it; "
                "open it as a member (--as)"
            )

    def _batch_id(self) -> BatchId:
        return self._batch or BatchId(self.engine.new_id(self.engine.clock.now()))

    def _facts(self, given: str | Sequence[str]) -> tuple[FactId, ...]:
        fragments = (given,) if isinstance(given, str) else tuple(given)
        if not fragments:
            return ()
        with self.engine.store.read() as reader:
            return tuple(FactId(reader.find_id(self.space, "facts", fragment)) for fragment in fragments)
