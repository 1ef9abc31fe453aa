"""What may hide from every basis, found once for a problem."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.equations.once import once
from fspielm.errors import ProblemError
from fspielm.spectrum.hidden.between_materials import between_materials
from fspielm.spectrum.hidden.complementing import uncovered
from fspielm.spectrum.hidden.degenerate import Degenerate, find_degenerate
from fspielm.spectrum.hidden.growth import HOPELESS, Growth, find_growth, find_growth_from_one_end
from fspielm.spectrum.hidden.let_through import LetThrough, let_through
from fspielm.spectrum.hidden.streamlines import undetermined_streamline
from fspielm.spectrum.hidden.waves_all_round import is_wave_all_round

# Functions that a filled band may have for the sake of frequencies that may be hidden.
_AFFORDABLE = 4000.0
# Of such a band: density of its frequencies, and how many more it has along each axis.
_DENSITY, _MORE = 1.4, 6.0


@final
@dataclass(frozen=True, eq=False)
class Hidden:
    """What neither the equation nor its conditions see, or what they amplify.

    Attributes
    ----------
    reason : str
        Why no solution can be trusted, whatever it is made of; empty nearly always.
    passing : tuple of LetThrough
        Functions that conditions let through: a basis has to hold them, to see whether they are solutions.
    growth : Growth or None
        Disturbances that grow in time, or from the one end that all conditions are at.
    degenerate : Degenerate or None
        Where leading coefficients vanish.
    """

    reason: str = ""
    passing: tuple[LetThrough, ...] = field(default=())
    growth: Growth | None = None
    degenerate: Degenerate | None = None

    def affordable(self, lengths: FloatArray) -> FloatArray:
        """The highest frequency along each axis that a band should hold for it, as far as one can.

        Frequencies of less than a period over the domain are in every basis.
        """
        highest = np.zeros(len(lengths))
        for function in self.passing:
            highest = np.maximum(highest, affordable(function.along, lengths))
        return np.where(highest * lengths > 2 * np.pi, highest, 0.0)


def affordable(frequencies: FloatArray, lengths: FloatArray) -> FloatArray:
    """The frequencies along each axis, or zero where a band that holds them would have too many functions."""
    functions = np.prod(_DENSITY * frequencies * lengths / np.pi + _MORE)
    return frequencies if functions <= _AFFORDABLE else np.zeros(len(frequencies))


@once
def hidden_of(problem: Problem) -> Hidden:
    """Look for what may hide from a basis; where the equation has no values to look at, for nothing."""
    try:
        return _find(problem)
    except ProblemError:  # a coefficient has no value somewhere: whoever needs it there says so
        return Hidden()


def _find(problem: Problem) -> Hidden:
    if problem.domain.is_unbounded and not all(unknown.domain.is_unbounded for unknown in problem.unknowns):
        return Hidden()  # fields on either side of a boundary, whose conditions tie them
    if is_wave_all_round(problem):
        return Hidden(_WAVES)
    passing: tuple[LetThrough, ...] = ()
    degenerate = find_degenerate(problem) if problem.domain.time is None or problem.dimension == 1 else None
    if degenerate is not None and degenerate.several:
        return Hidden(_several(problem, degenerate.place))
    if (conditions := uncovered(problem)) != "":
        return Hidden(_uncovered(conditions))
    several = len(problem.unknowns) > 1
    streamline = None if several else undetermined_streamline(problem)
    if streamline is not None:
        return Hidden(_streamline(problem, *streamline))
    if problem.domain.time is None or not several:
        passing = tuple(let_through(problem))
    if problem.domain.time is None:
        passing += tuple(between_materials(problem))
        everywhere = [function for function in passing if np.isinf(function.frequency)]
        if everywhere:
            return Hidden(_everywhere(everywhere[0]), passing)
        growth = find_growth_from_one_end(problem) if degenerate is None else None
        return Hidden(passing=passing, growth=growth, degenerate=degenerate)
    growth = _with_boundary(find_growth(problem), passing, problem.domain.time.duration)
    return Hidden("" if growth.has_bound else _unbounded(growth), growth=growth, degenerate=degenerate)


def _with_boundary(growth: Growth, passing: tuple[LetThrough, ...], duration: float) -> Growth:
    """The growth inside, and that of functions which conditions let through."""
    if not passing:
        return growth
    rates = np.array([function.rate for function in passing])
    along = np.stack([function.along for function in passing])
    along[:, -1] = rates
    # the fastest growth is that of the highest frequency, which is far beyond any other: it would go on
    sizes = np.array([function.frequency for function in passing])
    fastest = int(rates.argmax())
    endless = not np.isfinite(rates).all() or (
        sizes[fastest] > 0 and sizes[fastest] == sizes.max() and rates[fastest] * duration > HOPELESS
    )
    number = growth.stretches.shape[1]
    evenly = np.tile(rates[:, None] * duration / number, (1, number))
    return Growth(
        np.concatenate([growth.frequencies, along]),
        np.concatenate([growth.stretches, evenly]),
        growth.has_bound and not endless,
    )


_WAVES = (
    "the problem is ill-posed: the highest derivatives are those of waves, that conditions all round do not determine; "
    "make one coordinate time (the last one, domain=space * fs.Time(start, end)) and prescribe fs.Initial values"
)


def place_of(problem: Problem, point: FloatArray) -> str:
    """A point as it is told."""
    return ", ".join(f"{symbol}={value:.4g}" for symbol, value in zip(problem.coordinates, point, strict=True))


def _several(problem: Problem, point: FloatArray) -> str:
    return (
        f"the leading coefficient vanishes at {place_of(problem, point)}: the equation may have several solutions "
        "there, as those on either side are not tied to each other; solve on each side by itself, with conditions there"
    )


def _streamline(problem: Problem, point: FloatArray, endless: bool) -> str:
    place = place_of(problem, point)
    if endless:
        return (
            f"the solution is not determined: the streamline through {place} never leaves the domain, and nothing "
            "is prescribed along it; add diffusion or damping, or values on a curve across, fs.Measured(curve, values)"
        )
    return (
        f"the solution is not determined: nothing is prescribed where the streamline through {place} enters the "
        "domain, nor where it leaves; prescribe values there, fs.Dirichlet(..., on=...)"
    )


def _uncovered(conditions: str) -> str:
    return (
        f"the problem is ill-posed: the conditions {conditions} hold back fewer fields than fall off from the boundary "
        "there, whatever the frequency; one of them follows from the others, or is about the wrong unknown: prescribe "
        "something else in its place"
    )


def _everywhere(function: LetThrough) -> str:
    if function.is_interface:
        return (
            f"the problem is ill-posed: the materials beside {function.condition!r} are opposite, so that functions of "
            "every frequency along it satisfy all conditions; change one of them, or give it an imaginary part (losses)"
        )
    return (
        f"the problem is ill-posed: functions of every high frequency along the boundary satisfy the equation and "
        f"{function.condition!r} almost; check that its conditions are independent, and which derivatives they have"
    )


def _unbounded(growth: Growth) -> str:
    frequency, foldings = growth.first_hopeless()
    return (
        f"the problem is ill-posed: a disturbance of frequency {frequency:.3g} grows by a factor of "
        f"1e{foldings / np.log(10):.0f} over the time given, without bound for higher ones; check the signs of the "
        "equation and of time, or state it with conditions all round instead of at the start"
    )
