"""Which pairs of claims do not go together, and what should a person do about it?

Nominated pairs that structure does not part are put to a pair model, many at a time; where it is sure enough that a
pair clashes (`audit.scoring`) there is a finding: what is the matter, which of the two lines holds no longer where
that can be told, the reasons in words, and an edit where there is one. Without a pair model, only lines that say the
same twice are found. Left to others: nomination (`audit.pairing`), reasons (`audit.reasons`), which file outranks which
(`audit.precedence`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from stilltrue.audit.agreeing import tell_the_same
from stilltrue.audit.exceptions import exception_of
from stilltrue.audit.findings import Edit, Finding, Kind, Severity, Side
from stilltrue.audit.pairing import candidate_pairs, words_of
from stilltrue.audit.precedence import standing
from stilltrue.audit.reasons import reasons, teller
from stilltrue.audit.repeats import repeats
from stilltrue.audit.scoring import Observed, beside_each_other
from stilltrue.audit.voting import heard
from stilltrue.audit.weighing import Pair, observations, stand_apart
from stilltrue.model.verdict import Relation
from stilltrue.rules.polarity import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from stilltrue.audit.claims import Claim
    from stilltrue.audit.pairing import Nominee, Words
    from stilltrue.audit.voting import Scored
    from stilltrue.ports import Embedder, Expert, PairModel
    from stilltrue.settings import Settings

CHUNK: Final = 64
"""Pairs that are looked at between two signs of progress."""
LEAST: Final = 0.42
"""The sureness from which a finding is reported: the least from which 85% are right in the cross-validation over plain
files (590 of 689, `weights/audit_odds.json`), which is what we demand. Where hardly anything clashes fewer are."""
LONG_AGO: Final = 365
"""Days between two dates from which the older line is called stale instead of left over."""
REPEATED: Final = 0.5
"""The probability of a repetition from which two lines are no rule and exception."""
SURE: Final = 0.9
"""The confidence from which a superseded dated line may be taken out without asking which of the two holds."""

RETOLD: Final = 0.5
"""The share of a superseded line's words that the later line must tell again, so that nothing else is lost with it."""


def compare_claims(
    claims: Sequence[Claim],
    *,
    settings: Settings,
    pair_model: PairModel | None,
    embedder: Embedder,
    expert: Expert | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[list[Finding], int]:
    """The findings among some claims, and how many pairs were judged. `expert` votes where it is doubtful.

    Raises ModelError.
    """
    words = words_of(claims)
    nominated = candidate_pairs(claims, words, embedder)
    observed: list[Observed] = []
    for first in range(0, len(nominated), CHUNK):
        observed += as_observed(claims, nominated[first : first + CHUNK], words, pair_model)
        if progress is not None:
            progress(min(first + CHUNK, len(nominated)), len(nominated))
    scored = beside_each_other(observed)
    if expert is not None:
        scored = heard(scored, expert, settings, LEAST)
    found = [one for told in scored if (one := _found(told)) is not None]
    return _one_a_pair([*repeats(claims), *found]), len(nominated)


def _in_time(claims: Sequence[Claim], nominee: Nominee) -> Pair:
    """The older first; where dates do not tell, the earlier line is the older."""
    one, other, ranks = nominee.one, nominee.other, nominee.ranks
    if claims[other].statement.said_at < claims[one].statement.said_at:
        one, other, ranks = other, one, ranks[::-1]
    return Pair(claims[one], claims[other], (one, other), nominee.likeness, ranks)


def as_observed(
    claims: Sequence[Claim], nominated: Sequence[Nominee], words: Words, model: PairModel | None
) -> Iterator[Observed]:
    """The nominated pairs that structure does not part, with what is observed of them and what the model says.

    The model is asked in both orders. Raises ModelError.
    """
    pairs = [pair for pair in (_in_time(claims, one) for one in nominated) if _could_clash(pair)]
    if model is None or not pairs:
        return
    both = [(pair.old.statement, pair.new.statement) for pair in pairs]
    told = model.relations([*both, *((new, old) for old, new in both)])
    for pair, forth, back in zip(pairs, told[: len(pairs)], told[len(pairs) :], strict=True):
        yield Observed(pair, observations(pair, words, forth, back), forth)


def _could_clash(pair: Pair) -> bool:
    """Whether neither their places nor their words tell that two claims stand together."""
    return not (stand_apart(pair.old, pair.new) or tell_the_same(pair.old.statement.text, pair.new.statement.text))


def _found(one: Scored) -> Finding | None:
    """A clash, or a note on a rule and its exception."""
    if one.sure >= LEAST:
        return _finding(one)
    found = exception_of(one.pair) if one.repeated < REPEATED else None
    return None if found is None else _exception(*found, one.sure)


def _exception(rule: Claim, exception: Claim, sure: float) -> Finding:
    words = "This line speaks of all; the other says otherwise for some, and both can hold."
    remedy = f"Name the exception in the rule, or point to {exception.file}:{exception.line}."
    return Finding(
        kind=Kind.EXCEPTION,
        severity=Severity.NOTE,
        relation=Relation.OVERLAP,
        confidence=round(1 - sure, 4),
        here=Side.of(rule),
        there=Side.of(exception),
        evidence=(words, *standing(rule, exception), remedy),
    )


def _finding(one: Scored) -> Finding:
    """A clash as a finding: `here` is the line that holds no longer, where that can be told."""
    pair, sure = one.pair, one.sure
    teller_of = teller(pair)
    old, new = (pair.new, pair.old) if teller_of is pair.old and _may_turn(pair) else (pair.old, pair.new)
    later = old.dated is not None and new.dated is not None and new.dated > old.dated
    days = (new.dated - old.dated).days if later and new.dated and old.dated else 0
    changed = teller_of is new
    return Finding(
        kind=Kind.STALE if days >= LONG_AGO else Kind.LEFTOVER if later or changed else Kind.CONTRADICTION,
        severity=Severity.ERROR,
        relation=one.relation,
        confidence=round(sure, 4),
        here=Side.of(old),
        there=Side.of(new),
        evidence=(*reasons(pair, sure), *([one.said] if one.said else []), *_since(old, new), *standing(old, new)),
        edit=_edit(old, new, later=later, sure=sure),
    )


def _may_turn(pair: Pair) -> bool:
    """Whether dates leave it open which of two lines is the older."""
    return pair.old.dated is None or pair.new.dated is None or pair.old.dated == pair.new.dated


def _since(old: Claim, new: Claim) -> Iterator[str]:
    if old.dated is not None and new.dated is not None and new.dated > old.dated:
        yield f"The other line is the later one: {new.dated.date()} after {old.dated.date()}."
    elif new.dated is not None and old.dated is None:
        yield f"The other line is dated {new.dated.date()}, this one bears no date."


def _edit(old: Claim, new: Claim, *, later: bool, sure: float) -> Edit | None:
    """Taking out a line that a later dated one superseded; other clashes are for a person to settle."""
    if not later:
        return None
    words = f"take it out: {new.file}:{new.line} has superseded it"
    said = reading(old.statement.text).content
    again = len(said & reading(new.statement.text).content) / max(len(said), 1)
    safe = old.whole and sure >= SURE and new.file == old.file and again >= RETOLD
    return Edit(old.file, old.line, old.end_line, None, words, safe=safe)


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
