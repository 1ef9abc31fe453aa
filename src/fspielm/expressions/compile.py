"""Functions of points from SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expressions.numeric import numeric_function, numeric_functions
from fspielm.expressions.values import PointFunction, describe, evaluate

# What takes its argument somewhere else than at the point itself.
NONLOCAL = (sp.Subs, sp.Limit, ExprWithLimits)


def evaluate_derivatives(expression: sp.Expr) -> sp.Expr:
    """Carry out the derivatives that were left unevaluated, products under them expanded.

    Integrals and sums stay as they are: SymPy may search for a closed form for ever.
    """
    unevaluated = (sp.Derivative, sp.Subs, sp.UnevaluatedExpr)
    evaluated: sp.Expr = expression.replace(lambda e: isinstance(e, unevaluated), lambda e: e.doit(deep=False))
    return evaluated.replace(lambda e: isinstance(e, sp.Mul) and e.has(sp.sign) and e.has(sp.re), _slope_of_modulus)


def _slope_of_modulus(product: sp.Mul) -> sp.Expr:
    """With ``sign(g) g'`` for what SymPy has as the slope of ``Abs(g)``, which is 0/0 where g of real x vanishes.

    That is ``(re(g) re(g)' + im(g) im(g)') sign(g) / g``.
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
    """Whether two expressions of real symbols are the same, as far as two places show: to rounding."""
    real = {symbol: sp.Dummy(real=True) for symbol in one.free_symbols | other.free_symbols}
    one, other = one.xreplace(real).doit(), other.xreplace(real)
    if sp.Tuple(one, other).has(sp.Derivative, AppliedUndef):
        return False
    for place in (sp.Rational(347, 1009), sp.Rational(-1499, 661)):
        at = {symbol: place + sp.Rational(k, 7) for k, symbol in enumerate(real.values())}
        values = [one.xreplace(at).evalf(), other.xreplace(at).evalf()]
        if not all(value.is_number for value in values) or abs(values[0] - values[1]) > 1e-12 * abs(values[1]):
            return False
    return True


def on_the_real_line(expression: sp.Expr, arguments: Iterable[sp.Symbol]) -> tuple[sp.Expr, dict[sp.Symbol, sp.Symbol]]:
    """The expression with the derivatives carried out that need real arguments, and what stands for arguments there.

    SymPy's derivative of ``Abs(x)`` is full of derivatives of re(x) and im(x), unless x is real, as points are.
    """
    complex_arguments = [a for a in arguments if not a.is_real] if expression.has(sp.Derivative) else []
    real = {a: sp.Dummy(a.name, real=True) for a in complex_arguments}
    return evaluate_derivatives(expression.xreplace(real)), real


def compile_expression(
    expression: sp.Expr,
    arguments: tuple[sp.Symbol, ...],
    functions: Mapping[sp.Expr, PointFunction],
    what: str,
) -> PointFunction:
    """A function of a points array ``(n, d)`` that evaluates `expression`.

    Undefined functions in the expression, and their derivatives, are looked up in `functions`; special
    functions come from SciPy, and from mpmath (slower, point by point) where SciPy has none.
    """
    expression = evaluate_derivatives(expression)
    _check_supplied(expression, functions, what)
    # a callable may be complex, which matters to these alone
    real = None if expression.has(sp.conjugate, sp.re, sp.im, sp.Abs, sp.arg) else True
    supplied = {key: sp.Dummy(real=real) for key in functions if expression.has(key)}
    body = expression.xreplace(supplied)
    body, on_line = on_the_real_line(body, arguments)
    who = f"{what}: {describe(expression)}"
    numeric = numeric_function([*(on_line.get(a, a) for a in arguments), *supplied.values()], body, who)
    callables = [(functions[key], f"the callable given for {key}") for key in supplied]

    def function(points: FloatArray) -> ArrayLike:
        values = [evaluate(call, points, who) for call, who in callables]
        result: ArrayLike = numeric(*points.T, *values)
        return result

    return function


def compile_together(
    expressions: Sequence[sp.Expr],
    coordinates: tuple[sp.Symbol, ...],
    further: tuple[sp.Symbol, ...],
    functions: Mapping[sp.Expr, PointFunction],
    what: str,
) -> Callable[[FloatArray, Iterable[NumberArray]], list[NumberArray]]:
    """A function that evaluates all `expressions` at points ``(n, d)``, what they share once.

    They may contain `further` symbols, whose values ``(n,)`` it takes beside the points; those may be complex.
    """
    written = sp.Tuple(*(evaluate_derivatives(expression) for expression in expressions))
    _check_supplied(written, functions, what)
    supplied = {key: sp.Dummy() for key in functions if written.has(key)}
    body, on_line = on_the_real_line(written.xreplace(supplied), coordinates)
    arguments = [*(on_line.get(a, a) for a in coordinates), *further, *supplied.values()]
    numeric = numeric_functions(arguments, body.args, what)
    callables = [(functions[key], f"the callable given for {key}") for key in supplied]

    def function(points: FloatArray, values: Iterable[NumberArray]) -> list[NumberArray]:
        known = [evaluate(call, points, who) for call, who in callables]
        return [np.broadcast_to(found, (len(points),)) for found in numeric(*points.T, *values, *known)]

    return function


def _check_supplied(expression: sp.Expr, functions: Mapping[sp.Expr, PointFunction], what: str) -> None:
    """Refuse what no callable in `functions` stands for."""
    for elsewhere in expression.atoms(*NONLOCAL):
        inside = elsewhere.atoms(AppliedUndef)
        if inside:
            raise ProblemError(
                f"{what} needs {elsewhere}, but a callable gives {min(inside, key=str)} at the points alone; "
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
