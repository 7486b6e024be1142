"""What is wrong with what another memory holds? `audit_store`: the memory doctor, for an export of Mem0 or LangGraph or
plain JSONL.

Among the living: conflicts, updates whose old state is served still, repeats, and what its own date has ended. Among
the retired: what nothing took the place of. Owners are never compared with each other. The store is not touched: what
could be done is a list of operations (`audit.patch`). Left to others: reading (`audit.records`), what
is served (`audit.living`), wrong retirements (`audit.retirements`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.audit.baseline import Looked, fingerprints
from stilltrue.audit.findings import Finding, Kind, Report, Severity, Side
from stilltrue.audit.inquiry import Answer
from stilltrue.audit.judging import clears, judge_entries, side_of
from stilltrue.audit.living import clashes
from stilltrue.audit.patch import operations
from stilltrue.audit.records import read_holdings
from stilltrue.audit.retirements import wrongly_retired
from stilltrue.model.fact import Modality
from stilltrue.model.verdict import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from stilltrue.audit.claims import Claim
    from stilltrue.audit.entries import Entry
    from stilltrue.audit.patch import Operation
    from stilltrue.formats.stores import StoreFormat
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Embedder, PairModel
    from stilltrue.settings import Settings


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What was found, what would mend it, and the store's names of its records, by the `record` of a side."""

    report: Report
    mending: tuple[Operation, ...]
    names: Mapping[str, str]


def audit_store(
    paths: Sequence[Path],
    form: StoreFormat,
    *,
    now: Instant,
    settings: Settings,
    pair_model: PairModel | None,
    embedder: Embedder,
    progress: Callable[[int, int], object] | None = None,
    min_confidence: float = 0.0,
) -> StoreReport:
    """Read exports of one store and examine them; told is what is at least `min_confidence` sure.

    Raises InvalidInputError where a file cannot be read at all.
    """
    holdings = read_holdings(paths, form, settings)
    known = {entry.key: entry for entry in holdings.entries}
    findings: list[Finding] = []
    judged = 0
    for owned in _by_owner(holdings.entries):
        living = [entry for entry in owned if entry.live]
        compared, first = clashes(living, pair_model=pair_model, embedder=embedder, progress=progress)
        gone, second = wrongly_retired(owned, now=now, pair_model=pair_model, embedder=embedder, progress=progress)
        told = [*_disowned(owned, pair_model), *_outlived(living, now), *compared, *gone]
        findings += _once(told)
        judged += first + second
    findings = [one for one in findings if one.confidence >= min_confidence]
    findings.sort(key=lambda found: (found.here.file, found.here.line, found.there.line))
    names = tuple(dict.fromkeys(str(path) for path in paths))
    report = Report(tuple(findings), len(holdings.entries), judged, names, holdings.skipped)
    return StoreReport(report, operations(findings, known), {entry.key: entry.id for entry in known.values()})


def answer_of(report: Report, root: Path) -> Answer:
    """The report as the doors tell it; paths in it are relative to `root`."""
    prints = fingerprints(report.findings)
    told = {id(one): print_ for one, print_ in zip(report.findings, prints, strict=True)}
    known = dict(zip(prints, report.findings, strict=True))
    return Answer(report=report, root=root, fingerprints=told, contents={}, known=known, looked=Looked(root))


def _by_owner(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    owned: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        owned[entry.space].append(entry)
    yield from owned.values()


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """Two records are told of once: by the first that is said of them."""
    found: dict[frozenset[str], Finding] = {}
    for one in findings:
        found.setdefault(frozenset((one.here.record, one.there.record)), one)
    return list(found.values())


def _disowned(entries: Sequence[Entry], pair_model: PairModel | None) -> Iterator[Finding]:
    """What the store serves though its own records say that something took its place, if the judge agrees."""
    known = {entry.key: entry for entry in entries}
    pairs: list[tuple[Entry, Entry]] = []
    for entry in entries:
        if entry.live and entry.disowned is not None and entry.disowned.entry is None:
            there = Side(entry.file, entry.disowned.line, entry.disowned.line, entry.disowned.words)
            yield _superseded(entry, there, f"it is served, but {entry.disowned.words}")
        elif entry.live:
            named = [known[key] for key in entry.by if key in known and key != entry.key]
            named += [one for one in entries if entry.key in one.supersedes and one.live]
            named += [entry.disowned.entry] if entry.disowned is not None and entry.disowned.entry is not None else []
            pairs += [(entry, one) for one in named]
    judged, _ = judge_entries(pairs, pair_model)
    for (entry, one), judgement in zip(pairs, judged, strict=True):
        if not clears(judgement):
            words = f"it is served, but by the store's own records “{one.text}” took its place"
            yield _superseded(entry, side_of(one), words)


def _superseded(entry: Entry, there: Side, words: str) -> Finding:
    return Finding(
        kind=Kind.SUPERSEDED,
        severity=Severity.ERROR,
        relation=Relation.UPDATE,
        confidence=1.0,
        here=side_of(entry),
        there=there,
        evidence=(words,),
    )


def _outlived(living: Sequence[Entry], now: Instant) -> Iterator[Finding]:
    """What is served though its own date is past."""
    for entry in living:
        ends = [one for one in (entry.until, *map(_end, entry.claims)) if one is not None]
        if ends and min(ends) <= now:
            words = f"it holds until {min(ends).date().isoformat()} and is served still"
            yield Finding(
                kind=Kind.STALE,
                severity=Severity.WARNING,
                relation=Relation.RETRACTION,
                confidence=1.0,
                here=side_of(entry),
                there=side_of(entry),
                evidence=(words,),
            )


def _end(claim: Claim) -> Instant | None:
    """Until when a claim holds by its own words; what was over when it was said is told as the past, and stays so."""
    said, end = claim.statement, claim.statement.valid.end
    return end if end is not None and end > said.said_at and said.modality is not Modality.PAST else None
