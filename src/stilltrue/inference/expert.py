"""What does the language model say of pairs, episodes and questions?

Answer: `LlmExpert` fills `ports.Expert`. It looks into the cache, asks the rest in as few requests as the allowance
permits, several under way at a time, and asks once more for what came back unclean. Whatever is still missing after
that is `Undecided`, or an empty result, with the reason; nothing is raised for a model, a budget or a store that fails.
No transaction may be open when it is called, for it writes its ledger in transactions of its own.

Left to others: what is sent (``.prompts``), how (``.asking``), how pairs share requests (``.batches``), what a reply
says (``.replies``, ``.read_claims``, ``.read_answer``), and what a vote may change (``stilltrue.rules``).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TypeVar

from stilltrue.inference import cache, prompts
from stilltrue.inference.asking import EXPECTED, Failed, Line, Sent, why
from stilltrue.inference.batches import ask_all, foreseen, packed
from stilltrue.inference.read_answer import answer
from stilltrue.inference.read_claims import claims
from stilltrue.inference.replies import ReplyError, object_in, vote_in
from stilltrue.model.expert import Claims, Usage, Votes, Written

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.inference.batches import PairView
    from stilltrue.inference.prompts import Request
    from stilltrue.model.episode import Episode
    from stilltrue.model.expert import Allowance, Exhibit
    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Chat, Clock, Store

T = TypeVar("T")

DEFAULT_CONCURRENCY: Final = 4


class LlmExpert:
    """An optional judge and reader (`ports.Expert`). Safe to share between threads."""

    def __init__(self, chat: Chat, store: Store, clock: Clock, *, concurrency: int = DEFAULT_CONCURRENCY) -> None:
        """`concurrency`: how many requests of one call may be under way at once (at least 1)."""
        self._model = chat.model
        self._store = store
        self._line = Line(chat, store, clock)
        self._concurrency = concurrency

    @property
    def model_version(self) -> str:
        """The model's name and the version of the classifying prompt."""
        return f"{self._model} {prompts.prompt('classify').version}"

    def classify(self, space: SpaceId, pairs: Sequence[tuple[Statement, Statement]], allowance: Allowance) -> Votes:
        """A vote on each (existing, new), in order; equal pairs are asked about once."""
        views, keys = self._views(pairs)
        try:
            known = cache.look(self._store, space, keys)
            votes = {key: vote for key, reply in known.replies.items() if (vote := vote_in(reply))}
            hits = self._line.count_hits(space, sum(key in votes for key in keys))
        except EXPECTED as error:
            return Votes((why(error),) * len(pairs), Usage())
        batches = packed({key: views[key] for key in views if key not in votes}, allowance.pairs_per_request)
        asked, usage = ask_all(self._line, space, batches, known, allowance, self._concurrency)
        judged = {**asked, **votes}
        return Votes(tuple(judged[key] for key in keys), usage + hits)

    def estimate(self, space: SpaceId, pairs: Sequence[tuple[Statement, Statement]], allowance: Allowance) -> Usage:
        """What `classify` would take if every reply were clean; asks and writes nothing.

        Tokens are an estimate: characters divided by four, and replies of the usual length. Raises StoreError.
        """
        views, keys = self._views(pairs)
        with self._store.read() as reader:
            known = {key for key in views if reader.reply(space, key) is not None}
        unknown = {key: views[key] for key in views if key not in known}
        return foreseen(unknown, allowance.pairs_per_request) + Usage(cache_hits=sum(key in known for key in keys))

    def _views(self, pairs: Sequence[tuple[Statement, Statement]]) -> tuple[dict[str, PairView], list[str]]:
        """What is shown of each pair by its key in the cache, and the keys in the order of the pairs."""
        version = prompts.prompt("classify").version
        shown = [prompts.pair_view(existing, new) for existing, new in pairs]
        keys = [cache.key(self._model, version, view) for view in shown]
        return dict(zip(keys, shown, strict=True)), keys

    def extract(self, episode: Episode, allowance: Allowance) -> Claims:
        """The facts that an episode states, each with the place where it stands."""
        request = prompts.extract_request(episode)
        read, usage, fault = self._read(episode.space_id, request, allowance, lambda text: claims(text, episode.text))
        return Claims(read or (), usage, fault)

    def answer(self, space: SpaceId, question: str, exhibits: Sequence[Exhibit], allowance: Allowance) -> Written:
        """An answer to a question out of the exhibits alone; without any, a refusal that costs nothing."""
        if not exhibits:
            return Written("", (), Usage())
        named = dict(zip(prompts.labels("f", len(exhibits)), exhibits, strict=True))
        shown = {name: prompts.exhibit_view(exhibit) for name, exhibit in named.items()}
        request = prompts.answer_request(question, shown)
        read, usage, fault = self._read(space, request, allowance, lambda text: answer(text, shown, question))
        written, cited = read or ("", ())
        return Written(written, tuple(named[name].fact_id for name in cited), usage, fault)

    def _read(
        self, space: SpaceId, request: Request, allowance: Allowance, read: Callable[[str], T]
    ) -> tuple[T | None, Usage, str]:
        """What `read` makes of the reply, what that cost, and where it is None, why. Asks once more at most."""
        key = cache.key(self._model, request.prompt.version, request.data)
        try:
            known = cache.look(self._store, space, [key])
            if (found := _clean(known.replies.get(key, ""), read)) is not None:
                return found, self._line.count_hits(space, 1), ""
        except EXPECTED as error:
            return None, Usage(), why(error).reason
        first = self._line.ask(space, request, allowance, known, lambda text: _storable(key, text, read))
        result, usage, fault = _outcome(first, read)
        if result is None and isinstance(first, Sent):
            again = request.once_more(fault)
            second = self._line.ask(space, again, allowance, known, lambda text: _storable(key, text, read))
            result, more, fault = _outcome(second, read)
            usage += more
            if isinstance(second, Sent) and fault:
                fault = f"llm: no clean answer, even when asked again: {fault}"
        return result, usage, fault


def _outcome(sent: Sent | Failed, read: Callable[[str], T]) -> tuple[T | None, Usage, str]:
    """What was read, what it cost, and what was wrong."""
    if isinstance(sent, Failed):
        return None, sent.usage, sent.why.reason
    try:
        return read(sent.text), sent.usage, ""
    except ReplyError as error:
        return None, sent.usage, str(error)


def _clean(text: str, read: Callable[[str], T]) -> T | None:
    """What a reply says, or None where it is unclean."""
    try:
        return read(text)
    except ReplyError:
        return None


def _storable(key: str, text: str, read: Callable[[str], object]) -> dict[str, str]:
    """A clean reply without the prose around it, as the cache keeps it."""
    return {} if _clean(text, read) is None else {key: json.dumps(object_in(text))}
