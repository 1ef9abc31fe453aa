"""Functions made of a solution: derivatives, and any expression in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, final

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray, NumberArray, safe_norm
from fspielm.equations import NormalDerivative, Operator
from fspielm.errors import ProblemError
from fspielm.expressions import describe
from fspielm.features.evaluation import SLAB, split_leaves, split_waves
from fspielm.geometry import Sites
from fspielm.solution.grid import Grid, make_grid
from fspielm.solution.outside import Outside, at_points
from fspielm.solution.symbolic import LocalExpression, as_expression, read_expressions

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution

# Of sums of sinusoids, by whatever method, in units of the norm of what is summed.
_ROUNDING = 2e-14


@final
@dataclass(frozen=True, eq=False, repr=False)
class Derived:
    """An expression in the unknowns, their derivatives and the coordinates, with the solution put in.

    Attributes
    ----------
    solution : Solution
    expressions : tuple of Expr
        One, or the components of a vector.
    vector : bool
        Whether values are ``(n, k)``, for k components, rather than ``(n,)``.
    given : mapping
        Numbers and callables beside those that the problem was stated with.
    """

    solution: Solution
    expressions: tuple[sp.Expr, ...]
    vector: bool
    given: Mapping[Any, Any]

    def __call__(self, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
        """Values at `points` ``(n, d)``: shape ``(n,)``, or ``(n, k)`` for a vector.

        Outside of the domain they are nan, or with ``outside="extend"`` what they would be; see `Solution`.
        """
        if self.on_boundary:
            raise ProblemError(
                f"{self!r} contains {self.of_normals}, which has a meaning on a boundary alone; "
                "integrate it over a part, with on="
            )

        def values(array: FloatArray) -> NumberArray:
            found = self.at(Sites(array))
            return np.ascontiguousarray(found.T) if self.vector else found[0]

        return at_points(values, self.solution.problem.domain, points, outside)

    def at(self, sites: Sites) -> NumberArray:
        """Values ``(k, n)`` at sites, which have normals on a boundary."""
        values: NumberArray = np.empty((len(self.expressions), len(sites)), dtype=self._local.dtype)
        for start in range(0, len(sites), SLAB):
            here = sites.select(slice(start, start + SLAB))
            found = self._local.values(here, self._derivatives(here))
            values = values.astype(np.result_type(values, found), copy=False)
            values[:, start : start + SLAB] = found
        return values

    def noise(self, sites: Sites) -> FloatArray:
        """How far rounding in the sums of features may move the values at sites, about; shape ``(k, n)``."""
        derivatives = self._derivatives(sites)
        values = self._local.values(sites, derivatives)
        total = np.zeros(values.shape)
        for row, operator in enumerate(self._local.operators):
            moved = derivatives.copy()
            moved[row] += _rounding(self.solution, operator, sites) * (1 + 1j if np.iscomplexobj(moved) else 1)
            total += np.abs(self._local.values(sites, moved) - values)
        return total

    @property
    def on_boundary(self) -> bool:
        """Whether it needs normals, and so has values on a boundary alone."""
        return self._local.on_boundary

    @property
    def of_normals(self) -> str:
        """What it needs normals for, in words."""
        derived = any(expression.has(NormalDerivative) for expression in self.expressions)
        return "a normal_derivative" if derived else "a normal"

    def diff(self, *along: Any) -> Derived:
        """The derivative, as SymPy writes it: ``diff(x)``, ``diff(x, 2)``, ``diff(x, 1, y, 1)``; names will do."""
        steps = check_along(along, self.solution.problem.coordinates)
        written = self.expressions
        if self.solution.dtype.kind == "c":  # so that derivatives of the modulus are seen to be real
            written = tuple(e.replace(sp.Abs, lambda z: sp.sqrt(sp.re(z) ** 2 + sp.im(z) ** 2)) for e in written)
        expressions = tuple(e.diff(*steps) for e in written)
        return Derived(self.solution, expressions, self.vector, self.given)

    def grid(self, n: Any) -> Grid:
        """Values on a regular grid over the bounding box, those outside of the domain masked; see `Solution.grid`."""
        if self.vector:
            raise ProblemError(f"grid takes a function with one value at a point; {self!r} has {len(self.expressions)}")
        return make_grid(partial(self, outside="extend"), self.solution.problem, n)

    def integrate(self, **where: Any) -> Any:
        """The integral over the domain, over parts or along a line; see `Solution.integrate`."""
        from fspielm.solution.integrals import integrate_derived

        return integrate_derived(self, **where)

    if not TYPE_CHECKING:  # a name that does not exist stays one for type checkers

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("plot"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise AttributeError(
                f"{self!r} is a function of points, without pictures of its own: draw a part of complex values with "
                'solution.plot(part="real"), or "imag" or "abs", and others by their values, .grid(200)'
            )

    def __repr__(self) -> str:
        shown = ", ".join(describe(e) for e in self.expressions)
        return f"Derived([{shown}])" if self.vector else f"Derived({shown})"

    @cached_property
    def _local(self) -> LocalExpression:
        is_complex = self.solution.dtype.kind == "c"
        return read_expressions(
            self.solution.problem.stated, self.expressions, self.given, "expression", is_complex=is_complex
        )

    def _derivatives(self, sites: Sites) -> NumberArray:
        operators = self._local.operators
        if not operators:
            return np.empty((0, len(sites)))
        return self.solution.evaluate_each(operators, sites).astype(self.solution.dtype, copy=False)


def derive(solution: Solution, expression: Any, given: Mapping[Any, Any] | None = None) -> Derived:
    """An expression, or a sequence of them, with the solution put in; errors are raised here."""
    vector = isinstance(expression, list | tuple | sp.MatrixBase)
    parts = tuple(expression) if vector else (expression,)
    if not parts:
        raise ProblemError("expression must have at least one component; got none")
    derived = Derived(solution, tuple(as_expression(e, "expression") for e in parts), vector, given or {})
    _ = derived._local
    return derived


def check_along(along: tuple[Any, ...], coordinates: tuple[sp.Symbol, ...]) -> list[Any]:
    """What to differentiate along, checked, names turned into symbols."""
    by_name = {str(symbol): symbol for symbol in coordinates}
    steps: list[Any] = []
    for step in along:
        symbol = by_name.get(step) if isinstance(step, str) else step
        if isinstance(symbol, sp.Symbol) and symbol in coordinates:
            steps.append(symbol)
        elif _is_order(step) and steps and isinstance(steps[-1], sp.Symbol):
            steps.append(int(step))
        else:
            raise ProblemError(
                f"diff takes coordinates ({', '.join(by_name)}), each with an order if it is not 1, as in "
                f"diff({next(iter(by_name))}, 2); got {step!r}"
            )
    if not steps:
        raise ProblemError(f"diff takes at least one coordinate ({', '.join(by_name)}); got none")
    return steps


def _is_order(step: Any) -> bool:
    return isinstance(step, int | np.integer | sp.Integer) and not isinstance(step, bool) and bool(step >= 0)


def _rounding(solution: Solution, operator: Operator, sites: Sites) -> float | FloatArray:
    """About what rounding does to a derivative, which multiplies every coefficient with powers of its frequency."""
    (unknown,) = operator.unknowns
    basis, fields = solution.sums[unknown]
    if basis.on_cells:
        cells = basis.on_cells[0].frames.locate(sites.points)
        sizes = [
            leaf.sizes(part, operator.order)[0]
            for leaf, (_, part) in zip(basis.on_cells, split_leaves(basis, fields), strict=True)
        ]
        return _ROUNDING * np.asarray(np.sum(sizes, axis=0))[cells]
    waves, others = split_waves(basis, fields)
    sums = [group.fields[0] * np.linalg.norm(group.W, axis=1) ** operator.order for group in waves]
    for basis, part in others:
        W = basis.frequencies if basis.oscillates else None
        sums.append(part[0] * (np.ones(basis.size) if W is None else np.linalg.norm(W, axis=1)) ** operator.order)
    return _ROUNDING * safe_norm(np.concatenate([np.empty(0), *sums]))
