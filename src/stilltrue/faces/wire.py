"""How does an answer look as JSON? The same from every door, key by key as FORMATS.md and the glossary name them.

Nouns carry the names that JSON uses, so one walk turns any of them into plain values: times as ISO 8601 in UTC, words
for enums, qualifiers as an object. What stands around them, one object an answer, is said here verb by verb.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from stilltrue.model.timeline import iso

if TYPE_CHECKING:
    from stilltrue.connect.importers import ImportPlan
    from stilltrue.model.change import HistoryRow
    from stilltrue.model.decision import Decision
    from stilltrue.model.story import StoryRun
    from stilltrue.read.checked import Checked
    from stilltrue.read.results import (
        Answered,
        Explanation,
        FactHistory,
        Found,
        OpenConflict,
        Recheck,
        Result,
        Stats,
        Timeline,
    )
    from stilltrue.settings import Settings
    from stilltrue.upkeep.detective import Detected
    from stilltrue.upkeep.flips import Backtest
    from stilltrue.upkeep.proposals import Applied, Precision
    from stilltrue.upkeep.retention import Maintenance
    from stilltrue.upkeep.sweep import SweepReport
    from stilltrue.write.jobs import Estimate

Json = dict[str, Any]

_DIGITS: Final = 6
_PAIRS: Final = frozenset({"qualifiers"})


def value(noun: object) -> Any:  # noqa: ANN401 - JSON has no narrower type
    """Any noun as plain JSON values.

    >>> from stilltrue.model.slot import Slot
    >>> value(Slot("mara", "residence", (("season", "summer"),)))
    {'subject': 'mara', 'attribute': 'residence', 'qualifiers': {'season': 'summer'}}
    """
    if isinstance(noun, Enum):
        return noun.value
    if noun is None or isinstance(noun, (bool, int, str)):
        return noun
    if isinstance(noun, float):
        return round(noun, _DIGITS)
    if isinstance(noun, datetime):
        return iso(noun)
    if isinstance(noun, Mapping):
        return {str(key): value(item) for key, item in noun.items()}
    if isinstance(noun, Iterable):
        return [value(item) for item in noun]
    if dataclasses.is_dataclass(noun) and not isinstance(noun, type):
        return {item.name: _field(item.name, getattr(noun, item.name)) for item in dataclasses.fields(noun)}
    message = f"a {type(noun).__name__} has no form in JSON"
    raise TypeError(message)


def _field(name: str, held: Any) -> Any:  # noqa: ANN401 - the value of a field of any noun
    return dict(held) if name in _PAIRS else value(held)


def found(answer: Found) -> Json:
    """A search: results best first, and whether superseded facts are among them."""
    return {
        "results": [value(result) for result in answer.results],
        "historical": answer.historical,
        "reason": answer.reason,
        "as_of": value(answer.as_of),
        "known_at": value(answer.known_at),
    }


def answered(answer: Answered) -> Json:
    """A question's answer, with the facts it rests on and their words."""
    whole: Json = value(answer)
    return whole


def checked(told: Checked) -> Json:
    """A check: the stale stretches of the text with what memory says instead, and how many were looked up."""
    whole: Json = value(told)
    return whole


def results(facts: Sequence[Result], *, historical: bool) -> Json:
    """A lookup: the same form as a search, without a ranking."""
    return {"results": [value(fact) for fact in facts], "historical": historical}


def decisions(made: Iterable[Decision]) -> Json:
    """What was decided, in order. Who was considered and why stays with `explain`."""
    return {"decisions": [_decision(decision) for decision in made]}


def _decision(decision: Decision) -> Json:
    told: Json = value(decision)
    receipt = told.pop("receipt")
    return {**told, "rule": receipt["rule"], "reason": receipt["reason"], "cost": receipt["cost"]}


def history(told: FactHistory | Timeline) -> Json:
    """The life of a fact, or the timeline of a slot."""
    whole: Json = value(told)
    return whole


def explanation(told: Explanation) -> Json:
    """Every decision behind a fact, with its receipt laid open."""
    whole: Json = value(told)
    return whole


def conflicts(cards: Iterable[OpenConflict]) -> Json:
    """Questions to settle, each with the facts it is about, what an answer would settle, and what hangs on it too."""
    return {"conflicts": [_card(card) for card in cards]}


def _card(card: OpenConflict) -> Json:
    settles = None if card.weight is None else {**value(card.weight), "score": value(card.weight.score)}
    told = {"settles": settles, "together": list(card.together)}
    return {**value(card.conflict), "facts": [value(fact) for fact in card.facts], **told}


def backtest(found: Backtest) -> Json:
    """Which decisions would be others, and why; `complete` false where the run was cut short."""
    whole: Json = value(found)
    told = {"flips": len(found.flips), "by_change": sum(flip.by_change for flip in found.flips)}
    return {**whole, "complete": found.complete, "counts": {**told, "turned": dict(found.turned)}}


def detected(told: Detected) -> Json:
    """A run of the local detective: what is confusing and new, and what was opened and closed."""
    whole: Json = value(told)
    whole["found"] = [{**item, "core": sorted(item["core"])} for item in whole["found"]]
    return {**whole, "opened": decisions(told.opened)["decisions"], "closed": decisions(told.closed)["decisions"]}


def rechecks(cards: Iterable[Recheck]) -> Json:
    """Facts that need a look, each with what it rested on."""
    return {"rechecks": [value(card) for card in cards]}


def maintenance(told: Maintenance) -> Json:
    """What a pass moved, or would move."""
    whole: Json = value(told)
    return whole


def proposals(rows: Iterable[HistoryRow]) -> Json:
    """What shadow mode held back."""
    return {"proposals": [value(row) for row in rows]}


def swept(told: SweepReport, *, plan: bool) -> Json:
    """A sweep: what it changed, proposed or would change, each with its receipt."""
    made = told.decisions if told.shadow else told.changing
    report = {"batch_id": told.batch_id, "plan": plan, "shadow": told.shadow, "facts": told.facts, "pairs": told.pairs}
    return {**report, "decisions": [value(one) for one in made]}


def planned_import(told: ImportPlan) -> Json:
    """What an import reports, with every decision that it would make, each with its receipt; nothing to take back."""
    return {**told.report.as_json(), "batch_id": None, "plan": True, "changes": [value(one) for one in told.decisions]}


def applied(told: Applied) -> Json:
    """Proposals that were carried out, each with its receipt, and those that were refused."""
    refused = [{"proposal": name, "reason": reason} for name, reason in told.refused]
    return {"batch_id": told.batch_id, "decisions": [value(one) for one in told.decisions], "refused": refused}


def precision(told: Precision) -> Json:
    """How right proposals are, as far as people have graded them."""
    low, high = told.interval
    return {
        "right": told.right,
        "wrong": told.wrong,
        "ungraded": told.ungraded,
        "precision": told.share,
        "false_positive_rate": None if told.share is None else 1 - told.share,
        "wilson_95": [low, high],
    }


def stats(told: Stats) -> Json:
    """The state of a space."""
    whole: Json = value(told)
    return whole


def estimate(told: Estimate) -> Json:
    """What asking an LLM would take."""
    return {"estimate": value(told)}


def story_run(run: StoryRun) -> Json:
    """How a reading of the story went."""
    return {"story": value(run)}


def settings(in_force: Settings) -> Json:
    """Every knob: its value here, its default, and what it means and trades."""
    return {
        "settings": {
            item.name: {
                "value": value(getattr(in_force, item.name)),
                "default": value(default_of(item)),
                **{name: item.metadata[name] for name in ("meaning", "trade", "source", "low", "high")},
            }
            for item in dataclasses.fields(in_force)
        }
    }


def default_of(item: dataclasses.Field[Any]) -> Any:  # noqa: ANN401 - a knob of any type
    """What a knob is unless somebody set it."""
    return item.default if item.default_factory is dataclasses.MISSING else item.default_factory()
