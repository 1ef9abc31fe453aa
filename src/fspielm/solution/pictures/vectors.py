"""Two unknowns as the components of a vector: arrows or streamlines over its magnitude."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.solution.pictures.fields import field_quantity
from fspielm.solution.pictures.outline import as_path
from fspielm.solution.pictures.parts import Part
from fspielm.solution.pictures.quantity import Quantity
from fspielm.solution.pictures.section import Section
from fspielm.solution.pictures.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fspielm.solution.solution import Solution

VectorStyle: TypeAlias = Literal["arrows", "stream"]

# Arrows along the longer side of a map, and of a small one, beside others.
_ARROWS, _FEWER_ARROWS = 18, 11
_DENSITY, _LOWER_DENSITY = 0.9, 0.5
# Heads of streamlines, in units of ten points; and the shortest line, of the width, that is drawn.
_HEAD, _SMALLER_HEAD = 0.42, 0.3
_SHORTEST_LINE = 0.25
# Streamlines across a narrow domain, of those across a square.
_LEAST_SHARE = 0.3
# The longest, in units of how far they are apart; and what is too short to have a direction, beside it.
_LONGEST, _SHORTEST = 0.95, 0.03
_STREAM_CELLS = 120
_PAPER = "white"


def vector_quantity(
    solution: Solution, vectors: Sequence[Any], part: Part | None, style: VectorStyle, resolution: int | None
) -> Quantity:
    """The magnitude of a vector in the plane, with arrows or streamlines to be drawn over it."""
    if style not in _STYLES:
        raise ProblemError(f"style must be one of {', '.join(map(repr, _STYLES))}; got {style!r}")
    if part not in (None, "real", "imag"):
        raise ProblemError(f'of a vector, part must be "real" or "imag"; got {part!r}')
    components = _components(solution, vectors, part, resolution)
    names = ",".join(sp.latex(component.label) for component in components)

    def values(points: FloatArray) -> FloatArray:
        return np.asarray(np.hypot(*(component.values(points) for component in components)))

    field = _VectorField(components)
    label = sp.Symbol(rf"|({names})|")
    return replace(components[0], values=values, label=label, overlay=lambda a, s: _STYLES[style](a, s, field))


def _components(
    solution: Solution, vectors: Sequence[Any], part: Part | None, resolution: int | None
) -> tuple[Quantity, Quantity]:
    problem = solution.problem
    if problem.dimension - (problem.domain.time is not None) != 2:
        coordinates = ", ".join(map(str, problem.coordinates))
        raise ProblemError(f"vectors needs two coordinates of space; the unknowns are functions of {coordinates}")
    names = list(problem.names)
    if isinstance(vectors, str) or not isinstance(vectors, Sequence) or len(vectors) != 2:
        raise ProblemError(f"vectors must be two of the unknowns {', '.join(names)}, as in (u, v); got {vectors!r}")
    first, second = (field_quantity(solution[unknown], part, resolution) for unknown in vectors)
    return first, second


@dataclass(frozen=True, eq=False)
class _VectorField:
    """A vector with its two components."""

    components: tuple[Quantity, Quantity]

    def on_grid(self, section: Section, cells: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Places across and up, about so many along the longer side, and the components there, NaN outside."""
        left, right, bottom, top = section.extent
        step = max(right - left, top - bottom) / cells
        across, up = (
            low + (high - low) * (np.arange(n) + 0.5) / n
            for low, high, n in (
                (low, high, max(round((high - low) / step), 2)) for low, high in ((left, right), (bottom, top))
            )
        )
        points = np.tile(section.points[0], (len(across) * len(up), 1))
        points[:, :2] = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
        inside = self.components[0].problem.domain.contains(points)
        found = np.full((2, len(points)), np.nan)
        for row, component in zip(found, self.components, strict=True):
            row[inside] = component.values(points[inside])
        return across, up, *found.reshape(2, len(up), len(across))


def _draw_arrows(axes: Axes, section: Section, field: _VectorField) -> None:
    """Arrows that grow with the root of the magnitude: colours tell it, and slow places have a direction, too."""
    across, up, u, v = field.on_grid(section, _FEWER_ARROWS if _is_small(axes) else _ARROWS)
    size = np.hypot(u, v)
    largest = float(np.nanmax(size, initial=0.0)) or 1.0
    length = np.sqrt(size / largest)
    length[length < _SHORTEST] = np.nan
    apart = float(across[1] - across[0])
    steps = (_LONGEST * apart * length * component / np.where(size > 0, size, 1.0) for component in (u, v))
    axes.quiver(
        across,
        up,
        *steps,
        angles="xy",
        scale_units="xy",
        scale=1.0,
        pivot="mid",
        units="xy",
        width=0.1 * apart,
        headwidth=3.6,
        headlength=4.0,
        headaxislength=3.6,
        facecolor=_PAPER,
        edgecolor=INK,
        linewidth=0.25,
    )


def _draw_streamlines(axes: Axes, section: Section, field: _VectorField) -> None:
    across, up, u, v = field.on_grid(section, _STREAM_CELLS)
    limits = axes.get_xlim(), axes.get_ylim()
    density, head = (_LOWER_DENSITY, _SMALLER_HEAD) if _is_small(axes) else (_DENSITY, _HEAD)
    looks: dict[str, Any] = {"color": _PAPER, "linewidth": 0.6, "arrowsize": head, "arrowstyle": "-|>"}
    left, right, bottom, top = section.extent
    share = np.array((right - left, top - bottom)) / max(right - left, top - bottom)
    densities = tuple(density * np.maximum(share, _LEAST_SHARE))  # as far apart across as along
    lines = axes.streamplot(across, up, u, v, density=densities, minlength=_SHORTEST_LINE, **looks)
    axes.set_xlim(limits[0])
    axes.set_ylim(limits[1])
    if section.loops:
        lines.lines.set_clip_path(as_path(section.loops), axes.transData)


def _is_small(axes: Axes) -> bool:
    """Whether there are others beside it."""
    place = axes.get_subplotspec()
    return place is not None and place.get_gridspec().ncols > 1


_STYLES: dict[str, Callable[[Axes, Section, _VectorField], None]] = {
    "arrows": _draw_arrows,
    "stream": _draw_streamlines,
}
