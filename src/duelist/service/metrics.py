"""Numbers for Prometheus. Requests are counted in plain lists, and become its families when somebody looks."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from duelist.live.experiments import Experiments
from duelist.live.state import State
from duelist.live.status import health_of

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Latency:
    """Requests of one route: how many took how long."""

    __slots__ = ("counts", "sum")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.sum += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """Cumulated, as Prometheus wants them."""
        total, found = 0, []
        for limit, count in zip((*map(str, BUCKETS), "+Inf"), self.counts, strict=True):
            total += count
            found.append((limit, float(total)))
        return found


class Metrics:
    """What is counted, and what is looked up."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()  # by route and status
        self.latency: dict[str, Latency] = {}
        self.waiting = 0
        self.commits = 0
        self.head = 0

    def observe(self, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self.requests[route, status] += 1
        known = self.latency.get(route)
        if known is None:
            known = self.latency[route] = Latency()
        known.add(seconds)

    def page(self, experiments: Experiments) -> bytes:
        """The page that Prometheus reads."""
        registry = CollectorRegistry()
        registry.register(_Page(self, experiments))
        return generate_latest(registry)


class _Page:
    """Families, made when they are read."""

    def __init__(self, metrics: Metrics, experiments: Experiments) -> None:
        self.metrics, self.experiments = metrics, experiments

    def collect(self) -> Iterator[Any]:
        """All families."""
        yield from self._requests()
        yield CounterMetricFamily("duelist_commits", "Commits of many requests each.", value=self.metrics.commits)
        yield _gauge("duelist_journal_head", "The last number in the journal.", self.metrics.head)
        yield _gauge("duelist_journal_folded", "The last number folded here.", self.experiments.fold.seq)
        yield _gauge("duelist_waiting_events", "Events that wait for a commit.", self.metrics.waiting)
        yield from self._experiments()

    def _requests(self) -> Iterator[Any]:
        requests = CounterMetricFamily("duelist_requests", "Requests.", labels=["route", "status"])
        for (route, status), count in self.metrics.requests.copy().items():
            requests.add_metric([route, str(status)], count)
        yield requests
        latency = HistogramMetricFamily("duelist_request_seconds", "Seconds to an answer.", labels=["route"])
        for route, each in self.metrics.latency.copy().items():
            latency.add_metric([route], each.buckets(), each.sum)
        yield latency

    def _experiments(self) -> Iterator[Any]:
        lag = GaugeMetricFamily("duelist_lag_duels", "Shown between showing and learning.", labels=["experiment"])
        opened = GaugeMetricFamily("duelist_open_impressions", "May still be clicked.", labels=["experiment"])
        events = GaugeMetricFamily("duelist_experiment_events", "Events so far.", labels=["experiment"])
        unhealthy = 0
        for name in self.experiments.names():
            with self.experiments.lock:
                state = self.experiments.state(name)
                lag.add_metric([name], state.lag())
                opened.add_metric([name], open_of(state))
                events.add_metric([name], state.events)
                unhealthy += not health_of(state)["healthy"]
        yield from (lag, opened, events)
        yield _gauge("duelist_unhealthy_experiments", "Whose numbers may not be believed.", unhealthy)


def open_of(state: State) -> int:
    """Lists and duels that wait for somebody."""
    duels = getattr(state, "duels", None)
    return len(state.impressions.open) + (duels.open if duels is not None else 0)


def _gauge(name: str, help: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, help, value=value)
