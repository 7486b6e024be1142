"""How does a user's own test use stilltrue? With doubles that a test writes, and with truth tests that pytest collects.

The doubles are loaded when first used: pytest loads `plugin` at its every start wherever stilltrue is installed, and
pays for nothing else before it meets a file of truth tests.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.testing.doubles import FrozenClock, ScriptedExpert, ScriptedPairModel, Told, memory

__all__ = ["FrozenClock", "ScriptedExpert", "ScriptedPairModel", "Told", "memory"]


def __getattr__(name: str) -> object:
    """Load a double at its first use (PEP 562)."""
    if name not in __all__:
        message = f"module 'stilltrue.testing' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module("stilltrue.testing.doubles"), name)
