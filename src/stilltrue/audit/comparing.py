"""Which pairs of claims do not go together, and what should a person do about it?

Nominated pairs that structure does not part (`audit.weighing`) and that clash on a ground are put to the pair model,
many at a time; what holds becomes a finding: what is the matter, which of the two lines holds no longer where that can
be told, the reasons in words, and an edit where there is one. Left to others: nomination (`audit.pairing`), grounds
(`audit.weighing`), which file outranks which (`audit.precedence`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from stilltrue.audit.claims import Form
from stilltrue.audit.findings import Edit, Finding, Kind, Severity, Side
from stilltrue.audit.pairing import candidate_pairs, words_of
from stilltrue.audit.precedence import standing
from stilltrue.audit.weighing import Pair, confidence, ground_of, stand_apart
from stilltrue.errors import ModelError
from stilltrue.model.verdict import CONFLICTS, Relation
from stilltrue.rules.polarity import reading
from stilltrue.rules.text import content_words, normal_hash
from stilltrue.rules.wording import wording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from stilltrue.audit.claims import Claim
    from stilltrue.audit.weighing import Ground
    from stilltrue.ports import Embedder, PairModel
    from stilltrue.settings import Settings

CHUNK: Final = 64
"""Pairs that are looked at between two signs of progress."""
LEAST: Final = 0.6
"""The confidence from which a finding is reported."""
UNVOTED: Final = 0.5
"""What counts as the model's vote where there is no model: grounds that need no vote still hold."""
LONG_AGO: Final = 365
"""Days between two dates from which the older line is called stale instead of left over."""
LEAST_REPEATED: Final = 4
"""Content words of a line that is worth a finding when it is said twice."""
SURE: Final = 0.9
"""The confidence from which a superseded dated line may be taken out without asking which of the two holds."""

RETOLD: Final = 0.5
"""The share of a superseded line's words that the later line must tell again, so that nothing else is lost with it."""


def compare_claims(
    claims: Sequence[Claim],
    *,
    settings: Settings,  # noqa: ARG001 - thresholds of one's own come with it
    pair_model: PairModel | None,
    embedder: Embedder,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[list[Finding], int]:
    """The findings among some claims, and how many pairs were judged."""
    words = words_of(claims)
    nominated = candidate_pairs(claims, words, embedder)
    found: list[Finding] = list(_repeats(claims))
    for first in range(0, len(nominated), CHUNK):
        pairs = [_in_time(claims, *one) for one in nominated[first : first + CHUNK]]
        grounded = [
            (pair, ground)
            for pair in pairs
            if not stand_apart(pair.old, pair.new) and (ground := ground_of(pair, words)) is not None
        ]
        votes = _votes(pair_model, [pair for pair, _ in grounded])
        found += [
            _finding(pair, ground, vote, sure)
            for (pair, ground), (vote, forth, back) in zip(grounded, votes, strict=True)
            if (sure := confidence(ground, forth, back)) >= LEAST
        ]
        if progress is not None:
            progress(min(first + CHUNK, len(nominated)), len(nominated))
    return _one_a_pair(found), len(nominated)


def _in_time(claims: Sequence[Claim], one: int, other: int, likeness: float) -> Pair:
    """The older first; where dates do not tell, the earlier line is the older."""
    if claims[other].statement.said_at < claims[one].statement.said_at:
        one, other = other, one
    return Pair(claims[one], claims[other], (one, other), likeness)


def _votes(
    model: PairModel | None, pairs: Sequence[Pair]
) -> list[tuple[Mapping[Relation, float] | None, float, float]]:
    """The model's probabilities for each pair, and of a conflict in both orders; without a model, an even vote."""
    if model is None or not pairs:
        return [(None, UNVOTED, UNVOTED)] * len(pairs)
    both = [(pair.old.statement, pair.new.statement) for pair in pairs]
    try:
        told = model.relations([*both, *((new, old) for old, new in both)])
    except ModelError:
        return [(None, UNVOTED, UNVOTED)] * len(pairs)
    mass = [sum(one.get(name, 0.0) for name in CONFLICTS) for one in told]
    return [(told[at], mass[at], mass[at + len(pairs)]) for at in range(len(pairs))]


def _finding(pair: Pair, ground: Ground, vote: Mapping[Relation, float] | None, sure: float) -> Finding:
    """A clash as a finding: `here` is the line that holds no longer, where that can be told."""
    old, new, told = _turned(pair, ground)
    relation = _relation(ground, vote)
    later = old.dated is not None and new.dated is not None and new.dated > old.dated
    days = (new.dated - old.dated).days if later and new.dated and old.dated else 0
    changed = told or bool(wording(new.statement.text).announces) or ground.kind == "over"
    kind = Kind.STALE if days >= LONG_AGO else Kind.LEFTOVER if later or changed else Kind.CONTRADICTION
    return Finding(
        kind=kind,
        severity=Severity.ERROR,
        relation=relation,
        confidence=round(sure, 4),
        here=Side.of(old),
        there=Side.of(new),
        evidence=(_in_words(ground), *_since(old, new), *standing(old, new)),
        edit=_edit(old, new, later=later, sure=sure),
    )


def _turned(pair: Pair, ground: Ground) -> tuple[Claim, Claim, bool]:
    """(holds no longer, holds), and whether the words tell so: the line that says what is over holds."""
    if ground.ended_by is not None and ground.ended_by is not pair.new:
        return pair.new, pair.old, True
    return pair.old, pair.new, ground.ended_by is not None


def _in_words(ground: Ground) -> str:
    return f"{ground.note[:1].upper()}{ground.note[1:]}."


def _since(old: Claim, new: Claim) -> Iterator[str]:
    if old.dated is not None and new.dated is not None and new.dated > old.dated:
        yield f"The other line is the later one: {new.dated.date()} after {old.dated.date()}."
    elif new.dated is not None and old.dated is None:
        yield f"The other line is dated {new.dated.date()}, this one bears no date."


def _relation(ground: Ground, vote: Mapping[Relation, float] | None) -> Relation:
    """The likeliest of the three words of conflict; by the ground alone without a model."""
    plain = Relation.CONTRADICTION if ground.kind in ("banned", "denied", "switched") else Relation.UPDATE
    if vote is None:
        return plain
    return max(sorted(CONFLICTS), key=lambda name: (vote.get(name, 0.0), name is plain))


def _edit(old: Claim, new: Claim, *, later: bool, sure: float) -> Edit | None:
    """Taking out a line that a later dated one superseded; other clashes are for a person to settle."""
    if not later:
        return None
    words = f"take it out: {new.file}:{new.line} has superseded it"
    said = reading(old.statement.text).content
    again = len(said & reading(new.statement.text).content) / max(len(said), 1)
    safe = old.whole and sure >= SURE and new.file == old.file and again >= RETOLD
    return Edit(old.file, old.line, old.end_line, None, words, safe=safe)


def _repeats(claims: Sequence[Claim]) -> Iterator[Finding]:
    """Lines of prose that say the same in the same words, under the same scope."""
    first: dict[tuple[str, str, tuple[tuple[str, str], ...]], Claim] = {}
    for claim in claims:
        if claim.form is Form.CELL or len(content_words(claim.text)) < LEAST_REPEATED or claim.text.endswith(":"):
            continue
        key = (claim.space, normal_hash(_BARE.sub("", claim.statement.text)), claim.statement.slot.qualifiers)
        known = first.setdefault(key, claim)
        if known is not claim and (known.file, known.line) != (claim.file, claim.line) and known.leads == claim.leads:
            yield _repeat(known, claim)


_BARE: Final = re.compile(r"[`*_]")


def _repeat(known: Claim, claim: Claim) -> Finding:
    same = known.text == claim.text
    words = f"{known.file}:{known.line} says the same; keep one of them"
    return Finding(
        kind=Kind.DUPLICATE,
        severity=Severity.WARNING,
        relation=Relation.DUPLICATE,
        confidence=1.0 if same else 0.97,
        here=Side.of(claim),
        there=Side.of(known),
        evidence=("Both lines say the same in the same words.", *standing(known, claim)),
        edit=Edit(
            claim.file, claim.line, claim.end_line, None, words,
            safe=same and claim.whole and known.file == claim.file and _says_it_for(known, claim),
        ),
    )  # fmt: skip


def _says_it_for(known: Claim, claim: Claim) -> bool:
    """Whether what stands at `known` goes for the place of `claim` too: under the same headings, or those above."""
    return claim.headings[: len(known.headings)] == known.headings


def _one_a_pair(found: Sequence[Finding]) -> list[Finding]:
    """The surest finding of each pair of lines, in the order of files and lines."""
    best: dict[frozenset[tuple[str, int]], Finding] = {}
    by_kind: dict[bool, list[Finding]] = defaultdict(list)
    for one in found:
        by_kind[one.relation is Relation.DUPLICATE].append(one)
    for one in (*by_kind[False], *by_kind[True]):
        key = frozenset({(one.here.file, one.here.line), (one.there.file, one.there.line)})
        if key not in best or one.confidence > best[key].confidence:
            best[key] = one
    return sorted(best.values(), key=lambda one: (one.here.file, one.here.line, one.there.file, one.there.line))
