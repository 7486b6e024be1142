"""What will the local models be asked about the next facts of a sweep? It asks them beforehand, on its own threads.

Answer: `Ahead` walks the facts a page at a time. While the looks at one page are under way, the pair model scores the
pairs of the next on a thread of its own, and another reads which facts of the one after that were never decided on and
embeds them, all of it outside any transaction. Its engine's models answer from there, and ask the real ones what was
not foreseen: what changes meanwhile costs a question, and is never answered with what was true before. A fact about
which nothing is open needs no look as long as the space is as it was read. Judged facts that lack a vector of the
present embedder, because they were kept without one or the embedder is a newer one, are given theirs on the way.

Left to others: what is decided about a fact, and whether it still stands as it was read (`write.second_look`).
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Self, cast

import numpy as np

from stilltrue.errors import StilltrueError
from stilltrue.model.fact import Tier
from stilltrue.model.slot import Cardinality
from stilltrue.ports import Filter
from stilltrue.write.early import fresh_among
from stilltrue.write.judge import for_model
from stilltrue.write.judged import Neighbour
from stilltrue.write.open_pairs import KEPT
from stilltrue.write.recall import SLOT_LIMIT, gates_of, is_close
from stilltrue.write.second_look import opened_pairs, stands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from stilltrue.engine import Engine
    from stilltrue.model.combination import Combination
    from stilltrue.model.fact import Fact, Statement
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.verdict import Relation
    from stilltrue.ports import Embedder, PairModel, Reader, Vectors
    from stilltrue.write.second_look import Terms

    Pair = tuple[Statement, Statement]

PAGE: Final = 64
"""Facts asked about at once: the looks at as many others hide the time, and few guesses are out of date."""

DEPTH: Final = 3
"""Pages in hand: one is looked at, one is judged by the pair model, one is read and embedded."""


@dataclass(slots=True)
class Known:
    """What was read of one page, as of a revision, and what the models said about it.

    `fresh`: facts about which nothing was decided yet; `judged`: others, with what they are open with; `settled`: those
    about which nothing is open; `bare`: judged facts that lack a vector.
    """

    revision: int = -1
    fresh: list[Fact] = field(default_factory=list)
    judged: list[tuple[Fact, list[FactId]]] = field(default_factory=list)
    settled: set[FactId] = field(default_factory=set)
    bare: dict[FactId, str] = field(default_factory=dict)
    vectors: dict[str, Vectors] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    relations: dict[Pair, Mapping[Relation, float]] = field(default_factory=dict)


class Ahead:
    """Pages of facts with their answers; a context, which ends the threads. `engine` is the one to look with."""

    def __init__(self, engine: Engine, space: SpaceId) -> None:
        """Nothing is asked before the first page."""
        self._real = engine
        self._space = space
        self._known = Known()
        self._recent: dict[object, tuple[Fact, Vectors]] = {}
        self._settings = gates_of(engine, engine.settings_of(space))
        self._reads = ThreadPoolExecutor(1, "stilltrue-ahead")
        self._judges = ThreadPoolExecutor(1, "stilltrue-judge")
        model = None if engine.pair_model is None else _Relations(engine.pair_model, self)
        self.engine = replace(engine, embedder=_Vectors(engine.embedder, self), pair_model=model)

    @property
    def known(self) -> Known:
        """What was said about the page at hand."""
        return self._known

    def pages(self, fact_ids: Sequence[FactId], terms: Terms) -> Iterator[Sequence[FactId]]:
        """The facts in their order, a page at a time, each when it has been asked about. Raises StoreError."""
        pages = [fact_ids[start : start + PAGE] for start in range(0, len(fact_ids), PAGE)]
        coming: deque[Future[Known]] = deque()
        for place, page in enumerate(pages):
            for following in pages[place + len(coming) : place + DEPTH]:
                coming.append(self._judges.submit(self._judged, self._reads.submit(self._read, following, terms)))
            self._known = coming.popleft().result()
            if self._known.bare and not terms.shadow:
                self._give_vectors()
            yield page

    def nothing_open(self, fact_id: FactId) -> bool:
        """Whether a fact of the page needs no look: nothing was open about it, and nothing was written since."""
        if fact_id not in self._known.settled:
            return False
        with self._real.store.read() as reader:
            return reader.revision(self._space) == self._known.revision

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for the pages that are being asked about; nobody needs them."""
        self._judges.shutdown(wait=False, cancel_futures=True)
        self._reads.shutdown(cancel_futures=True)
        self._judges.shutdown()

    def _read(self, page: Sequence[FactId], terms: Terms) -> Known:
        """What a page holds, with its vectors. What goes wrong is met again, and told, by the look that needs it."""
        known = Known()
        try:
            with self._real.store.read() as reader:
                self._foresee(reader, page, terms, known)
            texts = list(dict.fromkeys([*(fact.statement.text for fact in known.fresh), *known.bare.values()]))
            known.vectors.update(zip(texts, self._real.embedder.embed(texts), strict=True))
            model = self._real.pair_model
            if model is not None and (known.fresh or known.judged):
                with self._real.store.read() as reader:
                    known.pairs = self._pairs(reader, model, known)
        except StilltrueError:
            return Known()
        return known

    def _judged(self, read: Future[Known]) -> Known:
        """The page with what the pair model says, as far as it can be foreseen."""
        try:
            known = read.result()
        except CancelledError:
            return Known()
        model = self._real.pair_model
        if model is None or not known.pairs:
            return known
        try:
            known.relations.update(zip(known.pairs, model.relations(known.pairs), strict=True))
        except StilltrueError:
            known.bare.clear()
        return known

    def _foresee(self, reader: Reader, page: Sequence[FactId], terms: Terms, known: Known) -> None:
        """Facts that nothing was decided about yet; the others that have open pairs, each with these."""
        known.revision = reader.revision(self._space)
        lacking = reader.without_vector(self._space, page)
        fresh = fresh_among(reader, self._space, page)
        for fact in reader.facts(self._space, page):
            if not stands(fact) or fact.id in terms.waiting:
                known.settled.add(fact.id)
                continue
            if fact.id in fresh:
                known.fresh.append(fact)
                continue
            terms.decided.add(fact.id)
            if opened := opened_pairs(self._real, reader, fact, terms):
                known.judged.append((fact, [other for other, one in opened.items() if one.why != KEPT]))
            else:
                known.settled.add(fact.id)
            if fact.id in lacking and fact.standing.tier is not Tier.STUB:
                known.bare[fact.id] = fact.statement.text

    def _pairs(self, reader: Reader, model: PairModel, known: Known) -> list[Pair]:
        """The pairs that looking will ask about, as far as it can be told before the looks at the facts before."""
        near = [(fact, self._near(reader, fact, known.vectors[fact.statement.text])) for fact in known.fresh]
        named = list(dict.fromkeys(other for _, others in (*near, *known.judged) for other in others))
        mentions = reader.sources_of(self._space, named)
        told = {one.id: Neighbour(fact=one, nominated_by="", sources=mentions[one.id])
                for one in reader.facts(self._space, named)}  # fmt: skip
        pairs = [
            for_model(model, self._settings, fact.statement, told[other])
            for fact, others in (*near, *known.judged)
            for other in others
            if other in told
        ]
        return [pair for pair in dict.fromkeys(pairs) if pair is not None]

    def _near(self, reader: Reader, fact: Fact, vector: Vectors) -> list[FactId]:
        """Who will most likely be nominated (`write.recall`): the slot, and what is alike and was told before.

        The latest are found by their vectors here: they are looked at meanwhile, and nobody finds them yet.
        """
        slot, settings, now = fact.statement.slot, self._settings, self._real.clock.now()
        found: list[FactId] = []
        if slot.attribute is not None:
            told = Filter(valid_at=now, include_superseded=True, awaiting=fact.id)
            found = reader.ids_in_slot(self._space, slot.subject, slot.attribute, SLOT_LIMIT + 1, told)
        where = Filter(valid_at=now, awaiting=fact.id)
        hits = reader.near(self._space, vector, 4 * max(1, settings.max_candidates), where)
        score = {hit.fact_id: hit.score for hit in hits}
        if self._recent:
            latest = np.stack([other for _, other in self._recent.values()])
            alike = np.einsum("ij,j->i", latest, vector).tolist()
            score.update((one.id, cosine) for (one, _), cosine in zip(self._recent.values(), alike, strict=True))
        gate = min(settings.subject_gate, settings.similarity_gate)
        close = [one for one in sorted(score, key=score.__getitem__, reverse=True) if score[one] >= gate]
        told_of = reader.facts(self._space, [one for one in close if one not in found])
        near = [one.id for one in told_of if is_close(one, score[one.id], fact.statement, settings)]
        self._remember(fact, vector)
        return [other for other in (*found, *near[: settings.max_candidates]) if other != fact.id]

    def _remember(self, fact: Fact, vector: Vectors) -> None:
        """The latest facts; of a slot with one value at a time the last, for it will most likely end the others."""
        slot = fact.statement.slot
        single = fact.statement.cardinality is Cardinality.ONE and slot.attribute is not None
        self._recent[slot if single else fact.id] = (fact, vector)
        while len(self._recent) > 2 * PAGE:
            del self._recent[next(iter(self._recent))]

    def _give_vectors(self) -> None:
        """To facts that were judged without one."""
        with self._real.store.write(self._space) as transaction:
            lacking = transaction.without_vector(self._space, list(self._known.bare))
            for fact_id, text in self._known.bare.items():
                if fact_id in lacking:
                    transaction.set_vector(self._space, fact_id, self._known.vectors[text].tobytes())


@dataclass(frozen=True, slots=True)
class _Vectors:
    """An embedder that looks first at what is known."""

    inner: Embedder
    ahead: Ahead

    @property
    def model_version(self) -> str:
        return self.inner.model_version

    @property
    def dimensions(self) -> int:
        return self.inner.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        known = self.ahead.known.vectors
        if not texts or any(text not in known for text in texts):
            return self.inner.embed(texts)
        return cast("Vectors", np.stack([known[text] for text in texts]))


@dataclass(frozen=True, slots=True)
class _Relations:
    """A pair model that looks first at what is known, statement for statement."""

    inner: PairModel
    ahead: Ahead

    @property
    def model_version(self) -> str:
        return self.inner.model_version

    @property
    def combination(self) -> Combination | None:
        return self.inner.combination

    def relations(self, pairs: Sequence[Pair]) -> list[Mapping[Relation, float]]:
        known = self.ahead.known.relations
        missing = [pair for pair in pairs if pair not in known]
        told = dict(zip(missing, self.inner.relations(missing), strict=True)) if missing else {}
        return [known[pair] if pair in known else told[pair] for pair in pairs]
