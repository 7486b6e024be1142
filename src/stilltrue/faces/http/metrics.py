"""How is the server doing, in figures? Requests by method and status; of the memory what a scraper may read of it.

The memory's figures are sums over the spaces that the scraper's token opens, read when they are asked for. No space,
name or text is in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from stilltrue.faces.http.access import Caller
    from stilltrue.faces.http.door import Door

TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_GAUGES: Final = {
    "facts_current": ("current", "Facts that are true now."),
    "conflicts_open": ("conflicts_open", "Questions that wait for an answer."),
    "pairs_undecided": ("undecided", "Pairs that no judge could tell."),
    "jobs_waiting": ("jobs", "Work that writes have left for later."),
}


class Meter:
    """Counts requests of one server."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "stilltrue_http_requests", "Requests answered.", ("method", "status"), registry=self._registry
        )

    def seen(self, method: str, status: int) -> None:
        """One was answered."""
        self._requests.labels(method if method in _METHODS else "other", str(status)).inc()

    def page(self, door: Door, caller: Caller) -> bytes:
        """All figures, in the form that Prometheus reads."""
        own = CollectorRegistry()
        own.register(_Figures(door, caller))
        return generate_latest(self._registry) + generate_latest(own)


class _Figures(Collector):
    def __init__(self, door: Door, caller: Caller) -> None:
        self._stats = [memory.stats() for memory in door.opened(caller)]

    def collect(self) -> Iterator[Metric]:
        """The memory's figures."""
        yield CounterMetricFamily(
            "stilltrue_pairs_judged", "Pairs judged in writes.", value=sum(one.pairs_judged for one in self._stats)
        )
        yield CounterMetricFamily(
            "stilltrue_llm_calls", "Requests to an LLM.", value=sum(one.llm_calls for one in self._stats)
        )
        yield CounterMetricFamily(
            "stilltrue_llm_tokens", "Tokens that an LLM took.", value=sum(one.llm_tokens for one in self._stats)
        )
        writes = CounterMetricFamily("stilltrue_decisions", "Decisions by what was done.", labels=("action",))
        for action in sorted({name for one in self._stats for name in one.actions}):
            writes.add_metric((action,), sum(one.actions.get(action, 0) for one in self._stats))
        yield writes
        for name, (count, meaning) in _GAUGES.items():
            total = sum(one.counts.get(count, 0) for one in self._stats)
            yield GaugeMetricFamily(f"stilltrue_{name}", meaning, value=total)
