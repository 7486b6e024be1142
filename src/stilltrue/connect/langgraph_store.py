"""How does a LangGraph agent keep its long-term memory here? `StilltrueStore`, a `BaseStore` over a Memory.

A namespace is a space of its own, so nothing is found, judged or superseded across two of them. An item is a sheet
(`connect.attached`) under its key, and its statement, if its value has one, is remembered like anything said. So the
judge also sees what other items of the namespace say: an item all of whose statements were superseded is not found by
`search` any more. `get`, which asks for a key and not for what is true, still returns it, with its status.

Not here: time to live. Facts end when something ends them, and a store whose reads moved that date would write with
every read; `put(..., ttl=...)` is refused, as by LangGraph's in-memory store.
"""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

from stilltrue.connect import attached
from stilltrue.connect.langgraph_shelf import CURRENT, FAMILY, Kept, Shelf, tag_of
from stilltrue.connect.langgraph_values import Parts, fits, is_met, take_apart
from stilltrue.connect.over import Over
from stilltrue.errors import InvalidInputError, StaleJudgementError, StateError, StilltrueError
from stilltrue.memory import Memory
from stilltrue.model.decision import Action
from stilltrue.read.search import MOST_RESULTS
from stilltrue.rules.text import exact_hash

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        tokenize_path,
        validate_op_namespace,
    )
except ImportError:
    raise StilltrueError(
        "stilltrue.connect.langgraph_store needs the package langgraph: pip install 'stilltrue[langgraph]'"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from stilltrue.model.decision import Decision
    from stilltrue.model.ids import FactId
    from stilltrue.ports import Reader

STATEMENT_FIELDS: Final = ("text", "memory", "content", "content.content", "data")
"""Where the statement of a value is looked for by default; the first of these paths that leads to a string is it."""


ATTEMPTS: Final = 8
"""How often a put starts again because another process put the same key meanwhile."""


class StilltrueItem(Item):
    """An item that also says how its statements stand and which facts they are.

    `status`: "current" while one of them holds, or there are none; "over" when all were superseded or ended; "refused"
    where memory had been told before that they are not true. `facts` are ids for `Memory.explain` and `history`.
    """

    __slots__ = ("facts", "status")

    def __init__(self, kept: Kept, namespace: tuple[str, ...]) -> None:
        """As kept."""
        super().__init__(
            value=kept.value, key=kept.key, namespace=namespace, created_at=kept.created_at, updated_at=kept.updated_at
        )
        self.status = kept.status
        self.facts = tuple(fact.id for fact in kept.facts)


class StilltrueStore(Over, BaseStore):
    """LangGraph's long-term store over one stilltrue database. Safe to share between threads.

    `fields`: the paths under which a value may hold its statement, the first that leads to a string counts; `index` of
    a `put` names others for that item, all of which count, and `index=False` keeps the item without judging it.
    """

    __slots__ = ("_fields", "_memory", "_writing")

    def __init__(self, memory: Memory, *, fields: Sequence[str] = STATEMENT_FIELDS) -> None:
        """A store over a memory's database; which space the memory speaks for makes no difference."""
        if isinstance(fields, str):
            raise InvalidInputError(f"fields is the string {fields!r:.40}; give a list of paths")
        self._memory = memory
        self._fields = tuple(fields)
        self._writing = Lock()

    @classmethod
    def open(cls, path: str | Path, *, fields: Sequence[str] = STATEMENT_FIELDS, **options: Any) -> Self:  # noqa: ANN401 - as Memory.open
        """A store over the memory in the file `path`; `options` are those of `Memory.open`."""
        return cls(Memory.open(path, **options), fields=fields)

    def space(self, namespace: tuple[str, ...]) -> Memory:
        """The memory of one namespace, with all the verbs that LangGraph has no words for: history, explain, undo."""
        return self._memory.in_space(attached.space_name(FAMILY, namespace), self._memory.member)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads first, as the store was before; then the puts, of each key the last."""
        asked = list(ops)
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in asked:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
        results = [self._read(op) for op in asked]
        for put in puts.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, in a thread; a cancelled call is carried through there."""
        return await asyncio.to_thread(self.batch, list(ops))

    def versions(self, namespace: tuple[str, ...], key: str) -> list[StilltrueItem]:
        """All that was ever put under a key, oldest first, each as it stands now."""
        space = self.space(namespace)
        with self._memory.engine.store.read() as reader:
            found = Shelf(reader, space).versions(attached.sheets(reader, space, FAMILY, key))
        return [StilltrueItem(kept, namespace) for kept in found if kept is not None]

    def erase(self, namespace: tuple[str, ...], key: str) -> None:
        """Remove every version of an item for good, and the facts that rest on its words; `delete` only forgets."""
        space = self.space(namespace)
        with self._writing, space.batch():
            with self._memory.engine.store.read() as reader:
                sheets = attached.sheets(reader, space, FAMILY, key)
                words = attached.told(reader, space, FAMILY)
                said = [words[tag].id for tag in {tag_of(sheet) for sheet in sheets} if tag in words]
            for identifier in (*said, *(sheet.episode_id for sheet in sheets)):
                space.erase(identifier, reason="erased through LangGraph")

    # Reading

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._kept(op.namespace, op.key)
            return None if found is None else StilltrueItem(found, op.namespace)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list(op)
        if isinstance(op, PutOp):
            if op.ttl is not None:
                raise InvalidInputError(f"item {op.key!r:.60} is put with a ttl, which this store cannot honour")
            return None
        raise InvalidInputError(f"{type(op).__name__} is no operation of a LangGraph store")

    def _kept(self, namespace: tuple[str, ...], key: str) -> Kept | None:
        space = self.space(namespace)
        with self._memory.engine.store.read() as reader:
            found = Shelf(reader, space).versions(attached.sheets(reader, space, FAMILY, key))
        return found[-1] if found else None

    def _namespaces(self) -> list[tuple[str, ...]]:
        found = (attached.space_words(FAMILY, name) for name in self._memory.spaces())
        return sorted(namespace for namespace in found if namespace is not None)

    def _list(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = [
            namespace
            for namespace in self._namespaces()
            if all(is_met(condition, namespace) for condition in op.match_conditions or ())
            and self._holds_any(namespace)
        ]
        if op.max_depth is not None:
            found = sorted({namespace[: op.max_depth] for namespace in found})
        return found[op.offset : op.offset + op.limit]

    def _holds_any(self, namespace: tuple[str, ...]) -> bool:
        space = self.space(namespace)
        with self._memory.engine.store.read() as reader:
            return Shelf(reader, space).holds_any()

    def _items(self, namespace: tuple[str, ...]) -> list[Kept]:
        """The items of a namespace as they stand, in the order in which they came."""
        space = self.space(namespace)
        with self._memory.engine.store.read() as reader:
            return Shelf(reader, space).items()

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found: list[SearchItem] = []
        for namespace in self._namespaces():
            if namespace[: len(op.namespace_prefix)] == tuple(op.namespace_prefix):
                found += self._found(op, namespace)
        if op.query:
            found.sort(key=lambda item: (item.score is None, -(item.score or 0.0)))
        return found[op.offset : op.offset + op.limit]

    def _found(self, op: SearchOp, namespace: tuple[str, ...]) -> list[SearchItem]:
        """What a namespace has that fits; where it was asked a question, what answers it has a score."""
        items = [item for item in self._items(namespace) if item.status == CURRENT and fits(item.value, op.filter)]
        scores: dict[FactId, float] = {}
        if op.query and op.query.strip() and items:
            found = self.space(namespace).search(op.query, limit=MOST_RESULTS)
            scores = {result.id: result.score for result in found.results}
        best = [max((scores[one] for one in item.held if one in scores), default=None) for item in items]
        return [
            SearchItem(namespace, item.key, item.value, item.created_at, item.updated_at, score)
            for item, score in zip(items, best, strict=True)
        ]

    # Writing

    def _put(self, op: PutOp) -> None:
        space = self.space(op.namespace)
        parts = None if op.value is None else self._parts(op)
        with self._writing, space.batch():
            for attempt in range(ATTEMPTS):
                began = time.perf_counter()
                if self._put_once(space, op.key, parts, again=attempt > 0):
                    return
                # The other draws another pause, so that soon one of the two is alone for as long as a put takes.
                time.sleep((time.perf_counter() - began) * random.uniform(0, 2**attempt))  # noqa: S311 - no secret
        raise StaleJudgementError(
            f"item {op.key!r:.60} was put by others {ATTEMPTS} times meanwhile; its last value stands, put it again"
        )

    def _put_once(self, space: Memory, key: str, parts: Parts | None, *, again: bool) -> bool:
        """Put a value, or with None delete the item; whether nobody else did meanwhile.

        Another process may: then the last sheet is ours and did not know of what that one said, so it is done `again`.
        """
        with self._memory.engine.store.read() as reader:
            shelf = Shelf(reader, space)
            sheets = attached.sheets(reader, space, FAMILY, key)
            before = shelf.versions(sheets)
            own = shelf.own(key, before) if before else []
        now = before[-1] if before else None
        tag = attached.new_tag(space)
        if parts is None:
            if now is None and not own:
                return True
            _forget(space, own, "deleted through LangGraph")
            body: dict[str, Any] = {"deleted": True}
        elif now is not None and now.words == parts.words and now.status == CURRENT and not again:
            body = sheets[-1].body | _body(parts) | {"said": tag_of(sheets[-1])}
        else:
            body = _body(parts) | self._say(space, parts.words, tag, own)
        kept = attached.keep(space, FAMILY, key, tag, body)
        return kept.follows == (sheets[-1].episode_id if sheets else None)

    def _parts(self, op: PutOp) -> Parts:
        """The value taken apart. Raises InvalidInputError where it could not be given back as it is."""
        value: dict[str, Any] = dict(op.value or {})
        attached.exact_json(value, f"the value of {op.key!r:.60}")
        named = op.index if op.index is not None else self._fields
        paths = [] if named is False else [tokenize_path(path) for path in named]
        return take_apart(value, paths, first_only=op.index is None)

    def _say(self, space: Memory, words: str, tag: str, replaced: Sequence[FactId]) -> dict[str, Any]:
        """Remember the statement in the place of what the key said before; what its sheet has to tell of it."""
        if not words:
            _forget(space, replaced, "the item says nothing any more")
            return {}
        made = space.remember(words, origin=attached.said_origin(FAMILY, tag), supersedes=replaced)
        with self._memory.engine.store.read() as reader:
            left = [fact.id for fact in attached.holding(reader, space, replaced)]
            repeated = _repeated(reader, space, made)
        named = {decision.fact_id for decision in made} | {*repeated}
        _forget(space, [one for one in left if one not in named], "the item says something else now")
        refused = bool(made) and not repeated and all(decision.action is Action.REJECT for decision in made)
        return {"said": tag, "also": repeated, "refused": refused}


def _body(parts: Parts) -> dict[str, Any]:
    return {
        "rest": parts.rest,
        "places": [list(place) for place in parts.places],
        "spans": list(map(list, parts.spans)),
    }


def _forget(space: Memory, fact_ids: Iterable[FactId], reason: str) -> None:
    for fact_id in fact_ids:
        with suppress(StateError):  # another process ended it meanwhile
            space.forget(fact_id, reason=reason)


def _repeated(reader: Reader, space: Memory, made: Sequence[Decision]) -> list[FactId]:
    """The facts that said what was turned away as a mere repetition: the item rests on them too."""
    hashes = [exact_hash(decision.text) for decision in made if decision.action is Action.REJECT]
    found = [fact.id for one in hashes for fact in reader.with_hash(space.space, exact=one)]
    return [fact.id for fact in attached.holding(reader, space, found)]
