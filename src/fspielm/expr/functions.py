"""Functions of points from numbers, expressions and callables."""

from __future__ import annotations

import builtins
import inspect
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from keyword import iskeyword
from numbers import Complex
from typing import Any, TypeAlias

import mpmath
import numpy as np
import scipy
import sympy as sp
from numpy.typing import ArrayLike
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.evalf import PrecisionExhausted
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, to_nnf
from sympy.printing.numpy import SciPyPrinter

from fspielm.arrays import LARGEST, BoolArray, FloatArray, NumberArray, beyond_range
from fspielm.errors import IterateError, ProblemError, blame
from fspielm.expr.grammar import EXPONENT
from fspielm.numerics.tolerances import ROUNDED, ROUNDING
from fspielm.resources import check_deadline

PointFunction = Callable[[FloatArray], ArrayLike]

# Nodes beyond which expressions are too large for what would be made of them.
MOST_NODES = 2000

_BY_SOLVER: ContextVar[bool] = ContextVar("by_solver", default=False)


def called_by_solver() -> bool:
    """Whether a user's function is being evaluated: solutions inside it are extended beyond their domains."""
    return _BY_SOLVER.get()


def describe(source: Any) -> str:
    """The expression, or the name of the callable, for messages."""
    if isinstance(source, sp.Basic):
        text = str(source)
        return text if len(text) <= 120 else text[:117] + "..."
    if callable(source):
        return f"the callable {getattr(source, '__name__', repr(source))}"
    return repr(source)


def bare_hint(value: object) -> str:
    """Addition to a message about a function written without its coordinates."""
    remedy = f': a function without its coordinates; write {value} = sp.Function("{value}")(x, y), and use that'
    return remedy if isinstance(value, UndefinedFunction) else ""


def evaluate(function: PointFunction, points: FloatArray, who: str) -> NumberArray:
    """Values of `function` at `points`, shape ``(n,)``; `who` names it in messages.

    They are complex if imaginary parts exceed rounding. The function gets a copy, which it may change in place.
    """
    n = len(points)
    before = _BY_SOLVER.set(True)
    try:
        result = function(points.copy())
    except TypeError as error:
        if "loop of ufunc" in str(error):  # in NumPy's words: "... does not support argument 0 of type Symbol"
            raise ProblemError(
                f"{who} applies a function of NumPy to a SymPy expression ({error}); take the columns of its argument, "
                "as in lambda p: np.sin(p[:, 0]), or give the expression itself, sp.sin(x)"
            ) from error
        # an error inside the callable is its own; an error at the call itself means wrong arguments
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            blame(error, who)
            raise
        raise ProblemError(
            f"{who} is called with one array of points, shape ({n}, {points.shape[1]}), and returns one value for "
            f"each; it refused ({error})"
        ) from error
    except Exception as error:
        blame(error, who)
        raise
    finally:
        _BY_SOLVER.reset(before)
    try:
        array = np.asarray(result)
        if array.dtype.kind not in "fiubc":
            hint = "; give a SymPy expression itself, without a function" if array.dtype.kind == "O" else ""
            raise TypeError(f"got values of type {array.dtype}{hint}")
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{who} must return numbers: {error}") from error
    if array.dtype.kind == "c" and is_real(array):
        array = array.real
    dtype = np.complex128 if array.dtype.kind == "c" else np.float64
    if array.shape == ():
        return np.full(n, array, dtype=dtype)
    if array.shape != (n,):
        table = array.ndim == 2 and array.shape[1] > 1 and len(array) == n
        hint = "; values for several unknowns are a dictionary, as in {u: f, v: g}" if table else ""
        raise ProblemError(
            f"{who} must return one value per point, shape ({n},) for {n} points; got shape {array.shape}{hint}"
        )
    return np.ascontiguousarray(array, dtype=dtype)


def real_number(number: complex) -> float:
    """The real part of `number`; NaN if its imaginary part exceeds rounding."""
    return number.real if abs(number.imag) <= ROUNDED * abs(number) else np.nan


def simplest_number(number: complex) -> complex:
    """`number`, real if its imaginary part is rounding."""
    real = real_number(number)
    return number if np.isnan(real) else real


def is_real(values: NumberArray) -> bool:
    """Whether imaginary parts are rounding or absent."""
    if not np.iscomplexobj(values):
        return True
    finite = values[np.isfinite(values)]
    return bool(not finite.size or np.abs(finite.imag).max() <= ROUNDED * np.abs(finite).max())


# ---- Functions that also take outward normals

NormalFunction = Callable[[FloatArray, FloatArray], ArrayLike]


def takes_normals(function: Callable[..., Any]) -> bool:
    """Whether a callable takes points and normals: it has exactly two required arguments."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a built-in function without a signature
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is p.empty for p in parameters) == 2


def join_normals(points: FloatArray, normals: FloatArray) -> FloatArray:
    """Points ``(n, d)`` and normals ``(n, d)`` as one array ``(n, 2 d)``."""
    return np.column_stack([points, normals])


def of_points_and_normals(function: Callable[..., Any], dimension: int) -> PointFunction:
    """A function of points, or of points and normals, as a function of the array of `join_normals`."""
    both = takes_normals(function)

    def apart(columns: FloatArray) -> Any:
        points, normals = (np.ascontiguousarray(half) for half in np.split(columns, [dimension], axis=1))
        return function(points, normals) if both else function(points)

    return apart


# ---- Numbers that no computation can use

_NAMES = {sp.oo: "infinite", -sp.oo: "infinite", sp.zoo: "infinite", sp.nan: "not a number"}


def flaw(expression: sp.Basic) -> str:
    """The infinite, NaN or too large number in `expression`, as text; empty if there is none.

    Limits of integrals and sums may be infinite.
    """
    if expression in _NAMES:
        return f"{expression}, which is {_NAMES[expression]}"
    if isinstance(expression, sp.Number) and not _is_double(expression):
        return f"{describe(expression)}, which is beyond the range of floating-point numbers"
    if isinstance(expression, ExprWithLimits | sp.Limit):
        return ""
    return next(filter(None, map(flaw, expression.args)), "")


def _is_double(number: sp.Number) -> bool:
    try:
        return math.isfinite(float(number))
    except OverflowError:
        return False


# ---- From SymPy to NumPy and SciPy, or to mpmath


def numeric_function(arguments: Sequence[sp.Symbol], body: sp.Basic, who: str) -> Callable[..., Any]:
    """A function of one array per argument that evaluates `body`; `who` names it in messages."""
    fast = _by_scipy(tuple(arguments), body)
    return _by_mpmath(arguments, body, who) if fast is None else fast


def numeric_functions(arguments: Sequence[sp.Symbol], bodies: Sequence[sp.Basic], who: str) -> Callable[..., list[Any]]:
    """The same for several expressions; NumPy and SciPy evaluate common subexpressions once."""
    fast = _by_scipy(tuple(arguments), sp.Tuple(*bodies))
    if fast is not None:
        return lambda *columns: list(fast(*columns))
    each = [numeric_function(arguments, body, who) for body in bodies]
    return lambda *columns: [function(*columns) for function in each]


@lru_cache(maxsize=256)
def _by_scipy(arguments: tuple[sp.Symbol, ...], body: sp.Basic) -> Callable[..., Any] | None:
    """The function by NumPy and SciPy; None if they cannot evaluate it.

    Cached, since all parts of a boundary may have the same data.
    """
    # Rename only arguments that would hide a function, such as a coordinate gamma: with new symbols SymPy evaluates the
    # expression again, which takes longer than compiling it.
    renamed = {a: sp.Dummy(real=a.is_real) for a in arguments if _is_taken(a.name)}
    plain, body = [renamed.get(a, a) for a in arguments], body.xreplace(renamed)
    printer = _ExactPrinter({"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True})
    # the docstring would take as long as the rest
    fast = sp.lambdify(plain, body, ["scipy", "numpy"], printer, cse=True, docstring_limit=0)
    probe = [np.full(2, 0.5)] * len(plain)
    try:
        with np.errstate(all="ignore"):
            fast(*probe)
    except (NameError, TypeError, AttributeError, ValueError):
        return None

    def quiet(*columns: Any) -> Any:  # all values are checked afterwards
        with np.errstate(all="ignore"):
            return fast(*columns)

    return quiet


def _is_taken(name: str) -> bool:
    """Whether generated code could mean something else by `name`."""
    return not name.isidentifier() or iskeyword(name) or any(hasattr(m, name) for m in (builtins, np, scipy.special))


class _ExactPrinter(SciPyPrinter):  # type: ignore[misc]
    """Prints floating-point numbers to the last bit; SymPy alone would round them to 15 digits."""

    def _print_Float(self, expression: sp.Float) -> str:  # noqa: N802 (SymPy looks methods up by this name)
        return repr(float(expression))


def _by_mpmath(arguments: Sequence[sp.Symbol], body: sp.Basic, who: str) -> Callable[..., Any]:
    """Evaluation point by point, for functions that SciPy lacks."""
    scalar = sp.lambdify(list(arguments), body, modules="mpmath")
    # without the imaginary unit a complex value is undefined, such as the root of a negative number
    kind, number = (np.complex128, simplest_number) if body.has(sp.I) else (np.float64, real_number)

    def at_point(*values: float) -> complex:
        try:
            return number(complex(scalar(*values)))
        except (ValueError, ArithmeticError, mpmath.libmp.NoConvergence):
            return np.nan  # undefined at this point only

    try:
        at_point(*([0.5] * len(arguments)))
    except (NameError, TypeError, AttributeError) as error:
        raise ProblemError(
            f"{who} cannot be evaluated numerically ({error}); name it by a function such as f(x, y) and "
            "supply a callable, as in given={f: callable}"
        ) from error
    return np.vectorize(at_point, otypes=[kind])


# ---- Functions of points from SymPy expressions

# Operations that evaluate their argument elsewhere than at the point itself.
NONLOCAL = (sp.Subs, sp.Limit, ExprWithLimits)


def evaluate_derivatives(expression: sp.Expr) -> sp.Expr:
    """Carry out unevaluated derivatives.

    Integrals and sums stay: SymPy may search for a closed form forever.
    """
    unevaluated = (sp.Derivative, sp.Subs, sp.UnevaluatedExpr)
    evaluated: sp.Expr = expression.replace(lambda e: isinstance(e, unevaluated), lambda e: e.doit(deep=False))
    return evaluated.replace(lambda e: isinstance(e, sp.Mul) and e.has(sp.sign) and e.has(sp.re), _slope_of_modulus)


def _slope_of_modulus(product: sp.Mul) -> sp.Expr:
    """Replace SymPy's derivative of ``Abs(g)`` for real g, which is 0/0 where g vanishes, by ``sign(g) g'``.

    SymPy's derivative is ``(re(g) re(g)' + im(g) im(g)') sign(g) / g``.
    """
    for sign in product.atoms(sp.sign).intersection(product.args):
        inner = sign.args[0]
        below = set(sp.Mul.make_args(1 / inner))
        for slope in product.args if below <= set(product.args) else ():
            along = {d.variables for d in slope.atoms(sp.Derivative) if isinstance(d.expr, sp.re | sp.im)}
            if len(along) == 1 and len(variables := along.pop()) == 1:
                own = inner.diff(variables[0])
                if _are_equal(slope, inner * own):
                    return sp.Mul(*(factor for factor in product.args if factor not in below | {slope}), own)
    return product


def _are_equal(one: sp.Expr, other: sp.Expr) -> bool:
    """Whether two expressions of real symbols are equal at two points, to rounding."""
    real = {symbol: sp.Dummy(real=True) for symbol in one.free_symbols | other.free_symbols}
    one, other = one.xreplace(real).doit(), other.xreplace(real)
    if sp.Tuple(one, other).has(sp.Derivative, AppliedUndef):
        return False
    for place in (sp.Rational(347, 1009), sp.Rational(-1499, 661)):
        at = {symbol: place + sp.Rational(k, 7) for k, symbol in enumerate(real.values())}
        values = [one.xreplace(at).evalf(), other.xreplace(at).evalf()]
        if not all(value.is_number for value in values) or abs(values[0] - values[1]) > ROUNDED * abs(values[1]):
            return False
    return True


def on_the_real_line(expression: sp.Expr, arguments: Iterable[sp.Symbol]) -> tuple[sp.Expr, dict[sp.Symbol, sp.Symbol]]:
    """The expression with derivatives carried out for real arguments, and the real symbols that replace arguments.

    SymPy's derivative of ``Abs(x)`` is full of derivatives of re(x) and im(x) unless x is real.
    """
    complex_arguments = [a for a in arguments if not a.is_real] if expression.has(sp.Derivative) else []
    real = {a: sp.Dummy(a.name, real=True) for a in complex_arguments}
    return evaluate_derivatives(expression.xreplace(real)), real


def compile_expression(
    expression: sp.Expr, arguments: tuple[sp.Symbol, ...], functions: Mapping[sp.Expr, PointFunction], what: str
) -> PointFunction:
    """A function of a points array ``(n, d)`` that evaluates `expression`.

    `functions` holds the undefined functions in the expression and their derivatives. Special functions come from
    SciPy, or point by point from mpmath.
    """
    expression = evaluate_derivatives(expression)
    # a callable may be complex, which matters only to these functions
    real = None if expression.has(sp.conjugate, sp.re, sp.im, sp.Abs, sp.arg) else True
    body, symbols, supplied = _without_callables(expression, arguments, (), functions, what, real)
    numeric = numeric_function(symbols, body, f"{what}: {describe(expression)}")
    return lambda points: numeric(*points.T, *supplied(points))


def compile_together(
    expressions: Sequence[sp.Expr],
    coordinates: tuple[sp.Symbol, ...],
    further: tuple[sp.Symbol, ...],
    functions: Mapping[sp.Expr, PointFunction],
    what: str,
) -> Callable[[FloatArray, Iterable[NumberArray]], list[NumberArray]]:
    """A function that evaluates all `expressions` at points ``(n, d)``, common subexpressions once.

    It also takes values ``(n,)``, maybe complex, of the `further` symbols in the expressions.
    """
    written = sp.Tuple(*map(evaluate_derivatives, expressions))
    body, symbols, supplied = _without_callables(written, coordinates, further, functions, what, None)
    numeric = numeric_functions(symbols, body.args, what)

    def function(points: FloatArray, values: Iterable[NumberArray]) -> list[NumberArray]:
        return [np.broadcast_to(found, (len(points),)) for found in numeric(*points.T, *values, *supplied(points))]

    return function


def _without_callables(
    written: sp.Basic,
    coordinates: tuple[sp.Symbol, ...],
    further: tuple[sp.Symbol, ...],
    functions: Mapping[sp.Expr, PointFunction],
    what: str,
    real: bool | None,
) -> tuple[sp.Basic, list[sp.Symbol], Callable[[FloatArray], list[NumberArray]]]:
    """What is written with symbols for all callables; all its symbols; and the values of the callables at points."""
    _check_supplied(written, functions, what)
    supplied = {key: sp.Dummy(real=real) for key in functions if written.has(key)}
    body, on_line = on_the_real_line(written.xreplace(supplied), coordinates)
    symbols = [*(on_line.get(a, a) for a in coordinates), *further, *supplied.values()]
    callables = [(functions[key], f"the callable given for {key}") for key in supplied]
    return body, symbols, lambda points: [evaluate(call, points, who) for call, who in callables]


def _check_supplied(expression: sp.Expr, functions: Mapping[sp.Expr, PointFunction], what: str) -> None:
    """Refuse undefined functions without a callable in `functions`."""
    for term in expression.atoms(*NONLOCAL):
        inside = term.atoms(AppliedUndef)
        if inside:
            raise ProblemError(
                f"{what} needs {term}, but a callable gives {min(inside, key=str)} at the points alone; "
                "name the whole by a function of its own and supply a callable for that"
            )
    hidden = expression.xreplace({key: sp.Dummy() for key in functions if isinstance(key, sp.Derivative)})
    derivatives = [d for d in hidden.atoms(sp.Derivative) if isinstance(d.expr, AppliedUndef)]
    missing = derivatives or [f for f in hidden.atoms(AppliedUndef) if f not in functions]
    if missing:
        name = min(missing, key=str)
        raise ProblemError(
            f"{what} needs {name}, which is not given; supply a callable, as in given={{{name}: callable}}"
        )


# ---- Values of expressions without coordinates

# The bits that SymPy has to report of a value.
_BITS = sys.float_info.mant_dig - 3


def constant_value(expression: sp.Expr, what: str) -> complex:
    """The finite value, real or complex, of an expression without coordinates; `what` names it in messages.

    Integrals are computed by quadrature, since SymPy may search for a closed form forever. Values without full
    precision, such as integrals that oscillate up to infinity, are refused.
    """
    try:
        written = evaluate_derivatives(expression).replace(_is_finite_sum, _added_up)
        nonlocal_terms = written.atoms(*NONLOCAL)
        if any(isinstance(part, sp.Sum | sp.Product) and not _is_regular(part) for part in nonlocal_terms):
            raise PrecisionExhausted
        value = written.evalf(sys.float_info.dig)
        if nonlocal_terms and any(part._prec < _BITS for part in value.atoms(sp.Float)):
            raise PrecisionExhausted
        number = complex(value)
    except PrecisionExhausted:
        raise ProblemError(
            f"{what}: {describe(expression)} cannot be evaluated reliably; write its value in closed form or as a "
            "number"
        ) from None
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"{what}: {describe(expression)} has no numerical value") from None
    if not np.isfinite(number):
        shown = number if number.imag else number.real
        raise ProblemError(f"{what} must be a finite number; {describe(expression)} is {shown}")
    if abs(number) > LARGEST:
        size = f"{LARGEST:g} in size; got {abs(number):g}"
        raise ProblemError(f"{what} must be at most {size}: state the problem in other units")
    return simplest_number(number)


def _is_finite_sum(node: sp.Basic) -> bool:
    if not isinstance(node, sp.Sum | sp.Product) or len(node.limits) != 1:
        return False
    _, first, last = node.limits[0]
    return bool(first.is_Integer and last.is_Integer and 0 <= last - first < EXPONENT)


def _added_up(node: ExprWithLimits) -> sp.Expr:
    index, first, last = node.limits[0]
    terms = [node.function.subs(index, k) for k in range(int(first), int(last) + 1)]
    return sp.Add(*terms) if isinstance(node, sp.Sum) else sp.Mul(*terms)


def _is_regular(node: ExprWithLimits) -> bool:
    """Whether neighbouring terms have a rational ratio; for other sums SymPy may search integrals forever."""
    return len(node.limits) == 1 and sp.hypersimp(node.function, node.limits[0][0]) is not None


# ---- Masks of points from SymPy relations


def compile_relation(
    relation: Boolean, arguments: tuple[sp.Symbol, ...], tolerance: float, rounding: float | None = None
) -> Callable[[FloatArray], BoolArray]:
    """A mask function from a SymPy relation such as ``x < 0.5`` or ``sp.Eq(x, 0)``.

    Sides that differ by at most `tolerance` are equal, since boundary points satisfy ``x = 0`` only to rounding:
    ``x <= 0`` then holds, and ``x < 0`` and ``x > 0`` do not.

    Parameters
    ----------
    relation : Boolean
    arguments : tuple of Symbol
        The coordinates.
    tolerance : float
    rounding : float, optional
        Tolerance of inequalities, if it should be only rounding: ``x < 1e-9`` may contain its own tolerance.
    """
    unknown = sorted(relation.free_symbols - set(arguments), key=str)
    if unknown:
        raise ProblemError(
            f"on={relation} contains {unknown[0]}, which is neither a coordinate "
            f"({', '.join(map(str, arguments))}) nor given{same_name_hint(unknown[0], arguments)}"
        )
    if relation.has(sp.I):
        raise ProblemError(f"on={relation} contains the imaginary unit, but coordinates are real; compare real numbers")
    normal = to_nnf(relation, simplify=False)
    if normal.atoms(AppliedUndef) or _has_bare_symbol(normal):
        raise ProblemError(
            f"on={relation} must compare expressions of the coordinates, as in x < 0.5; "
            "for anything else use a function from points to a mask"
        )
    slacks = sp.Float(tolerance), None if rounding is None else sp.Float(rounding)
    relaxed = normal.replace(lambda e: isinstance(e, Relational), lambda e: _relax(e, *slacks))
    numeric = numeric_function(arguments, relaxed, f"on={relation}")

    def mask(points: FloatArray) -> BoolArray:
        # not a cast: a relation that mpmath cannot decide is NaN, which casts to True
        return np.broadcast_to(np.asarray(numeric(*points.T)) == 1, (len(points),))

    return mask


def same_name_hint(symbol: sp.Symbol, arguments: tuple[sp.Symbol, ...]) -> str:
    """Addition to a message about a symbol with the name of a coordinate."""
    if str(symbol) not in map(str, arguments):
        return ""
    return f"; SymPy symbols of one name but different assumptions (real=True) are different: use one {symbol}"


def _has_bare_symbol(formula: Boolean) -> bool:
    """Whether a symbol takes the place of a relation: SymPy reads ``on=x`` as "x is true"."""
    if isinstance(formula, Relational):
        return False
    return isinstance(formula, sp.Symbol) or any(_has_bare_symbol(a) for a in formula.args)


def _relax(relation: Any, tolerance: sp.Float, rounding: sp.Float | None) -> Any:
    gap = relation.lhs - relation.rhs
    if isinstance(relation, sp.Eq):
        return sp.Le(sp.Abs(gap), tolerance, evaluate=False)
    if isinstance(relation, sp.Ne):
        return sp.Gt(sp.Abs(gap), tolerance, evaluate=False)
    sides = sp.Abs(relation.lhs) + sp.Abs(relation.rhs)
    slack = tolerance if rounding is None else rounding + ROUNDING * sides
    limit = slack if isinstance(relation, (sp.Le, sp.Gt)) else -slack
    return relation.func(gap, limit, evaluate=False)


# ---- Fields: numbers, expressions and callables as functions of points

# Functions of real numbers that are complex.
_COMPLEX = (sp.hankel1, sp.hankel2, sp.hn1, sp.hn2, sp.expint, sp.Ynm)

Value: TypeAlias = complex | sp.Expr | PointFunction | NormalFunction


@dataclass(frozen=True, eq=False)
class Field:
    """A function, real or complex, of the points of a domain, or of points and normals of its boundary.

    Attributes
    ----------
    arguments : tuple of Symbol
        The coordinates, in the order of the columns of a points array.
    source : Expr or callable
        The user's input.
    constant : number or None
        The value of a constant field.
    needs_normals : bool
        Whether it depends on normals, and has values on a boundary only.
    """

    arguments: tuple[sp.Symbol, ...]
    source: sp.Expr | PointFunction | NormalFunction
    constant: complex | None
    _function: PointFunction = field(repr=False)
    needs_normals: bool = False

    def __call__(self, points: FloatArray, normals: FloatArray | None = None) -> NumberArray:
        """Values at `points`, shape ``(n,)``; unchecked values may be NaN or infinite."""
        if self.constant is not None:
            return np.full(len(points), self.constant)
        if len(points) == 0:
            return np.empty(0)
        check_deadline()
        if not self.needs_normals:
            return evaluate(self._function, points, self._name)
        if normals is None:
            raise ProblemError(f"{self._name} depends on the normal, which there is none of; use it on a boundary")
        return evaluate(self._function, join_normals(points, normals), self._name)

    @property
    def is_formula(self) -> bool:
        """Whether it is an expression of known functions: cheap, and defined wherever they are."""
        return isinstance(self.source, sp.Expr) and not self.source.atoms(AppliedUndef)

    @property
    def is_surely_real(self) -> bool:
        """Whether it is known to be real without evaluating it."""
        if self.constant is not None:
            return not isinstance(self.constant, complex)
        return self.is_formula and isinstance(self.source, sp.Expr) and not self.source.has(sp.I, *_COMPLEX)

    @property
    def unweighted(self) -> Field:
        """The data without the factor by which a condition scales its rows."""
        return self

    def checked(self, points: FloatArray, what: str, normals: FloatArray | None = None) -> NumberArray:
        """Values at `points`; refuses NaN and infinity, naming the first point that has one."""
        try:
            values = self(points, normals)
        except ProblemError as error:
            kind = IterateError if isinstance(error, IterateError) else ProblemError
            raise kind(f"{what}: {error}") from error
        bad = np.flatnonzero(beyond_range(values))
        if bad.size:
            place = ", ".join(f"{s}={v:.6g}" for s, v in zip(self.arguments, points[bad[0]], strict=True))
            wrong = f"beyond {LARGEST:g}" if np.isfinite(values[bad[0]]) else "not finite"
            raise ProblemError(
                f"{what} is {values[bad[0]]} at {place} ({bad.size} of {len(points)} points are {wrong}); "
                f"{self._advice(complex(values[bad[0]]))}"
            )
        return values

    def _advice(self, value: complex) -> str:
        """Advice about a value that is not finite or too large."""
        if np.isfinite(value):
            return "state the problem in other units"
        pieces = self.source.atoms(sp.Piecewise) if isinstance(self.source, sp.Expr) else ()
        if np.isnan(value) and any(piecewise.args[-1][1] != sp.true for piecewise in pieces):
            return f"no condition of {self._name} holds there: end the Piecewise with a piece for the rest, (..., True)"
        return f"check {self._name} there"

    @cached_property
    def _name(self) -> str:
        """The user's input, for messages; cached, since printing is slower than evaluating."""
        name = describe(self.source)
        if self.needs_normals and not isinstance(self.source, sp.Expr):
            return f"{name} (of two arguments, which are the points and the outward normals)"
        return name


def make_field(
    value: Value,
    arguments: tuple[sp.Symbol, ...],
    functions: Mapping[sp.Expr, PointFunction] | None = None,
    *,
    what: str = "value",
    normals: tuple[sp.Symbol, ...] = (),
) -> Field:
    """Turn a number, an expression in `arguments` or a callable into a `Field`.

    Parameters
    ----------
    value : number, Expr or callable ``(n, d) -> (n,)``
        A callable that needs two arguments gets the outward normals ``(n, d)`` as the second.
    arguments : tuple of Symbol
        The coordinates.
    functions : mapping, optional
        Callables for the undefined functions (and their derivatives) in an expression.
    what : str
        Name of this value in error messages.
    normals : tuple of Symbol, optional
        Symbols of the components of the normal in expressions; empty if there is no normal.
    """
    check_value(value, what)
    if isinstance(value, sp.Expr):
        return _expression_field(value, arguments, functions or {}, what, normals)
    if callable(value):
        function: Any = value
        if takes_normals(function):
            _check_normals(normals, f"{what} is {describe(function)}, which")
            return Field(arguments, function, None, of_points_and_normals(function, len(arguments)), needs_normals=True)
        return Field(arguments, function, None, function)
    return _expression_field(_as_number(value), arguments, {}, what)


def check_value(value: object, what: str) -> None:
    """Refuse anything but numbers, expressions and callables."""
    if isinstance(value, UndefinedFunction):
        raise ProblemError(
            f"{what} must be written with its coordinates, as in {value}(x, y); got the bare function {value}"
        )
    zero_dimensional = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiuc"
    number = (isinstance(value, Complex) and not isinstance(value, bool)) or zero_dimensional
    symbolic = isinstance(value, sp.Basic | sp.MatrixBase)
    if number or (isinstance(value, sp.Expr) if symbolic else callable(value)):
        return
    several = isinstance(value, list | tuple | sp.MatrixBase | np.ndarray)
    hint = "; values for several unknowns are a dictionary, as in {u: 0, v: 1}" if several else ""
    raise ProblemError(
        f"{what} must be a number, a SymPy expression or a callable of a points array; got {value!r}{hint}"
    )


def _as_number(value: Any) -> sp.Expr:
    """A number as a SymPy number."""
    if isinstance(value, int | np.integer):
        return sp.Integer(int(value))
    if isinstance(value, complex | np.complexfloating) or (isinstance(value, np.ndarray) and value.dtype.kind == "c"):
        number = complex(value)
        return sp.Float(number.real) + sp.I * sp.Float(number.imag)
    return sp.Float(float(value))


def _expression_field(
    expression: sp.Expr,
    arguments: tuple[sp.Symbol, ...],
    functions: Mapping[sp.Expr, PointFunction],
    what: str,
    normals: tuple[sp.Symbol, ...] = (),
) -> Field:
    unknown = sorted(expression.free_symbols - {*arguments, *normals}, key=str)
    if unknown:
        symbols, are = ("symbols", "are") if len(unknown) > 1 else ("symbol", "is")
        supply = f"; supply a value, as in given={{{unknown[0]}: 1.0}}"
        raise ProblemError(
            f"{what} contains the {symbols} {', '.join(map(str, unknown))}, which {are} neither a coordinate "
            f"({', '.join(map(str, arguments))}) nor given{same_name_hint(unknown[0], arguments) or supply}"
        )
    varies = bool(expression.free_symbols or expression.atoms(AppliedUndef))
    if varies and (wrong := flaw(expression)):
        raise ProblemError(f"{what} must be finite; {describe(expression)} contains {wrong}")
    asking = [key for key, function in functions.items() if expression.has(key) and takes_normals(function)]
    if asking:
        _check_normals(normals, f"{what} contains {asking[0]}, the callable for which")
    if asking or expression.free_symbols & set(normals):
        both = {key: of_points_and_normals(function, len(arguments)) for key, function in functions.items()}
        function = compile_expression(expression, (*arguments, *normals), both, what)
        return Field(arguments, expression, None, function, needs_normals=True)
    if varies:
        function = compile_expression(expression, arguments, functions, what)
        return Field(arguments, expression, None, function)
    constant = constant_value(expression, what)
    return Field(arguments, expression, constant, lambda points: np.full(len(points), constant))


def _check_normals(normals: tuple[sp.Symbol, ...], subject: str) -> None:
    if not normals:
        raise ProblemError(
            f"{subject} takes two arguments, points and outward normals; but there are normals on a boundary alone: "
            "write a function of the points"
        )
