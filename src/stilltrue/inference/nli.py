"""Can somebody else's model judge pairs, one that knows only contradiction, entailment and neutral?

Answer: `NliPairModel` runs any ONNX cross-encoder with such a head from a local folder (``.model_folder`` says what it
must hold). Both directions are scored, since entailment has one: existing → new and new → existing. Then, each share
being the mean of the two directions (contradiction c, entailment e, neutral n; they sum to 1):

* c is a conflict: `conflict_split` of it goes to UPDATE, the rest to CONTRADICTION. RETRACTION gets nothing, because
  nothing in a three-way answer tells an end from a change; either retires the existing statement.
* e, as far as *both* directions entail (the smaller of the two), is DUPLICATE. What only one direction entails is
  OVERLAP: one says more than the other, and both stand.
* n is no conflict: `neutral_split` of it goes to NONE, the rest to OVERLAP. Memory treats the two alike.

Left to others: the trained model of this package, which knows the six relations (``.pair_model``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stilltrue.errors import ModelError
from stilltrue.inference import model_folder
from stilltrue.inference.calibration import RELATIONS, Calibration, as_mappings
from stilltrue.inference.cross_encoder import DEFAULT_THREADS, MAX_TOKENS, PAIR_SPECIALS, CrossEncoder
from stilltrue.inference.model_folder import REMEDY, ModelFolder
from stilltrue.inference.onnx_files import Once
from stilltrue.model.verdict import Relation

if TYPE_CHECKING:
    from stilltrue.model.combination import Combination
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from stilltrue.inference.calibration import Table
    from stilltrue.model.fact import Statement

CONFLICT_SPLIT: Final = 0.9
"""In this project's labelled pairs 53% of the two were updates (6,603 of 12,388), but a verdict retires only if its own
relation is sure enough (setting `supersession_min_confidence`, 0.7): split evenly, no answer of such a model ever
could. UPDATE is the milder of the two, as it leaves the past true."""

NEUTRAL_SPLIT: Final = 0.43
"""Share of NONE among the pairs labelled NONE or OVERLAP (6,181 of 14,465)."""


class NliPairModel:
    """A pair model (`ports.PairModel`) made of a three-way NLI cross-encoder. Safe to share between threads."""

    def __init__(
        self,
        folder: Path | str,
        *,
        labels: Mapping[str, int] | None = None,
        model_file: str | None = None,
        conflict_split: float = CONFLICT_SPLIT,
        neutral_split: float = NEUTRAL_SPLIT,
        calibration: Calibration | None = None,
        max_tokens: int = MAX_TOKENS,
        max_batch: int = 1,
        threads: int = DEFAULT_THREADS,
    ) -> None:
        """Prepare the model of a folder; it is loaded by the first pair.

        Args:
            folder: a local folder, as sentence-transformers or Hugging Face lay it out.
            labels: the column of "contradiction", "entailment" and "neutral" in the scores; default: what ``id2label``
                in the folder's ``config.json`` says.
            model_file: the model, inside the folder; default ``onnx/model.onnx``, then ``model.onnx``.
            conflict_split: share of a contradiction that counts as UPDATE, 0..1.
            neutral_split: share of a neutral answer that counts as NONE, 0..1.
            calibration: its temperature is applied to the three scores, its map to the probability of a conflict.
            max_tokens: longest pair in tokens, specials included; longer texts lose their ends, the longer text first.
            max_batch: directions run at once, 1..32; above 1 a dynamically quantised model gives a pair other values
                in other company.
            threads: threads used inside one model run (at least 1).

        Raises:
            ValueError: a number is out of its range.
            ModelError: the folder holds no such model, or its labels are not the three.
        """
        if threads < 1 or max_tokens <= PAIR_SPECIALS or not (0 <= conflict_split <= 1 and 0 <= neutral_split <= 1):
            message = (
                f"threads={threads} must be at least 1, max_tokens={max_tokens} above {PAIR_SPECIALS}, "
                f"conflict_split={conflict_split} and neutral_split={neutral_split} from 0 to 1"
            )
            raise ValueError(message)
        self._folder = ModelFolder.of(folder, labels=labels, model_file=model_file)
        self._splits = (conflict_split, neutral_split)
        self._calibration = calibration or Calibration()
        self._encoder = CrossEncoder(
            lambda: model_folder.load(self._folder, max_tokens, threads),
            labels=len(self._folder.columns),
            max_batch=max_batch,
            remedy=REMEDY,
        )
        told = (*self._folder.columns, *self._splits, self._calibration, max_tokens)
        self._version = Once(lambda: f"{self._folder.name}-{model_folder.digest(self._folder, repr(told))}")

    combination: Combination | None = None
    """Nothing was fitted for a stranger's model: it speaks only where no rule settles."""

    @property
    def model_version(self) -> str:
        """The folder's name, and eight digits of a hash over the model, its tokenizer and what was set here.

        It raises nothing, since a write whose pairs stay undecided still says who was asked: a folder that cannot be
        read any more has "unreadable" for its digits.
        """
        try:
            return self._version()
        except ModelError:
            return f"{self._folder.name}-unreadable"

    def relations(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Mapping[Relation, float]]:
        """For each (existing, new) a probability of each relation, summing to 1, in the order given.

        Raises:
            ModelError: a file is missing, the tokenizer is not to be had, or the model cannot be run.
        """
        forwards = [(existing.text, new.text) for existing, new in pairs]
        scores = self._encoder.scores([*forwards, *((new, existing) for existing, new in forwards)])
        if not forwards:
            return []
        told = self._calibration.probabilities(scores)[:, self._folder.columns]
        table = as_relations(told[: len(forwards)], told[len(forwards) :], *self._splits)
        return list(as_mappings(self._calibration.with_conflicts_mapped(table)))


def as_relations(forwards: Table, backwards: Table, conflict_split: float, neutral_split: float) -> Table:
    """Answers in both directions (columns contradiction, entailment, neutral) as relations (columns `RELATIONS`).

    >>> both = as_relations(np.array([[0.1, 0.8, 0.1]]), np.array([[0.3, 0.2, 0.5]]), 0.5, 0.5)
    >>> {name.value: round(float(p), 3) for name, p in zip(RELATIONS, both[0], strict=True) if p}
    {'CONTRADICTION': 0.1, 'UPDATE': 0.1, 'DUPLICATE': 0.2, 'OVERLAP': 0.45, 'NONE': 0.15}
    """
    contradiction, entailment, neutral = ((forwards + backwards) / 2).T
    mutual = np.minimum(forwards[:, 1], backwards[:, 1])
    shares = {
        Relation.CONTRADICTION: contradiction * (1 - conflict_split),
        Relation.UPDATE: contradiction * conflict_split,
        Relation.RETRACTION: np.zeros_like(contradiction),
        Relation.DUPLICATE: mutual,
        Relation.OVERLAP: (entailment - mutual) + neutral * (1 - neutral_split),
        Relation.NONE: neutral * neutral_split,
    }
    return np.stack([shares[name] for name in RELATIONS], axis=1)
