"""From SymPy expressions to linear operators and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from math import comb, prod
from operator import itemgetter
from typing import Any, final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import Field, bare_hint, describe, evaluate_derivatives, flaw, make_field
from fspielm.expr.identities import is_zero
from fspielm.geometry.level_curves import Extent, find_border
from fspielm.numerics.tolerances import SAME
from fspielm.problem.normal import OF_NORMALS, NormalDerivative
from fspielm.problem.operator import Operator, along_normal, field_coefficient
from fspielm.problem.setting import Rule, Setting, refuse_nonlocal_terms
from fspielm.problem.substitutions import in_sheets, side_of


def residual_form(equation: sp.Basic, argument: str = "equation") -> sp.Expr:
    """The expression that the equation sets to zero."""
    if isinstance(equation, bool | sp.logic.boolalg.BooleanAtom):
        raise ProblemError(
            f"{argument} is the plain truth value {equation} (what Python makes of `left == right`, and SymPy "
            "of an Eq whose sides it can compare, or one of which is infinite or nan); write sp.Eq(left, right) with "
            'the unknown in it, u = sp.Function("u")(x, y): the derivative of a plain symbol is zero'
        )
    sides = {"left": equation.lhs, "right": equation.rhs} if isinstance(equation, sp.Eq) else {"": equation}
    for name, side in sides.items():
        _refuse_infinite(side, f"{argument}: on its {name}-hand side, " if name else f"{argument}: ")
    expression = equation.lhs - equation.rhs if isinstance(equation, sp.Eq) else equation
    if not isinstance(expression, sp.Expr) or expression.is_Matrix:
        several = ", or a list of them" if argument == "equation" else ""
        raise ProblemError(
            f"{argument} must be a SymPy Eq(left, right), or an expression meant to be zero{several}; got {equation!r}"
            f"{bare_hint(equation)}"
        )
    return expression


def _refuse_infinite(side: sp.Basic, where: str) -> None:
    """Refuse an infinite known term, to which SymPy would add others without a trace."""
    for term in sp.Add.make_args(side) if isinstance(side, sp.Expr) else ():
        if not term.atoms(AppliedUndef) and (wrong := flaw(term)):
            raise ProblemError(f"{where}the term {describe(term)} must be finite; it contains {wrong}")


# ---- Splitting an expression into its linear parts


# From each symbol to its coefficient, and from 1 to the rest.
Parts = dict[sp.Expr, sp.Expr]

# Products with more terms than this are not expanded, as it would take too long.
_MOST_TERMS = 2000

_SMOOTH = (sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log, TrigonometricFunction, HyperbolicFunction)


class NonlinearTermError(Exception):
    """`term` is not linear in the symbols."""

    def __init__(self, term: sp.Expr) -> None:
        super().__init__(str(term))
        self.term = term


def split_affine(expression: sp.Expr, symbols: frozenset[sp.Symbol]) -> Parts:
    """Write `expression` as a sum of coefficients times symbols and a rest; coefficients that are zero are left out.

    Products and powers are expanded only if necessary, so that coefficients keep the form the user gave them.

    Raises
    ------
    NonlinearTermError
        With the first term that is not linear.
    """
    parts, nonlinear = _split_terms(sp.Add.make_args(expression), symbols)
    if nonlinear:
        # expand the sum, as (u + 1)**2 - u**2 is linear
        more, nonlinear = _split_terms(sp.Add.make_args(_multiplied_out(sp.Add(*nonlinear))), symbols)
        parts += more
    if nonlinear:
        parts.append(_split_by_slopes(nonlinear, symbols))
    return {key: value for key, value in _sum(parts).items() if key == 1 or not is_zero(value)}


def _split_terms(terms: Iterable[sp.Expr], symbols: frozenset[sp.Symbol]) -> tuple[list[Parts], list[sp.Expr]]:
    """The parts of the terms that are visibly linear, and the other terms."""
    split = [(term, visible_parts(term, symbols)) for term in terms]
    return [parts for _, parts in split if parts is not None], [term for term, parts in split if parts is None]


def _multiplied_out(expression: sp.Expr) -> sp.Expr:
    """The expanded expression, unless it has too many terms; exp(u + x) stays as it is."""
    if _most_terms(expression) > _MOST_TERMS:
        return expression
    return sp.expand(expression, power_exp=False, power_base=False, log=False)


def _most_terms(expression: sp.Basic) -> int:
    """An upper bound for the terms of an expression, and of its parts, after expansion."""
    inner = [_most_terms(argument) for argument in expression.args]
    largest = max(inner, default=1)
    if isinstance(expression, sp.Add):
        return sum(inner)
    if isinstance(expression, sp.Mul):
        return prod(inner)
    if isinstance(expression, sp.Pow) and isinstance(expression.exp, sp.Integer) and largest > 1:
        power = abs(int(expression.exp))
        return _MOST_TERMS + 1 if max(power, largest) > _MOST_TERMS else comb(inner[0] + power - 1, power)
    return 1 if largest <= _MOST_TERMS else largest


def _split_by_slopes(terms: list[sp.Expr], symbols: frozenset[sp.Symbol]) -> Parts:
    """The parts of a sum of terms that look nonlinear: it is linear if its second derivatives vanish."""
    expression = sp.Add(*terms)
    used = sorted(expression.free_symbols & symbols, key=str)
    for term in terms:
        if not _is_smooth(term, symbols):
            raise NonlinearTermError(term)
    slopes = {symbol: expression.diff(symbol) for symbol in used}
    if not all(is_zero(slope.diff(symbol)) for slope in slopes.values() for symbol in used):
        raise NonlinearTermError(terms[0])
    for number in (0, 1, 2):  # the sum may be undefined at some of these
        place = dict.fromkeys(used, sp.Integer(number))
        parts = {symbol: slope.xreplace(place) for symbol, slope in slopes.items()}
        parts[sp.S.One] = expression.xreplace(place) - number * sp.Add(*parts.values())
        if not any(part.has(sp.nan, sp.zoo, sp.oo, -sp.oo) for part in parts.values()):
            return parts
    raise NonlinearTermError(terms[0])


def _is_smooth(expression: sp.Basic, symbols: frozenset[sp.Symbol]) -> bool:
    """Whether it depends smoothly on the symbols: derivatives do not show jumps and kinks."""
    if expression in symbols or not expression.free_symbols & symbols:
        return True
    if isinstance(expression, sp.Pow) and not expression.exp.is_integer and expression.base.free_symbols & symbols:
        return False  # the root of a square is an absolute value
    return isinstance(expression, _SMOOTH) and all(_is_smooth(argument, symbols) for argument in expression.args)


def visible_parts(expression: sp.Expr, symbols: frozenset[sp.Symbol]) -> Parts | None:
    """The parts of `expression`, or None if it is not visibly linear."""
    if not expression.free_symbols & symbols:
        return {sp.S.One: expression}
    if expression in symbols:
        return {expression: sp.S.One}
    if isinstance(expression, sp.Add):
        terms = [visible_parts(term, symbols) for term in expression.args]
        known = [term for term in terms if term is not None]
        return _sum(known) if len(known) == len(terms) else None
    if isinstance(expression, sp.Mul):
        factor, dependent = expression.as_independent(*symbols, as_Add=False)
        inner = None if isinstance(dependent, sp.Mul) else visible_parts(dependent, symbols)
        return None if inner is None else {key: factor * value for key, value in inner.items()}
    if isinstance(expression, sp.Piecewise):
        return _split_piecewise(expression, symbols)
    return None


def _split_piecewise(expression: sp.Piecewise, symbols: frozenset[sp.Symbol]) -> Parts | None:
    branches = [(visible_parts(value, symbols), condition) for value, condition in expression.args]
    if any(split is None or condition.free_symbols & symbols for split, condition in branches):
        return None
    known = [(split or {}, condition) for split, condition in branches]
    keys = dict.fromkeys(key for split, _ in known for key in split)
    return {key: sp.Piecewise(*((split.get(key, sp.S.Zero), condition) for split, condition in known)) for key in keys}


def _sum(parts: Iterable[Parts]) -> Parts:
    terms: dict[sp.Expr, list[sp.Expr]] = {}
    for part in parts:
        for key, value in part.items():
            terms.setdefault(key, []).append(value)
    return {key: sp.Add(*values) for key, values in terms.items()}


# ---- Conjugates, real and imaginary parts of unknowns


PARTS = (sp.conjugate, sp.re, sp.im)
# From an expression to its coefficients of unknowns, derivatives and conjugates, and a rest.
Split = Callable[[sp.Expr], tuple[dict[sp.Expr, sp.Expr], sp.Expr]]


@final
class Conjugate(sp.Expr):  # type: ignore[misc]
    """The conjugate of an unknown or of a derivative of one, which SymPy does not evaluate."""

    is_commutative = True

    @property
    def function(self) -> sp.Expr:
        """The unknown or derivative."""
        return self.args[0]

    def _sympystr(self, printer: Any) -> str:
        return f"conjugate({printer._print(self.function)})"


def expand_conjugates(expression: sp.Expr, coordinates: Sequence[sp.Symbol], split: Split) -> sp.Expr:
    """The expression in terms of unknowns and their `Conjugate`; coordinates are real.

    `split` splits what is under a conjugate, and refuses it if it is not linear.
    """
    real = {symbol: sp.Dummy(symbol.name, real=True) for symbol in coordinates}
    back = {new: old for old, new in real.items()}
    # along real coordinates derivatives and conjugates commute
    written = evaluate_derivatives(expression.xreplace(real))

    def conjugated(inner: sp.Expr) -> sp.Expr:
        parts, rest = split(inner.xreplace(back))
        both = [(atom.function if isinstance(atom, Conjugate) else Conjugate(atom), f) for atom, f in parts.items()]
        terms = [sp.conjugate(factor.xreplace(real)) * atom.xreplace(real) for atom, factor in both]
        return sp.Add(*terms, sp.conjugate(rest.xreplace(real)))

    def has_unknown(part: sp.Expr) -> bool:
        return isinstance(part, PARTS) and bool(split(part.args[0].xreplace(back))[0])

    made = written.replace(has_unknown, partial(rewrite_part, conjugated))
    result: sp.Expr = made.xreplace(back)
    return result


def rewrite_part(conjugated: Callable[[sp.Expr], sp.Expr], part: sp.Expr) -> sp.Expr:
    """A conjugate, real or imaginary part in terms of its argument and the conjugate of that."""
    inner = part.args[0]
    if isinstance(part, sp.conjugate):
        return conjugated(inner)
    if isinstance(part, sp.re):
        return (inner + conjugated(inner)) / 2
    return (inner - conjugated(inner)) / (2 * sp.I)


def as_sympy(atom: sp.Expr) -> sp.Expr:
    """An atom in SymPy's own terms."""
    return sp.conjugate(atom.function) if isinstance(atom, Conjugate) else atom


def without_conjugate(atom: sp.Expr) -> sp.Expr:
    """The unknown or its derivative, also under a conjugate."""
    return atom.function if isinstance(atom, Conjugate) else atom


def target_of(atom: sp.Expr) -> sp.Expr:
    """The unknown or its derivative in an atom, without conjugate and normal derivative."""
    plain = without_conjugate(atom)
    return plain.function if isinstance(plain, NormalDerivative) else plain


def normal_order(atom: sp.Expr) -> int:
    """The order of the normal derivative of an atom."""
    plain = without_conjugate(atom)
    return plain.order if isinstance(plain, NormalDerivative) else 0


# ---- From SymPy expressions to operators and values


_STEPS = (sp.Heaviside, sp.sign, sp.floor, sp.ceiling, sp.DiracDelta)


class NonlinearError(ProblemError):
    """An equation or condition is not linear in the unknowns; `expression` is its residual."""

    def __init__(self, message: str, expression: sp.Expr | None = None) -> None:
        super().__init__(message)
        self.expression = expression


def read_equation(equation: sp.Basic, setting: Setting, what: str = "the equation") -> Rule:
    """Read an `Eq`, or an expression meant to be zero, as a linear equation for the unknowns; `what` names it."""
    givens = setting.givens
    written = _cached_residual_form(equation) if isinstance(equation, sp.Basic) else residual_form(equation)
    if written.has(*OF_NORMALS):
        which = "a normal_derivative" if written.has(NormalDerivative) else "a normal"
        raise ProblemError(
            f"{what} {describe(equation)} contains {which}, which has a meaning on a boundary alone; "
            "write it in an fs.Condition"
        )
    parts, rest = linear_parts(evaluate_derivatives(givens.substitute(written)), setting.symbols, what)
    check_differential(parts, equation, setting, what)
    _refuse_jumps(parts, setting)
    functions = givens.callables(rest, setting.coordinates)
    source = sp.S.Zero if is_zero(rest) else -rest  # other functions serve if it is zero
    value = make_field(source, setting.coordinates, functions, what=f"{what}'s right-hand side")
    return Rule(linear_operator(parts, setting, what), value)


def check_differential(atoms: Iterable[sp.Expr], equation: sp.Basic, setting: Setting, what: str) -> None:
    """Refuse an equation for one unknown without a derivative among its `atoms`."""
    if len(setting.unknowns) == 1 and not any(any(_orders(atom, setting)) for atom in atoms):
        raise ProblemError(
            f"{what} contains no derivative of {setting.unknown}, so it is not a differential equation: "
            f"{describe(equation)}"
        )


@lru_cache(maxsize=16)  # read again for each material
def _cached_residual_form(equation: sp.Basic) -> sp.Expr:
    return residual_form(equation)


def linear_parts(
    expression: sp.Expr, unknowns: Sequence[AppliedUndef], what: str = "the equation"
) -> tuple[dict[sp.Expr, sp.Expr], sp.Expr]:
    """Split `expression` into the coefficients of unknowns and their derivatives, and a rest without them.

    Returns
    -------
    parts : dict
        From unknowns, their derivatives, normal derivatives and conjugates to their coefficients.
    rest : Expr

    Raises
    ------
    NonlinearError
        With the first term that is not linear in the unknowns.
    """
    written, named = expression, ", ".join(map(str, unknowns))
    refuse_nonlocal_terms(expression, [unknown.func for unknown in unknowns], what)
    if any(part.has(*unknowns) for part in expression.atoms(*PARTS)):
        coordinates = unknowns[0].args
        expression = expand_conjugates(expression, coordinates, lambda inner: linear_parts(inner, unknowns, what))
    derivatives = {d for d in expression.atoms(sp.Derivative) if d.expr in unknowns} | set(unknowns)
    derivatives |= {d for d in expression.atoms(NormalDerivative, Conjugate) if d.has(*unknowns)}
    back = {sp.Dummy(real=True): d for d in sorted(derivatives, key=str)}
    form = expression.xreplace({d: dummy for dummy, d in back.items()})
    try:
        moduli = [part for part in expression.atoms(sp.Abs, sp.arg) if part.has(*unknowns)]
        if moduli:
            raise NonlinearTermError(min(moduli, key=str))
        parts = split_affine(form, frozenset(back))
    except NonlinearTermError as error:
        either = "or a derivative of it" if len(unknowns) == 1 else "or a derivative of one"
        term = error.term.xreplace(back)
        raise NonlinearError(
            f"{what} is not linear: the term {term} is not a coefficient times {named} {either}", written
        ) from None
    rest = parts.pop(sp.S.One, sp.S.Zero)
    return {back[dummy]: coefficient for dummy, coefficient in parts.items()}, rest


def linear_operator(
    parts: dict[sp.Expr, sp.Expr], setting: Setting, what: str = "the equation", *, normals: bool = False
) -> Operator:
    """The parts from `linear_parts` as an `Operator`; `normals` allows normals in the coefficients.

    The conjugates of unknowns have the numbers after those of the unknowns, in the same order.
    """
    read = [((normal_order(atom), _orders(atom, setting), _unknown_index(atom, setting)), atom) for atom in parts]
    operator = Operator(setting.dimension, ())
    for (order, orders, unknown), atom in sorted(read, key=itemgetter(0)):
        name = f"{what}'s coefficient {describe(parts[atom])} of {derivative_name(atom, setting)}"
        coefficient = field_coefficient(setting.field(parts[atom], name, normals=normals), name)
        operator += along_normal(setting.dimension, order, setting.space).after(orders).on(unknown).times(coefficient)
    return operator


def coefficients_of(
    parts: dict[sp.Expr, sp.Expr], unknown: AppliedUndef, setting: Setting
) -> dict[tuple[int, ...], sp.Expr]:
    """The coefficients of one unknown, by the orders of its derivatives."""
    return {_orders(atom, setting): c for atom, c in parts.items() if _unknown(atom) == unknown}


def _unknown_index(atom: sp.Expr, setting: Setting) -> int:
    conjugate = len(setting.symbols) if isinstance(atom, Conjugate) else 0
    return conjugate + setting.symbols.index(_unknown(atom))


def _unknown(atom: sp.Expr) -> AppliedUndef:
    """The unknown in an atom."""
    target = target_of(atom)
    return target.expr if isinstance(target, sp.Derivative) else target


def _orders(atom: sp.Expr, setting: Setting) -> tuple[int, ...]:
    """Orders of the derivative of an atom along each coordinate, without its normal derivative."""
    target = target_of(atom)
    counts = dict(target.variable_count) if isinstance(target, sp.Derivative) else {}
    for symbol, count in counts.items():
        if not isinstance(count, sp.Integer):
            remedy = (
                "derivatives of fractional order take a function at all places, and cannot be solved for"
                if count.is_number
                else f"write one, or supply it, as in given={{{count}: 2}}"
            )
            raise ProblemError(f"the order {count} of {target} must be a whole number; {remedy}")
        if symbol not in setting.coordinates:
            raise ProblemError(f"{target} is not a derivative along a coordinate of {_unknown(atom)}")
    return tuple(int(counts.get(symbol, 0)) for symbol in setting.coordinates)


def derivative_name(atom: sp.Expr, setting: Setting) -> str:
    """The name of an unknown, a derivative or a conjugate in messages: ``u_xx``."""
    name = _unknown(atom).func.__name__
    orders = zip(setting.coordinates, _orders(atom, setting), strict=True)
    along = "".join(f"{symbol}" * order for symbol, order in orders)
    along += "n" * normal_order(atom)
    shown = f"{name}_{along}" if along else name
    return f"conjugate({shown})" if isinstance(atom, Conjugate) else shown


def _refuse_jumps(parts: dict[sp.Expr, sp.Expr], setting: Setting) -> None:
    """Refuse a coefficient of an unknown's highest derivatives that jumps elsewhere than on interfaces.

    ``(a u')'`` with a jump in ``a`` means that the flux ``a u'`` is continuous. SymPy expands it to ``a u'' + a' u'``,
    which loses this, and a smooth function would "solve" it. Lower coefficients may jump. On interfaces the flux is
    prescribed.
    """
    for symbol in setting.symbols:
        coefficients = coefficients_of(parts, symbol, setting)
        order = max((sum(orders) for orders in coefficients), default=0)
        for orders, coefficient in coefficients.items() if order else ():
            leading = sum(orders) == order and _jumps(coefficient, setting)
            if leading or coefficient.has(sp.DiracDelta):
                steps = coefficient.atoms(*_STEPS) - coefficient.atoms(sp.DiracDelta)
                instead = "write an sp.Piecewise, across whose borders the flux continues, " if steps else ""
                raise ProblemError(
                    f"the coefficient {describe(coefficient)} jumps; what happens there is lost when derivatives are "
                    f"expanded: {instead}make it smooth over a short distance (a tanh), or split the domain"
                )


def _jumps(expression: sp.Expr, setting: Setting) -> bool:
    if any(step.free_symbols & set(setting.coordinates) for step in expression.atoms(*_STEPS)):
        return True
    return any(_piecewise_jumps(piece, setting) for piece in expression.atoms(sp.Piecewise))


def _piecewise_jumps(piecewise: sp.Piecewise, setting: Setting) -> bool:
    """Whether neighbouring branches differ at the border between them."""
    extent = Extent(setting.coordinates, *setting.domain.bounding_box)

    def field(expression: sp.Expr) -> Field:
        functions = setting.givens.callables(expression, extent.coordinates)
        return make_field(expression, extent.coordinates, functions, what=f"the coefficient {describe(piecewise)}")

    for (first, condition), (second, _) in pairwise(piecewise.args):
        branches = [field(first), field(second)]
        for side in _border_functions(condition, setting):
            border = find_border(field(side), extent)
            # without a border that can be checked, refuse
            if border is None or _branches_differ(branches, border, extent.probes):
                return True
    return False


def _border_functions(condition: sp.Basic, setting: Setting) -> Iterator[sp.Expr]:
    """The functions that change sign at the borders of a condition, except interfaces."""
    for relation in sorted(in_sheets(condition).atoms(Relational), key=str):
        border = side_of(relation)
        if border is not None and border[0] in setting.levels:
            continue
        side = relation.lhs - relation.rhs
        if side.free_symbols & set(setting.coordinates):
            yield side


def _branches_differ(branches: list[Field], border: tuple[FloatArray, FloatArray], probes: FloatArray) -> bool:
    """Whether two branches differ at a border by more than rounding and their own variation across it."""
    before, after, usual = (np.stack([branch(places) for branch in branches]) for places in (*border, probes))
    size = max(np.abs(values[np.isfinite(values)]).max(initial=0.0) for values in (before, after, usual))
    # a branch such as sin(x)/x may have no value at the border itself
    gaps = np.fmin(np.abs(before[0] - before[1]), np.abs(after[0] - after[1]))
    varied = np.nansum(np.abs(before - after), axis=0)
    return not np.all(gaps <= SAME * size + varied)
