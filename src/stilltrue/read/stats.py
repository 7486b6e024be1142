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
    return Stats(
        counts=counts,
        pairs_judged=sum(cost.pairs for cost in costs),
        undecided=counts.get("undecided", 0),
        llm_calls=sum(cost.llm_calls for cost in costs),
        llm_tokens=sum(cost.llm_tokens for cost in costs),
        cache_hits=sum(cost.cache_hits for cost in costs),
        actions={name.removeprefix(_ACTION): number for name, number in counts.items() if name.startswith(_ACTION)},
        judges=_judges(engine, settings),
        models=_models(engine),
        changed_settings=_changed(settings),
    )


def _judges(engine: Engine, settings: Settings) -> dict[str, str]:
    llm = _ON
    if engine.expert is None:
        llm = "off: no LLM is configured; what local judges cannot tell stays undecided"
    elif not settings.classify_before_write:
        llm = "off: the setting classify_before_write is false"
    no_model = "off: no trained judge is loaded (setting pair_model); what rules cannot tell stays undecided"
    return {
        "rules": _ON,
        "pair model": _ON if engine.pair_model else no_model,
        "llm": llm,
        "detective": _ON if engine.expert else "off: no LLM is configured; stories are not read as a whole",
    }


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
