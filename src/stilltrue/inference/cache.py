"""Was this asked before?

Answer: `key` names a question by everything its answer may rest on: the model, the version of the prompt and what is
shown. `Known` is what the store holds of some questions, together with a mark of the moment. An erasure empties the
cache and takes the mark with it; so a reply that was under way meanwhile, and may repeat an erased text, finds its mark
gone and is not kept.

Left to others: where replies lie and how they are erased (``stilltrue.store``); failures never come here.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.model.timeline import iso

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Store, Transaction

MARK: Final = "mark"
"""The key under which a space's mark lies; questions have hashes for keys."""


@dataclass(frozen=True, slots=True)
class Known:
    """Replies by key, and the mark that stood when they were looked up."""

    replies: Mapping[str, str]
    mark: str


def key(model: str, version: str, shown: object) -> str:
    """The key of a question.

    >>> key("m", "classify-1", {"a": 1, "b": 2}) == key("m", "classify-1", {"b": 2, "a": 1})
    True
    >>> key("m", "classify-1", {"a": 1}) == key("m", "classify-2", {"a": 1})
    False
    """
    whole = json.dumps([model, version, shown], sort_keys=True)
    return hashlib.sha256(whole.encode("ascii")).hexdigest()


def look(store: Store, space: SpaceId, keys: Iterable[str]) -> Known:
    """What is known of these questions; makes the mark where there is none and something will have to be asked."""
    wanted = list(dict.fromkeys(keys))
    with store.read() as reader:
        found = {name: reply for name in wanted if (reply := reader.reply(space, name)) is not None}
        mark = reader.reply(space, MARK)
    return Known(found, mark or (_new_mark(store, space) if len(found) < len(wanted) else ""))


def _new_mark(store: Store, space: SpaceId) -> str:
    """The store's stamps only grow within a space, so a mark made after an erasure is another one."""
    with store.write(space) as transaction:
        mark = transaction.reply(space, MARK) or iso(transaction.now)
        transaction.put_reply(space, MARK, mark)
    return mark


def keep(transaction: Transaction, space: SpaceId, known: Known, replies: Mapping[str, str]) -> None:
    """Keep clean replies by key, unless something was erased since `known` was looked up."""
    if transaction.reply(space, MARK) == known.mark:
        for name, reply in replies.items():
            transaction.put_reply(space, name, reply)
