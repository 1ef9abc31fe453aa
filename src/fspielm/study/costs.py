"""What the solves of a study take, learned from those that have ended."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import final

from fspielm.study.job import Job
from fspielm.study.rows import Row

# What solves of one cost have in common: subject, method and neurons.
Kind = tuple[str, str, int | None]


def kind_of(job: Job) -> Kind:
    """Which solves take as long as this one."""
    return job.subject, job.method, job.neurons


@final
class Costs:
    """What solves took, and what others will take by it."""

    def __init__(self) -> None:
        self._by_kind: defaultdict[Kind, _Mean] = defaultdict(_Mean)
        self._by_size: defaultdict[tuple[str, int | None], _Mean] = defaultdict(_Mean)
        self._by_subject: defaultdict[str, _Mean] = defaultdict(_Mean)
        self._all = _Mean()
        self._work: defaultdict[str, _Work] = defaultdict(_Work)
        self._all_work = _Work()

    def add(self, row: Row) -> None:
        """Learn from a solve that has ended."""
        subject, _, neurons = kind = kind_of(row.job)
        outcome = row.outcome
        self._by_kind[kind].add(outcome.seconds)
        if not row.done:
            return  # how soon a solve fails says nothing about others
        for mean in (self._by_size[subject, neurons], self._by_subject[subject], self._all):
            mean.add(outcome.seconds)
        if neurons is not None and outcome.rows:
            for work in (self._work[subject], self._all_work):
                work.add(outcome.seconds, outcome.rows, neurons)

    def expected(self, kind: Kind) -> float | None:
        """Seconds of a solve, from the nearest that is known of such; None if nothing is."""
        subject, _, neurons = kind
        if kind in self._by_kind:
            return self._by_kind[kind].value
        if (subject, neurons) in self._by_size:
            return self._by_size[subject, neurons].value
        if neurons is not None:
            for work in (self._work.get(subject), self._all_work):
                if work is not None and work.done:
                    return work.expected(neurons)
        if subject in self._by_subject:
            return self._by_subject[subject].value
        return self._all.value if self._all.count else None


@dataclass
class _Mean:
    total: float = 0.0
    count: int = 0

    def add(self, value: float) -> None:
        self.total += value
        self.count += 1

    @property
    def value(self) -> float:
        return self.total / self.count


@dataclass
class _Work:
    """How fast least squares were done: sums, so that large solves say more about others than small ones."""

    seconds: float = 0.0
    done: float = 0.0
    rows: int = 0
    neurons: int = 0

    def add(self, seconds: float, rows: int, neurons: int) -> None:
        self.seconds += seconds
        self.done += float(rows) * neurons**2
        self.rows += rows
        self.neurons += neurons

    def expected(self, neurons: int) -> float:
        """Seconds for so many neurons, with as many rows for each of them as those before had."""
        return self.seconds / self.done * (self.rows / self.neurons) * float(neurons) ** 3
