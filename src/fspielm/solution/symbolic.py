"""Expressions in unknowns and their derivatives, made ready to be evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.arrays import NumberArray, real_parts
from fspielm.equations import NormalDerivative, Operator, Problem
from fspielm.equations.givens import Givens, read_givens
from fspielm.equations.linear import linear_operator
from fspielm.equations.normal import normal_symbols, write_components
from fspielm.equations.parameters import plain_symbol
from fspielm.equations.setting import Setting
from fspielm.errors import ProblemError
from fspielm.expressions import NONLOCAL, Field, PointFunction, bare_hint, evaluate_derivatives, make_field
from fspielm.expressions.relation import same_name_hint
from fspielm.geometry import Sites

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
