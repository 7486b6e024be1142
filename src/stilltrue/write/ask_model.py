"""What does the pair model add to what the rules said of some pairs?

Answer: `with_model`, for every path that judges: it asks the model about all pairs that want it, in one call, and has
`rules.combining` put the two together. A model that fails leaves its pairs undecided, with the reason.

Left to others: the rules (`rules.cascade`), how the two are weighed (`rules.combining`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.errors import ModelError
from stilltrue.model.verdict import Undecided
from stilltrue.rules import cascade
from stilltrue.rules.combining import combined, wants_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.model.fact import Statement
    from stilltrue.model.verdict import Judgement
    from stilltrue.ports import PairModel


def with_model(
    model: PairModel | None, by_rules: Sequence[Judgement], pair: Callable[[int], tuple[Statement, Statement]]
) -> list[Judgement]:
    """The judgements of some pairs after the model has been asked, in their order.

    `by_rules` are the rules' judgements; `pair` gives the (existing, new) at a place, and is called only for the pairs
    that the model is asked about. Without a model the rules' judgements come back as they are.
    """
    judged = list(by_rules)
    if model is None:
        return judged
    fitted = model.combination
    places = [place for place, judgement in enumerate(judged) if wants_model(judgement, fitted)]
    if not places:
        return judged
    pairs = [pair(place) for place in places]
    try:
        answers = model.relations(pairs)
    except ModelError as error:
        for place in places:
            judged[place] = _unanswered(judged[place], error)
        return judged
    for place, asked, answer in zip(places, pairs, answers, strict=True):
        judged[place] = combined(judged[place], answer, model.model_version, asked, fitted)
    return judged


def judged_pairs(model: PairModel | None, pairs: Sequence[tuple[Statement, Statement]]) -> list[Judgement]:
    """What rules and model say of some (existing, new) pairs that are not being written, in their order."""
    by_rules = [cascade.judge(existing, new) for existing, new in pairs]
    return with_model(model, by_rules, lambda place: pairs[place])


def _unanswered(rules: Judgement, error: ModelError) -> Judgement:
    """The rules' own verdict, where there is one; else openly none, and why."""
    return replace(rules, reason=f"the pair model failed: {error}") if isinstance(rules, Undecided) else rules
