"""Trefftz functions: the family of those that satisfy the equation, and how many are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.basis.basis import COSINE, Basis, ExponentialBasis, JoinedBasis, RidgeBasis
from fspielm.basis.exact.laws import (
    Course,
    Scene,
    Space,
    course_along,
    directions_needed,
    evolving_frequencies,
    excess,
    find_sheets,
    functions_needed,
    highest_ring,
    highest_speed,
    longest,
    scene_of,
    steady_frequencies,
    waves_needed,
)
from fspielm.basis.exact.null_vectors import ModeBasis, null_amplitudes
from fspielm.basis.exact.symbol import Frequencies, Symbol, problem_symbol
from fspielm.basis.random.families import Family, Place, check_count
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.numerics.sampling import half_sphere
from fspielm.problem.derived import natural_scales
from fspielm.problem.operator import once
from fspielm.problem.problem import Problem

# ---- Which zeros of a symbol a problem needs

_PROBES = 2000
# The principal part of an elliptic operator is nowhere below this share of its largest value.
_ELLIPTIC = 1e-4


def characteristic_frequencies(
    symbol: Symbol,
    scene: Scene,
    neurons: int,
    rng: np.random.Generator,
    *,
    time_axis: int | None = None,
    reach: tuple[float, ...] | None = None,
) -> Frequencies:
    """Zeros that make at most `neurons` real functions, spread as a problem on the domain needs them.

    With time, or where the equation is not elliptic, solutions evolve, and are spread over wavenumbers; otherwise
    over directions.
    """
    course = course_of(symbol, scene, time_axis)
    if course is not None:
        return evolving_frequencies(symbol, course, neurons, rng, reach)
    axes = tuple(range(symbol.dimension))
    space = Space(axes, np.zeros(symbol.dimension), scene.radius(axes))
    return steady_frequencies(symbol, space, neurons, rng)


def course_of(symbol: Symbol, scene: Scene, time_axis: int | None = None) -> Course | None:
    """How solutions evolve: along time, or, where the equation is not elliptic, along another axis; None otherwise."""
    axis = _evolution_axis(symbol, scene) if time_axis is None else time_axis
    return None if axis is None or symbol.dimension == 1 else course_along(scene, axis)


def _evolution_axis(symbol: Symbol, scene: Scene) -> int | None:
    """The axis along which a solution without time evolves; None if the operator is elliptic.

    It is the one whose own derivative is of the lowest order, the last of several.
    """
    principal = symbol.principal()
    directions = half_sphere(_PROBES, symbol.dimension, np.random.default_rng(0))
    lengths = np.ptp(scene.outline, axis=0)
    values = principal((directions / lengths).astype(np.complex128))
    turned = (values / 1j**symbol.order).real
    if np.all(turned > _ELLIPTIC * turned.max()) or np.all(turned < _ELLIPTIC * turned.min()):
        return None
    single = [
        int(symbol.orders[np.all(np.delete(symbol.orders, i, 1) == 0, axis=1), i].max(initial=0))
        for i in range(symbol.dimension)
    ]
    lowest = min(order for order in single if order > 0) if any(single) else 0
    return max(i for i, order in enumerate(single) if order == lowest)


# ---- How many features that satisfy the equation a problem needs

# Orders for each e-folding from the center to the boundary, and each decade of accuracy.
_ORDERS_PER_FOLDING = 0.33
# How finely a number is searched for.
_MORE = 1.2


@once
def neurons_needed(problem: Problem) -> int:
    """How many features hold every wave of a problem without time; one where there are none to be held.

    A basis of fewer may not see a resonance: its eigenfunction is not among what it holds.
    """
    return 1 if problem.domain.time is not None and problem.dimension > 1 else steady_neurons(problem, 0.0, 0.0)


def wavenumber_of(problem: Problem) -> float:
    """The highest real wavenumber among the zeros of a problem without time; zero if there is none."""
    return longest(find_sheets(problem_symbol(problem), _space(problem)))


def fields_of_one_kind(problem: Problem) -> int:
    """How many times as many functions a system has as an equation of second order."""
    return 1 if len(problem.unknowns) == 1 else max(problem_symbol(problem).order // 2, 1)


def steady_neurons(problem: Problem, along: float, decades: float) -> int:
    """How many features a problem without time needs whose conditions oscillate with frequencies up to `along`.

    Where those are higher than the frequencies of the waves, the solution falls off from the boundary, and exponentials
    as steep as that are counted too, for so many digits.
    """
    symbol, space = problem_symbol(problem), _space(problem)
    if problem.dimension == 1:
        return symbol.order
    sheets = [sheet for sheet in find_sheets(symbol, space) if sheet.wavenumber > 0]
    steepness = np.sqrt(max(along**2 - longest(sheets) ** 2, 0.0)) * space.radius
    beyond = _ORDERS_PER_FOLDING * decades * steepness
    if not sheets:
        return fields_of_one_kind(problem) * directions_needed(0.0, problem.dimension, beyond)
    return sum(waves_needed(sheets, space, beyond))


def neurons_for_rings(problem: Problem, frequency: float, most: int) -> int:
    """How many features a problem without time needs to have exponentials that oscillate with `frequency` on one side.

    More than `most` where they are not among so many.
    """
    symbol, space = problem_symbol(problem), _space(problem)
    number = steady_neurons(problem, 0.0, 0.0)
    while number <= most and highest_ring(symbol, space, number) < frequency:
        number = int(_MORE * number) + 1
    return number


def _space(problem: Problem) -> Space:
    axes = tuple(range(problem.dimension))
    return Space(axes, np.zeros(problem.dimension), scene_of(problem.domain).radius(axes))


# ---- How many features that satisfy the equation a problem that evolves needs, and how far they reach


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


# ---- Features that satisfy the equation


@final
@dataclass(frozen=True)
class Characteristic(Family):
    """Functions ``exp(i w x)`` whose complex frequencies w are zeros of the equation's symbol.

    They satisfy the equation exactly, so only the conditions are left to fit, and as many neurons are needed as the
    boundary has degrees of freedom. The coefficients of the equation must be constant, or all multiples of one
    function, and its right-hand side zero, unless `Joined` brings other features for that.

    Parameters
    ----------
    neurons : int
        At most so many: an equation may have fewer solutions, as an ordinary one has.
    reach : sequence of float, optional
        For problems that evolve: the highest real frequency along each axis, up to which they are spread; as
        high as the neurons go unless given.
    """

    satisfies_equation = True

    neurons: int
    reach: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_count("neurons", self.neurons)
        if self.reach is not None:
            object.__setattr__(self, "reach", _as_reach(self.reach))

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        """Find the zeros that the problem needs, then draw phases uniform on [0, 2 pi)."""
        problem, axis = place.problem, place.time_axis
        if problem is None:
            raise ProblemError("Characteristic functions belong to an equation: draw them with problem=...")
        if self.reach is not None and len(self.reach) != place.dimension:
            raise ProblemError(f"reach must have one entry for each of {place.dimension} axes; got {self.reach}")
        symbol, scene = problem_symbol(problem), scene_of(problem.domain)
        found = characteristic_frequencies(symbol, scene, self.neurons, rng, time_axis=axis, reach=self.reach)
        if len(problem.equations) == 1 and found.are_paired:
            return realise(found, scene, rng)
        return _modes(problem, found, scene, rng)


def _modes(problem: Problem, frequencies: Frequencies, scene: Scene, rng: np.random.Generator) -> Basis:
    """Functions with an amplitude for each unknown, of a size that is natural for them; or complex ones."""
    _check_any(frequencies)
    phases = rng.uniform(0.0, 2 * np.pi, len(frequencies))
    length = scene.radius(tuple(range(scene.dimension)))
    amplitudes = null_amplitudes([equation.operator for equation in problem.equations], frequencies, length)
    lower, upper = problem.domain.bounding_box
    scales = natural_scales(problem, np.maximum(np.median(np.abs(frequencies.W), axis=0), 1 / (upper - lower)))
    amplitudes /= np.abs(amplitudes / scales[:, None]).max(axis=(1, 2), keepdims=True)
    if frequencies.are_paired:
        index, b = _pairs(frequencies, phases, amplitudes)
    else:
        index, b = np.arange(len(frequencies)), phases
    each = frequencies.select(index)
    waves = ExponentialBasis(each.W, b, scene.center, scene.peaks(each.W), along=each.along / length)
    return ModeBasis(waves, amplitudes[index], is_real=frequencies.are_paired)


def _check_any(frequencies: Frequencies) -> None:
    if not len(frequencies):
        raise UnsuitableError("no frequency satisfies the equation with so few functions; allow more")


def realise(frequencies: Frequencies, scene: Scene, rng: np.random.Generator) -> Basis:
    """Real functions: the real and imaginary parts, from a random phase on, or the one part of a real function."""
    _check_any(frequencies)
    phases = rng.uniform(0.0, 2 * np.pi, len(frequencies))
    plain = frequencies.are_real & (frequencies.powers == 0)
    parts: list[Basis] = []
    if plain.any():
        each, b = _select_pairs(frequencies.select(plain), phases[plain])
        parts.append(RidgeBasis(each.W.real, b, COSINE, origin=scene.center))
    if not plain.all():
        each, b = _select_pairs(frequencies.select(~plain), phases[~plain])
        scale = scene.radius(tuple(range(scene.dimension)))
        parts.append(ExponentialBasis(each.W, b, scene.center, scene.peaks(each.W), each.powers, each.along / scale))
    return parts[0] if len(parts) == 1 else JoinedBasis(parts)


def _select_pairs(frequencies: Frequencies, phases: FloatArray) -> tuple[Frequencies, FloatArray]:
    index, b = _pairs(frequencies, phases)
    return frequencies.select(index), b


def _pairs(
    frequencies: Frequencies, phases: FloatArray, amplitudes: ComplexArray | None = None
) -> tuple[NDArray[np.int_], FloatArray]:
    """Each frequency once or twice, as it makes functions, with its phases.

    One that does not oscillate makes one function of phase zero; with amplitudes, of the phase of the largest.
    """
    functions = frequencies.functions
    index = np.repeat(np.arange(len(frequencies)), functions)
    second = np.concatenate([[False], index[1:] == index[:-1]])
    alone = np.zeros(len(frequencies))
    if amplitudes is not None:
        flat = amplitudes.reshape(len(amplitudes), -1)
        alone = -np.angle(np.take_along_axis(flat, np.abs(flat).argmax(axis=1)[:, None], axis=1)[:, 0])
    b = np.where(functions[index] == 1, alone[index], phases[index] - 0.5 * np.pi * second)
    return index, b


def _as_reach(values: object) -> tuple[float, ...]:
    try:
        reach = tuple(float(value) for value in values)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise ProblemError(f"reach must be a sequence of numbers, one for each axis; got {values!r}") from None
    if not reach or not all(np.isfinite(r) and r >= 0 for r in reach):
        raise ProblemError(f"reach must be zero or positive, one number for each axis; got {values!r}")
    return reach
