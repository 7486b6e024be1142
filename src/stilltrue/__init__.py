"""stilltrue keeps the long-term memory of AI agents true: it decides what is still so, and can say why.

Everything public is named in `__all__` and loaded when first used, so that importing the package stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from stilltrue.version import __version__

if TYPE_CHECKING:
    from stilltrue.connect.async_memory import AsyncMemory
    from stilltrue.errors import StilltrueError
    from stilltrue.memory import Memory
    from stilltrue.settings import Settings

_HOMES = {
    "AsyncMemory": "stilltrue.connect.async_memory",
    "Memory": "stilltrue.memory",
    "Settings": "stilltrue.settings",
    "StilltrueError": "stilltrue.errors",
}

__all__ = ["AsyncMemory", "Memory", "Settings", "StilltrueError", "__version__"]


def __getattr__(name: str) -> object:
    """Load a public name from its home at first use (PEP 562)."""
    if name not in _HOMES:
        message = f"module 'stilltrue' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(_HOMES[name]), name)
