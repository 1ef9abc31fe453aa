"""A named problem, and what its solutions are measured by."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.stated import Stated, equation

import fspielm as fs
from fspielm.expr import make_field
from fspielm.geometry import Domain
from patch_problems.elements import Elements

x, y, t = sp.symbols("x y t")
REFERENCES = Path(__file__).parent / "references.csv"
_POINTS = 4000


class Answer(Protocol):
    """What is measured, whoever solved it: values, and the derivative along x."""

    def __call__(self, points: NDArray[np.float64]) -> NDArray[Any]:
        """Values ``(n,)`` or ``(n, fields)``."""

    def slope(self, points: NDArray[np.float64]) -> NDArray[Any]:
        """The derivative along x, ``(n,)``."""


@dataclass(frozen=True, eq=False)
class PatchProblem:
    """A problem and how to tell the error of a solution.

    Attributes
    ----------
    stated : Stated
        With the exact solution if there is an expression for it.
    tol : float
        What is asked of patches.
    wavelengths : float
        How many fit across the domain; zero where nothing oscillates.
    values : callable or None
        The exact solution as a function of points, where there is no expression.
    measure : callable or None
        The relative error of an answer, where a number is known instead of a solution.
    elements : Elements or None
        What finite elements need; None if there are none to compare with.

    Without any of these the values kept in `REFERENCES` measure: those of finite elements.
    """

    stated: Stated
    tol: float = 1e-9
    wavelengths: float = 0.0
    values: Callable[[NDArray[np.float64]], NDArray[Any]] | None = None
    measure: Callable[[Answer], float] | None = None
    elements: Elements | None = None

    @property
    def has_reference(self) -> bool:
        """Whether finite elements tell the solution."""
        return not self.stated.exact and self.values is None and self.measure is None

    def error(self, answer: Answer, name: str) -> float:
        """Relative L2 error, the largest of all unknowns; points that an answer has no value for do not count."""
        if self.measure is not None:
            return self.measure(answer)
        points, known = references(name) if self.has_reference else self._known()
        found = np.asarray(answer(points)).reshape(known.shape)
        told = np.isfinite(found).all(axis=1)
        difference = np.linalg.norm((found - known)[told], axis=0)
        return float(np.max(difference / np.linalg.norm(known[told], axis=0)))

    def _known(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        points = self.stated.domain.sample(_POINTS, np.random.default_rng(0))
        if self.values is not None:
            return points, self.values(points)[:, None]
        coordinates = self.stated.unknowns[0].args
        return points, np.stack([make_field(e, coordinates)(points) for e in self.stated.exact], axis=1)


def references(name: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Points ``(n, 2)`` and values ``(n, fields)`` of finite elements."""
    with REFERENCES.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row[0] == name]
    if not rows:
        raise SystemExit(f"{REFERENCES.name} has no values of {name}: python benchmarks/patches.py reference")
    points = np.array([[float(v) for v in row[1:3]] for row in rows])
    return points, np.array([[complex(v) for v in row[3:]] for row in rows])


PATCH_PROBLEMS: dict[str, tuple[str, Callable[[], PatchProblem]]] = {}


def patch_problem(name: str, what: str) -> Callable[[Callable[[], PatchProblem]], Callable[[], PatchProblem]]:
    """Register the function that makes a problem."""

    def register(make: Callable[[], PatchProblem]) -> Callable[[], PatchProblem]:
        PATCH_PROBLEMS[name] = (what, make)
        return make

    return register


def flow(a: Any, v: Any) -> sp.Expr:
    """The divergence of ``a`` times the gradient; left as written where `a` jumps, or the jump would be lost."""
    if sp.sympify(a).has(sp.Piecewise):
        return sum(sp.Derivative(a * v.diff(i), i) for i in (x, y))
    return sum((a * v.diff(i)).diff(i) for i in (x, y))


def steady(
    domain: Domain,
    exact: Any,
    *,
    a: Any = 1,
    b: Sequence[Any] = (0, 0),
    c: Any = 0,
    f: Any = None,
    conditions: Sequence[Any] | None = None,
    borders: Sequence[sp.Expr] = (),
) -> Stated:
    """``-div(a grad u) + b grad u - c u = f``, with the values of the exact solution unless there are conditions."""
    u = sp.Function("u")(x, y)

    def operator(v: Any) -> Any:
        return -flow(a, v) + b[0] * v.diff(x) + b[1] * v.diff(y) - c * v

    source = operator(exact) if f is None else f
    stated = (equation(operator(u), sp.sympify(source)),)
    given = [fs.Dirichlet(exact)] if conditions is None else conditions
    known = () if exact is None else (exact,)
    return Stated("", stated, domain, tuple(given), (u,), known, tuple(borders), a)


def source_of(stated: Stated) -> sp.Expr:
    """The right-hand side of a problem of one unknown."""
    return stated.equations[0].rhs
