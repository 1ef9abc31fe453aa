"""Spectra: the frequencies of the functions, and those of the solution."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.solution.plot.panels import add_colour_bar
from fspielm.solution.plot.quantity import (
    Energy,
    energy_along_line,
    energy_in_plane,
    frequencies,
    is_spatial,
    only_field,
)
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
    new_picture,
    save_picture,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution


_COEFFICIENT_DECADES = 5
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
    low, high = _decades(sizes, _COEFFICIENT_DECADES)
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

    reach = np.array([_reach(np.concatenate([np.abs(W[:, axis]), band[axis : axis + 1]])) for axis in (0, 1)])
    if is_spatial(solution.problem.domain) and reach.max() < _MOST_RATIO * reach.min():
        reach[:] = reach.max()
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    order = np.argsort(sizes)  # the largest on top
    size = float(np.clip(6000 / len(W), 1.0, 9.0))
    norm = LogNorm(*_decades(sizes, _COEFFICIENT_DECADES), clip=True)
    dots = left.scatter(*W[order].T, c=sizes[order], s=size, norm=norm, cmap="viridis_r", linewidths=0)
    left.set_title(f"{len(W)} chosen frequencies")
    energy = energy_in_plane(solution, reach)
    image = _draw_energy(right, energy)
    right.set_title(f"Energy of {as_math(solution.problem.unknown)}{energy.held}")
    for panel, shown, label in ((left, dots, "|coefficient|"), (right, image, "relative energy")):
        if len(band):
            _draw_box(panel, band)
        panel.set_xlim(-reach[0], reach[0])
        panel.set_ylim(-reach[1], reach[1])
        panel.set_box_aspect(1)
        panel.locator_params(nbins=5)
        panel.set_xlabel(_axis_label(solution, 0))
        add_colour_bar(panel, shown, label)
    left.set_ylabel(_axis_label(solution, 1))
    if len(band):
        figure.legend(left.patches[:1], [_band_label(solution, band)], loc="outside lower center", frameon=False)


def _draw_energy(axes: Axes, energy: Energy) -> Any:
    from matplotlib.colors import LogNorm

    floor = 10.0**-MOST_DECADES
    axes.set_facecolor("white")
    return axes.pcolormesh(
        *energy.axes,
        np.maximum(energy.values.T, floor),
        norm=LogNorm(floor, 1.0),
        cmap="magma_r",
        shading="nearest",
        rasterized=True,
    )


def _draw_box(axes: Axes, band: FloatArray) -> None:
    from matplotlib.patches import Rectangle

    width, height = 2 * band
    corner = (-float(band[0]), -float(band[1]))
    axes.add_patch(Rectangle(corner, width, height, fill=False, edgecolor=VERMILION, linestyle="--", linewidth=1.0))


def _band_label(solution: Solution, band: FloatArray) -> str:
    axes = zip(solution.problem.coordinates, band, strict=False)
    return "band found: " + ", ".join(
        f"\N{PLUS-MINUS SIGN}{as_plain(frequency, 4)} in {as_math(axis)}" for axis, frequency in axes
    )


def _axis_label(solution: Solution, axis: int) -> str:
    return f"frequency along {as_math(solution.problem.coordinates[axis])}"


def _reach(frequencies: FloatArray) -> float:
    largest = float(frequencies.max(initial=0.0))
    return LAYOUT.reach * largest if largest > 0 else 1.0


def _decades(sizes: FloatArray, most: int) -> tuple[float, float]:
    """Limits of a logarithmic scale that ends at the largest size."""
    positive = sizes[np.isfinite(sizes) & (sizes > 0)]
    if positive.size == 0:
        return 10.0**-most, 1.0
    largest = float(positive.max())
    return max(float(positive.min()), largest * 10.0**-most) / 1.5, largest
