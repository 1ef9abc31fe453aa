"""Solution.plot_residual(): how well the equation holds, point by point."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray, safe_rms
from fspielm.equations import Relation
from fspielm.solution.pictures.error import prepare, probe
from fspielm.solution.pictures.frequencies import highest_frequencies
from fspielm.solution.pictures.labels import as_number
from fspielm.solution.pictures.note import doubt
from fspielm.solution.pictures.quantity import Quantity
from fspielm.solution.pictures.save import save_picture
from fspielm.solution.pictures.several import draw_quantities
from fspielm.solution.pictures.style import Width
from fspielm.solution.pictures.view import View
from fspielm.solution.residual import residual_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution


def plot_residual(
    solution: Solution,
    path: str | os.PathLike[str] | None = None,
    *,
    ax: Axes | None = None,
    time: float | Sequence[float] | None = None,
    at: Sequence[float] | None = None,
    resolution: int | None = None,
    width: Width | None = None,
) -> Figure:
    """Draw the residual of the equation, its left side minus its right side, in decades; of each where there are more.

    Parameters
    ----------
    solution : Solution
    path, ax, time, at, resolution, width
        As for `Solution.plot`; a residual is not animated.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    prepare(path, resolution, width)
    problem = solution.problem.stated
    equations = [relation for relation in problem.pattern if relation.region.kind == "domain"]
    if not equations:
        _ = problem.operator  # which says why a field by itself has none
    quantities = [_quantity(solution, equations, number, resolution) for number in range(len(equations))]
    sizes = [as_number(safe_rms(quantity.values(probe(problem)))) for quantity in quantities]
    if len(sizes) == 1:
        title = f"equation: root mean square residual {sizes[0]}"
    else:
        title = "root mean square residuals: " + ", ".join(sizes)
    figure = draw_quantities(quantities, View(ax, time, at, width, title))
    return save_picture(figure, path)


def _quantity(solution: Solution, equations: Sequence[Relation], number: int, resolution: int | None) -> Quantity:
    problem = solution.problem.stated

    def residual(points: FloatArray) -> FloatArray:
        return np.asarray(np.abs(residual_of(solution, number, points)))

    label = "|residual|" if len(equations) == 1 else f"|residual| of {equations[number].name}"
    frequencies = highest_frequencies(solution)
    return Quantity(
        problem, residual, label, frequencies, logarithmic=True, resolution=resolution, note=doubt(solution)
    )
