"""How does a store of another library's shape end? `Over` stands over a memory, and closing it closes the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from stilltrue.memory import Memory


class Over:
    """For a class that keeps the memory it stands over as `_memory`."""

    __slots__ = ()  # LangGraph's stores have slots, and so must all that they inherit from

    _memory: Memory

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the memory below."""
        self._memory.close()
