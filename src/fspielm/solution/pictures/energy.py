"""Where in frequency the energy of a solution is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.solution.pictures.labels import held_label
from fspielm.solution.pictures.quantity import hold

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


# Samples for each period of the highest frequency, and bounds of their number along one axis.
_PER_PERIOD = 2.5
_LEAST, _MOST_ON_LINE, _MOST_IN_PLANE = 64, 4000, 400
# Frequencies along one axis; odd, so that zero is one of them.
_FREQUENCIES_ON_LINE, _FREQUENCIES_IN_PLANE = 1201, 301


@dataclass(frozen=True, eq=False)
class Energy:
    """Squared Fourier transform, relative to its largest value.

    Attributes
    ----------
    axes : tuple of (n,) arrays
        Angular frequencies along each axis.
    values : array
        One axis for each of `axes`.
    held : str
        Where the later coordinates were held, as a label.
    """

    axes: tuple[FloatArray, ...]
    values: FloatArray
    held: str = ""


def energy_along_line(solution: Solution, reach: float) -> Energy:
    """Energy of a solution of one coordinate, at frequencies up to `reach`."""
    lower, upper = solution.problem.domain.bounding_box
    points, window = _samples(lower[0], upper[0], reach, _MOST_ON_LINE)
    wave, frequencies = _waves(points, reach, _FREQUENCIES_ON_LINE)
    return _energy((frequencies,), wave @ (solution(points[:, None], outside="extend") * window))


def energy_in_plane(solution: Solution, reach: FloatArray) -> Energy:
    """Energy over the first two coordinates, the others held in the middle, at frequencies up to `reach`."""
    domain = solution.problem.domain
    middle = hold(solution.problem, None, None)
    lower, upper = domain.bounding_box
    (across, fade_x), (up, fade_y) = (
        _samples(lower[axis], upper[axis], reach[axis], _MOST_IN_PLANE) for axis in (0, 1)
    )
    plane = np.stack(np.meshgrid(across, up, indexing="ij"), axis=-1).reshape(-1, 2)
    points = np.tile(middle, (len(plane), 1))
    points[:, :2] = plane
    inside = domain.contains(points)
    values = np.zeros(len(points), dtype=solution.coefficients.dtype)
    # outside of the domain the features add up to anything
    values[inside] = solution(points[inside], outside="extend")
    shape = (len(across), len(up))
    window = np.outer(fade_x, fade_y) if inside.all() else _fade_to_outline(inside.reshape(shape))
    held = held_label(solution.problem, middle, (0, 1))
    (wave_x, along_x), (wave_y, along_y) = (
        _waves(places, reach[axis], _FREQUENCIES_IN_PLANE) for axis, places in enumerate((across, up))
    )
    amplitudes = wave_x @ (values.reshape(shape) * window) @ wave_y.T
    return _energy((along_x, along_y), amplitudes, f" at {held}" if held else "")


def _samples(lower: float, upper: float, reach: float, most: int) -> tuple[FloatArray, FloatArray]:
    """Points along an axis, close enough for `reach`, and a window that fades out at both ends."""
    wanted = _PER_PERIOD * reach * (upper - lower) / (2 * np.pi)
    count = int(np.clip(wanted, _LEAST, most))
    unit = (np.arange(count) + 0.5) / count
    return lower + (upper - lower) * unit, _fade(2 * np.minimum(unit, 1 - unit))


def _fade(depth: FloatArray) -> FloatArray:
    """From 0 at the boundary to 1 at depth 1, very smoothly: a kink would look like high frequencies."""
    angle = 0.5 * np.pi * np.clip(depth, 0.0, 1.0)
    return np.asarray(np.sin(angle) ** 4)


def _fade_to_outline(inside: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> FloatArray:
    from scipy.ndimage import distance_transform_edt  # imported here: pictures are not always wanted

    depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
    return _fade(depth / depth.max())


def _waves(places: FloatArray, reach: float, count: int) -> tuple[ComplexArray, FloatArray]:
    """The transform as a matrix, and its frequencies: up to `reach`, or what the samples can tell apart."""
    nyquist = np.pi / (places[1] - places[0])
    frequencies = np.linspace(-1, 1, count) * min(reach, nyquist)
    return np.exp(-1j * np.outer(frequencies, places)), frequencies


def _energy(axes: tuple[FloatArray, ...], amplitudes: ComplexArray, held: str = "") -> Energy:
    energy = np.abs(amplitudes) ** 2
    largest = float(energy.max())
    return Energy(axes, energy / largest if largest > 0 else energy, held)
