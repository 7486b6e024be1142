"""What does one slot answer to a question: a value, a chain, a beginning, an end, yes or no?

Answer: `of_slot`, out of all that the slot held in the order of valid time. It says so where the answer lies ahead, is
planned or is hearsay, and names no value that memory does not hold. `Told` is an answer, `Lens` from when it looks.

Left to others: which slots are looked at, and what is said where none answers (`rules.answering`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality, Status
from stilltrue.model.slot import Cardinality
from stilltrue.rules.attributes import attributes
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.grounds import same_slot
from stilltrue.rules.inquiry import Form
from stilltrue.rules.subjects import US, USER
from stilltrue.rules.telling import (
    ENDED,
    chain,
    dated,
    day_of,
    either,
    listed,
    plainly,
    sentence,
    short_enough,
    stretch,
    told_ahead,
    unsettled,
    value_of,
    voiced,
)
from stilltrue.rules.text import content_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.expert import Exhibit
    from stilltrue.model.ids import FactId
    from stilltrue.model.slot import Value
    from stilltrue.model.timeline import Interval
    from stilltrue.rules.inquiry import Inquiry

SILENT: Final = "Memory does not say"
MOST: Final = 3
"""Slots, or sentences, told in one answer: more of them is a list, which search gives."""
LISTED: Final = 10  # values or words named in a refusal: enough to see what memory knows
_TIMES: Final = (Form.SINCE, Form.UNTIL, Form.TIME)
_AGREE: Final = (Comparison.SAME, Comparison.COMPATIBLE)


@dataclass(frozen=True, slots=True)
class Told:
    """An answer in words and the facts it rests on; `refused`: memory does not hold one, and `text` says why."""

    text: str
    cited: tuple[FactId, ...] = ()
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """From when an answer looks, and at whose word. `then`: as of an instant given; `period`: the stretch that the
    question names; `author`: the only one whose facts were looked at, where one was named.
    """

    zone: str = "UTC"
    then: bool = False
    period: Interval | None = None
    asker: str = USER
    author: str | None = None

    @property
    def between(self) -> str:
        """What stands between a value and its dates."""
        return " " if self.then else ", "


def said(text: str, facts: Sequence[Exhibit] = (), *, refused: bool = False) -> Told:
    """A sentence, closed with a full stop unless a quoted one closes it."""
    closed = text if text.endswith((".", ".”", "!”", "?”")) else f"{text}."
    return Told(closed, tuple(dict.fromkeys(one.fact_id for one in facts)), refused)


MUTE: Final = Told(f"{SILENT}: what it holds does not answer this.", refused=True)


def quote(exhibit: Exhibit, lens: Lens) -> str:
    voice = voiced(exhibit)
    when = stretch(exhibit, lens.zone) if exhibit.status != Status.ACTIVE or lens.then else ""
    return f"{voice + ': ' if voice else ''}{sentence(exhibit)}{f' ({when})' if when else ''}"


def of_slot(inquiry: Inquiry, held: Sequence[Exhibit], lens: Lens) -> Told | None:
    """What one slot answers, with its name before it where the question does not give it."""
    facts = [one for one in held if one.statement.modality is not Modality.QUESTION]
    if lens.period is not None:
        facts = [one for one in facts if within(one, lens)]
    elif lens.then:
        facts = [one for one in facts if one.status == Status.ACTIVE]
    if not facts:
        return None
    proposed = _proposed(inquiry, facts, lens)
    named = [one for one in facts if _agrees(one, proposed) or _given(inquiry, one)]
    if inquiry.form is Form.WHETHER and proposed is not None:
        told = _whether(inquiry, facts, proposed, lens)
    elif inquiry.form in _TIMES and (named or inquiry.form is not Form.TIME):
        told = _when(inquiry, named or ([] if proposed else facts), lens)
    elif named:
        return _sentences(named, lens)
    else:
        told = _values(inquiry, facts, lens)
    if told.refused:
        return told
    name = _name(inquiry, facts[0], lens)
    return Told(f"{name}: {told.text}", told.cited) if name else told


def _given(inquiry: Inquiry, exhibit: Exhibit) -> bool:
    """Whether the question holds the value itself, so that something else is asked for ("Who works at Acme?")."""
    value = exhibit.statement.value
    stems = content_stems(value.text) if value is not None else frozenset()
    return bool(stems) and stems <= inquiry.stems


def _name(inquiry: Inquiry, exhibit: Exhibit, lens: Lens) -> str:
    """What the answer is about, as far as the question left it open: a condition, or whom nobody named."""
    slot = exhibit.statement.slot
    parts = [word for _, word in slot.qualifiers if not content_stems(word) & inquiry.stems]
    if slot.subject not in (USER, US, lens.asker) and not content_stems(slot.subject) & inquiry.stems:
        parts.insert(0, slot.subject)
    return ", ".join(parts)


def _proposed(inquiry: Inquiry, facts: Sequence[Exhibit], lens: Lens) -> Value | None:
    """The value that the question names for this slot."""
    for reading in inquiry.readings:
        if reading.value is not None and same_slot(reading, facts[0].statement, lens.asker):
            return reading.value
    return None


def _agrees(exhibit: Exhibit, value: Value | None) -> bool:
    mine = exhibit.statement.value
    return value is not None and mine is not None and compare(mine, value) in _AGREE


def _whether(inquiry: Inquiry, facts: Sequence[Exhibit], value: Value, lens: Lens) -> Told:
    """Yes, no, no longer or not yet; silence where the slot may hold more than memory knows."""
    named = [one for one in facts if _agrees(one, value) and not voiced(one)]
    now = [one for one in named if one.status == Status.ACTIVE and one.statement.modality is not Modality.PAST]
    others = [one for one in facts if _current_claim(one)]
    if now and unsettled(others):
        return said(either(others, lens.zone), others)
    if now:
        best = now[-1]
        return said(f"{'No' if best.statement.negated else 'Yes'}: {plainly(best, lens.zone, lens.between)}", [best])
    over = [one for one in named if one.status in ENDED or one.statement.modality is Modality.PAST]
    if over and (inquiry.past or lens.period is not None) and not inquiry.still:
        return said(f"Yes: {chain(over, lens.zone)}", over)
    if over:
        later = [one for one in facts if facts.index(one) >= facts.index(over[-1]) and _claimed(one)]
        return said(f"No longer: {chain(later, lens.zone)}", later)
    ahead = [one for one in named if one.status == Status.FUTURE]
    if ahead:
        return said(f"Not yet: {told_ahead(ahead, lens.zone)}", ahead)
    voices = [one for one in facts if _agrees(one, value)]
    return _sentences(voices, lens) if voices else _another(inquiry, facts, lens)


def _another(inquiry: Inquiry, facts: Sequence[Exhibit], lens: Lens) -> Told:
    """Memory names another value: a no, where the slot has one at a time and the present is asked for."""
    statement = facts[0].statement
    current = [one for one in facts if one.status == Status.ACTIVE and _claimed(one) and not one.statement.negated]
    if (
        current
        and not inquiry.past
        and statement.cardinality is Cardinality.ONE
        and statement.slot.attribute in attributes()
    ):
        return said(f"No: {plainly(current[-1], lens.zone, lens.between)}", current[-1:])
    return _names_only(facts)


def _names_only(facts: Sequence[Exhibit]) -> Told:
    """Silence about what was asked, with what the slot is known to hold."""
    known = list(dict.fromkeys(value_of(one) for one in facts if _claimed(one)))
    names = f"; it names {listed(known[:LISTED])}" if known else ""
    return said(f"{SILENT}{names}", refused=True)


def _when(inquiry: Inquiry, facts: Sequence[Exhibit], lens: Lens) -> Told:
    """A beginning, an end, or both; where nobody stated it, when it was said."""
    told = [one for one in facts if not voiced(one)] or list(facts)
    if not told:
        return MUTE
    if inquiry.form is Form.UNTIL:
        ends = [(one, one.valid_until) for one in told if one.valid_until is not None]
        if ends:
            last, end = ends[-1]
            return said(f"Until {day_of(end, lens.zone)} ({value_of(last)}).", [last])
        return said(f"No end is known: {plainly(told[-1], lens.zone, lens.between)}", told[-1:])
    current = [one for one in told if one.status == Status.ACTIVE] or told
    one = current[-1] if inquiry.form is Form.SINCE else told[-1]
    when = stretch(one, lens.zone)
    if one.statement.dated and when:
        return said(f"{_capital(when)} ({value_of(one)}).", [one])
    over = "ends" if one.status in {Status.ACTIVE, Status.FUTURE} else "ended"
    ended = f" It {over} on {day_of(one.valid_until, lens.zone)}." if one.valid_until is not None else ""
    spoken = day_of(one.statement.said_at, lens.zone)
    return said(f"No beginning is stated; {sentence(one)} was said on {spoken}.{ended}", [one])


def _values(inquiry: Inquiry, facts: Sequence[Exhibit], lens: Lens) -> Told:
    """What the slot holds, or held; what lies ahead and what is only planned or heard comes after it."""
    claimed = [one for one in facts if _claimed(one)]
    now = [one for one in claimed if one.status == Status.ACTIVE and one.statement.modality is not Modality.PAST]
    over = [one for one in claimed if one not in now and one.status != Status.FUTURE]
    ahead = [one for one in claimed if one.status == Status.FUTURE]
    rest = [one for one in facts if not _claimed(one) and one.status not in ENDED]
    told: list[Told] = []
    if inquiry.past or lens.period is not None:
        used = [one for one in claimed if one.status != Status.FUTURE]
        earlier = "" if over or len(used) > 1 or lens.period is not None else "; nothing earlier is known"
        told += [said(f"{chain(used, lens.zone)}{earlier}", used)] if used else []
        ahead, rest = [], rest if not used else []
    elif now and not (inquiry.ahead and (ahead or rest)):
        told.append(said(_current(inquiry, now, lens), now))
    elif over and not ahead and not (inquiry.ahead and rest):
        told.append(said(f"{chain(over[-1:], lens.zone)}; nothing is known since", over[-1:]))
    if ahead:
        opening = "" if now or inquiry.ahead else "nothing is known for now; "
        told.append(said(_capital(f"{opening}{told_ahead(ahead, lens.zone)}"), ahead))
    told += [
        said(f"{voiced(one)}: {dated(one, lens.zone, ', ') if short_enough(one) else sentence(one)}", [one])
        for one in rest
    ]
    if not told:
        return MUTE
    return Told(" ".join(one.text for one in told), tuple(dict.fromkeys(i for one in told for i in one.cited)))


def _current(inquiry: Inquiry, now: Sequence[Exhibit], lens: Lens) -> str:
    """The present values: one with its date, several as a list."""
    values = list(dict.fromkeys(value_of(one) if short_enough(one) else sentence(one) for one in now))
    if unsettled(now):
        return either(now, lens.zone)
    if inquiry.form is Form.NUMBER and len(values) > 1:
        return f"{len(values)}: {listed(values)}"
    return listed(values) if len(values) > 1 else plainly(now[-1], lens.zone, lens.between)


def _sentences(facts: Sequence[Exhibit], lens: Lens) -> Told:
    shown = facts[-MOST:]
    return said(" ".join(quote(one, lens) for one in shown), shown)


def _current_claim(exhibit: Exhibit) -> bool:
    past = exhibit.statement.modality is Modality.PAST
    return exhibit.status == Status.ACTIVE and not past and _claimed(exhibit) and not exhibit.statement.negated


def _claimed(exhibit: Exhibit) -> bool:
    return not voiced(exhibit)


def within(exhibit: Exhibit, lens: Lens) -> bool:
    """Whether it held in the period that the question names."""
    period = lens.period
    if period is None:
        return False
    before_end = exhibit.valid_from is None or period.end is None or exhibit.valid_from < period.end
    return before_end and (exhibit.valid_until is None or period.start is None or exhibit.valid_until > period.start)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
