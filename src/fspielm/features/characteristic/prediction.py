"""How many features that satisfy the equation a problem that evolves needs, and how far they reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.features.characteristic.evolution import Course, functions_needed, highest_speed
from fspielm.features.characteristic.lattice import excess
from fspielm.features.characteristic.scene import scene_of
from fspielm.features.characteristic.symbol import Symbol, problem_symbol
from fspielm.features.characteristic.zeros_needed import course_of


def reach_for(problem: Problem, bands: Sequence[float] | FloatArray) -> tuple[float, ...]:
    """How far along each axis frequencies must go (`Characteristic.reach`) to hold data of given bands.

    Beyond the band by what an extension of it needs: on the size of the domain, and on as much as passes through it.

    Parameters
    ----------
    problem : Problem
        One that evolves.
    bands : (d,) array
        The highest frequency of the data along each axis, to as many digits as wanted.
    """
    symbol, course = _evolving(problem)
    if len(bands) != problem.dimension:
        raise ProblemError(f"bands must have one entry for each of {problem.dimension} axes; got {bands}")
    wavenumber = float(np.linalg.norm([bands[i] for i in course.space]))
    extent = 2 * course.radius + course.duration * highest_speed(symbol, course, wavenumber)
    beyond = [excess(band, extent, len(course.space)) for band in bands]
    beyond[course.axis] = excess(bands[course.axis], course.duration)
    return tuple(float(band + more) for band, more in zip(bands, beyond, strict=True))


def neurons_for_reach(problem: Problem, reach: Sequence[float]) -> int:
    """How many features hold solutions with frequencies up to `reach` along each axis, to about twelve digits.

    What ``Characteristic(neurons, reach=reach)`` takes on a problem that evolves, its reach found by `reach_for`.
    """
    symbol, course = _evolving(problem)
    if len(reach) != problem.dimension:
        raise ProblemError(f"reach must have one entry for each of {problem.dimension} axes; got {reach}")
    return functions_needed(symbol, course, tuple(reach))


def evolves(problem: Problem) -> bool:
    """Whether solutions evolve, along time or another axis; an operator with constant coefficients is elliptic if not.

    What depends on one coordinate alone does not count: it has a handful of solutions.
    """
    return problem.dimension > 1 and _course(problem)[1] is not None


def _course(problem: Problem) -> tuple[Symbol, Course | None]:
    symbol = problem_symbol(problem)
    time_axis = None if problem.domain.time is None else problem.dimension - 1
    return symbol, course_of(symbol, scene_of(problem.domain), time_axis)


def _evolving(problem: Problem) -> tuple[Symbol, Course]:
    symbol, course = _course(problem)
    if course is None:
        raise UnsuitableError("the equation is elliptic: nothing evolves; for such problems see neurons_needed")
    return symbol, course
