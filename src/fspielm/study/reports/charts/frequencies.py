"""Effective frequencies: the lengths of the frequency vectors that the methods really drew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.solvers.randomness import Streams
from fspielm.study.job import Job
from fspielm.study.perform import settings
from fspielm.study.reports.analysis import SHORT_LABELS, Group
from fspielm.study.subject import Bench
from fspielm.study.terms import Terms
from fspielm.study.theory.monte_carlo import effective_frequencies

_BINS = 48
# What lies beyond, by a few neurons far out, is told in words.
_SHOWN_PERCENT = 99.5
_WORTH_TELLING = 5e-4


@final
@dataclass(frozen=True, eq=False)
class Law:
    """The frequencies of one method at its best range, with its best seed.

    Attributes
    ----------
    method : str
    job : Job
    shares : (bins,) array
        Share of the neurons in each bin.
    mean, std : float
        Of all neurons.
    beyond : float
        Share of the neurons that the bins do not reach.
    """

    method: str
    job: Job
    shares: FloatArray
    mean: float
    std: float
    beyond: float

    @property
    def words(self) -> str:
        """The method, its range, and its frequencies in numbers."""
        assert self.job.mu is not None
        low, high = self.job.mu
        beyond = f", {100 * self.beyond:.1f} % beyond" if self.beyond >= _WORTH_TELLING else ""
        return (
            f"{SHORT_LABELS[self.method]} [{low:g}, {high:g}]: mean {self.mean:.0f}, deviation {self.std:.0f}{beyond}"
        )


@final
@dataclass(frozen=True, eq=False)
class Frequencies:
    """The laws of a group, over the same bins between `edges`."""

    edges: FloatArray
    laws: tuple[Law, ...]


def frequencies(group: Group, bench: Bench | None, terms: Terms) -> Frequencies | None:
    """What a group's methods drew; None if there is nothing that has frequencies."""
    drawn = []
    for method in group.methods:
        best = group.best(method)
        row = None if best is None or best.job.mu is None else best.best_row
        if row is not None and bench is not None:
            drawn.append((method, row.job, redrawn_frequencies(row.job, bench, terms)))
    if not drawn:
        return None
    reach = max(float(np.percentile(values, _SHOWN_PERCENT)) for _, _, values in drawn)
    edges = np.linspace(0.0, reach or 1.0, _BINS + 1)
    return Frequencies(edges, tuple(_law(method, job, values, edges) for method, job, values in drawn))


def redrawn_frequencies(job: Job, bench: Bench, terms: Terms) -> FloatArray:
    """``|w|`` of every neuron of a solve, shape ``(neurons,)``: drawn again as the solve drew them."""
    streams, _ = Streams.spawned(job.seed)
    domain = bench.problem.domain
    return effective_frequencies(
        settings(job, bench, terms)["features"],
        bench.problem.dimension,
        streams.features,
        time_axis=None if domain.time is None else bench.problem.dimension - 1,
    )


def _law(method: str, job: Job, values: FloatArray, edges: FloatArray) -> Law:
    counts, _ = np.histogram(values, edges)
    beyond = float(np.mean(values > edges[-1]))
    return Law(method, job, counts / values.size, float(values.mean()), float(values.std()), beyond)
