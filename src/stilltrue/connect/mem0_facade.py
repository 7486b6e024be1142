"""How does a program written for Mem0 keep its memory here? `Mem0Memory`: the same calls, the same shapes of answers.

Written from Mem0's public API, not from its code, and needing neither Mem0 nor a language model. Whoever is named by
user_id, agent_id and run_id together has a space of their own: what is said in one is never judged against another's,
and a filter on one id reads all spaces that have it. Events say what was decided (ADD, UPDATE, DELETE, NONE). Deleting
retracts, so that history stays; `erase=True` removes the words.

Where it differs: errors are stilltrue's, `threshold` counts on stilltrue's scores and is off by default, and nothing is
done for the arguments of Mem0's models and prompts, which are refused rather than passed over.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from stilltrue.connect import attached
from stilltrue.connect.mem0_calls import events_of, messages_of, most_of, owner_of, said_whole, wanted_of
from stilltrue.connect.mem0_filters import IDS, fits, may_fit
from stilltrue.connect.mem0_load import load
from stilltrue.connect.mem0_shelf import FAMILY, Owner, Shelf, record_of
from stilltrue.connect.over import Over
from stilltrue.errors import InvalidInputError, NotFoundError
from stilltrue.formats.fields import read_moment
from stilltrue.memory import Memory
from stilltrue.model.fact import Category
from stilltrue.read.search import MOST_RESULTS
from stilltrue.write.said import Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from stilltrue.connect.importers import ImportReport
    from stilltrue.model.decision import Decision

    Results = dict[str, list[dict[str, Any]]]

PROCEDURAL: Final = "procedural_memory"


class Mem0Memory(Over):
    """Mem0's `Memory`, kept by stilltrue."""

    def __init__(self, memory: Memory) -> None:
        """Over a memory's database; which space the memory speaks for makes no difference."""
        self._memory = memory

    @classmethod
    def open(cls, path: str | Path, **options: Any) -> Self:  # noqa: ANN401 - as Memory.open
        """Over the memory in the file `path`; `options` are those of `stilltrue.Memory.open`."""
        return cls(Memory.open(path, **options))

    def space(self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> Memory:
        """The stilltrue memory of exactly these ids, with all the verbs that Mem0 has no words for."""
        return self._memory.in_space(owner_of(user_id, agent_id, run_id).space, self._memory.member)

    # Writing

    def add(
        self,
        messages: str | Mapping[str, Any] | list[dict[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: float | str | None = None,
        infer: bool = True,
        memory_type: str | None = None,
    ) -> Results:
        """Remember a text or messages, and tell what came of each statement.

        With `infer` False each message is one memory, word for word. `timestamp`: when it was said.
        """
        if memory_type not in (None, PROCEDURAL):
            raise InvalidInputError(f"memory_type is {memory_type!r:.40}; it is {PROCEDURAL!r} or left out")
        owner = owner_of(user_id, agent_id, run_id)
        own = self._memory.in_space(owner.space, self._memory.member)
        told = dict(metadata or {})
        attached.exact_json(told, "metadata")
        said_at = None if timestamp is None else read_moment(timestamp, "timestamp")
        category = Category.PROCEDURAL if memory_type else None
        results: list[dict[str, Any]] = []
        with own.batch() as batch_id:
            for message in messages_of(messages):
                text, role, actor = message["content"], message["role"], message.get("name")
                said = Said(text=text, role=role, author=actor, said_at=said_at)
                about: dict[str, Any] = {"metadata": told, "role": None if infer else role, "actor_id": actor}
                made = _remembered(own, said, category) if infer else said_whole(own, said, batch_id, category=category)
                results += self._events(own, owner, made, about)
        return {"results": results}

    def _events(
        self, own: Memory, owner: Owner, made: Iterable[Decision], about: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """What was decided, in Mem0's words; what was handed over is kept with what is new."""
        events: list[dict[str, Any]] = []
        with own.engine.store.read() as reader:
            shelf = Shelf(reader, own, owner)
            for decision in made:
                events += events_of(shelf, decision)
            old = {event["id"]: shelf.about(event["id"]) for event in events if event["id"]}
        told = {name: value for name, value in about.items() if value}
        for event in events:
            if event["event"] in ("ADD", "UPDATE") and told:
                merged = {**old[event["id"]].get("metadata", {}), **about["metadata"]}
                body = {**old[event["id"]], **told, "metadata": merged}
                attached.keep(own, FAMILY, event["id"], attached.new_tag(own), body)
            event |= {name: about[name] for name in ("actor_id", "role") if about[name]}
        return events

    def update(self, memory_id: str, data: str, metadata: Mapping[str, Any] | None = None) -> dict[str, str]:
        """Put another text under an id; the old one is superseded. `metadata`, where given, replaces the old."""
        own, owner = self._place(memory_id)
        attached.exact_json(dict(metadata or {}), "metadata")
        with own.engine.store.read() as reader:
            shelf = Shelf(reader, own, owner)
            fact, about = shelf.chain(memory_id)[-1], dict(shelf.about(memory_id))
        with own.batch() as batch_id:
            if data != fact.statement.text:
                said_whole(own, Said(text=data, author=fact.statement.author), batch_id, supersedes=(fact.id,))
            if metadata is not None:
                body = {**about, "metadata": dict(metadata)}
                attached.keep(own, FAMILY, memory_id, attached.new_tag(own), body)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str, *, erase: bool = False) -> dict[str, str]:
        """Retract a memory, or with `erase` remove every text and all metadata that it ever had, for good."""
        own, owner = self._place(memory_id, gone_too=erase)
        with own.engine.store.read() as reader:
            chain = [fact.id for fact in Shelf(reader, own, owner).chain(memory_id)]
            sheets = [sheet.episode_id for sheet in attached.sheets(reader, own, FAMILY, memory_id)]
        with own.batch():
            if not erase:
                own.forget(chain[-1], reason="deleted through Mem0's calls")
            for identifier in (*chain, *sheets) if erase else ():
                own.erase(identifier, reason="erased through Mem0's calls")
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None, *, erase: bool = False
    ) -> dict[str, str]:
        """Delete all memories that have these ids."""
        wanted = owner_of(user_id, agent_id, run_id).given
        for item in [item for items in self._listed(wanted) for item in items]:
            self.delete(item["id"], erase=erase)
        return {"message": "Memories deleted successfully!"}

    def reset(self, *, erase: bool = False) -> None:
        """Delete everybody's memories that were added here."""
        for owner in self._owners({}):
            self.delete_all(**owner.given, erase=erase)

    def load(self, path: str | Path, *, user_id: str | None = None) -> dict[str, ImportReport]:
        """Take over a Mem0 export, everybody's memories into their own space, with metadata; a report a space.

        `user_id`: whose is what names nobody. Raises InvalidInputError where that is missing and needed.
        """
        return load(self._memory, Path(path), user_id)

    # Reading

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """A memory as it is now, None where there is none."""
        try:
            own, owner = self._place(memory_id)
        except NotFoundError:
            return None
        with own.engine.store.read() as reader:
            shelf = Shelf(reader, own, owner)
            return shelf.item(shelf.chain(memory_id)[-1])

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        top_k: int | None = None,
        limit: int | None = None,
    ) -> Results:
        """What is true now, of whom the filters or ids name."""
        most = most_of(top_k, limit)
        items = [item for page in self._listed(wanted_of(filters, user_id, agent_id, run_id)) for item in page]
        return {"results": items[:most]}

    def search(
        self,
        query: str,
        *,
        filters: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        top_k: int | None = None,
        limit: int | None = None,
        threshold: float | None = None,
    ) -> Results:
        """What answers the query, best first, with a score from 0 to 1."""
        most, wanted = most_of(top_k, limit), wanted_of(filters, user_id, agent_id, run_id)
        found: list[dict[str, Any]] = []
        # Metadata are known only of what was found, so a filter on them needs all that answers the query.
        pool = min(MOST_RESULTS, 4 * most + 16) if wanted.keys() <= set(IDS) else MOST_RESULTS
        for owner in self._owners(wanted) if most else ():
            own = self._memory.in_space(owner.space, self._memory.member)
            results = own.search(query, limit=pool).results
            with own.engine.store.read() as reader:
                shelf = Shelf(reader, own, owner)
                facts = [(shelf.fact(result.id), result.score) for result in results]
                found += [shelf.item(fact, score) for fact, score in facts if fact is not None and shelf.holds(fact)]
        fitting = [item for item in found if item["score"] >= (threshold or 0.0) and fits(record_of(item), wanted)]
        return {"results": sorted(fitting, key=lambda item: -item["score"])[:most]}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """What became of a memory, oldest first; empty for an id that never was one."""
        try:
            own, owner = self._place(memory_id, gone_too=True)
        except NotFoundError:
            return []
        with own.engine.store.read() as reader:
            shelf = Shelf(reader, own, owner)
            chain, about = shelf.chain(memory_id), shelf.about(memory_id)
            decisions = [reader.decisions(own.space, fact_id=fact.id) for fact in chain]
            over = not shelf.holds(chain[-1])
        texts = [None, *(fact.statement.text for fact in chain), *([None] if over else [])]
        made = [found[0] for found in decisions] + ([decisions[-1][-1]] if over else [])
        events = ["ADD", *("UPDATE" for _ in chain[1:]), *(["DELETE"] if over else [])]
        return [
            {
                "id": decision.id,
                "memory_id": memory_id,
                "old_memory": old,
                "new_memory": new,
                "event": event,
                "created_at": chain[0].recorded_at.isoformat(),
                "updated_at": decision.decided_at.isoformat(),
                "is_deleted": event == "DELETE",
                "actor_id": about.get("actor_id"),
                "role": about.get("role"),
            }
            for decision, event, old, new in zip(made, events, texts, texts[1:], strict=False)
        ]

    def _owners(self, wanted: Mapping[str, Any]) -> list[Owner]:
        """Who can have memories that fit, as far as their ids tell."""
        owners = [owner for name in self._memory.spaces() if (owner := Owner.of_space(name)) is not None]
        return [owner for owner in owners if may_fit(owner.given, wanted)]

    def _listed(self, wanted: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
        for owner in self._owners(wanted):
            own = self._memory.in_space(owner.space, self._memory.member)
            with own.engine.store.read() as reader:
                shelf = Shelf(reader, own, owner)
                items = [shelf.item(fact) for fact in shelf.all()]
            yield [item for item in items if fits(record_of(item), wanted)]

    def _place(self, memory_id: str, *, gone_too: bool = False) -> tuple[Memory, Owner]:
        """Where a memory lies. Raises NotFoundError where there is none, or it is deleted unless `gone_too`."""
        for owner in self._owners({}):
            own = self._memory.in_space(owner.space, self._memory.member)
            with own.engine.store.read() as reader:
                shelf = Shelf(reader, own, owner)
                chain = shelf.chain(str(memory_id))
                if chain and (gone_too or shelf.holds(chain[-1])):
                    return own, owner
        raise NotFoundError(f"there is no memory {memory_id!r:.60}; search and get_all give the ids of those there are")


def _remembered(own: Memory, said: Said, category: Category | None) -> list[Decision]:
    """Have the reader find the statements of a text."""
    kept = None if category is None else category.value
    return own.remember(said.text, role=said.role, author=said.author, said_at=said.said_at, category=kept)
