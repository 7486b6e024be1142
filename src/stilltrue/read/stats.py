"""How does a space stand? Counts, what judging has cost, which judges there are, and what was set differently.

A judge that is missing is named as missing, never silently off (SPEC B8).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from stilltrue.read.results import Stats
from stilltrue.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.engine import Engine
    from stilltrue.model.ids import SpaceId

_ACTION: Final = "decisions_"
_ON: Final = "on"


def stats(engine: Engine, space: SpaceId) -> Stats:
    """The state of the space. Raises StoreError."""
    settings = engine.settings_of(space)
    with engine.store.read() as reader:
        counts = dict(reader.counts(space))
        costs = [decision.receipt.cost for decision in reader.decisions(space)]
        spent = reader.usage(space)
        today = reader.usage(space, engine.clock.now().date())
    asks = engine.expert is not None
    calls_left = max(0, settings.llm_calls_per_day - today.calls)
    tokens_left = max(0, settings.llm_tokens_per_day - today.tokens)
    return Stats(
        counts=counts,
        pairs_judged=sum(cost.pairs for cost in costs),
        undecided=counts.get("undecided", 0),
        llm_calls=spent.calls,
        llm_tokens=spent.tokens,
        cache_hits=spent.cache_hits,
        llm_calls_left=calls_left if asks else None,
        llm_tokens_left=tokens_left if asks else None,
        actions={name.removeprefix(_ACTION): number for name, number in counts.items() if name.startswith(_ACTION)},
        judges=_judges(engine, settings, spent_out=not (calls_left and tokens_left)),
        models=_models(engine),
        changed_settings=_changed(settings),
    )


def _judges(engine: Engine, settings: Settings, *, spent_out: bool) -> dict[str, str]:
    no_model = "off: no trained judge is loaded (setting pair_model); what rules cannot tell stays undecided"
    return {
        "rules": _ON,
        "pair model": _ON if engine.pair_model else no_model,
        "llm": _llm(engine, settings, spent_out=spent_out),
        "detective": _ON if engine.expert else "off: no LLM is configured; stories are not read as a whole",
    }


def _llm(engine: Engine, settings: Settings, *, spent_out: bool) -> str:
    if engine.expert is None:
        return "off: no LLM is configured; what local judges cannot tell stays undecided"
    if spent_out:
        return "off until tomorrow (UTC): today's budget is spent (settings llm_calls_per_day, llm_tokens_per_day)"
    if settings.classify_before_write:
        return f"{_ON}: asked inside each write that it could change"
    return f"{_ON}: asked by drain, in batches, about what local judges left (setting classify_before_write)"


def _models(engine: Engine) -> dict[str, str | None]:
    return {
        "embedder": engine.embedder.model_version,
        "pair model": engine.pair_model.model_version if engine.pair_model else None,
        "llm": engine.expert.model_version if engine.expert else None,
    }


def _changed(settings: Settings) -> Mapping[str, object]:
    """Settings that differ from their defaults."""
    defaults = Settings()
    return {
        item.name: getattr(settings, item.name)
        for item in dataclasses.fields(settings)
        if getattr(settings, item.name) != getattr(defaults, item.name)
    }
