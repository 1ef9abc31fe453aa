"""Which band a filled one is laid out for, and what to change after a round that was not good enough."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fspielm.arrays import FloatArray, real_parts
from fspielm.features.evaluation import evaluate_each
from fspielm.geometry import Sites, chord_lines
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.layouts import Layout, layout
from fspielm.solvers.request import Request

# Coefficients so much larger than the solution mean that the band is too narrow to hold it.
_NARROW = 1e3
_LEAST_GROWTH = 1.26
# More digits than this are not laid out for at once: the estimate of a poor round says little.
_MOST_MISSING = 5.0
_TO_SETTLE = 1.5
# Beyond double precision: low bands, of a period or less, need more than the theory says.
_MOST_DECADES = 20.0
_CHORDS = 12
_FEWEST_DECADES = 3.0


@dataclass(frozen=True, eq=False)
class Target:
    """Which band to fill, and for how many digits.

    Attributes
    ----------
    core : (d,) array
        Frequencies the solution is expected to have, along each axis.
    decades : float
        Digits to lay the features out for.
    why : str
        What made it so.
    """

    core: FloatArray
    decades: float
    why: str

    def layout(self, lengths: FloatArray, most: int | None = None) -> Layout:
        """The features for this target."""
        return layout(self.core, lengths, self.decades, most)


def shrink(target: Target, lengths: FloatArray, most: int) -> Layout:
    """The layout of `target` with at most so many neurons: fewer digits first, then a sparser band.

    Fewer digits are still right ones; a sparse band gives none.
    """
    while target.decades > _FEWEST_DECADES:
        target = replace(target, decades=max(target.decades - 0.5, _FEWEST_DECADES))
        smaller = target.layout(lengths)
        if smaller.family.neurons <= most:
            return smaller
    return target.layout(lengths, max(most, 1))


def too_few(target: Target, lengths: FloatArray, most: int) -> bool:
    """Whether so many neurons would make the band sparse, and a solve with them a waste of time."""
    return replace(target, decades=_FEWEST_DECADES).layout(lengths).family.neurons > most


def next_target(request: Request, latest: Attempt, used: Layout, target: Target) -> Target | None:
    """The next target: a wider band where coefficients are large, more digits where they are not.

    None where more digits cannot be laid out for.
    """
    problem, lengths, shown = request.problem, request.lengths, latest.outcome
    before = shown.neurons // len(problem.unknowns)
    assert latest.estimate is not None
    # where the error is small already, and only the sensitivity has to settle
    missing = (
        min(float(np.log10(shown.error / request.tol)), _MOST_MISSING) if latest.estimate.has_settled else _TO_SETTLE
    )
    if shown.growth > _NARROW:
        shares = _beyond(request, latest, used.widths)
        axes = shares >= 0.6 * shares.max()  # at least the largest one
        names = ", ".join(str(problem.coordinates[i]) for i in np.flatnonzero(axes))
        step = np.where(axes, 0.08 * min(max(missing, 1.0), 5.0) * used.widths, 0.0)
        wider = replace(target, core=target.core + step, why=f"wider along {names}")
        while wider.layout(lengths).family.neurons < _LEAST_GROWTH * before:
            wider = replace(wider, core=wider.core + np.where(axes, 0.05 * used.widths, 0.0))
        return wider
    if target.decades >= _MOST_DECADES:
        return None
    denser = replace(target, decades=min(target.decades + missing + 0.5, _MOST_DECADES), why="denser")
    while denser.decades < _MOST_DECADES and denser.layout(lengths).family.neurons < _LEAST_GROWTH * before:
        denser = replace(denser, decades=min(denser.decades + 0.25, _MOST_DECADES))
    return denser


def _beyond(request: Request, latest: Attempt, widths: FloatArray) -> FloatArray:
    """Share of the equation's residual, along each axis, at frequencies that the band does not hold."""
    problem = request.problem
    lower, upper = problem.domain.bounding_box
    seeds = problem.domain.sample(_CHORDS, request.streams.probes, "low-discrepancy")
    shares = []
    for axis in range(problem.dimension):
        n = max(128, int(3 * widths[axis] * (upper - lower)[axis] / np.pi))
        lines, lengths = chord_lines(problem.domain, seeds, axis, n)
        points = lines.reshape(-1, problem.dimension)
        # what a fast transform rounds more would be seen here, at all frequencies
        residuals = evaluate_each(
            latest.basis,
            latest.coefficients,
            [equation.operator for equation in problem.equations],
            Sites(points),
            threads=request.threads,
            method="direct",
        )
        each = [
            real_parts(residual - equation.value.checked(points, f"the {equation.name}'s right-hand side"))
            for equation, residual in zip(problem.equations, residuals, strict=True)
        ]
        energy = np.sum([_energy(part.reshape(len(lines), n)) for parts in each for part in parts], axis=0)
        frequencies = 2 * np.pi * np.arange(energy.shape[1]) / lengths[:, None]
        shares.append(np.sum(energy * (frequencies > 0.95 * widths[axis])) / max(float(energy.sum()), 1e-300))
    return np.array(shares)


def _energy(residual: FloatArray) -> FloatArray:
    """The spectrum along lines, relative to the largest residual."""
    relative = residual / max(float(np.abs(residual).max()), 1e-300)
    return np.abs(np.fft.rfft(relative * np.hanning(residual.shape[1]), axis=1)) ** 2
