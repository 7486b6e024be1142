"""Is a pair worth asking an LLM about? Only where its answer could change what is done, and something is at stake.

Answer: `wants_expert`, a ladder over what the local judges said: rules that bind, guards, voices that claim nothing and
facts of little weight are never put to it; what is left must lie in the uncertain band, or be openly undecided. Where
no rule saw anything at all, the fallback of SPEC E6 asks for words in common and for both of its flags.

Left to others: whether any vote would lead to another decision (`write.ask_expert` tries them), what a vote weighs
(`rules.voting`), what it may cost (the expert's budget).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.model.verdict import EvidenceSource, Undecided
from stilltrue.rules.cascade import SETTLES
from stilltrue.rules.combining import BINDING
from stilltrue.rules.policy import UNCLAIMED
from stilltrue.rules.text import content_stems

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement
    from stilltrue.model.verdict import Judgement

LEAST_SHARED: Final = 3
"""SPEC E6: normalised tokens that two statements must share before their silence is put to an LLM."""
MODELS: Final = frozenset({EvidenceSource.PAIR_MODEL, EvidenceSource.LLM})
"""Who judges by the words alone, without a rule that a person can check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """The numbers of `settings.Settings` that the router needs; `fallback`: both flags of E6 are set."""

    low: float = 0.1
    sure: float = 0.72
    min_importance: float = 0.5
    fallback: bool = True


def wants_expert(
    judgement: Judgement, pair: tuple[Statement, Statement], importance: float, numbers: Routing | None = None
) -> bool:
    """Whether the local judgement of (existing, new) leaves something that an LLM could settle.

    `importance` is that of the weightier of the two facts.

    >>> from stilltrue.model.verdict import Relation, Verdict
    >>> from stilltrue.rules.cascade import read_texts
    >>> hikes = read_texts("User enjoys long hikes in Norway.", "User hikes in Norway mostly alone.")
    >>> wants_expert(Undecided("no local rule settles this pair", (), 0.25), hikes, 0.6)
    True
    >>> wants_expert(Verdict(Relation.NONE, 0.98, 0.02, (), "tiny-1"), hikes, 0.6)
    False
    """
    numbers = numbers or Routing()
    if importance <= numbers.min_importance or pair[1].modality in UNCLAIMED or _bound(judgement):
        return False
    if is_silent(judgement) and not (numbers.fallback and shared_words(pair) >= LEAST_SHARED):
        return False
    if judgement.conflict < numbers.low:
        return False
    if isinstance(judgement, Undecided):
        return True
    return judgement.conflict < numbers.sure or judgement.confidence < numbers.sure


def is_silent(judgement: Judgement) -> bool:
    """Whether no rule saw anything in the pair, for or against.

    >>> is_silent(Undecided("no local rule settles this pair"))
    True
    """
    return all(entry.relation is None or entry.source in MODELS for entry in judgement.evidence)


def shared_words(pair: tuple[Statement, Statement]) -> int:
    """How many normalised tokens that carry content the two texts share; a subject in common counts as one.

    >>> from stilltrue.rules.cascade import read_texts
    >>> shared_words(read_texts("User enjoys long hikes in Norway.", "User hikes in Norway mostly alone."))
    3
    """
    existing, new = pair
    shared = content_stems(existing.text) & content_stems(new.text)
    subject = existing.slot.subject
    return len(shared) + (subject == new.slot.subject and not content_stems(subject) & shared)


def _bound(judgement: Judgement) -> bool:
    """Whether a rule settled it that no model overrules: a binding one, or a guard."""
    if isinstance(judgement, Undecided):
        return False
    if judgement.settled_by in BINDING:
        return True
    return any(entry.source is EvidenceSource.GUARD and entry.note.startswith(SETTLES) for entry in judgement.evidence)
