"""How does one request reach a language model, and what does it leave behind?

Answer: `Line` sends it. Before, the budget is asked; after, one short transaction of its own writes down what the reply
cost and keeps the clean part of it. No transaction is open while the model thinks. Everything that can go wrong comes
back as a `Failed` with a sentence, so that no caller has to catch anything.

Left to others: what is asked (``.prompts``), what a reply says (``.replies`` and its readers), who asks (``.expert``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, Final

from stilltrue.errors import BudgetError, ModelError, StoreError, UnusableReplyError
from stilltrue.inference.budget import Budget
from stilltrue.inference.cache import keep
from stilltrue.inference.prompts import CHARACTERS_PER_TOKEN
from stilltrue.model.expert import Unheard, Usage
from stilltrue.model.verdict import Undecided

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date

    from stilltrue.inference.cache import Known
    from stilltrue.inference.prompts import Request
    from stilltrue.model.expert import Allowance
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Chat, Clock, Reply, Store

    Clean = Callable[[str], Mapping[str, str]]

EXPECTED: Final = (BudgetError, ModelError, StoreError)
"""What may go wrong between here and the model without anybody's program being at fault."""


@dataclass(frozen=True, slots=True)
class Failed:
    """There is no reply that can be used; `why` says it for people, and `usage` what it cost all the same."""

    why: Undecided
    usage: Usage = field(default_factory=Usage)

    @property
    def refused(self) -> bool:
        """Whether the model was reached and would not answer what it was asked."""
        return not isinstance(self.why, Unheard)


@dataclass(frozen=True, slots=True)
class Sent:
    """What came back, and what it cost."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request that the budget has room for; it has to be sent or the room given back."""

    space: SpaceId
    day: date
    request: Request


class Line:
    """The way to one model. Safe to share between threads."""

    def __init__(self, chat: Chat, store: Store, clock: Clock) -> None:
        self._chat = chat
        self._store = store
        self._clock = clock
        self._budget = Budget(store)

    def admit(self, space: SpaceId, request: Request, allowance: Allowance) -> Admitted | Failed:
        """Set room for the request aside, or say why there is none."""
        day = self._clock.now().astimezone(UTC).date()
        try:
            self._budget.take(space, day, allowance, request.tokens)
        except EXPECTED as error:
            return Failed(why(error))
        return Admitted(space, day, request)

    def send(self, admitted: Admitted, known: Known, clean: Clean) -> Sent | Failed:
        """Send it. `clean` takes from the reply's text what is worth keeping, by key of the cache."""
        space, request = admitted.space, admitted.request
        try:
            reply = self._reply(request)
        except UnusableReplyError as error:
            return self._charged(admitted, error)
        except ModelError as error:
            self._budget.give_back(space, request.tokens)
            return Failed(why(error))
        usage = Usage(1, reply.tokens or _estimated(request, reply.text))
        try:
            with self._budget.spending(space, request.tokens), self._store.write(space) as transaction:
                transaction.add_usage(space, admitted.day, usage)
                keep(transaction, space, known, clean(reply.text))
        except EXPECTED as error:
            return Failed(why(error))
        return Sent(reply.text, usage)

    def _charged(self, admitted: Admitted, error: UnusableReplyError) -> Failed:
        """The failure of a request that was answered, and so counts."""
        space, request = admitted.space, admitted.request
        usage = Usage(1, error.tokens or _estimated(request, ""))
        try:
            with self._budget.spending(space, request.tokens), self._store.write(space) as transaction:
                transaction.add_usage(space, admitted.day, usage)
        except EXPECTED as trouble:
            return Failed(why(trouble))
        return Failed(why(error), usage)

    def ask(self, space: SpaceId, request: Request, allowance: Allowance, known: Known, clean: Clean) -> Sent | Failed:
        """Admit and send."""
        admitted = self.admit(space, request, allowance)
        return admitted if isinstance(admitted, Failed) else self.send(admitted, known, clean)

    def count_hits(self, space: SpaceId, hits: int) -> Usage:
        """Write down how many answers needed no asking. Raises StoreError."""
        usage = Usage(cache_hits=hits)
        if hits:
            with self._store.write(space) as transaction:
                transaction.add_usage(space, self._clock.now().astimezone(UTC).date(), usage)
        return usage

    def _reply(self, request: Request) -> Reply:
        """Raises ModelError, whatever a chat of somebody's own making raises."""
        try:
            return self._chat.complete(request.prompt.system, request.user, request.schema)
        except ModelError:
            raise
        except Exception as error:  # foreign code: a write must not be lost to it
            raise ModelError(f"the chat failed ({type(error).__name__}); see its own log") from error


def why(error: Exception) -> Undecided:
    """A failure as what is said of a pair: the first word of its reason tells which kind it is, its type whether it may
    pass.

    >>> why(UnusableReplyError("localhost refused to answer"))
    Undecided(reason='llm: localhost refused to answer', evidence=(), conflict=0.5)
    >>> type(why(ModelError("localhost cannot be reached"))).__name__
    'Unheard'
    >>> why(BudgetError("budget: spent")).tomorrow
    True
    """
    if isinstance(error, BudgetError):
        return Unheard(str(error), tomorrow=True)
    reason = f"llm: {error}"
    return Undecided(reason) if isinstance(error, UnusableReplyError) else Unheard(reason)


def _estimated(request: Request, text: str) -> int:
    """Tokens of an exchange whose server does not count them, by the number of characters."""
    return request.tokens - request.expected - (-len(text) // CHARACTERS_PER_TOKEN)
