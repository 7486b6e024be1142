"""What do others say of themselves? Figures that they publish, each with the page it stands on; nothing measured here.

Their machines, models and work are their own: such a row says what order of size a reader may expect, no more. The
judges of others that were run here, without an LLM and on pairs of their own, are in results/judge_peers.json.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One figure of somebody else's, and the keys of the entries that stand beside it."""

    who: str
    what: str
    figure: str
    page: str
    ours: tuple[str, ...]


_COGNITIVE: Final = "https://cognitive-memory.vercel.app/concepts/conflict-detection"
_HYBRID: Final = "https://markus-lassfolk.github.io/openclaw-hybrid-memory/CONFLICTING-MEMORIES.html"
_ENGRAM: Final = "https://github.com/Agentscreator/engram-memory/blob/main/docs/CONFLICT_DETECTIVE.md"
_BY_DEFAULT: Final = "llm_cost.by default, drained after each session.LLM calls.a write"
_INLINE: Final = "llm_cost.classify_before_write.LLM calls.a write"
_JUDGED: Final = (
    "judging.write with rules and pair model.wait=True, 100,000 facts, at most 5 candidates, p95.one embedding, p95",
)
PUBLISHED: Final = (
    Published(
        who="cognitive-memory",
        what="LLM calls for a new memory, with 100 hot memories",
        figure="2 to 5",
        page=_COGNITIVE,
        ours=(_BY_DEFAULT, _INLINE),
    ),
    Published(
        who="openclaw-hybrid-memory",
        what="LLM calls for a new fact, with its classify-before-write",
        figure="at least 1",
        page=_HYBRID,
        ours=(_BY_DEFAULT, _INLINE),
    ),
    Published(
        who="Engram, local tiers with an NLI model",
        what="until a conflict is found, in the background",
        figure="2 to 5 s",
        page=_ENGRAM,
        ours=_JUDGED,
    ),
    Published(
        who="Engram, its hosted detective with an LLM",
        what="until a conflict is found, in the background",
        figure="3 to 8 s",
        page=_ENGRAM,
        ours=_JUDGED,
    ),
    Published(
        who="Engram",
        what="a write before conflicts are looked for",
        figure="under 10 ms",
        page=_ENGRAM,
        ours=("main_path.durable write.wait=False, p99.the limit of 10 ms",),
    ),
    Published(
        who="Engram, its hosted detective with an LLM",
        what="price of one commit",
        figure="about $0.001 to 0.005",
        page=_ENGRAM,
        ours=(_BY_DEFAULT,),
    ),
)
