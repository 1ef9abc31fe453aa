"""Where resonances may be: poles of fields that are driven by something, as functions of the value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import final

import numpy as np

from fspielm.arrays import ComplexArray
from fspielm.solvers.record import Record
from fspielm.solvers.resonances.functions import OpenFunctions, waves_of
from fspielm.solvers.resonances.made import BeyondBudgetError
from fspielm.solvers.resonances.rational import Rational, rational
from fspielm.solvers.resonances.rectangle import Rectangle

# What is left of fields on a contour, relative, and components of them that are looked at.
_LEFT, _COMPONENTS = 1e-6, 8
# How often a rectangle is cut in two where that is not reached.
_CUTS = 4
# By how much the waves across half of the window may be more on the right side of a rectangle than on the left.
_RADIANS = 8.0


@final
@dataclass(frozen=True)
class Way:
    """How a rectangle is searched: how much larger contours are, and where rectangles are cut."""

    margin: float
    share: float


@final
@dataclass(frozen=True, eq=False)
class Found:
    """Poles of a rectangle, to some digits, others beside it, roughly, and parts of it where they are not certain."""

    poles: ComplexArray
    beside: ComplexArray
    doubtful: tuple[Rectangle, ...] = ()


def search(functions: OpenFunctions, rectangle: Rectangle, way: Way, record: Record) -> Found:
    """All poles of a rectangle.

    Raises
    ------
    BeyondBudgetError
        If there is no time for that.
    """
    cells = list(_cells(functions, rectangle, way))
    began = perf_counter()
    functions.at(rectangle.upper)
    expected = (perf_counter() - began) * sum(len(cell.contour) for cell in cells)
    if expected > record.seconds_left:
        raise BeyondBudgetError(
            f"to look at all of this rectangle would take about {expected:.0f} seconds, of which there are "
            f"{max(record.seconds_left, 0.0):.0f}: ask for a smaller one, or allow more with "
            "budget=fs.Budget(seconds=...)"
        )
    parts = [part for cell in cells for part in _searched(functions, cell, way, _CUTS, record)]
    doubtful = tuple(each for part in parts for each in part.doubtful)
    poles, beside = (np.concatenate([getattr(part, name) for part in parts]) for name in ("poles", "beside"))
    return Found(poles, beside, doubtful)


def _cells(functions: OpenFunctions, rectangle: Rectangle, way: Way) -> Iterator[Rectangle]:
    """Parts that are so small that there are few poles in each."""
    problem, symbol = functions.problem, functions.symbol
    ends = (rectangle.lower.real, rectangle.upper.real)
    first, last = (waves_of(problem.at({symbol: end})) for end in ends)
    lower, upper = problem.domain.bounding_box
    radians = max(abs(b - a) for a, b in zip(first, last, strict=True)) * 0.5 * float(np.max(upper - lower))
    if radians <= _RADIANS or rectangle.extent.real < rectangle.extent.imag:
        yield rectangle
    else:
        for part in rectangle.cut(way.share):
            yield from _cells(functions, part, way)


def _searched(functions: OpenFunctions, cell: Rectangle, way: Way, cuts: int, record: Record) -> Iterator[Found]:
    """The poles of a cell, cut in two where these are too many."""
    around = cell.grown(way.margin)
    fitted = _fitted(functions, around.contour, record)
    if fitted.error > _LEFT and cuts and record.seconds_left > 0:
        for part in cell.cut(way.share):
            yield from _searched(functions, part, way, cuts - 1, record)
    else:
        inside = around.contains(fitted.poles)
        yield Found(fitted.poles[inside], fitted.poles[~inside], () if fitted.error <= _LEFT else (cell,))


def _fitted(functions: OpenFunctions, contour: ComplexArray, record: Record) -> Rational:
    """Rational functions through fields on a contour: on every other place of it, where that is enough.

    What was found so far, nothing at first, where there is no time for all places.
    """
    values: dict[complex, ComplexArray] = {}
    fitted = Rational(np.empty(0, dtype=np.complex128), np.inf)
    for places in (contour[::2], contour):
        for place in places.tolist():
            if record.seconds_left <= 0:
                return fitted
            if place not in values:
                values[place] = _mixed(functions.at(place).response)
        fitted = rational(places, np.array([values[place] for place in places.tolist()]), _LEFT)
        if fitted.error <= _LEFT:
            break
    return fitted


def _mixed(response: ComplexArray) -> ComplexArray:
    """A few components of all fields."""
    weights = np.random.default_rng(4).standard_normal((_COMPONENTS, len(response)))
    return np.asarray((weights @ response).ravel())
