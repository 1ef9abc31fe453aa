"""Functions made of a solution: derivatives, and any expression in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, final

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from sympy.core.function import AppliedUndef

from fspielm.arrays import BoolArray, FloatArray, NumberArray, as_finite_points, real_parts, safe_norm
from fspielm.basis.evaluation.direct import split_leaves, split_waves
from fspielm.basis.evaluation.sums import SLAB, evaluate
from fspielm.basis.outgoing.family import IncidentBasis, RegionalBasis
from fspielm.basis.outgoing.grating import FoldedBasis
from fspielm.errors import ProblemError
from fspielm.expr.functions import (
    NONLOCAL,
    Field,
    PointFunction,
    bare_hint,
    check_value,
    describe,
    evaluate_derivatives,
    make_field,
    same_name_hint,
)
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import ROUNDING
from fspielm.problem.linear import linear_operator
from fspielm.problem.normal import NormalDerivative, normal_derivative, normal_symbols, write_components
from fspielm.problem.operator import Operator
from fspielm.problem.parameters import plain_symbol
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import interior_operator
from fspielm.problem.scattering.media import has_media, media_of, medium_at
from fspielm.problem.scattering.open_domain import incident_of, lattice_of
from fspielm.problem.setting import Setting, single_unknown
from fspielm.problem.statement import Relation
from fspielm.problem.substitutions import Substitutions, read_givens
from fspielm.resources import physical_memory
from fspielm.solution.evaluation import Outside, at_points
from fspielm.solution.integrals import integrate_derived

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


# Functions that SymPy expands differently for real and for complex arguments.
_COMPLEX_FUNCTIONS = (sp.re, sp.im, sp.conjugate, sp.adjoint, sp.transpose, sp.Abs, sp.arg, sp.sign)


# ---- Expressions in unknowns and their derivatives, made ready to be evaluated


@final
@dataclass(frozen=True, eq=False)
class _Parts:
    """The real functions that stand for each unknown: its real and imaginary part, or itself where it is real."""

    coordinates: tuple[sp.Symbol, ...]
    real: dict[sp.Basic, AppliedUndef]
    imaginary: dict[sp.Basic, AppliedUndef]  # empty where the unknowns are real

    @property
    def each(self) -> tuple[dict[sp.Basic, AppliedUndef], ...]:
        """The real parts, and the imaginary ones if there are any."""
        return (self.real, self.imaginary) if self.imaginary else (self.real,)

    def split(self, expression: sp.Expr) -> sp.Expr:
        """The expression in terms of the parts of the unknowns, with all derivatives carried out."""
        if all(unknown == part for unknown, part in self.real.items()):
            return expression
        # on the real line: re(u).diff(x) is re(u.diff(x)) for real x alone
        real_line = {c: sp.Dummy(c.name, real=True) for c in self.coordinates}
        normal = sorted(expression.atoms(NormalDerivative), key=str)
        apart = expression.xreplace({a: self._split_atom(a) for a in (*normal, *self.real)}).xreplace(real_line)
        plain = apart.replace(sp.sign, lambda z: sp.sign(z) if z.is_real else z / sp.Abs(z))
        back = {dummy: c for c, dummy in real_line.items()}
        written: sp.Expr = evaluate_derivatives(plain).xreplace(back)
        return written

    def whole(self, atom: sp.Expr) -> sp.Expr:
        """The derivative of an unknown that an atom in the parts belongs to."""
        return atom.xreplace({part: unknown for parts in self.each for unknown, part in parts.items()})

    def _split_atom(self, atom: sp.Expr) -> sp.Expr:
        return sp.Add(*(unit * atom.xreplace(of) for unit, of in zip((sp.S.One, sp.I), self.each, strict=False)))


def _parts_of(unknowns: Sequence[AppliedUndef], expressions: Sequence[sp.Expr], *, is_complex: bool) -> _Parts:
    """The parts to write expressions in: the unknowns themselves where they are real and no expression needs more."""

    def named(prefix: str) -> dict[sp.Basic, AppliedUndef]:
        return {u: sp.Function(f"{prefix} {u.func.__name__}", real=True)(*u.args) for u in unknowns}

    if not is_complex and not any(expression.has(*_COMPLEX_FUNCTIONS) for expression in expressions):
        return _Parts(unknowns[0].args, {u: u for u in unknowns}, {})
    return _Parts(unknowns[0].args, named("re"), named("im") if is_complex else {})


@final
@dataclass(frozen=True, eq=False)
class LocalExpression:
    """Functions of the coordinates and of some derivatives of the unknowns, at the same point."""

    operators: tuple[Operator, ...]  # the derivatives
    # functions of the coordinates, then of the derivatives: if complex, all real parts before all imaginary ones
    fields: tuple[Field, ...]
    on_boundary: bool  # whether they use normals, or derivatives along them
    dtype: np.dtype[Any]  # the least type of the values: given callables may be complex where nothing else is

    def values(self, sites: Sites, derivatives: NumberArray) -> NumberArray:
        """Values ``(k, n)`` at sites, from those of the derivatives ``(T, n)``."""
        arguments = np.column_stack([sites.points, *(part.T for part in real_parts(derivatives))])
        values = np.stack([field(arguments, sites.normals) for field in self.fields])
        return values.astype(np.result_type(values, self.dtype), copy=False)


def read_expressions(
    problem: Problem, expressions: tuple[Any, ...], given: Mapping[Any, Any] | None, what: str, *, is_complex: bool
) -> LocalExpression:
    """Check the expressions, and split them into derivatives of the unknowns and functions of those."""
    givens = _joined_givens(problem.givens, read_givens(given))
    symbols = tuple(unknown.symbol for unknown in problem.unknowns)
    for symbol in symbols:
        givens.check_coordinates(symbol)
    written = [_checked(as_expression(e, what), problem, givens, what) for e in expressions]
    parts = _parts_of(symbols, written, is_complex=is_complex)
    apart = [write_components(parts.split(e), problem.coordinates) for e in written]
    atoms = sorted(set().union(*(_atoms(e, parts) for e in apart)), key=str)
    setting = Setting(problem.unknowns, givens, problem.domain)
    operators = tuple(linear_operator({a: sp.S.One}, setting, what, normals=True) for a in atoms)
    stand_ins = {atom.xreplace(of): sp.Dummy(str(atom), real=True) for of in parts.each for atom in atoms}
    arguments = (*problem.coordinates, *stand_ins.values())
    fields, are_real = [], []
    for expression in apart:
        functions = givens.callables(expression, problem.coordinates)
        first = {key: partial(_on_coordinates, call, problem.dimension) for key, call in functions.items()}
        body = expression.xreplace(stand_ins)
        normals = normal_symbols(problem.coordinates)
        fields.append(make_field(body, arguments, first, what=what, normals=normals))
        are_real.append(not is_complex or _is_real(body, arguments))
    return LocalExpression(
        operators,
        tuple(fields),
        any(isinstance(a, NormalDerivative) for a in atoms) or any(field.needs_normals for field in fields),
        np.dtype(np.float64 if all(are_real) else np.complex128),
    )


def as_expression(value: Any, what: str) -> sp.Expr:
    """A number or an expression as a SymPy expression."""
    try:
        expression = sp.sympify(value, strict=True)
    except (sp.SympifyError, TypeError):
        expression = None
    if not isinstance(expression, sp.Expr) or isinstance(value, bool):
        raise ProblemError(
            f"{what} must be a SymPy expression in the unknown, its derivatives and the coordinates, such as u**2; "
            f"got {value!r}{bare_hint(value)}"
        )
    return expression


def _checked(expression: sp.Expr, problem: Problem, givens: Substitutions, what: str) -> sp.Expr:
    """The expression with the given numbers substituted and derivatives carried out."""
    written: sp.Expr = evaluate_derivatives(givens.substitute(expression))
    symbols = tuple(unknown.symbol for unknown in problem.unknowns)
    for unknown in symbols:
        _check_unknown(written, unknown, what)
    for other in _other_unknowns(problem, givens):
        if written.has(other):
            raise ProblemError(
                f"{what} contains {other}, another unknown of the system that {symbols[0]} is one of; ask the whole "
                "solution, as in solution.apply(...)"
            )
    for derivative in sorted(written.atoms(NormalDerivative), key=str):
        if not derivative.has(*symbols):
            only = f"only the unknown {symbols[0]} has" if len(symbols) == 1 else "only unknowns have"
            raise ProblemError(f"{what} contains {derivative}, but {only} a normal_derivative")
    _check_symbols(written, problem.coordinates, what)
    return written


def _check_unknown(written: sp.Expr, unknown: AppliedUndef, what: str) -> None:
    """Refuse an unknown at other points than the point itself, and one written as a symbol."""
    for term in written.atoms(*NONLOCAL):
        if term.has(unknown.func):
            raise ProblemError(f"{what} contains {term}, which takes {unknown} at other places than the point itself")
    for symbol in written.free_symbols:
        if str(symbol) == unknown.func.__name__:
            raise plain_symbol(symbol, unknown)
    for function in sorted(written.atoms(AppliedUndef), key=str):
        if function.func.__name__ == unknown.func.__name__ and function != unknown:
            raise ProblemError(
                f"{what} contains {function}, but the unknown is {unknown}, of these very symbols; values at other "
                "places are solution(points)"
            )


def _check_symbols(written: sp.Expr, coordinates: tuple[sp.Symbol, ...], what: str) -> None:
    strange = sorted(written.free_symbols - set(coordinates), key=str)
    if strange:
        names, supply = ", ".join(map(str, coordinates)), f"; supply a value, as in given={{{strange[0]}: 1.0}}"
        raise ProblemError(
            f"{what} contains the symbol {strange[0]}, which is neither a coordinate ({names}) nor given"
            f"{same_name_hint(strange[0], coordinates) or supply}"
        )


def _other_unknowns(problem: Problem, givens: Substitutions) -> list[AppliedUndef]:
    """The other unknowns of the system that the problem is one field of."""
    stated = {f for equation in problem.statement.equations for f in equation.atoms(AppliedUndef)}
    known = {unknown.symbol for unknown in problem.unknowns}
    return sorted((f for f in stated - known if f.args == problem.coordinates and not givens.is_known(f)), key=str)


def _atoms(expression: sp.Expr, parts: _Parts) -> set[sp.Expr]:
    """The derivatives of the unknowns in the expression, including the unknowns themselves."""
    functions = [function for of in parts.each for function in of.values()]
    normal: set[sp.Expr] = expression.atoms(NormalDerivative)
    plain = expression.xreplace({atom: sp.Dummy() for atom in normal})
    derivatives = {atom for atom in plain.atoms(sp.Derivative) if atom.expr in functions}
    rest = plain.xreplace({atom: sp.Dummy() for atom in derivatives})
    bare = {function for function in functions if rest.has(function)}
    return {parts.whole(atom) for atom in normal | derivatives | bare}


def _is_real(expression: sp.Expr, arguments: Sequence[sp.Symbol]) -> bool:
    """Whether an expression is real for real arguments."""
    # not zero, where SymPy could not tell which infinity 1/x is
    real = expression.xreplace({a: sp.Dummy(real=True, nonzero=True) for a in arguments})
    return bool(real.is_real or sp.expand(real).is_real)


def _on_coordinates(call: PointFunction, dimension: int, arguments: FloatArray) -> NumberArray:
    """A given callable of all arguments, of which it gets the coordinates alone."""
    return np.asarray(call(np.ascontiguousarray(arguments[:, :dimension])))


def _joined_givens(stated: Substitutions, more: Substitutions) -> Substitutions:
    names = ("symbols", "functions", "applied", "derivatives", "inner")
    return Substitutions(**{name: getattr(stated, name) | getattr(more, name) for name in names})


# ---- Values on a regular grid over the bounding box of a domain


@final
@dataclass(frozen=True, eq=False)
class Grid:
    """Values on a regular grid.

    Attributes
    ----------
    axes : tuple of (n_a,) arrays
        Values of each coordinate, from one end of the bounding box to the other.
    values : masked array of shape ``(n_1, ..., n_d)``
        Masked, and NaN beneath, outside of the domain. Real or complex; for several functions, with one more axis.
    names : tuple of str
        The names of the coordinates.
    """

    axes: tuple[FloatArray, ...]
    values: np.ma.MaskedArray[Any, Any]
    names: tuple[str, ...]


def make_grid(
    function: Callable[[FloatArray], NumberArray], problem: Problem, n: int | Iterable[int], *, width: int = 8
) -> Grid:
    """Evaluate a function of points on a grid, inside the domain; its values take `width` bytes at a point."""
    domain = problem.domain
    shape = as_shape(n, problem.dimension)
    lower, upper = domain.bounding_box
    total = math.prod(shape)
    # values and the mask
    if (width + 1) * total > physical_memory() // 2:
        raise ProblemError(
            f"n: a grid of {' x '.join(map(str, shape))} points does not fit into memory; take fewer, or call the "
            "solution with some points at a time"
        )
    axes = tuple(np.linspace(low, high, count) for low, high, count in zip(lower, upper, shape, strict=True))
    values: NumberArray = np.empty(0)
    outside = np.ones(total, dtype=np.bool_)
    for start in range(0, total, SLAB):
        here = np.arange(start, min(start + SLAB, total))
        index = np.unravel_index(here, shape)
        points = np.column_stack([axis[i] for axis, i in zip(axes, index, strict=True)])
        inside = domain.contains(points)
        outside[here] = ~inside
        found = function(points[inside])
        values = np.full((total, *found.shape[1:]), np.nan, dtype=found.dtype) if start == 0 else values
        values = values.astype(np.result_type(values, found), copy=False)
        values[here[inside]] = found
    several = values.shape[1:]
    hidden = np.broadcast_to(outside.reshape(shape + (1,) * len(several)), shape + several)
    masked: np.ma.MaskedArray[Any, Any] = np.ma.MaskedArray(values.reshape(shape + several), hidden)
    return Grid(axes, masked, tuple(map(str, problem.coordinates)))


def as_shape(n: int | Iterable[int], dimension: int) -> tuple[int, ...]:
    """The number of points along each axis, checked."""
    counts = tuple(n) if isinstance(n, Iterable) else (n,) * dimension
    whole = all(isinstance(c, int | np.integer) and not isinstance(c, bool) and c >= 2 for c in counts)
    if not whole or len(counts) != dimension:
        raise ProblemError(
            f"n must be a whole number of points along every axis, 2 or more, or {dimension} of them, one for each "
            f"axis; got {n!r}"
        )
    return tuple(int(c) for c in counts)


# ---- Expressions in a solution


@final
@dataclass(frozen=True, eq=False, repr=False)
class Derived:
    """An expression in the unknowns, their derivatives and the coordinates, evaluated with a solution.

    Attributes
    ----------
    solution : Solution
    expressions : tuple of Expr
        One, or the components of a vector.
    vector : bool
        Whether values are ``(n, k)``, for k components, rather than ``(n,)``.
    given : mapping
        Numbers and callables in addition to those that the problem was stated with.
    """

    solution: Solution
    expressions: tuple[sp.Expr, ...]
    vector: bool
    given: Mapping[Any, Any]

    def __call__(self, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
        """Values at `points` ``(n, d)``: shape ``(n,)``, or ``(n, k)`` for a vector.

        Outside of the domain they are nan, or with ``outside="extend"`` extended; see `Solution`.
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
        """The approximate rounding error of the values at sites, shape ``(k, n)``."""
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
        """Whether it needs normals, and so has values on a boundary only."""
        return self._local.on_boundary

    @property
    def of_normals(self) -> str:
        """What it needs normals for, for messages."""
        derived = any(expression.has(NormalDerivative) for expression in self.expressions)
        return "a normal_derivative" if derived else "a normal"

    def diff(self, *along: Any) -> Derived:
        """The derivative, written as in SymPy: ``diff(x)``, ``diff(x, 2)``, ``diff("x", 1, "y", 1)``."""
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
        return integrate_derived(self, **where)

    if not TYPE_CHECKING:  # type checkers still report names that do not exist

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
    """Make a `Derived` of an expression or a sequence of them; errors are raised here."""
    vector = isinstance(expression, list | tuple | sp.MatrixBase)
    parts = tuple(expression) if vector else (expression,)
    if not parts:
        raise ProblemError("expression must have at least one component; got none")
    derived = Derived(solution, tuple(as_expression(e, "expression") for e in parts), vector, given or {})
    _ = derived._local
    return derived


def check_along(along: tuple[Any, ...], coordinates: tuple[sp.Symbol, ...]) -> list[Any]:
    """Check the arguments of `diff`, and turn names into symbols."""
    by_name = {str(symbol): symbol for symbol in coordinates}
    steps: list[Any] = []
    for step in along:
        is_order = isinstance(step, int | np.integer | sp.Integer) and not isinstance(step, bool) and step >= 0
        symbol = by_name.get(step) if isinstance(step, str) else step
        if isinstance(symbol, sp.Symbol) and symbol in coordinates:
            steps.append(symbol)
        elif is_order and steps and isinstance(steps[-1], sp.Symbol):
            steps.append(int(step))
        else:
            raise ProblemError(
                f"diff takes coordinates ({', '.join(by_name)}), each with an order if it is not 1, as in "
                f"diff({next(iter(by_name))}, 2); got {step!r}"
            )
    if not steps:
        raise ProblemError(f"diff takes at least one coordinate ({', '.join(by_name)}); got none")
    return steps


def _rounding(solution: Solution, operator: Operator, sites: Sites) -> float | FloatArray:
    """The approximate rounding error of a derivative, which multiplies coefficients by powers of the frequency."""
    (unknown,) = operator.unknowns
    basis, fields = solution.sums[unknown]
    if basis.on_cells:
        cells = basis.on_cells[0].frames.locate(sites.points)
        sizes = [
            leaf.sizes(part, operator.order)[0]
            for leaf, (_, part) in zip(basis.on_cells, split_leaves(basis, fields), strict=True)
        ]
        return ROUNDING * np.asarray(np.sum(sizes, axis=0))[cells]
    waves, others = split_waves(basis, fields)
    sums = [group.fields[0] * np.linalg.norm(group.W, axis=1) ** operator.order for group in waves]
    for basis, part in others:
        W = basis.frequencies if basis.oscillates else None
        sums.append(part[0] * (np.ones(basis.size) if W is None else np.linalg.norm(W, axis=1)) ** operator.order)
    return ROUNDING * safe_norm(np.concatenate([np.empty(0), *sums]))


# ---- Residuals of the equations


def residual(solution: Solution, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
    """Left minus right-hand side of the equation at `points` ``(n, d)``; shape ``(n,)``.

    For several equations ``(n, E)``, in the order in which they were stated. In penetrable objects it is the residual
    of the total field with the wavenumber of the object. Outside of the domain as for ``solution(points)``.
    """
    return at_points(partial(_residual, solution), solution.problem.domain, points, outside)


def _residual(solution: Solution, points: FloatArray) -> NumberArray:
    values = _residuals(solution, points)
    return values[:, 0] if values.shape[1] == 1 else values


def residual_of(solution: Solution, number: int, points: FloatArray) -> NumberArray:
    """The residual of one of the equations, shape ``(n,)``."""
    if not solution.problem.stated.is_linear:
        return _residuals(solution, points)[:, number]
    return _residuals(solution, points, slice(number, number + 1))[:, 0]


def _residuals(solution: Solution, points: FloatArray, which: slice = slice(None)) -> NumberArray:
    """The residuals of all equations, or of some that are linear, shape ``(n, E)``."""
    problem = solution.problem.stated
    _ = not problem.is_linear or problem.equations or problem.operator  # which says what is wrong

    def residuals(slab: FloatArray) -> NumberArray:
        if not problem.is_linear:
            return np.asarray(problem.residual(solution, slab)).reshape(len(slab), -1)
        equations = problem.equations[which]
        if has_media(solution.problem):
            return _residual_in_media(solution, equations[0], slab)[:, None]
        here = Sites(slab)
        right = np.stack([equation.values(here) for equation in equations], axis=1)
        return np.asarray(solution.evaluate_each([equation.operator for equation in equations], here).T - right)

    slabs = [points[start : start + SLAB] for start in range(0, max(len(points), 1), SLAB)]
    return np.concatenate([residuals(slab) for slab in slabs])


def _residual_in_media(solution: Solution, outside: Relation, points: FloatArray) -> NumberArray:
    """The residual of each medium's equation at the points in it, with the factor that the equation is written with."""
    problem = solution.problem
    lattice = lattice_of(problem)
    copies = np.zeros(len(points)) if lattice is None else lattice.copies(points)
    if lattice is not None:  # the media of the copies are those of the objects that were named
        points = points - np.outer(copies, (lattice.period, 0.0))
    factor = next(term.coefficient for term in outside.operator.terms if term.order == 2)
    numbers, values = medium_at(problem, points), np.empty(len(points), dtype=np.complex128)
    values[numbers == 0] = solution.evaluate(outside.operator, points[numbers == 0])
    missing = _omitted_incident(solution)
    for number, medium in enumerate(media_of(problem), 1):
        here, operator = numbers == number, interior_operator(problem, medium).times(factor)
        inside = solution.evaluate(operator, points[here])
        if missing is not None:
            inside = inside + evaluate(missing, np.ones(1), operator, Sites(points[here]), threads=1)
        values[here] = inside
    return values if lattice is None else values * lattice.phases(copies)


def _omitted_incident(solution: Solution) -> IncidentBasis | None:
    """The incident field, where the solution is the scattered field without it."""
    fields, basis = incident_of(solution.problem), solution.basis
    regional = basis.basis if isinstance(basis, FoldedBasis) else basis
    assert isinstance(regional, RegionalBasis)  # as the problem has media
    if not fields or any(isinstance(leaf, IncidentBasis) for leaf in regional.outside.leaves):
        return None
    return IncidentBasis(fields, solution.problem.dimension)


# ---- Methods of `Solution`


def contains(solution: Solution, points: ArrayLike) -> BoolArray:
    """Mask of the points ``(n, d)`` that lie in the domain or on its boundary."""
    problem = solution.problem
    return problem.domain.contains(as_finite_points(points, problem.dimension))


def grid(solution: Solution, n: int | Iterable[int]) -> Grid:
    """Values on a regular grid over the bounding box, time included, those outside of the domain masked.

    Of one unknown: with several, ``solution[u].grid(n)``. `n` is the number of points along every axis, or a sequence
    with that along each.
    """
    _only(solution, "grid(n)")
    return make_grid(partial(solution, outside="extend"), solution.problem, n)


def diff(solution: Solution, *along: Any) -> Derived:
    """A derivative, written as in SymPy: ``solution.diff(x, 2)``, ``solution.diff(x, 1, y, 1)``.

    Of one unknown: with several, ``solution[u].diff(x)``.

    Returns
    -------
    Derived
        A function of points, which can be differentiated and integrated again.
    """
    return derive(solution, _only(solution, "diff(x)")).diff(*along)


def gradient(solution: Solution, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
    """Derivatives along the coordinates of space at `points` ``(n, d)``, shape ``(n, d)``; one less with time.

    Of one unknown: with several, ``solution[u].gradient(points)``. Outside of the domain as for ``solution(points)``.
    """
    unknown = _only(solution, "gradient(points)")
    return derive(solution, [unknown.diff(symbol) for symbol in _space(solution)])(points, outside=outside)


def laplacian(solution: Solution, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
    """Sum of the second derivatives along the coordinates of space, at `points` ``(n, d)``; shape ``(n,)``.

    Of one unknown: with several, ``solution[u].laplacian(points)``. Outside of the domain as for ``solution(points)``.
    """
    unknown = _only(solution, "laplacian(points)")
    return derive(solution, sp.Add(*(unknown.diff(symbol, 2) for symbol in _space(solution))))(points, outside=outside)


def apply(solution: Solution, expression: Any, given: Mapping[Any, Any] | None = None) -> Derived:
    """Any expression in the unknowns, their derivatives and the coordinates, as a function of points.

    Parameters
    ----------
    expression : Expr, or sequence of Expr
        For example ``u**2``, ``-k * u.diff(x)``, ``u.diff(y) - v.diff(x)`` or ``sp.Abs(u)``; several are the components
        of a vector, with values ``(n, k)``. Symbols and functions given to the problem are known here too.
    given : mapping, optional
        More numbers for symbols and callables for functions, as `Problem` takes them.

    Returns
    -------
    Derived
    """
    return derive(solution, expression, given)


def integrate(
    solution: Solution,
    expression: Any = None,
    *,
    on: str | Iterable[str] | None = None,
    along: Any = None,
    at: float | None = None,
    given: Mapping[Any, Any] | None = None,
    tol: float = 1e-10,
) -> Any:
    """The integral of the solution, or of an expression in it, by quadrature suited to the shape.

    Rules are refined until the integral changes by no more than `tol` times the integral of the absolute value, or by
    no more than rounding. The result is usually far more accurate, as the rules converge faster than any power on
    smooth shapes. Where they do not (surfaces of triangles, expressions that are not smooth), an `AccuracyWarning`
    says how far the integral still moves.

    Parameters
    ----------
    expression : Expr, or sequence of Expr, optional
        As in `apply`; all unknowns by default. It may contain ``fs.normal_derivative(u)`` and ``fs.normal(x)`` on a
        boundary, and along lines in the plane (where the normal points to the right).
    on : str or list of str, optional
        Names of parts of the boundary to integrate over instead of the domain; or of interfaces, with values of the
        first side and normals that point to the second.
    along : sequence of points, or PlaneCurve, optional
        A line through two or more points ``((x0, y0), (x1, y1))``, or a curve.
    at : float, optional
        The time, where the domain has one; all of space-time otherwise.
    given : mapping, optional
        As in `apply`.
    tol : float

    Returns
    -------
    number, or (k,) array
        The latter for several expressions. Complex where the expression is.
    """
    if expression is None:
        symbols = [unknown.symbol for unknown in solution.problem.stated.unknowns]
        expression = symbols[0] if len(symbols) == 1 else symbols
    return integrate_derived(derive(solution, expression, given), on=on, along=along, at=at, tol=tol)


def flux(
    solution: Solution, part: str | Iterable[str] | None = None, coefficient: Any = 1, *, at: float | None = None
) -> complex:
    """The integral of ``coefficient * du/dn`` over parts of the boundary, n their outward normal.

    Of one unknown: with several, ``solution[u].flux(part)``.

    Parameters
    ----------
    part : str or list of str, optional
        Names of parts, or of interfaces; the whole boundary by default.
    coefficient : number, Expr or callable
        For example, a conductivity.
    at : float, optional
        The time, where the domain has one; all times otherwise.
    """
    problem, unknown = solution.problem, _only(solution, "flux(...)")
    check_value(coefficient, "flux: coefficient")
    given = {}
    if callable(coefficient) and not isinstance(coefficient, sp.Basic):
        stand_in = sp.Function("coefficient")
        given, coefficient = {stand_in: coefficient}, stand_in(*problem.coordinates)
    if part is None:
        part = [p.name for p in problem.domain.boundary([str(symbol) for symbol in problem.coordinates])]
    amount: complex = integrate(solution, coefficient * normal_derivative(unknown), on=part, at=at, given=given)
    return amount


def _only(solution: Solution, what: str) -> AppliedUndef:
    """The one unknown; an error where there are several."""
    unknowns = solution.problem.stated.unknowns
    name = unknowns[0].symbol.func.__name__
    return single_unknown(unknowns, f"solution.{what}", f"ask one of them, as in solution[{name}].{what}").symbol


def _space(solution: Solution) -> tuple[sp.Symbol, ...]:
    problem = solution.problem
    return problem.coordinates[:-1] if problem.domain.time is not None else problem.coordinates
