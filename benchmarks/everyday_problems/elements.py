"""Finite elements (NGSolve) for the everyday problems, as a practised user would write them.

NGSolve is optional: ``pip install 'fspielm[bench]'``. Meshes follow materials and may be refined in a geometric series
toward corners; elements are curved; what is inside of an element is condensed; the rest is solved by a direct solver.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from everyday_problems.closed import x, y
from everyday_problems.places import Place

# What structured meshes call the sides of a box.
_STRUCTURED = {"x-": "left", "x+": "right", "y-": "bottom", "y+": "top"}
_NEAR = 1e-6


@dataclass(frozen=True)
class Setting:
    """What can be chosen of a solve.

    Attributes
    ----------
    order : int
    size : float
        Of the largest elements.
    levels : int
        Of refinement toward corners.
    weak : float
        The share of these levels at corners that are not the strong ones of the place.
    quads : bool
        Squares in rows and columns in the place of triangles; for boxes.
    safety : float
        Netgen's: how many elements follow a circle, whatever their size.
    method : str
        Where there are several.
    inverse : str
        The direct solver.
    threads : int
    bonus : int
        Order of quadrature beyond what constant coefficients need.
    """

    order: int
    size: float
    levels: int = 0
    weak: float = 1.0
    grading: float = 0.15
    quads: bool = False
    safety: float = 2.0
    method: str = ""
    inverse: str = ""
    threads: int = 1
    bonus: int = 0

    def __str__(self) -> str:
        said = [f"order {self.order}", f"{'squares' if self.quads else 'h'} {self.size:.2g}"]
        if self.levels:
            share = f", {self.weak:g} at weak corners" if self.weak != 1 else ""
            said.append(f"{self.levels} levels of {self.grading:g}{share}")
        said += [f"safety {self.safety:g}"] if self.safety != Setting.safety else []
        said += [word for word in (self.method, self.inverse) if word]
        return ", ".join([*said, "2 threads" if self.threads > 1 else "1 thread"])


@dataclass(frozen=True, eq=False)
class Found:
    """A solution by finite elements: values at points ``(n, fields)``, NaN outside of the mesh, or numbers."""

    mesh: Any
    fields: tuple[Any, ...]
    unknowns: int
    numbers: NDArray[np.float64] | None = None

    def __call__(self, points: NDArray[np.float64]) -> NDArray[Any]:
        """Values."""
        if self.numbers is not None:
            return self.numbers[:, None]
        places = self.mesh(*points.T)
        inside = places["nr"] >= 0
        columns = [np.asarray(field(places[inside])).reshape(np.count_nonzero(inside), -1) for field in self.fields]
        found = np.concatenate(columns, axis=1)
        values = np.full((len(points), found.shape[1]), np.nan, dtype=found.dtype)
        values[inside] = found
        return values


# A shape from ``netgen.occ``.
Shape = Callable[[Any], Any]


def shape_of(place: Place, setting: Setting) -> Any:
    """The polygon less its holes, glued to its inclusions; edges have the names of sides and disks."""
    from netgen import occ

    face = _polygon(occ, place.corners)
    disks = {name: occ.WorkPlane().MoveTo(*center).Circle(radius).Face() for name, center, radius in place.rounds}
    for disk in disks.values():
        face = face - disk
    face.faces.name = "around"
    whole = face
    if place.inclusions:
        for name, _, _ in place.inclusions:
            disks[name].faces.name = name
        whole = occ.Glue([face, *(disks[name] for name, _, _ in place.inclusions)])
    name_edges(whole, place)
    if setting.levels:
        mark_corners(whole, place, setting.weak)
    return whole


def _polygon(occ: Any, corners: Sequence[Sequence[float]]) -> Any:
    plane = occ.WorkPlane().MoveTo(*corners[0])
    for corner in (*corners[1:], corners[0]):
        plane = plane.LineTo(*corner)
    return plane.Face()


def less_polygons(corners: Sequence[Sequence[float]], holes: Sequence[Sequence[Sequence[float]]]) -> Any:
    """A polygon less others."""
    from netgen import occ

    face = _polygon(occ, corners)
    for hole in holes:
        face = face - _polygon(occ, hole)
    return face


def within_curve(points: NDArray[np.float64]) -> Any:
    """What a spline through the points of a closed curve encloses."""
    from netgen import occ

    ends = [occ.Pnt(*map(float, point), 0) for point in (*points, points[0])]
    return occ.Face(occ.Wire([occ.SplineInterpolation(ends, tol=1e-13)]))


def name_edges(whole: Any, place: Place) -> None:
    """Names of sides and of circles."""
    ends = np.array([*place.corners, place.corners[0]])
    middles = (ends[1:] + ends[:-1]) / 2
    for edge in whole.edges:
        center = np.array([edge.center.x, edge.center.y])
        circle = [name for name, middle, _ in place.rounds if np.hypot(*(center - middle)) < _NEAR]
        edge.name = circle[0] if circle else place.sides[int(np.argmin(np.hypot(*(middles - center).T)))]


def mark_corners(whole: Any, place: Place, weak: float) -> None:
    """Ask for refinement at corners; if none is strong, all are."""
    for vertex in whole.vertices:
        near = np.hypot(*(np.array(place.corners) - (vertex.p.x, vertex.p.y)).T) < _NEAR
        if near.any():
            strong = not place.strong or int(np.argmax(near)) in place.strong
            if share := 1.0 if strong else weak:
                vertex.hpref = share


def make_mesh(place: Place, setting: Setting, shape: Callable[[], Any] | None = None, curve: int = 0) -> Any:
    """The mesh of a place, or of another shape."""
    import ngsolve as ng

    if setting.quads:
        return _squares(place, setting)
    from netgen import occ

    made = shape() if shape else shape_of(place, setting)
    geometry = occ.OCCGeometry(made, dim=2)
    mesh = ng.Mesh(geometry.GenerateMesh(maxh=setting.size, curvaturesafety=setting.safety))
    if setting.levels:
        mesh.RefineHP(setting.levels, setting.grading)
    if shape or place.rounds:
        mesh.Curve(curve or setting.order)
    return mesh


def _squares(place: Place, setting: Setting) -> Any:
    from ngsolve.meshes import MakeStructured2DMesh

    assert place.box is not None
    width, height = place.box[1]
    columns, rows = (max(1, round(extent / setting.size)) for extent in (width, height))
    return MakeStructured2DMesh(quads=True, nx=columns, ny=rows, mapping=lambda a, b: (width * a, height * b))


def sides(setting: Setting, *names: str) -> str:
    """A pattern of edges; nothing for no names."""
    wanted = [_STRUCTURED[name] for name in names] if setting.quads else map(re.escape, names)
    return "|".join(wanted)


def solve_condensed(space: Any, form: Any, load: Any, field: Any, inverse: str) -> None:
    """Solve for what is not given in `field`; `load` may be None."""
    vector = field.vec.CreateVector()
    vector.data = -form.mat * field.vec
    if load is not None:
        vector.data += load.vec
    if form.condense:
        vector.data += form.harmonic_extension_trans * vector
    field.vec.data += form.mat.Inverse(space.FreeDofs(coupling=form.condense), inverse=inverse) * vector
    if form.condense:
        field.vec.data += form.harmonic_extension * field.vec
        field.vec.data += form.inner_solve * vector


def solve_scalar(
    mesh: Any,
    setting: Setting,
    held: str,
    *,
    a: Any = 1,
    b: Any = None,
    c: Any = 0,
    f: Any = 0,
    walls: Mapping[str, tuple[Any, Any]] | None = None,
    values: Any = None,
    complex_valued: bool = False,
) -> Any:
    """``-div(a grad u) + b grad u + c u = f``, ``a du/dn + alpha u = g`` on walls, values on what is held."""
    import ngsolve as ng

    space = ng.H1(mesh, order=setting.order, dirichlet=held, complex=complex_valued)
    u, v = space.TnT()
    dx = ng.dx(bonus_intorder=setting.bonus)
    form = ng.BilinearForm(space, condense=setting.order > 1, symmetric=b is None and setting.inverse != "umfpack")
    form += a * ng.grad(u) * ng.grad(v) * dx
    if b is not None:
        form += (b * ng.grad(u)) * v * dx
    if not _is_zero(c):
        form += c * u * v * dx
    load = ng.LinearForm(space)
    if not _is_zero(f):
        load += f * v * dx
    for part, (alpha, g) in (walls or {}).items():
        form += alpha * u * v * ng.ds(part)
        if not _is_zero(g):
            load += g * v * ng.ds(part)
    form.Assemble()
    load.Assemble()
    field = ng.GridFunction(space)
    if values is not None:
        data = mesh.BoundaryCF(values) if isinstance(values, Mapping) else values
        field.Set(data, definedon=mesh.Boundaries(held), bonus_intorder=setting.bonus)
    solve_condensed(space, form, load, field, setting.inverse)
    return field


def _is_zero(value: Any) -> bool:
    return isinstance(value, int | float) and value == 0


def coefficient(expression: Any) -> Any:
    """A SymPy expression as a function of NGSolve; what occurs twice is made once."""
    import ngsolve as ng

    known: dict[sp.Basic, Any] = {x: ng.x, y: ng.y}
    return ng.CoefficientFunction(_convert(ng, sp.sympify(expression), known)).Compile()


def _convert(ng: Any, e: Any, known: dict[sp.Basic, Any]) -> Any:
    if e not in known:
        known[e] = _converted(ng, e, known)
    return known[e]


def _converted(ng: Any, e: Any, known: dict[sp.Basic, Any]) -> Any:
    if e.is_number:
        return float(e)
    arguments = [_convert(ng, a, known) for a in e.args]
    if isinstance(e, sp.Add):
        return sum(arguments[1:], arguments[0])
    if isinstance(e, sp.Mul):
        product = arguments[0]
        for factor in arguments[1:]:
            product = product * factor
        return product
    if isinstance(e, sp.Pow):
        if e.exp.is_Integer and 0 < e.exp <= 4:
            product = arguments[0]
            for _ in range(int(e.exp) - 1):
                product = product * arguments[0]
            return product
        return arguments[0] ** arguments[1]
    return getattr(ng, type(e).__name__)(*arguments)
