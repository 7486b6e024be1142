"""What does the engine need from outside? A store, an embedder, judges that may be absent, a clock, and randomness.

These protocols are the whole seam: `ports.store` has what memory lies in, `ports.models` all else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.ports.models import Chat, Clock, Embedder, Entropy, Expert, PairModel, Reply
from stilltrue.ports.store import Filter, Hit, Reader, Store, Transaction

if TYPE_CHECKING:
    from stilltrue.ports.models import Vectors as Vectors

__all__ = [
    "Chat",
    "Clock",
    "Embedder",
    "Entropy",
    "Expert",
    "Filter",
    "Hit",
    "PairModel",
    "Reader",
    "Reply",
    "Store",
    "Transaction",
]
