"""Finite elements of high order (NGSolve) on the named problems: what patches are compared with.

NGSolve is optional: ``pip install 'fspielm[bench]'``. The elements get what is as good as can be: meshes that follow
materials, refinement in a geometric series toward corners and layers, static condensation, a sparse direct solver.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from patch_problems.elements import Elements
from patch_problems.example import x, y

ORDERS = (8, 10, 12, 14, 16)
# Of each mesh size to the one before.
_FINER = 0.7
_MESHES = 6
# Seconds of a solve after which no finer mesh follows.
_PATIENCE = 60.0
# Digits of quadrature beyond those of the elements, for coefficients that are no polynomials.
_BONUS = 6


@dataclass(frozen=True, eq=False)
class ElementsAnswer:
    """A solution by finite elements.

    Attributes
    ----------
    field : object
        NGSolve's.
    mesh : object
    order : int
    size : float
        Of the largest elements.
    unknowns : int
    seconds : float
        From the shape to the solution.
    """

    field: Any
    mesh: Any
    order: int
    size: float
    unknowns: int
    seconds: float

    def __call__(self, points: NDArray[np.float64]) -> NDArray[Any]:
        """Values ``(n, fields)``, NaN outside of the mesh."""
        return self._at(self.field, points)

    def slope(self, points: NDArray[np.float64]) -> NDArray[Any]:
        """The derivative along x."""
        import ngsolve as ng

        return self._at(ng.grad(self.field)[0], points)[:, 0]

    def _at(self, field: Any, points: NDArray[np.float64]) -> NDArray[Any]:
        places = self.mesh(*points.T)
        inside = places["nr"] >= 0
        found = np.asarray(field(places[inside])).reshape(np.count_nonzero(inside), -1)
        values = np.full((len(points), found.shape[1]), np.nan, dtype=found.dtype)
        values[inside] = found
        return values


def solve_elements(elements: Elements, order: int, size: float, threads: int = 1) -> ElementsAnswer:
    """Solve with one mesh and one order."""
    import ngsolve as ng

    ng.SetNumThreads(threads)
    with ng.TaskManager():
        start = perf_counter()
        mesh = _mesh(ng, elements, order, size)
        field = _solve(ng, elements, mesh, order)
        return ElementsAnswer(field, mesh, order, size, field.space.ndof, perf_counter() - start)


def best_elements(
    elements: Elements, error_of: Callable[[ElementsAnswer], float], goal: float, threads: int = 1
) -> tuple[float, ElementsAnswer]:
    """The cheapest of all orders and meshes with an error of at most `goal`; the most exact if none has."""
    good: tuple[float, ElementsAnswer] | None = None
    best: tuple[float, ElementsAnswer] | None = None
    for order in ORDERS:
        for mesh in range(_MESHES):
            answer = solve_elements(elements, order, elements.size * _FINER**mesh, threads)
            error = error_of(answer)
            if best is None or error < best[0]:
                best = error, answer
            if error <= goal and (good is None or answer.seconds < good[1].seconds):
                good = error, answer
            if error <= goal or answer.seconds > (_PATIENCE if good is None else good[1].seconds):
                break
    assert best is not None
    return good or best


def _mesh(ng: Any, elements: Elements, order: int, size: float) -> Any:
    from netgen import occ

    geometry = occ.OCCGeometry(elements.shape(occ), dim=2)
    mesh = ng.Mesh(geometry.GenerateMesh(maxh=size))
    if elements.levels:
        mesh.RefineHP(elements.levels, 0.15)
    mesh.Curve(elements.curve or order)
    return mesh


def _solve(ng: Any, elements: Elements, mesh: Any, order: int) -> Any:
    options = {"order": order, "dirichlet": _pattern(elements.held), "complex": elements.complex}
    space = (ng.VectorH1 if elements.elastic else ng.H1)(mesh, **options)
    u, v = space.TnT()
    dx = ng.dx(bonus_intorder=_BONUS)
    form = ng.BilinearForm(space, condense=True)
    load = ng.LinearForm(space)
    if elements.elastic:
        lam, mu = elements.elastic
        strain = 0.5 * (ng.Grad(u) + ng.Grad(u).trans)
        form += (2 * mu * ng.InnerProduct(strain, ng.Grad(v)) + lam * ng.div(u) * ng.div(v)) * dx
        load += ng.CoefficientFunction(tuple(elements.f)) * v * dx
        data: Any = ng.CoefficientFunction(tuple(elements.value))
    else:
        a, c, f = (_by_region(ng, mesh, elements, e) for e in (elements.a, elements.c, elements.f))
        form += (a * ng.grad(u) * ng.grad(v) - c * u * v) * dx
        if any(elements.b):
            drift = ng.CoefficientFunction(tuple(coefficient(ng, b) for b in elements.b))
            form += drift * ng.grad(u) * v * dx
        load += f * v * dx
        for edges, (alpha, g) in elements.open.items():
            part = ng.ds(definedon=mesh.Boundaries(_pattern(edges)), bonus_intorder=_BONUS)
            form += coefficient(ng, alpha) * u * v * part
            load += coefficient(ng, g) * v * part
        data = coefficient(ng, elements.value)
    form.Assemble()
    load.Assemble()
    field = ng.GridFunction(space)
    if elements.held:
        field.Set(data, definedon=mesh.Boundaries(_pattern(elements.held)), bonus_intorder=_BONUS)
    residual = field.vec.CreateVector()
    residual.data = load.vec - form.mat * field.vec
    residual.data += form.harmonic_extension_trans * residual
    field.vec.data += form.mat.Inverse(space.FreeDofs(coupling=True), inverse="umfpack") * residual
    field.vec.data += form.harmonic_extension * field.vec
    field.vec.data += form.inner_solve * residual
    return field


def _pattern(names: str) -> str:
    """A regular expression: the plus of a side is meant as it stands."""
    return names.replace("+", r"\+")


def _by_region(ng: Any, mesh: Any, elements: Elements, expression: Any) -> Any:
    """Branches of a Piecewise by the materials of the mesh."""
    expression = sp.sympify(expression)
    if not (elements.regions and isinstance(expression, sp.Piecewise)):
        return coefficient(ng, expression)
    branches = zip(elements.regions, expression.args, strict=True)
    return mesh.MaterialCF({region: coefficient(ng, branch.expr) for region, branch in branches})


def coefficient(ng: Any, expression: Any) -> Any:
    """A SymPy expression as a function of NGSolve; what occurs twice is made once."""
    known: dict[sp.Basic, Any] = {x: ng.x, y: ng.y}
    return ng.CoefficientFunction(_convert(ng, sp.sympify(expression), known))


def _convert(ng: Any, e: Any, known: dict[sp.Basic, Any]) -> Any:
    if e not in known:
        known[e] = _converted(ng, e, known)
    return known[e]


def _converted(ng: Any, e: Any, known: dict[sp.Basic, Any]) -> Any:
    if e.is_number:
        value = complex(e)
        return value if value.imag else value.real
    if isinstance(e, sp.Piecewise):
        *pieces, last = e.args
        found = _convert(ng, last.expr, known)
        for piece in reversed(pieces):
            found = _choose(ng, piece.cond, _convert(ng, piece.expr, known), found, known)
        return found
    arguments = [_convert(ng, a, known) for a in e.args]
    if isinstance(e, sp.Add):
        return sum(arguments[1:], arguments[0])
    if isinstance(e, sp.Mul):
        product = arguments[0]
        for factor in arguments[1:]:
            product = product * factor
        return product
    if isinstance(e, sp.Pow):
        return _power(ng, e, arguments)
    if isinstance(e, sp.tanh):  # which NGSolve lacks
        return 1 - 2 / (ng.exp(2 * arguments[0]) + 1)
    return getattr(ng, type(e).__name__)(*arguments)


def _power(ng: Any, e: Any, arguments: list[Any]) -> Any:
    base, exponent = arguments
    if e.base == sp.E:
        return ng.exp(exponent)
    if e.exp.is_Integer and 0 < e.exp <= 4:
        product = base
        for _ in range(int(e.exp) - 1):
            product = product * base
        return product
    if e.exp == sp.S.Half:
        return ng.sqrt(base)
    return base**exponent


def _choose(ng: Any, condition: Any, yes: Any, no: Any, known: dict[sp.Basic, Any]) -> Any:
    if isinstance(condition, sp.And):
        first, *others = condition.args
        return _choose(ng, first, _choose(ng, sp.And(*others), yes, no, known), no, known)
    if isinstance(condition, sp.Or):
        first, *others = condition.args
        return _choose(ng, first, yes, _choose(ng, sp.Or(*others), yes, no, known), known)
    return ng.IfPos(_convert(ng, condition.gts - condition.lts, known), yes, no)
