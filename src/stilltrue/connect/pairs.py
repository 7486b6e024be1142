"""What does the judge say of each pair in a file? The runner behind `stilltrue judge` (its formats are contracts).

Answers: `judge_file`, which streams pairs in and verdicts out in the same order, and the `PairReport` it ends with.
The judging is `rules.cascade`'s, and a pair model's where one is given, the figures are `scores`'.
"""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol, TypeAlias

from stilltrue.connect.scores import UNDECIDED, Summary, Tally
from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields
from stilltrue.formats.lines import LineError, as_object, decode, json_lines, parse
from stilltrue.model.verdict import Relation, Verdict
from stilltrue.rules.cascade import judge_texts, read_texts
from stilltrue.write.ask_model import with_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from stilltrue.model.fact import Statement
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Evidence, Judgement
    from stilltrue.ports import PairModel

    Write: TypeAlias = Callable[[str], object]
    Complain: TypeAlias = Callable[[LineError], object]

CHUNK: Final = 256
"""Pairs that one call of the pair model judges: a second's work, so that progress is seen and memory stays small."""


class Judge(Protocol):
    """Whoever answers for a pair of texts, by default the rules."""

    def __call__(
        self, old: str, new: str, old_at: Instant | None = None, new_at: Instant | None = None
    ) -> Judgement: ...


@dataclass(frozen=True, slots=True)
class Pair:
    """One line of the file."""

    id: str | int
    old: str
    new: str
    old_at: Instant | None
    new_at: Instant | None
    label: Relation | None


@dataclass(frozen=True, slots=True)
class _Item:
    """A pair, what is said of it so far, and the seconds that took."""

    pair: Pair
    judgement: Judgement
    seconds: float


@dataclass(frozen=True, slots=True)
class PairReport:
    """How many pairs were judged, the bad lines, and the figures where labels were given."""

    judged: int
    errors: tuple[LineError, ...]
    summary: Summary | None

    @property
    def exit_status(self) -> int:
        return 1 if self.errors else 0


def judge_file(
    stream: BinaryIO,
    write: Write,
    *,
    complain: Complain = lambda _: None,
    judge: Judge = judge_texts,
    pair_model: PairModel | None = None,
) -> PairReport:
    """Judge each line of `stream`, pass each verdict to `write` as one line of JSON (without its line break).

    `complain` hears of every bad line as it is met. With a `pair_model` verdicts come `CHUNK` pairs at a time: the
    model is asked once for all pairs of a chunk that `judge` leaves to it. Without one each pair is answered at once.
    """
    tally, errors, judged, seconds = Tally(), list[LineError](), 0, 0.0

    def note(error: LineError) -> None:
        errors.append(error)
        complain(error)

    by_rules = _ruled(stream, judge, note)
    while chunk := list(itertools.islice(by_rules, 1 if pair_model is None else CHUNK)):
        for item in _asked(chunk, pair_model):
            judged, seconds = judged + 1, seconds + item.seconds
            write(json.dumps(verdict_json(item.pair, item.judgement, item.seconds * 1000), ensure_ascii=False))
            if item.pair.label is not None:
                tally.add(item.pair.label, _relation(item.judgement), item.judgement.conflict)
    return PairReport(judged, tuple(errors), tally.summary(judged / seconds if seconds else 0.0))


def _ruled(stream: BinaryIO, judge: Judge, note: Complain) -> Iterator[_Item]:
    """The pairs of a file as the rules judge them; `note` hears of what is no pair."""
    for number, line in json_lines(stream):
        try:
            pair = read_pair(as_object(line))
            started = time.perf_counter()
            judgement = judge(pair.old, pair.new, pair.old_at, pair.new_at)
            yield _Item(pair, judgement, time.perf_counter() - started)
        except InvalidInputError as error:
            note(LineError(number, str(error)))


def _asked(chunk: Sequence[_Item], model: PairModel | None) -> list[_Item]:
    """The same after the model has been asked; its time is spread evenly over the pairs that it judged."""
    asked: list[int] = []

    def texts(place: int) -> tuple[Statement, Statement]:
        asked.append(place)
        pair = chunk[place].pair
        return read_texts(pair.old, pair.new, pair.old_at, pair.new_at)

    started = time.perf_counter()
    judgements = with_model(model, [item.judgement for item in chunk], texts)
    share = (time.perf_counter() - started) / max(len(asked), 1)
    return [
        _Item(item.pair, judgement, item.seconds + (share if place in asked else 0.0))
        for place, (item, judgement) in enumerate(zip(chunk, judgements, strict=True))
    ]


def read_pair(line: dict[str, Any]) -> Pair:
    """The pair of a line. Raises InvalidInputError."""
    given = line.get("id")
    if isinstance(given, bool) or not isinstance(given, (str, int)):
        raise InvalidInputError("'id' is missing; give each pair a string")
    return Pair(
        id=given,
        old=fields.needed_text(line, "old"),
        new=fields.needed_text(line, "new"),
        old_at=fields.moment(line, "old_at"),
        new_at=fields.moment(line, "new_at"),
        label=_label(fields.text(line, "label")),
    )


def _label(word: str | None) -> Relation | None:
    if word is None:
        return None
    try:
        return Relation(word)
    except ValueError:
        raise InvalidInputError(f"label {word!r:.40} is none of {', '.join(Relation)}") from None


def _relation(judgement: Judgement) -> str:
    return judgement.relation.value if isinstance(judgement, Verdict) else UNDECIDED


def verdict_json(pair: Pair, judgement: Judgement, millis: float) -> dict[str, object]:
    """The line that answers a pair. An undecided one has no confidence, but its estimate of `conflict`."""
    return {
        "id": pair.id,
        "relation": _relation(judgement),
        "confidence": round(judgement.confidence, 6) if isinstance(judgement, Verdict) else 0.0,
        "conflict": round(judgement.conflict, 6),
        "evidence": [_evidence_json(item) for item in judgement.evidence],
        "ms": round(millis, 3),
    }


def is_verdict(line: bytes) -> bool:
    """Whether a line is one that `judge_file` wrote.

    >>> is_verdict(b'{"id": 1, "relation": "NONE", "confidence": 1.0, "evidence": []}'), is_verdict(b'{"id": 1}')
    (True, False)
    """
    try:
        return {"relation", "confidence", "evidence"} <= as_object(parse(decode(line).strip())).keys()
    except InvalidInputError:
        return False


def _evidence_json(evidence: Evidence) -> dict[str, object]:
    return {
        "source": evidence.source.value,
        "signal": evidence.signal,
        "relation": evidence.relation.value if evidence.relation else None,
        "weight": round(evidence.weight, 6),
        "note": evidence.note,
    }
