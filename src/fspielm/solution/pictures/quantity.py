"""What a picture shows: a function over the domain, where it is looked at, and how finely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.solution.pictures.scale import Scale, phase_scale, scale_for
from fspielm.solution.pictures.section import Section, is_spatial, make_section

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Cells for each period of the highest frequency; the images are smoothed between them.
_PER_PERIOD = 8.0
_LEAST_CELLS, _MOST_CELLS = 160, 480
_LEAST_ON_LINE, _MOST_ON_LINE = 600, 6000


@dataclass(frozen=True, eq=False)
class Quantity:
    """A function over the domain of a problem.

    Attributes
    ----------
    problem : Problem
    values : callable
        From points ``(n, d)`` to ``(n,)``.
    label : str or Basic
        Beside its axis or colour bar; mathematics stands above a bar.
    frequencies : (d,) array
        Angular frequencies along the axes that the picture has to resolve.
    logarithmic : bool
        Shown in decades; then it is not negative.
    resolution : int or None
        Cells along the longer side of a map, or points of a line; as many as the frequencies need if None.
    finest : int
        At most so many cells where nothing is asked for.
    note : str or None
        What every picture of it says at its foot; see `doubt`.
    cyclic : bool
        A phase, from half a turn to half a turn.
    overlay : callable or None
        Draws something over a map: takes its axes and its section.
    line_overlay : callable or None
        Draws something over a line: takes its axes and the point ``(d,)`` that it goes through.
    """

    problem: Problem
    values: Callable[[FloatArray], FloatArray]
    label: str | sp.Basic
    frequencies: FloatArray
    logarithmic: bool = False
    resolution: int | None = None
    finest: int = _MOST_CELLS
    note: str | None = None
    cyclic: bool = False
    overlay: Callable[[Axes, Section], None] | None = None
    line_overlay: Callable[[Axes, FloatArray], None] | None = None

    def scale(self, values: FloatArray) -> Scale:
        """The scale that shows all of `values`."""
        return phase_scale() if self.cyclic else scale_for(values, logarithmic=self.logarithmic)

    def section(self, axes: tuple[int, int], at: FloatArray) -> Section:
        """Cells of the section along `axes` through `at`, fine enough for the frequencies."""
        return make_section(self.problem.domain, axes, at, self._cells(axes))

    def line(self, at: FloatArray) -> FloatArray:
        """Points ``(n, d)`` along the first coordinate, through `at`."""
        lower, upper = self.problem.domain.bounding_box
        periods = self.frequencies[0] * (upper[0] - lower[0]) / (2 * np.pi)
        count = self.resolution or int(np.clip(2 * _PER_PERIOD * periods, _LEAST_ON_LINE, _MOST_ON_LINE))
        points = np.tile(at, (count, 1))
        points[:, 0] = np.linspace(lower[0], upper[0], count)
        return points

    def _cells(self, axes: tuple[int, int]) -> tuple[int, int]:
        pair = list(axes)
        lower, upper = self.problem.domain.bounding_box
        sides = (upper - lower)[pair]
        wanted = _PER_PERIOD * self.frequencies[pair] * sides / (2 * np.pi)
        if not is_spatial(self.problem.domain, axes):
            across, up = (self.resolution or int(np.clip(n, self._coarsest, self.finest)) for n in wanted)
            return across, up
        longest = float(sides.max())
        finest = float(np.max(wanted / sides)) * longest
        count = self.resolution or int(np.clip(finest, self._coarsest, self.finest))
        across, up = (max(round(count * side / longest), 2) for side in sides)
        return across, up

    @property
    def _coarsest(self) -> int:
        # a phase jumps, and so cannot be smoothed between cells
        return self.finest if self.cyclic else min(_LEAST_CELLS, self.finest)


def hold(problem: Problem, at: Sequence[float] | None, time: float | None) -> FloatArray:
    """The point ``(d,)`` that sections go through: the middle of the domain where nothing else is said.

    Parameters
    ----------
    problem : Problem
    at : sequence of float or None
        One number for each coordinate of space.
    time : float or None
    """
    lower, upper = problem.domain.bounding_box
    point: FloatArray = (lower + upper) / 2
    space = problem.dimension - (problem.domain.time is not None)
    if at is not None:
        if space == 0:
            raise ProblemError(f"at={at!r} cuts through space, which the domain {problem.domain!r} has none of")
        names = ", ".join(str(symbol) for symbol in problem.coordinates[:space])
        try:
            given = np.asarray(at, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.empty(0)
        if given.shape != (space,) or not np.isfinite(given).all():
            raise ProblemError(f"at must give one number for each of {names}; got {at!r}")
        point[:space] = given
    if time is not None:
        (point[-1],) = read_times(problem, time)
    return point


def read_times(problem: Problem, time: float | Sequence[float]) -> tuple[float, ...]:
    """One time or several as a tuple, all of them within the problem's."""
    if problem.domain.time is None:
        raise ProblemError(f"time={time!r} needs a problem with time; the domain is {problem.domain!r}")
    several = isinstance(time, Sequence | np.ndarray) and not isinstance(time, str)
    times: tuple[object, ...] = tuple(time) if several else (time,)  # type: ignore[arg-type]  # checked by `several`
    start, end = problem.domain.time.start, problem.domain.time.end
    numbers = [float(t) for t in times if isinstance(t, Real) and not isinstance(t, bool)]
    if not numbers or len(numbers) != len(times) or not all(start <= t <= end for t in numbers):
        raise ProblemError(f"time must be one or several numbers from {start:g} to {end:g}; got {time!r}")
    return tuple(numbers)
