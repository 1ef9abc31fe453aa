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

from fspielm.arrays import FloatArray, NumberArray, real_parts, safe_norm
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
    describe,
    evaluate_derivatives,
    make_field,
    same_name_hint,
)
from fspielm.geometry.boundary import Sites
from fspielm.problem.linear import linear_operator
from fspielm.problem.normal import NormalDerivative, normal_symbols, write_components
from fspielm.problem.operator import Operator
from fspielm.problem.parameters import plain_symbol
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import interior_operator
from fspielm.problem.scattering.media import has_media, media_of, medium_at
from fspielm.problem.scattering.open_domain import incident_of, lattice_of
from fspielm.problem.setting import Setting
from fspielm.problem.statement import Relation
from fspielm.problem.substitutions import Givens, read_givens
from fspielm.resources import physical_memory
from fspielm.solution.evaluation import Outside, at_points

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


# ---- Expressions in unknowns and their derivatives, made ready to be evaluated


# What SymPy takes apart differently for real and for complex arguments.
_OF_PARTS = (sp.re, sp.im, sp.conjugate, sp.adjoint, sp.transpose, sp.Abs, sp.arg, sp.sign)


@final
@dataclass(frozen=True, eq=False)
class _Parts:
    """The real functions that stand for each unknown: its real and its imaginary part, or itself where it is real.

    Attributes
    ----------
    coordinates : tuple of Symbol
    real, imaginary : dict of AppliedUndef to AppliedUndef
        From the unknowns; the latter is empty where they are real.
    """

    coordinates: tuple[sp.Symbol, ...]
    real: dict[sp.Basic, AppliedUndef]
    imaginary: dict[sp.Basic, AppliedUndef]

    @property
    def each(self) -> tuple[dict[sp.Basic, AppliedUndef], ...]:
        """The real parts, and the imaginary ones if there are any."""
        return (self.real, self.imaginary) if self.imaginary else (self.real,)

    def take_apart(self, expression: sp.Expr) -> sp.Expr:
        """The expression in the parts of the unknowns, with all derivatives carried out."""
        if all(unknown == part for unknown, part in self.real.items()):
            return expression
        # on the real line: re(u).diff(x) is re(u.diff(x)) for real x alone
        real_line = {c: sp.Dummy(c.name, real=True) for c in self.coordinates}
        normal = sorted(expression.atoms(NormalDerivative), key=str)
        apart = expression.xreplace({atom: self._apart(atom) for atom in (*normal, *self.real)}).xreplace(real_line)
        plain = apart.replace(sp.sign, lambda z: sp.sign(z) if z.is_real else z / sp.Abs(z))
        back = {dummy: c for c, dummy in real_line.items()}
        written: sp.Expr = evaluate_derivatives(plain).xreplace(back)
        return written

    def whole(self, atom: sp.Expr) -> sp.Expr:
        """What an atom in the parts is a part of."""
        return atom.xreplace({part: unknown for parts in self.each for unknown, part in parts.items()})

    def _apart(self, atom: sp.Expr) -> sp.Expr:
        return sp.Add(*(unit * atom.xreplace(of) for unit, of in zip((sp.S.One, sp.I), self.each, strict=False)))


def _parts_of(unknowns: Sequence[AppliedUndef], expressions: Sequence[sp.Expr], *, is_complex: bool) -> _Parts:
    """The parts that expressions are to be written in: real unknowns themselves, if nothing asks for more."""

    def named(prefix: str) -> dict[sp.Basic, AppliedUndef]:
        return {u: sp.Function(f"{prefix} {u.func.__name__}", real=True)(*u.args) for u in unknowns}

    if not is_complex and not any(expression.has(*_OF_PARTS) for expression in expressions):
        return _Parts(unknowns[0].args, {u: u for u in unknowns}, {})
    return _Parts(unknowns[0].args, named("re"), named("im") if is_complex else {})


@final
@dataclass(frozen=True, eq=False)
class LocalExpression:
    """Functions of the coordinates and of some derivatives of the unknowns, at the same point.

    Attributes
    ----------
    operators : tuple of T Operators
        The derivatives.
    fields : tuple of k Fields
        Their arguments are the coordinates, then the derivatives: where those are complex, all real parts before all
        imaginary ones.
    on_boundary : bool
        Whether normals, or derivatives along them, are among them.
    dtype : dtype
        Of the values, at least: those of given callables may be complex where nothing else is.
    """

    operators: tuple[Operator, ...]
    fields: tuple[Field, ...]
    on_boundary: bool
    dtype: np.dtype[Any]

    def values(self, sites: Sites, derivatives: NumberArray) -> NumberArray:
        """Values ``(k, n)`` at sites, from those of the derivatives ``(T, n)``."""
        arguments = np.column_stack([sites.points, *(part.T for part in real_parts(derivatives))])
        values = np.stack([field(arguments, sites.normals) for field in self.fields])
        return values.astype(np.result_type(values, self.dtype), copy=False)


def read_expressions(
    problem: Problem, expressions: tuple[Any, ...], given: Mapping[Any, Any] | None, what: str, *, is_complex: bool
) -> LocalExpression:
    """Check the expressions, and split them into derivatives of the unknowns and functions of those."""
    givens = _joined(problem.givens, read_givens(given))
    symbols = tuple(unknown.symbol for unknown in problem.unknowns)
    for symbol in symbols:
        givens.check_coordinates(symbol)
    written = [_checked(as_expression(e, what), problem, givens, what) for e in expressions]
    parts = _parts_of(symbols, written, is_complex=is_complex)
    apart = [write_components(parts.take_apart(e), problem.coordinates) for e in written]
    atoms = sorted(set().union(*(_atoms(e, parts) for e in apart)), key=str)
    setting = Setting(problem.unknowns, givens, problem.domain)
    operators = tuple(linear_operator({a: sp.S.One}, setting, what, normals=True) for a in atoms)
    stand_ins = {atom.xreplace(of): sp.Dummy(str(atom), real=True) for of in parts.each for atom in atoms}
    arguments = (*problem.coordinates, *stand_ins.values())
    fields, are_real = [], []
    for expression in apart:
        functions = givens.callables(expression, problem.coordinates)
        first = {key: _of_coordinates(call, problem.dimension) for key, call in functions.items()}
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
    """A number or an expression, as an expression."""
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


def _checked(expression: sp.Expr, problem: Problem, givens: Givens, what: str) -> sp.Expr:
    """The expression with the given numbers put in and derivatives carried out."""
    written: sp.Expr = evaluate_derivatives(givens.substitute(expression))
    symbols = tuple(unknown.symbol for unknown in problem.unknowns)
    for unknown in symbols:
        _check_places(written, unknown, what)
    for other in _others(problem, givens):
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


def _check_places(written: sp.Expr, unknown: AppliedUndef, what: str) -> None:
    """Refuse an unknown at other places than the point itself, and one written as a symbol."""
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


def _others(problem: Problem, givens: Givens) -> list[AppliedUndef]:
    """The unknowns of the system that the problem is one field of."""
    stated = {f for equation in problem.statement.equations for f in equation.atoms(AppliedUndef)}
    known = {unknown.symbol for unknown in problem.unknowns}
    return sorted((f for f in stated - known if f.args == problem.coordinates and not givens.is_known(f)), key=str)


def _atoms(expression: sp.Expr, parts: _Parts) -> set[sp.Expr]:
    """The derivatives of the unknowns that the expression is made of, the unknowns themselves among them."""
    functions = [function for of in parts.each for function in of.values()]
    normal: set[sp.Expr] = expression.atoms(NormalDerivative)
    plain = expression.xreplace({atom: sp.Dummy() for atom in normal})
    derivatives = {atom for atom in plain.atoms(sp.Derivative) if atom.expr in functions}
    rest = plain.xreplace({atom: sp.Dummy() for atom in derivatives})
    bare = {function for function in functions if rest.has(function)}
    return {parts.whole(atom) for atom in normal | derivatives | bare}


def _is_real(expression: sp.Expr, arguments: Sequence[sp.Symbol]) -> bool:
    """Whether an expression has no complex values: real numbers in, real numbers out."""
    # not zero, where SymPy could not tell which infinity 1/x is
    real = expression.xreplace({a: sp.Dummy(real=True, nonzero=True) for a in arguments})
    return bool(real.is_real or sp.expand(real).is_real)


def _of_coordinates(call: PointFunction, dimension: int) -> PointFunction:
    """A given callable, which gets the coordinates alone."""
    return lambda arguments: call(np.ascontiguousarray(arguments[:, :dimension]))


def _joined(stated: Givens, more: Givens) -> Givens:
    return Givens(
        stated.symbols | more.symbols,
        stated.functions | more.functions,
        stated.applied | more.applied,
        stated.derivatives | more.derivatives,
        stated.inner | more.inner,
    )


# ---- Values on a regular grid over the bounding box of a domain


@final
@dataclass(frozen=True, eq=False)
class Grid:
    """Values on a regular grid.

    Attributes
    ----------
    axes : tuple of (n_a,) arrays
        Places along each coordinate, both ends of the bounding box included.
    values : masked array of shape ``(n_1, ..., n_d)``
        Masked, and NaN beneath, outside of the domain. Real or complex; of several functions together, which exports
        take, with one more axis for them.
    names : tuple of str
        The coordinates'.
    """

    axes: tuple[FloatArray, ...]
    values: np.ma.MaskedArray[Any, Any]
    names: tuple[str, ...]


def make_grid(
    function: Callable[[FloatArray], NumberArray], problem: Problem, n: int | Iterable[int], *, width: int = 8
) -> Grid:
    """Evaluate `function`, from points ``(m, d)`` to ``(m,)`` or ``(m, k)``, where a grid lies in the domain.

    Its values take `width` bytes at a point.
    """
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
    values: NumberArray | None = None
    outside = np.ones(total, dtype=np.bool_)
    for start in range(0, total, SLAB):
        here = np.arange(start, min(start + SLAB, total))
        index = np.unravel_index(here, shape)
        points = np.column_stack([axis[i] for axis, i in zip(axes, index, strict=True)])
        inside = domain.contains(points)
        outside[here] = ~inside
        found = function(points[inside])
        values = np.full((total, *found.shape[1:]), np.nan, dtype=found.dtype) if values is None else values
        values = values.astype(np.result_type(values, found), copy=False)
        values[here[inside]] = found
    assert values is not None  # there is a point, at least
    hidden = np.broadcast_to(outside.reshape(shape + (1,) * (values.ndim - 1)), shape + values.shape[1:])
    masked: np.ma.MaskedArray[Any, Any] = np.ma.MaskedArray(values.reshape(shape + values.shape[1:]), hidden)
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


# ---- Functions made of a solution: derivatives, and any expression in them


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
        from fspielm.solution.calculus import integrate_derived

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


# ---- How well the equations hold: a method of `Solution`, and what pictures ask for


def residual(solution: Solution, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
    """Left minus right-hand side of the equation at `points` ``(n, d)``; shape ``(n,)``.

    Of several equations ``(n, E)``, in the order in which they were stated. In objects that let waves through it is
    that of their own wavenumber, for the total field: what objects add to it solves none by itself there. Outside of
    the domain as for ``solution(points)``.
    """
    return at_points(partial(_residual, solution), solution.problem.domain, points, outside)


def _residual(solution: Solution, points: FloatArray) -> NumberArray:
    problem = solution.problem.stated
    if not problem.is_linear:
        return np.concatenate([problem.residual(solution, slab) for slab in _slabs(points)])
    _ = problem.equations or problem.operator  # which says what is wrong
    values = np.concatenate([_linear(solution, problem.equations, slab) for slab in _slabs(points)])
    return values[:, 0] if values.shape[1] == 1 else values


def residual_of(solution: Solution, number: int, points: FloatArray) -> NumberArray:
    """The residual of one of the equations, shape ``(n,)``."""
    problem = solution.problem.stated
    if not problem.is_linear:
        return np.asarray(_residual(solution, points).reshape(len(points), -1)[:, number])
    equations = problem.equations[number : number + 1]
    return np.concatenate([_linear(solution, equations, slab)[:, 0] for slab in _slabs(points)])


def _slabs(points: FloatArray) -> list[FloatArray]:
    return [points[start : start + SLAB] for start in range(0, max(len(points), 1), SLAB)]


def _linear(solution: Solution, equations: Sequence[Relation], points: FloatArray) -> NumberArray:
    """Of each of some equations, shape ``(n, E)``."""
    if has_media(solution.problem):
        return _by_medium(solution, equations[0], points)[:, None]
    here = Sites(points)
    right = np.stack([equation.values(here) for equation in equations], axis=1)
    return np.asarray(solution.evaluate_each([equation.operator for equation in equations], here).T - right)


def _by_medium(solution: Solution, outside: Relation, points: FloatArray) -> NumberArray:
    """That of each medium at the points in it, as it would be with the factor that the equation was written with."""
    problem = solution.problem
    lattice = lattice_of(problem)
    copies = np.zeros(len(points)) if lattice is None else lattice.copies(points)
    if lattice is not None:  # the media of the copies are those of the objects that were named
        points = points - np.outer(copies, (lattice.period, 0.0))
    factor = next(term.coefficient for term in outside.operator.terms if term.order == 2)
    numbers, values = medium_at(problem, points), np.empty(len(points), dtype=np.complex128)
    values[numbers == 0] = solution.evaluate(outside.operator, points[numbers == 0])
    missing = _left_out(solution)
    for number, medium in enumerate(media_of(problem), 1):
        here, operator = numbers == number, interior_operator(problem, medium).times(factor)
        inside = solution.evaluate(operator, points[here])
        if missing is not None:
            inside = inside + evaluate(missing, np.ones(1), operator, Sites(points[here]), threads=1)
        values[here] = inside
    return values if lattice is None else values * lattice.phases(copies)


def _left_out(solution: Solution) -> IncidentBasis | None:
    """What comes in, where the field is the scattered one, without it."""
    fields, basis = incident_of(solution.problem), solution.basis
    regional = basis.basis if isinstance(basis, FoldedBasis) else basis
    assert isinstance(regional, RegionalBasis)  # as the problem has media
    if not fields or any(isinstance(leaf, IncidentBasis) for leaf in regional.outside.leaves):
        return None
    return IncidentBasis(fields, solution.problem.dimension)
