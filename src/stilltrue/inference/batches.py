"""How do many pairs share few requests, and how do their votes come back?

Answer: `packed` fills requests up to a number of pairs and of characters; `ask_all` has several of them under way at
once. Room in the budget is set aside in the order of the pairs, so that it is always the last ones that find none.
A request whose reply was unclean for some of its pairs is followed by one, and only one, that asks for those again.
One that the model would not answer at all is asked as two halves, and while just one half is refused, that one in
halves again: so a text that no model will look at is left with itself, and does not hold up its neighbours.

Left to others: what a request says (``.prompts``), sending it (``.asking``), reading its reply (``.replies``).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final, TypeAlias

from stilltrue.inference import prompts
from stilltrue.inference.asking import Failed
from stilltrue.inference.replies import complaint, stored, verdicts
from stilltrue.model.expert import Unheard, Usage, Vote
from stilltrue.model.verdict import Undecided

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future

    from stilltrue.inference.asking import Admitted, Line
    from stilltrue.inference.cache import Known
    from stilltrue.inference.replies import Verdicts
    from stilltrue.model.expert import Allowance
    from stilltrue.model.ids import SpaceId

PairView: TypeAlias = tuple[prompts.View, prompts.View]
Judged: TypeAlias = dict[str, Vote | Undecided]
"""What is said of pairs, by their keys in the cache."""

MOST_CHARACTERS: Final = 16_000
"""Of the statements in one request: about 4,000 tokens, so that a context of 8,192 holds them with the instructions."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The pairs of one request by their names there, each as (key in the cache, what is shown)."""

    pairs: Mapping[str, tuple[str, PairView]]

    def shown(self) -> dict[str, PairView]:
        """By name, what is shown."""
        return {name: view for name, (_, view) in self.pairs.items()}

    def only(self, names: Mapping[str, object]) -> Batch:
        """The pairs of these names."""
        return Batch({name: pair for name, pair in self.pairs.items() if name in names})

    def all(self, why: Undecided) -> Judged:
        """The same for every pair, by key."""
        return {key: why for key, _ in self.pairs.values()}

    def votes(self, read: Verdicts) -> dict[str, Vote]:
        """The clean votes, by key."""
        return {self.pairs[name][0]: vote for name, vote in read.votes.items()}


def packed(views: Mapping[str, PairView], most_pairs: int) -> list[Batch]:
    """The pairs in as few batches as their order allows; a pair too long to share a request has one to itself."""
    filled: list[list[tuple[str, PairView]]] = []
    room = 0
    for key, view in views.items():
        size = sum(len(str(statement["text"])) for statement in view)
        if not filled or len(filled[-1]) >= most_pairs or size > room:
            filled.append([])
            room = MOST_CHARACTERS
        filled[-1].append((key, view))
        room -= size
    return [Batch(dict(zip(prompts.labels("p", len(pairs)), pairs, strict=True))) for pairs in filled]


def foreseen(views: Mapping[str, PairView], most_pairs: int) -> Usage:
    """What asking about these would take if every reply were clean; tokens by the number of characters."""
    requests = [prompts.classify_request(batch.shown()) for batch in packed(views, most_pairs)]
    return Usage(len(requests), sum(request.tokens for request in requests))


def ask_all(
    line: Line, space: SpaceId, batches: Sequence[Batch], known: Known, allowance: Allowance, concurrency: int
) -> tuple[Judged, Usage]:
    """What is said of every pair of the batches, and what that cost."""
    judged: Judged = {}
    total = Usage()
    slots = BoundedSemaphore(concurrency)
    with ThreadPoolExecutor(max_workers=concurrency) as pool:
        under_way: list[Future[tuple[Judged, Usage]]] = []
        for batch in batches:
            slots.acquire()
            admitted = line.admit(space, prompts.classify_request(batch.shown()), allowance)
            under_way.append(pool.submit(_ask, line, admitted, batch, known, allowance))
            under_way[-1].add_done_callback(lambda _: slots.release())
    for future in under_way:
        given, usage = future.result()
        judged |= given
        total += usage
    return judged, total


def _ask(
    line: Line, admitted: Admitted | Failed, batch: Batch, known: Known, allowance: Allowance, *, repair: bool = True
) -> tuple[Judged, Usage]:
    """One request and, with `repair`, what may mend it: one more for unclean pairs, halves where it was refused."""
    if isinstance(admitted, Failed):
        return batch.all(admitted.why), Usage()
    sent = line.send(admitted, known, lambda text: _storable(batch, text))
    if isinstance(sent, Failed):
        if sent.refused and repair and len(batch.pairs) > 1:
            halves, usage = _halved(line, admitted.space, batch, known, allowance)
            return halves, sent.usage + usage
        return batch.all(sent.why), sent.usage
    read = verdicts(sent.text, batch.pairs)
    judged: Judged = {**batch.votes(read)}
    unclean = batch.only(read.faults)
    if not (unclean.pairs and repair):
        for name, fault in read.faults.items():
            why = Undecided(f"llm: no clean answer, even when asked again: {fault}")
            judged |= batch.only({name: fault}).all(why)
        return judged, sent.usage
    request = prompts.classify_request(unclean.shown()).once_more(complaint(read.faults))
    again = line.admit(admitted.space, request, allowance)
    repaired, usage = _ask(line, again, unclean, known, allowance, repair=False)
    return judged | repaired, sent.usage + usage


def _halved(line: Line, space: SpaceId, batch: Batch, known: Known, allowance: Allowance) -> tuple[Judged, Usage]:
    """A refused request as two; where just one of them is refused, that one as two again. At most 2 log2 n requests."""
    names = list(batch.pairs)
    middle = len(names) // 2
    judged: Judged = {}
    total = Usage()
    refused: list[Batch] = []
    for part in (batch.only(dict.fromkeys(names[:middle])), batch.only(dict.fromkeys(names[middle:]))):
        admitted = line.admit(space, prompts.classify_request(part.shown()), allowance)
        given, usage = _ask(line, admitted, part, known, allowance, repair=False)
        judged |= given
        total += usage
        if not any(isinstance(vote, Vote | Unheard) for vote in given.values()):
            refused.append(part)
    if len(refused) == 1 and len(refused[0].pairs) > 1:
        given, usage = _halved(line, space, refused[0], known, allowance)
        return judged | given, total + usage
    return judged, total


def _storable(batch: Batch, text: str) -> dict[str, str]:
    votes = batch.votes(verdicts(text, batch.pairs))
    return {key: stored(vote) for key, vote in votes.items()}
