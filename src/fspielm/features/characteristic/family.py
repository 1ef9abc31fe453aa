"""Features that satisfy the equation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.equations import Problem, natural_scales
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.features.activations import COSINE
from fspielm.features.basis import Basis, JoinedBasis
from fspielm.features.characteristic.frequencies import Frequencies
from fspielm.features.characteristic.null_vectors import null_amplitudes
from fspielm.features.characteristic.scene import Scene, scene_of
from fspielm.features.characteristic.symbol import problem_symbol
from fspielm.features.characteristic.zeros_needed import characteristic_frequencies
from fspielm.features.exponential import ExponentialBasis
from fspielm.features.families import Family, Place, check_count
from fspielm.features.modes import ModeBasis
from fspielm.features.ridge import RidgeBasis


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

    neurons: int
    reach: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_count("neurons", self.neurons)
        if self.reach is not None:
            object.__setattr__(self, "reach", _as_reach(self.reach))

    @property
    def satisfies_equation(self) -> bool:
        """True: it is what they are."""
        return True

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
