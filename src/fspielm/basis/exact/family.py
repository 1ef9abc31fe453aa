"""The family of Trefftz functions, and how many of them a problem needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.basis.basis import COSINE, Basis, ExponentialBasis, JoinedBasis, RidgeBasis
from fspielm.basis.exact.laws import (
    Evolution,
    Scene,
    Space,
    directions_needed,
    evolution_along,
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
from fspielm.basis.random.families import Family, Place, as_numbers, check_count
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.numerics.sampling import half_sphere
from fspielm.numerics.tolerances import PROBES
from fspielm.problem.derived import natural_scales
from fspielm.problem.operator import cache_by_object
from fspielm.problem.problem import Problem

# The principal symbol of an elliptic operator is nowhere below this share of its largest value.
_ELLIPTIC = 1e-4
# Orders for each e-folding from the center to the boundary and each decade of accuracy.
_ORDERS_PER_FOLDING = 0.33
# Ratio of successive trial numbers.
_SEARCH_RATIO = 1.2


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

    If solutions evolve, because the problem has time or is not elliptic, zeros are spread over wavenumbers; otherwise
    over directions.
    """
    evolution = _evolution_of(symbol, scene, time_axis)
    if evolution is not None:
        return evolving_frequencies(symbol, evolution, neurons, rng, reach)
    axes = tuple(range(symbol.dimension))
    space = Space(axes, np.zeros(symbol.dimension), scene.radius(axes))
    return steady_frequencies(symbol, space, neurons, rng)


def _evolution_of(symbol: Symbol, scene: Scene, time_axis: int | None) -> Evolution | None:
    """How solutions evolve: along time, or along another axis if the equation is not elliptic; otherwise None."""
    axis = _evolution_axis(symbol, scene) if time_axis is None else time_axis
    return None if axis is None or symbol.dimension == 1 else evolution_along(scene, axis)


def _evolution_axis(symbol: Symbol, scene: Scene) -> int | None:
    """The axis along which a solution without time evolves; None if the operator is elliptic.

    It is the last axis whose pure derivative has the lowest order.
    """
    principal = symbol.principal()
    directions = half_sphere(PROBES, symbol.dimension, np.random.default_rng(0))
    lengths = np.ptp(scene.outline, axis=0)
    values = principal((directions / lengths).astype(np.complex128))
    turned = (values / 1j**symbol.order).real
    if np.all(turned > _ELLIPTIC * turned.max()) or np.all(turned < _ELLIPTIC * turned.min()):
        return None
    pure_orders = [
        int(symbol.orders[np.all(np.delete(symbol.orders, i, 1) == 0, axis=1), i].max(initial=0))
        for i in range(symbol.dimension)
    ]
    lowest = min(order for order in pure_orders if order > 0) if any(pure_orders) else 0
    return max(i for i, order in enumerate(pure_orders) if order == lowest)


# ---- How many functions a problem without evolution needs


@cache_by_object
def neurons_needed(problem: Problem) -> int:
    """Number of features that represent every wave of a problem without time; one if there are no waves.

    A smaller basis may miss a resonance, because it does not represent the eigenfunction.
    """
    return 1 if problem.domain.time is not None and problem.dimension > 1 else steady_neurons(problem, 0.0, 0.0)


def wavenumber_of(problem: Problem) -> float:
    """The highest real wavenumber among the zeros of a problem without time; zero if there is none."""
    return longest(find_sheets(problem_symbol(problem), _space(problem)))


def fields_of_one_kind(problem: Problem) -> int:
    """How many times more functions a system has than an equation of second order."""
    return 1 if len(problem.unknowns) == 1 else max(problem_symbol(problem).order // 2, 1)


def steady_neurons(problem: Problem, along: float, decades: float) -> int:
    """Number of features for a problem without time whose conditions oscillate with frequencies up to `along`.

    If those exceed the frequencies of the waves, the solution decays from the boundary; the count then includes
    exponentials of this steepness, to an accuracy of `decades` digits.
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
    """Number of features that includes exponentials oscillating with `frequency` along one side; no time.

    The result exceeds `most` if that many do not include them.
    """
    symbol, space = problem_symbol(problem), _space(problem)
    number = steady_neurons(problem, 0.0, 0.0)
    while number <= most and highest_ring(symbol, space, number) < frequency:
        number = int(_SEARCH_RATIO * number) + 1
    return number


def _space(problem: Problem) -> Space:
    axes = tuple(range(problem.dimension))
    return Space(axes, np.zeros(problem.dimension), scene_of(problem.domain).radius(axes))


# ---- How many functions a problem that evolves needs, and how far their frequencies reach


def reach_for(problem: Problem, bands: Sequence[float] | FloatArray) -> tuple[float, ...]:
    """The highest frequencies along each axis (`Characteristic.reach`) that are needed for data of given bands.

    They exceed the band by what its extension needs, on the domain and on the distance that waves travel through it.

    Parameters
    ----------
    problem : Problem
        A problem that evolves.
    bands : (d,) array
        The highest frequency of the data along each axis, to the wanted digits.
    """
    symbol, evolution = _evolving(problem)
    if len(bands) != problem.dimension:
        raise ProblemError(f"bands must have one entry for each of {problem.dimension} axes; got {bands}")
    wavenumber = float(np.linalg.norm([bands[i] for i in evolution.space]))
    extent = 2 * evolution.radius + evolution.duration * highest_speed(symbol, evolution, wavenumber)
    beyond = [excess(band, extent, len(evolution.space)) for band in bands]
    beyond[evolution.axis] = excess(bands[evolution.axis], evolution.duration)
    return tuple(float(band + more) for band, more in zip(bands, beyond, strict=True))


def neurons_for_reach(problem: Problem, reach: Sequence[float]) -> int:
    """Number of features for solutions with frequencies up to `reach` along each axis, to about twelve digits.

    Use it as ``Characteristic(neurons, reach=reach)`` on a problem that evolves, with the reach from `reach_for`.
    """
    symbol, evolution = _evolving(problem)
    if len(reach) != problem.dimension:
        raise ProblemError(f"reach must have one entry for each of {problem.dimension} axes; got {reach}")
    return functions_needed(symbol, evolution, tuple(reach))


def evolves(problem: Problem) -> bool:
    """Whether solutions evolve along time or another axis; if not, an operator with constant coefficients is elliptic.

    False for problems with a single coordinate, which have only a few solutions.
    """
    return problem.dimension > 1 and _symbol_and_evolution(problem)[1] is not None


def _symbol_and_evolution(problem: Problem) -> tuple[Symbol, Evolution | None]:
    symbol = problem_symbol(problem)
    time_axis = None if problem.domain.time is None else problem.dimension - 1
    return symbol, _evolution_of(symbol, scene_of(problem.domain), time_axis)


def _evolving(problem: Problem) -> tuple[Symbol, Evolution]:
    symbol, evolution = _symbol_and_evolution(problem)
    if evolution is None:
        raise UnsuitableError("the equation is elliptic: nothing evolves; for such problems see neurons_needed")
    return symbol, evolution


# ---- The family


@final
@dataclass(frozen=True)
class Characteristic(Family):
    """Functions ``exp(i w x)`` whose complex frequencies w are zeros of the equation's symbol.

    They satisfy the equation exactly, so only the conditions remain to be fitted, and the number of neurons depends on
    the boundary. The coefficients of the equation must be constant, or all multiples of one function, and its
    right-hand side must be zero, unless `Joined` adds other features for it.

    Parameters
    ----------
    neurons : int
        Upper bound on the number of functions; an equation, such as an ordinary one, may have fewer solutions.
    reach : sequence of float, optional
        For problems that evolve: the highest real frequency along each axis; by default as high as the number of
        neurons allows.
    """

    satisfies_equation = True

    neurons: int
    reach: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_count("neurons", self.neurons)
        if self.reach is not None:
            reach = as_numbers("reach", self.reach)
            if not reach or not all(np.isfinite(r) and r >= 0 for r in reach):
                raise ProblemError(f"reach must be zero or positive, one number for each axis; got {self.reach!r}")
            object.__setattr__(self, "reach", reach)

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
        return _mode_basis(problem, found, scene, rng)


def _mode_basis(problem: Problem, frequencies: Frequencies, scene: Scene, rng: np.random.Generator) -> Basis:
    """Functions with an amplitude of natural size for each unknown, or complex functions."""
    _check_not_empty(frequencies)
    phases = rng.uniform(0.0, 2 * np.pi, len(frequencies))
    length = scene.radius(tuple(range(scene.dimension)))
    amplitudes = null_amplitudes([equation.operator for equation in problem.equations], frequencies, length)
    lower, upper = problem.domain.bounding_box
    scales = natural_scales(problem, np.maximum(np.median(np.abs(frequencies.W), axis=0), 1 / (upper - lower)))
    amplitudes /= np.abs(amplitudes / scales[:, None]).max(axis=(1, 2), keepdims=True)
    if frequencies.are_paired:
        index, b = _real_functions(frequencies, phases, amplitudes)
    else:
        index, b = np.arange(len(frequencies)), phases
    chosen = frequencies.select(index)
    waves = ExponentialBasis(chosen.W, b, scene.center, scene.peaks(chosen.W), along=chosen.along / length)
    return ModeBasis(waves, amplitudes[index], is_real=frequencies.are_paired)


def _check_not_empty(frequencies: Frequencies) -> None:
    if not len(frequencies):
        raise UnsuitableError("no frequency satisfies the equation with so few functions; allow more")


def realise(frequencies: Frequencies, scene: Scene, rng: np.random.Generator) -> Basis:
    """Real functions: real and imaginary parts with a random phase, or the single part of a real function."""
    _check_not_empty(frequencies)
    phases = rng.uniform(0.0, 2 * np.pi, len(frequencies))
    index, b = _real_functions(frequencies, phases)
    plain = (frequencies.are_real & (frequencies.powers == 0))[index]
    parts: list[Basis] = []
    if plain.any():
        parts.append(RidgeBasis(frequencies.W.real[index[plain]], b[plain], COSINE, origin=scene.center))
    if not plain.all():
        others, scale = frequencies.select(index[~plain]), scene.radius(tuple(range(scene.dimension)))
        peaks = scene.peaks(others.W)
        parts.append(ExponentialBasis(others.W, b[~plain], scene.center, peaks, others.powers, others.along / scale))
    return parts[0] if len(parts) == 1 else JoinedBasis(parts)


def _real_functions(
    frequencies: Frequencies, phases: FloatArray, amplitudes: ComplexArray | None = None
) -> tuple[NDArray[np.int_], FloatArray]:
    """The index of the frequency of each real function, and its phase.

    A frequency that oscillates makes two functions. One that does not makes one of phase zero or, with amplitudes, of
    the phase that makes the largest amplitude real.
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
