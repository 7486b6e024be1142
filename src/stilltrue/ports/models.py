"""What does the engine need from outside beside a store? An embedder, judges that may be absent, a clock, randomness.

`inference/` fills these protocols, `wiring` picks who does, tests pass their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from stilltrue.model.combination import Combination
    from stilltrue.model.episode import Episode
    from stilltrue.model.expert import Allowance, Claims, Exhibit, Usage, Votes, Written
    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.story import Chapter, Confusions
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Relation

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def model_version(self) -> str:
        """Stored beside every vector; another version means another space of vectors."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32, shape (len(texts), dimensions), rows of length 1. Raises ModelError."""


class PairModel(Protocol):
    """A local judge of pairs: the trained model that ships, or somebody's own."""

    @property
    def model_version(self) -> str:
        """Part of every judgement; a new version re-judges only what it could change."""

    @property
    def combination(self) -> Combination | None:
        """How it is weighed against the rules; None: it is asked only where no rule settles."""

    def relations(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Mapping[Relation, float]]:
        """For each (existing, new) a calibrated probability of each relation, summing to 1. Raises ModelError."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server of language models sent back: the text, and how many tokens went in and out (0: it did not say)."""

    text: str
    tokens: int = 0


class Chat(Protocol):
    """One method of any LLM: a prompt and a JSON schema in, JSON text out."""

    @property
    def model(self) -> str:
        """The model's name, part of every judgement."""

    def complete(self, system: str, user: str, schema: Mapping[str, object]) -> Reply:
        """One reply. Raises ModelError (no server, no answer, cut short) after its own retries; never guesses."""


class Expert(Protocol):
    """The LLM tier: what it answers has been checked, cached and counted. A failure is a value, never an error."""

    @property
    def model_version(self) -> str:
        """The model's name and the version of the classifying prompt, part of every judgement."""

    def classify(self, space: SpaceId, pairs: Sequence[tuple[Statement, Statement]], allowance: Allowance) -> Votes:
        """A vote on each (existing, new), several to a request; `Undecided` where there is none, with the reason."""

    def estimate(self, space: SpaceId, pairs: Sequence[tuple[Statement, Statement]], allowance: Allowance) -> Usage:
        """What `classify` would take now; about, where it comes to tokens. Nobody is asked, nothing is written."""

    def extract(self, episode: Episode, allowance: Allowance) -> Claims:
        """The facts that an episode states."""

    def answer(self, space: SpaceId, question: str, exhibits: Sequence[Exhibit], allowance: Allowance) -> Written:
        """An answer to a question out of the exhibits alone."""

    def tell(self, space: SpaceId, chapters: Sequence[Chapter], allowance: Allowance) -> Confusions:
        """What is confused in each chapter of a story; chapters without a clean answer are named as failures."""


class Clock(Protocol):
    """Where the present comes from."""

    def now(self) -> Instant:
        """The present instant, UTC."""


class Entropy(Protocol):
    """Where the randomness of ids comes from."""

    def __call__(self, count: int, /) -> bytes:
        """`count` random bytes."""
