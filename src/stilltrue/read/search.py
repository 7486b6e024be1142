"""Which facts answer a question, at a given instant, best first?

`search` asks the vector index, the word index and the slots that the question names, each of which applies
`ports.Filter` inside (BAR 17: the past is ranked among the facts of that time), fuses and weighs by `rules.ranking`,
and cites.

Two clocks: `as_of` is what was true then, `known_at` what the store believed then. Alone, `known_at` asks what it
believed then about the present instant; to ask what it held true on that day, give both.

Historical mode (D7): a question whose wording asks about the past is answered from superseded facts too, and the answer
says so. Where it names a past period ("in 2019"), statuses are told for that period's last instant, and facts that
held within it come first; the others stay, marked, because undated memories count only from the day they were told.
A caller who gives `as_of` has said which time is meant, so wording changes nothing then.

Left to others: counting that facts were recalled (`upkeep.recalls`), dates in arguments (`rules.as_of`).
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.errors import InvalidInputError
from stilltrue.model.timeline import iso
from stilltrue.ports import Filter
from stilltrue.read.present import belief_of, marked_among, present
from stilltrue.read.results import Found
from stilltrue.rules.asked import asked
from stilltrue.rules.ranking import OTHER_PERIOD, relevance, score, worth_showing
from stilltrue.rules.retention import retention
from stilltrue.rules.tense import asks_about_past, past_period
from stilltrue.rules.text import content_stems, content_words

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.fact import Glimpse
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.timeline import Instant, Interval
    from stilltrue.ports import Reader
    from stilltrue.read.results import Result

LONGEST_QUERY: Final = 8_000
"""Characters: several times what the embedder reads (256 tokens); whatever is longer is a document, not a question."""

MOST_RESULTS: Final = 1_000

POOL: Final = 60
"""Least facts asked of each index: with 60, every best answer of the measurement in `rules.ranking` is among them."""

PER_RESULT: Final = 3
"""Facts asked of each index, and at most read from the store, per result wanted: age, voice and period reorder them.
Reading is what costs (0.02 ms a fact, and as much for its words), so it ends early where bounds allow."""

_READ_AT_ONCE: Final = 16
"""Candidates read from the store together: a little more than a page of results."""

_LIKE: Final = 2
"""Decimals of a bound within which candidates count as alike, so that the newer ones are read first."""

_INSTANT_BEFORE: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ask:
    """A question, and the time it is asked of: `at` valid time, `period` where the question itself names one."""

    space: SpaceId
    query: str
    limit: int
    at: Instant
    as_of: Instant | None
    known_at: Instant | None
    author: str | None
    historical: bool
    period: Interval | None
    reason: str

    @property
    def where(self) -> Filter:
        return Filter(self.at, self.known_at, self.historical, author=self.author)


@dataclass(frozen=True, slots=True)
class _Signals:
    """What speaks for the candidates: cosine, share of the best BM25, and whether their slot is asked about."""

    cosines: Mapping[FactId, float]
    shares: Mapping[FactId, float]
    in_slot: frozenset[FactId]

    def relevance(self, fact_id: FactId, covered: float) -> float:
        similarity, share = self.cosines.get(fact_id), self.shares.get(fact_id, 0.0)
        return relevance(similarity, share, covered, in_slot=fact_id in self.in_slot)

    def bounds(self) -> dict[FactId, float]:
        """The most that each candidate worth showing can reach."""
        cosines, shares, in_slot = self.cosines, self.shares, self.in_slot
        return {
            fact_id: relevance(cosines.get(fact_id), shares.get(fact_id, 0.0), 1.0, in_slot=fact_id in in_slot)
            for fact_id in {**cosines, **shares, **dict.fromkeys(in_slot)}
            if fact_id in in_slot or fact_id in shares or worth_showing(cosines.get(fact_id), shares_words=False)
        }


def search(
    engine: Engine,
    space: SpaceId,
    query: str,
    *,
    limit: int | None = None,
    as_of: Instant | None = None,
    known_at: Instant | None = None,
    include_superseded: bool = False,
    author: str | None = None,
) -> Found:
    """Facts that answer `query`, at most `limit` (default: the setting `search_limit`), scores in 0..1.

    Those of one `author` are ranked among themselves, as those of another time are (B14, E10).
    Raises InvalidInputError for a blank or endless query, a limit outside 1..1000, a blank author; StoreError;
    ModelError.
    """
    ask = _understand(engine, space, query, limit, as_of, known_at, author, include_superseded=include_superseded)
    vector = engine.embedder.embed([ask.query])[0]
    words = tuple(dict.fromkeys(content_words(ask.query)))
    pool = max(POOL, PER_RESULT * ask.limit)
    with engine.store.read() as reader:
        cosines = {hit.fact_id: hit.score for hit in reader.near(space, vector, pool, ask.where)}
        mentions = reader.mentioning(space, words, pool, ask.where) if words else []
        strengths = {hit.fact_id: hit.score for hit in mentions}
        ranked = _rank(reader, ask, _Signals(cosines, _shares(strengths), _in_slot(reader, ask)))
        results = _presented(reader, ask, ranked[: ask.limit], cosines)
    return Found(results=results, historical=ask.historical, as_of=ask.as_of, known_at=known_at, reason=ask.reason)


def _each_sentence_once(ranked: Sequence[tuple[float, Glimpse]]) -> list[tuple[float, Glimpse]]:
    """A sentence that makes several claims is several facts; a reader is shown it by its best one."""
    best: dict[tuple[object, ...], tuple[float, Glimpse]] = {}
    for points, glimpse in ranked:
        best.setdefault((glimpse.text, glimpse.said_at, glimpse.subject, glimpse.modality), (points, glimpse))
    return list(best.values())


def _presented(
    reader: Reader, ask: _Ask, ranked: Sequence[tuple[float, Glimpse]], cosines: Mapping[FactId, float]
) -> tuple[Result, ...]:
    ids = [glimpse.id for _, glimpse in ranked]
    facts = reader.facts(ask.space, ids)
    sources = reader.sources_of(ask.space, ids)
    marked = marked_among(reader, ask.space, ids, ask.at, ask.known_at)
    return tuple(
        present(
            reader,
            ask.space,
            fact,
            at=ask.at,
            known_at=ask.known_at,
            score=points,
            similarity=cosines.get(fact.id),
            sources=sources[fact.id],
            marked=marked,
        )
        for fact, (points, _) in zip(facts, ranked, strict=True)
    )


def _understand(
    engine: Engine,
    space: SpaceId,
    query: str,
    limit: int | None,
    as_of: Instant | None,
    known_at: Instant | None,
    author: str | None,
    *,
    include_superseded: bool,
) -> _Ask:
    text = _checked(query)
    settings = engine.settings_of(space)
    wanted = settings.search_limit if limit is None else limit
    if not 1 <= wanted <= MOST_RESULTS:
        raise InvalidInputError(f"limit {wanted} cannot be met; ask for 1 to {MOST_RESULTS} results")
    now = engine.clock.now()
    period, reason = None, "superseded facts were asked for" if include_superseded else ""
    if as_of is None:
        period = past_period(text, now, settings.timezone)
        reason = _why_historical(text, period) or reason
    shown_as_of = as_of
    if period is not None and period.end is not None:
        shown_as_of = period.end - _INSTANT_BEFORE
    return _Ask(
        space=space,
        query=text,
        limit=wanted,
        at=now if shown_as_of is None else shown_as_of,
        as_of=shown_as_of,
        known_at=known_at,
        author=author,
        historical=bool(reason),
        period=period,
        reason=reason,
    )


def _checked(query: str) -> str:
    text = query.strip()
    if not text:
        raise InvalidInputError("the query is empty; ask a question or give some words")
    if len(text) > LONGEST_QUERY:
        message = f"the query has {len(text)} characters, more than {LONGEST_QUERY}; ask for the point in a sentence"
        raise InvalidInputError(message)
    return text


def _why_historical(query: str, period: Interval | None) -> str:
    """In words why superseded facts belong in the answer; "" where nothing asks for them."""
    if period is not None and period.start is not None and period.end is not None:
        last = period.end - _INSTANT_BEFORE
        days = f"{iso(period.start)[:10]} to {iso(last)[:10]}"
        return f"the question names a past period ({days}): superseded facts are included"
    cue = asks_about_past(query)
    if cue is None:
        return ""
    return f"the question asks about the past (“{cue.found}”): superseded facts are included"


def _shares(strengths: Mapping[FactId, float]) -> dict[FactId, float]:
    """Each BM25 over the best one, 0..1; the figures themselves depend on how many texts there are."""
    best = max(strengths.values(), default=0.0)
    return {fact_id: strength / best if best > 0 else 1.0 for fact_id, strength in strengths.items()}


def _in_slot(reader: Reader, ask: _Ask) -> frozenset[FactId]:
    """Facts of the slots that the question asks about, however they are worded."""
    slots = asked(ask.query)
    return frozenset(
        fact_id
        for subject in slots.subjects
        for attribute in slots.attributes
        for fact_id in reader.ids_in_slot(ask.space, subject, attribute, POOL, ask.where)
    )


def _rank(reader: Reader, ask: _Ask, signals: _Signals) -> list[tuple[float, Glimpse]]:
    """The best candidates worth showing with their scores, best first, newer first where equal.

    What the indexes said bounds each score from above. Candidates are read from the store best bound first, newer first
    among the alike (ids grow with time), and no further once enough scores lie above the next bound.
    """
    bounds = signals.bounds()
    newer_first = sorted(bounds, reverse=True)
    promising = sorted(newer_first, key=lambda fact_id: -round(bounds[fact_id], _LIKE))
    del promising[max(_READ_AT_ONCE, PER_RESULT * ask.limit) :]
    best: list[tuple[float, Glimpse]] = []
    for start in range(0, len(promising), _READ_AT_ONCE):
        if len(best) >= ask.limit and best[ask.limit - 1][0] > bounds[promising[start]]:
            break
        page = reader.glimpses(ask.space, promising[start : start + _READ_AT_ONCE])
        best += _scored(reader, ask, signals, page, bounds, best)
        best.sort(key=lambda pair: (pair[0], pair[1].recorded_at, pair[1].id), reverse=True)
        best = _each_sentence_once(best)[: ask.limit]
    return best


def _scored(
    reader: Reader,
    ask: _Ask,
    signals: _Signals,
    page: Sequence[Glimpse],
    bounds: Mapping[FactId, float],
    best: Sequence[tuple[float, Glimpse]],
) -> list[tuple[float, Glimpse]]:
    """The scores of a page. Reading a fact's words costs most: not done where `limit` better ones are known."""
    stems = content_stems(ask.query)
    elsewhen = _elsewhen(reader, ask, page)
    known = sorted((points for points, _ in best), reverse=True)
    found: list[tuple[float, Glimpse]] = []
    for weight, seen in sorted(
        ((_weight(seen, ask.at, elsewhen), seen) for seen in page),
        key=lambda pair: pair[0] * bounds[pair[1].id],
        reverse=True,
    ):
        if len(known) >= ask.limit and known[ask.limit - 1] > weight * bounds[seen.id]:
            break
        covered = _coverage(seen, stems) if seen.id in signals.shares else 0.0
        points = weight * signals.relevance(seen.id, covered)
        found.append((points, seen))
        insort(known, points, key=lambda value: -value)
    return found


def _coverage(seen: Glimpse, stems: frozenset[str]) -> float:
    """The share of the question's content words that a fact holds, in its words or in what it is about."""
    held = content_stems(f"{seen.text} {seen.subject} {seen.attribute or ''} {seen.topic or ''}")
    return len(stems & held) / len(stems) if stems else 0.0


def _weight(seen: Glimpse, at: Instant, elsewhen: Collection[FactId]) -> float:
    """What age, voice and period make of its relevance, 0..1."""
    points = score(1.0, retention(seen.standing, at, _last_seen(seen, at), seen.recalls), seen.modality)
    return points * OTHER_PERIOD if seen.id in elsewhen else points


def _last_seen(seen: Glimpse, at: Instant) -> Instant:
    """When it was last seen as far as `at` can know: later mentions do not make the past fresher."""
    last = seen.standing.last_seen_at
    return last if last <= at else min(seen.said_at, at)


def _elsewhen(reader: Reader, ask: _Ask, page: Sequence[Glimpse]) -> frozenset[FactId]:
    """Those that did not hold in the period that the question names, where it names one."""
    if ask.period is None:
        return frozenset()
    beliefs = {
        fact.id: belief_of(reader, ask.space, fact, ask.known_at)
        for fact in reader.facts(ask.space, [seen.id for seen in page])
    }
    return frozenset(
        fact_id for fact_id, belief in beliefs.items() if belief is None or not belief.valid.overlaps(ask.period)
    )
