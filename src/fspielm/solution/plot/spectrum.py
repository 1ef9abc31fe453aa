"""Spectra: the frequencies of the functions, and those of the solution."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.solution.evaluation import meshed
from fspielm.solution.plot.panels import add_colour_bar
from fspielm.solution.plot.quantity import Sampling, frequencies, hold, is_spatial, middles, only_field, through
from fspielm.solution.plot.style import (
    BLUE,
    INK,
    LAYOUT,
    MOST_DECADES,
    VERMILION,
    WIDTHS,
    add_note,
    as_math,
    as_plain,
    check_picture_path,
    doubt,
    held_label,
    new_picture,
    save_picture,
    style,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution


# ---- The energy of a solution by frequency

_SAMPLES_ON_LINE, _SAMPLES_IN_PLANE = Sampling(2.5, 64, 4000), Sampling(2.5, 64, 400)
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
        The values of the later coordinates, as a label.
    """

    axes: tuple[FloatArray, ...]
    values: FloatArray
    held: str = ""


def energy_along_line(solution: Solution, reach: float) -> Energy:
    """Energy of a solution of one coordinate, at frequencies up to `reach`."""
    lower, upper = solution.problem.domain.bounding_box
    points, window = _samples(lower[0], upper[0], reach, _SAMPLES_ON_LINE)
    wave, frequencies = _waves(points, reach, _FREQUENCIES_ON_LINE)
    return _energy((frequencies,), wave @ (solution(points[:, None], outside="extend") * window))


def energy_in_plane(solution: Solution, reach: FloatArray) -> Energy:
    """Energy over the first two coordinates, the others fixed in the middle, at frequencies up to `reach`."""
    domain = solution.problem.domain
    middle = hold(solution.problem, None, None)
    lower, upper = domain.bounding_box
    (across, fade_x), (up, fade_y) = (
        _samples(lower[axis], upper[axis], reach[axis], _SAMPLES_IN_PLANE) for axis in (0, 1)
    )
    points = through(middle, (0, 1), meshed((across, up)))
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


def _samples(lower: float, upper: float, reach: float, sampling: Sampling) -> tuple[FloatArray, FloatArray]:
    """Points along an axis that resolve frequencies up to `reach`, and a window that fades out at both ends."""
    count = sampling.count(reach * (upper - lower) / (2 * np.pi))
    unit = middles(0.0, 1.0, count)
    return lower + (upper - lower) * unit, _fade(2 * np.minimum(unit, 1 - unit))


def _fade(depth: FloatArray) -> FloatArray:
    """A smooth window from 0 at the boundary to 1 at depth 1; a kink would look like high frequencies."""
    return np.asarray(np.sin(0.5 * np.pi * np.clip(depth, 0.0, 1.0)) ** 4)


def _fade_to_outline(inside: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> FloatArray:
    from scipy.ndimage import distance_transform_edt  # imported here: pictures are not always wanted

    depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
    return _fade(depth / depth.max())


def _waves(places: FloatArray, reach: float, count: int) -> tuple[ComplexArray, FloatArray]:
    """The Fourier transform as a matrix, and its frequencies: up to `reach`, or to the Nyquist frequency."""
    nyquist = np.pi / (places[1] - places[0])
    frequencies = np.linspace(-1, 1, count) * min(reach, nyquist)
    return np.exp(-1j * np.outer(frequencies, places)), frequencies


def _energy(axes: tuple[FloatArray, ...], amplitudes: ComplexArray, held: str = "") -> Energy:
    energy = np.abs(amplitudes) ** 2
    largest = float(energy.max())
    return Energy(axes, energy / largest if largest > 0 else energy, held)


# ---- Pictures of spectra

# Two axes of space share one scale, unless their bands differ by more than this factor.
_MOST_RATIO = 2.0


def spectrum(solution: Solution) -> Energy:
    """Energy of the solution by frequency, relative to its largest value, as `plot_spectrum` draws it.

    The energy is the squared Fourier transform over the first two coordinates, faded out toward the boundary, at
    frequencies up to those of the features; later coordinates are held in the middle of the domain.

    Returns
    -------
    Energy
        Its `axes` are angular frequencies, its `values` have one axis for each.
    """
    if any(leaf.frequencies is not None and not leaf.oscillates for leaf in solution.basis.leaves):
        raise ProblemError("a spectrum needs functions that have frequencies; got others")
    W, _ = frequencies(solution.basis, solution.coefficients)
    reach = np.abs(W).max(axis=0)
    reach = np.where(reach > 0, reach, 1.0)
    return energy_along_line(solution, float(reach[0])) if len(reach) == 1 else energy_in_plane(solution, reach[:2])


def plot_spectrum(solution: Solution, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the chosen frequencies, the band that was found, and where the energy of the solution is.

    The frequencies are those of the first two axes. The energy is the squared Fourier transform of the solution,
    faded out toward the boundary; later coordinates (such as time) are held in the middle of the domain.

    Parameters
    ----------
    solution : Solution
    path : str or path, optional
        Where to save the picture.

    Returns
    -------
    Figure
        Free of pyplot and its global state.
    """
    check_picture_path(path)
    only_field(solution, "a spectrum")
    W, coefficients = frequencies(solution.basis, solution.coefficients)
    band = np.array([found.frequency for found in solution.report.bands.values()])
    with style():
        figure = new_picture(WIDTHS["double"], LAYOUT.spectrum_height)
        if solution.problem.dimension == 1:
            _draw_lines(figure, solution, W[:, 0], np.abs(coefficients), band)
        else:
            _draw_planes(figure, solution, W[:, :2], np.abs(coefficients), band[:2])
        add_note(figure, doubt(solution))
    return save_picture(figure, path)


def _draw_lines(figure: Figure, solution: Solution, W: FloatArray, sizes: FloatArray, band: FloatArray) -> None:
    """Draw a stem for every frequency, and the energy below."""
    from matplotlib.ticker import LogLocator

    reach = _reach(np.concatenate([np.abs(W), band]))
    above, below = figure.subplots(2, 1, sharex=True)
    low, high = _decades(sizes)
    above.vlines(W, low, np.clip(sizes, low, high), color=BLUE, linewidth=0.6)
    above.plot(W, np.clip(sizes, low, high), "o", color=BLUE, markersize=2)
    above.set_yscale("log")
    above.set_ylim(low, 2 * high)
    above.set_title(f"{len(W)} chosen frequencies")
    above.set_ylabel("|coefficient|")
    energy = energy_along_line(solution, reach)
    below.semilogy(energy.axes[0], np.maximum(energy.values, 10.0**-MOST_DECADES), color=INK, linewidth=0.9)
    below.set_ylim(10.0**-MOST_DECADES, 4)
    below.set_title(f"Energy of {as_math(solution.problem.unknown)}")
    below.set_ylabel("relative energy")
    below.set_xlabel(_axis_label(solution, 0))
    for panel in (above, below):
        for frequency in band:
            for sign, label in ((-1, None), (1, _band_label(solution, band))):
                panel.axvline(sign * frequency, color=VERMILION, linestyle="--", linewidth=1.0, label=label)
        panel.set_xlim(-reach, reach)
        panel.yaxis.set_major_locator(LogLocator(numticks=6))
        panel.grid(True)
    if len(band):
        figure.legend(*below.get_legend_handles_labels(), loc="outside lower center", frameon=False)


def _draw_planes(figure: Figure, solution: Solution, W: FloatArray, sizes: FloatArray, band: FloatArray) -> None:
    """Draw the frequencies as points, and the energy as a map beside them."""
    from matplotlib.colors import LogNorm
    from matplotlib.patches import Rectangle

    reach = np.array([_reach(np.concatenate([np.abs(W[:, axis]), band[axis : axis + 1]])) for axis in (0, 1)])
    if is_spatial(solution.problem.domain) and reach.max() < _MOST_RATIO * reach.min():
        reach[:] = reach.max()
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    order = np.argsort(sizes)  # the largest on top
    size = float(np.clip(6000 / len(W), 1.0, 9.0))
    norm = LogNorm(*_decades(sizes), clip=True)
    dots = left.scatter(*W[order].T, c=sizes[order], s=size, norm=norm, cmap="viridis_r", linewidths=0)
    left.set_title(f"{len(W)} chosen frequencies")
    energy = energy_in_plane(solution, reach)
    floor = 10.0**-MOST_DECADES
    heights, looks = np.maximum(energy.values.T, floor), {"cmap": "magma_r", "shading": "nearest", "rasterized": True}
    image: Any = right.pcolormesh(*energy.axes, heights, norm=LogNorm(floor, 1.0), **looks)
    right.set_title(f"Energy of {as_math(solution.problem.unknown)}{energy.held}")
    for panel, shown, label in ((left, dots, "|coefficient|"), (right, image, "relative energy")):
        if len(band):
            box = Rectangle((-band[0], -band[1]), *(2 * band), fill=False, edgecolor=VERMILION, ls="--", lw=1.0)
            panel.add_patch(box)
        panel.set_xlim(-reach[0], reach[0])
        panel.set_ylim(-reach[1], reach[1])
        panel.set_box_aspect(1)
        panel.locator_params(nbins=5)
        panel.set_xlabel(_axis_label(solution, 0))
        add_colour_bar(panel, shown, label)
    left.set_ylabel(_axis_label(solution, 1))
    if len(band):
        figure.legend(left.patches[:1], [_band_label(solution, band)], loc="outside lower center", frameon=False)


def _band_label(solution: Solution, band: FloatArray) -> str:
    axes = zip(solution.problem.coordinates, band, strict=False)
    return "band found: " + ", ".join(
        f"\N{PLUS-MINUS SIGN}{as_plain(frequency, 4)} in {as_math(axis)}" for axis, frequency in axes
    )


def _axis_label(solution: Solution, axis: int) -> str:
    return f"frequency along {as_math(solution.problem.coordinates[axis])}"


def _reach(frequencies: FloatArray) -> float:
    return LAYOUT.reach * float(frequencies.max(initial=0.0)) or 1.0


def _decades(sizes: FloatArray) -> tuple[float, float]:
    """Limits of a logarithmic scale that ends at the largest size."""
    positive = sizes[np.isfinite(sizes) & (sizes > 0)]
    if positive.size == 0:
        return 10.0**-MOST_DECADES, 1.0
    largest = float(positive.max())
    return max(float(positive.min()), largest * 10.0**-MOST_DECADES) / 1.5, largest
