"""What a type checker has to object to, a line each, with the code that it objects by. Never run."""

from __future__ import annotations

from stilltrue import AsyncMemory, Memory, Settings
from stilltrue.model.decision import Decision


def wrong(opened: Memory, other: AsyncMemory) -> str:
    from stilltrue.missing import Nothing  # noqa: F401  # error: import-not-found

    opened.remember(42)  # error: arg-type
    opened.remember("User lives in Oslo.", importance="high")  # error: arg-type
    opened.remember("User lives in Oslo.", unheard_of=True)  # error: call-arg
    opened.search()  # error: call-arg
    opened.recall("Where does the user live?")  # error: attr-defined
    found: list[Decision] = opened.search("Where?")  # error: assignment
    found[0].nonsense()  # error: attr-defined
    opened.resolve("id")  # error: call-arg
    Settings(ask_threshold="high")  # error: arg-type
    Settings(unheard_of=1)  # error: call-arg
    opened.settings.ask_threshold = 0.5  # error: misc
    other.search("Where?").sort()  # error: attr-defined
    return opened.lookup("user")  # error: return-value
