"""What finite elements need to solve a problem of the plane; nothing here needs them installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fspielm.geometry import Domain

_OUTLINE = 400


@dataclass(frozen=True, eq=False)
class Elements:
    """The weak form of ``-div(a grad u) + b grad u - c u = f``, and the shape with its names.

    Attributes
    ----------
    shape : callable
        From ``netgen.occ`` to a face or several glued ones, with names of edges and materials.
    size : float
        Of the largest elements to try.
    a, c, f : SymPy expressions
        Piecewise ones have a branch for each of `regions`.
    b : pair of SymPy expressions
    value : SymPy expression
        Given on the edges `held`; a mapping from edges if they differ.
    held : str
        A pattern of edges.
    open : mapping
        From edges to (alpha, g) with du/dn + alpha u = g there.
    regions : sequence of str
        Names of materials, in the order of the branches.
    levels : int
        Of refinement toward vertices and edges that the shape marks.
    curve : int
        Degree of curved edges, 0 for the order of the elements. Data that satisfy the equation beyond an outline let it
        be low; a high one would follow the knots of a spline.
    complex : bool
    elastic : (number, number) or None
        The moduli lambda and mu of a body, in the place of `a`, `b` and `c`; then `f` is a pair.
    """

    shape: Callable[[Any], Any]
    size: float
    a: Any = 1
    b: Sequence[Any] = (0, 0)
    c: Any = 0
    f: Any = 0
    value: Any = 0
    held: str = ".*"
    open: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    regions: Sequence[str] = ()
    levels: int = 0
    curve: int = 0
    complex: bool = False
    elastic: tuple[float, float] | None = None


def box(lower: Sequence[float], upper: Sequence[float]) -> Callable[[Any], Any]:
    """A box whose edges have the names of its sides."""

    def shape(occ: Any) -> Any:
        face = occ.WorkPlane().MoveTo(*lower).Rectangle(upper[0] - lower[0], upper[1] - lower[1]).Face()
        name_sides(occ, face)
        return face

    return shape


def name_sides(occ: Any, face: Any) -> None:
    """Names as those of `fs.Box`."""
    for axis, letter in ((occ.X, "x"), (occ.Y, "y")):
        face.edges.Min(axis).name, face.edges.Max(axis).name = f"{letter}-", f"{letter}+"


def polygon(
    corners: Sequence[Sequence[float]], names: Sequence[str] = (), sharp: Sequence[int] = ()
) -> Callable[[Any], Any]:
    """A polygon with names of its edges; elements crowd at the `sharp` corners."""
    ends = np.array([*corners, corners[0]])
    middles = 0.5 * (ends[1:] + ends[:-1])

    def shape(occ: Any) -> Any:
        points = [occ.Pnt(*corner, 0) for corner in corners]
        edges = [occ.Segment(p, q) for p, q in zip(points, [*points[1:], points[0]], strict=True)]
        face = occ.Face(occ.Wire(edges))
        for edge in face.edges if names else ():
            # a face does not keep the names of what it is made of
            edge.name = names[int(np.argmin(np.hypot(*(middles - (edge.center.x, edge.center.y)).T)))]
        for vertex in face.vertices:
            if any(np.hypot(vertex.p.x - ends[i, 0], vertex.p.y - ends[i, 1]) < 1e-9 for i in sharp):
                vertex.hpref = 1
        return face

    return shape


def outline(domain: Domain) -> Callable[[Any], Any]:
    """A spline through points of a smooth closed curve; data that satisfy the equation beyond it make it exact."""

    def shape(occ: Any) -> Any:
        (part,) = domain.boundary()
        points = part.place(np.linspace(0, 1, _OUTLINE + 1)[:, None]).points
        points[-1] = points[0]
        curve = occ.SplineInterpolation([occ.Pnt(*point, 0) for point in points], tol=1e-13)
        return occ.Face(occ.Wire([curve]))

    return shape


def disk(occ: Any, center: Sequence[float], radius: float) -> Any:
    """A disk."""
    return occ.WorkPlane().MoveTo(*center).Circle(radius).Face()
