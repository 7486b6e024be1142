"""How does a user's own test use stilltrue? With a clock that stands still, and judges that say what the test wants."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from stilltrue.memory import Memory
from stilltrue.model.expert import Claims, Unheard, Usage, Vote, Votes, Written
from stilltrue.model.story import Confusion, Confusions
from stilltrue.model.timeline import Instant, instant
from stilltrue.model.verdict import Relation, Undecided

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from stilltrue.model.combination import Combination
    from stilltrue.model.conflict import ConflictKind
    from stilltrue.model.episode import Episode
    from stilltrue.model.expert import Allowance, Exhibit
    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.story import Chapter
    from stilltrue.ports import Expert, PairModel
    from stilltrue.settings import Settings


class FrozenClock:
    """A clock that moves only when told to."""

    def __init__(self, start: Instant) -> None:
        """Stand still at `start` (an aware datetime)."""
        self._now = instant(start)

    def now(self) -> Instant:
        """Where it stands, UTC."""
        return self._now

    def set(self, moment: Instant) -> None:
        """Stand at `moment` from now on."""
        self._now = instant(moment)

    def advance(self, seconds: float) -> None:
        """Move on by so many seconds."""
        self._now += timedelta(seconds=seconds)


class ScriptedPairModel:
    """A pair model whose answers a test writes: a function from (existing text, new text) to a relation."""

    model_version = "scripted-1"
    combination: Combination | None = None

    def __init__(self, answer: Callable[[str, str], Relation], confidence: float = 0.95) -> None:
        """`confidence` (0..1) goes to the answered relation, the rest evenly to the others."""
        self._answer = answer
        self._confidence = confidence

    def relations(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Mapping[Relation, float]]:
        """The scripted distribution of every pair."""
        rest = (1 - self._confidence) / (len(Relation) - 1)
        answers = [self._answer(existing.text, new.text) for existing, new in pairs]
        return [{name: self._confidence if name is told else rest for name in Relation} for told in answers]


Told: TypeAlias = "tuple[ConflictKind, Sequence[str], str]"
"""A confusion as a test writes it: its kind, the texts of its facts, and the question."""


class ScriptedExpert:
    """An LLM whose votes a test writes: a function from (existing text, new text) to a relation, to a reason why there
    is none, or to `Unheard`, where asking later may help. It counts what it would have cost and keeps to the allowance,
    but keeps no cache.
    """

    model_version = "scripted-llm-1"
    tokens_per_call = 100

    def __init__(
        self,
        answer: Callable[[str, str], Relation | str | Unheard] = lambda *_: Relation.NONE,
        reason: str = "as the script says",
        tells: Callable[[Sequence[str]], Sequence[Told] | Undecided] = lambda _: (),
    ) -> None:
        """`reason` goes with every vote. `tells` is given the texts of a chapter and names the confusions in it."""
        self._answer = answer
        self._reason = reason
        self._tells = tells
        self.chapters: list[list[str]] = []
        """The texts of every chapter it was told."""
        self.requests: list[list[tuple[str, str]]] = []
        """The pairs of every request, as (existing text, new text)."""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs it was asked about, in order."""
        return [pair for request in self.requests for pair in request]

    def classify(self, space: SpaceId, pairs: Sequence[tuple[Statement, Statement]], allowance: Allowance) -> Votes:  # noqa: ARG002
        """The scripted votes, `allowance.pairs_per_request` to a request, while calls are left."""
        votes: list[Vote | Undecided] = []
        calls = 0
        for start in range(0, len(pairs), allowance.pairs_per_request):
            texts = [(old.text, new.text) for old, new in pairs[start : start + allowance.pairs_per_request]]
            if len(self.requests) >= allowance.calls_per_day:
                votes += [Unheard("budget: no calls are left today", tomorrow=True) for _ in texts]
                continue
            self.requests.append(texts)
            calls += 1
            votes += [self._vote(self._answer(*pair)) for pair in texts]
        return Votes(tuple(votes), Usage(calls, calls * self.tokens_per_call))

    def estimate(self, space: SpaceId, pairs: Sequence[tuple[Statement, Statement]], allowance: Allowance) -> Usage:  # noqa: ARG002
        """What `classify` would count."""
        calls = -(-len(pairs) // allowance.pairs_per_request)
        return Usage(calls, calls * self.tokens_per_call)

    def extract(self, episode: Episode, allowance: Allowance) -> Claims:  # noqa: ARG002
        """Nothing: the local reader reads."""
        return Claims((), Usage(), "the script reads no texts")

    def answer(self, space: SpaceId, question: str, exhibits: Sequence[Exhibit], allowance: Allowance) -> Written:  # noqa: ARG002
        """Nothing: answers are put together from the facts."""
        return Written("", (), Usage(), "the script writes no answers")

    def tell(self, space: SpaceId, chapters: Sequence[Chapter], allowance: Allowance) -> Confusions:  # noqa: ARG002
        """The scripted confusions, a call a chapter."""
        found: list[Confusion] = []
        failures: list[Undecided] = []
        for chapter in chapters:
            self.chapters.append([line.text for line in chapter])
            told = self._tells(self.chapters[-1])
            if isinstance(told, Undecided):
                failures.append(told)
                continue
            for kind, texts, question in told:
                ids = sorted({line.fact_id for line in chapter if line.text in texts})
                found.append(Confusion(tuple(ids), kind, question))
        return Confusions(tuple(found), Usage(len(chapters), len(chapters) * self.tokens_per_call), tuple(failures))

    def _vote(self, told: Relation | str | Unheard) -> Vote | Undecided:
        if isinstance(told, Unheard):
            return told
        return Vote(told, self._reason) if isinstance(told, Relation) else Undecided(told)


def memory(
    clock: FrozenClock,
    settings: Settings | None = None,
    pair_model: PairModel | Path | str | None = "off",
    expert: Expert | None = None,
) -> Memory:
    """A Memory that lives in this process only. Rules alone judge, unless a `pair_model` or `expert` is asked for."""
    return Memory.open(":memory:", clock=clock, settings=settings, pair_model=pair_model, expert=expert)
