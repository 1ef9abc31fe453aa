"""From SymPy to text in the notation of the parser, exact to the last bit."""

from __future__ import annotations

import math
from collections.abc import Iterator

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from fspielm.errors import ProblemError
from fspielm.expr.functions import describe
from fspielm.expr.grammar import Strength
from fspielm.expr.scope import CONSTANTS, FUNCTIONS, Scope

_NAMES = {function.symbolic: name for name, function in FUNCTIONS.items()}
_SIGNS = {sp.Eq: "==", sp.Ne: "!=", sp.Lt: "<", sp.Le: "<=", sp.Gt: ">", sp.Ge: ">="}


def print_expression(expression: sp.Basic, scope: Scope) -> str:
    """The text of an expression, an equation or a condition, which the parser reads back.

    Raises
    ------
    ProblemError
        If the notation has no word for something in it.
    """
    printer = _Printer(scope)
    if isinstance(expression, Boolean) and not isinstance(expression, sp.Symbol):
        return printer.condition(expression)
    return printer.text(expression)


def print_equation(equation: sp.Basic, scope: Scope) -> str:
    """The text of an equation, or of an expression that has to be zero."""
    printer = _Printer(scope)
    if isinstance(equation, sp.Eq):
        return f"{printer.text(equation.lhs)} = {printer.text(equation.rhs)}"
    return printer.text(equation)


class _Printer:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._names = {meaning: name for name, meaning in scope.values.items()}
        self._functions = set(FUNCTIONS) - set(scope.values)

    def text(self, expression: sp.Basic, tightness: int = 0) -> str:
        """The text, in parentheses if it binds less tightly than `tightness`."""
        text, own = self._write(expression)
        return text if own >= tightness else f"({text})"

    def condition(self, relation: Boolean, tightness: int = 0) -> str:
        """The text of a comparison."""
        if isinstance(relation, Relational) and type(relation) in _SIGNS:
            left, right = (self.text(side, Strength.SUM) for side in (relation.lhs, relation.rhs))
            return f"{left} {_SIGNS[type(relation)]} {right}"
        if isinstance(relation, sp.Not):
            return f"not ({self.condition(relation.args[0])})"
        if isinstance(relation, sp.And | sp.Or):
            word, own = ("and", Strength.AND) if isinstance(relation, sp.And) else ("or", Strength.OR)
            parts = sorted(self.condition(part, own) for part in relation.args)
            text = f" {word} ".join(parts)
            return text if own >= tightness else f"({text})"
        if isinstance(relation, sp.ITE):
            return self.condition(relation.to_nnf(simplify=False), tightness)
        raise self._no_word(relation)

    def _write(self, expression: sp.Basic) -> tuple[str, int]:
        if expression in self._names:
            return self._names[expression], Strength.ATOM
        if expression in CONSTANTS.values():
            return self._constant(expression), Strength.ATOM
        if expression.is_Number:
            return self._number(expression)
        if isinstance(expression, sp.Add):
            return self._sum(expression), Strength.SUM
        if isinstance(expression, sp.Mul):
            return self._product(expression), Strength.PRODUCT
        if isinstance(expression, sp.Pow):
            return self._power(expression)
        if isinstance(expression, sp.Derivative):
            return self._derivative(expression), Strength.ATOM
        return self._call(expression), Strength.ATOM

    def _constant(self, constant: sp.Expr) -> str:
        """A constant whose name has another meaning in this scope."""
        if constant is sp.I:
            raise ProblemError("i and I both stand for something else than the imaginary unit; rename one")
        return "acos(-1)" if constant is sp.pi else "exp(1)"

    def _number(self, number: sp.Number) -> tuple[str, int]:
        if not number.is_finite:
            raise self._no_word(number)
        if number.is_Float:
            return self._double(number), Strength.SUM if number < 0 else Strength.ATOM
        text = str(number.p) if number.q == 1 else f"{number.p}/{number.q}"
        return text, Strength.SUM if number < 0 else Strength.PRODUCT if number.q != 1 else Strength.ATOM

    def _double(self, number: sp.Float) -> str:
        if math.isinf(float(number)):  # SymPy has larger numbers
            raise self._no_word(number)
        return repr(float(number))

    def _sum(self, expression: sp.Add) -> str:
        text = ""
        for term in expression.as_ordered_terms():
            piece = self.text(term)
            if not text:
                text = piece
            else:
                text += f" - {piece[1:]}" if piece.startswith("-") else f" + {piece}"
        return text

    def _product(self, expression: sp.Mul) -> str:
        above, below, sign = [], [], ""
        coefficient, factors = expression.args[0], expression.args[1:]
        if not coefficient.is_Number:
            factors = expression.args
        elif coefficient.is_Float:
            above.append(self._double(coefficient))
        else:
            sign = "-" if coefficient < 0 else ""
            above += [str(abs(coefficient.p))] if abs(coefficient.p) != 1 else []
            below += [str(coefficient.q)] if coefficient.q != 1 else []
        for factor in factors:
            exponent = factor.exp if isinstance(factor, sp.Pow) else sp.S.One
            if exponent.is_Number and exponent < 0:
                below.append(self.text(1 / factor, Strength.POWER))
            else:
                above.append(self.text(factor, Strength.POWER))
        return sign + "/".join(["*".join(above) or "1", *below])

    def _power(self, expression: sp.Pow) -> tuple[str, int]:
        base, exponent = expression.as_base_exp() if expression.exp.is_Symbol else expression.args
        if exponent == sp.S.Half:
            return f"sqrt({self.text(base)})", Strength.ATOM
        if exponent.is_Number and exponent < 0:
            return f"1/{self.text(1 / expression, Strength.POWER)}", Strength.PRODUCT
        return f"{self.text(base, Strength.ATOM)}**{self.text(exponent, Strength.ATOM)}", Strength.POWER

    def _derivative(self, expression: sp.Derivative) -> str:
        text = self.text(expression.expr)
        names = {symbol: name for name, symbol in self._scope.derivatives.items()}
        for symbol, count in expression.variable_count:
            if symbol not in names or not count.is_Integer:
                raise self._no_word(expression)
            text = f"{names[symbol]}({text})" if count == 1 else f"{names[symbol]}({text}, {count})"
        return text

    def _call(self, expression: sp.Basic) -> str:
        arguments = list(expression.args)
        if expression.func is self._scope.normal:
            return f"normal({self.text(arguments[0])})"
        if expression.func is self._scope.normal_derivative:
            function, order = arguments
            return f"dn({self.text(function)})" if order == 1 else f"dn({self.text(function)}, {order})"
        if isinstance(expression, sp.Piecewise):
            return f"where({', '.join(self._branches(expression))})"
        if isinstance(expression, sp.Max | sp.Min):
            name = "max" if isinstance(expression, sp.Max) else "min"
            arguments.sort(key=sp.default_sort_key)
        elif isinstance(expression, sp.Heaviside) and arguments[1] == sp.S.Half:
            name, arguments = "heaviside", arguments[:1]
        elif expression.func is not sp.Heaviside and _NAMES.get(expression.func, "") in self._functions:
            name = _NAMES[expression.func]
        else:
            raise self._no_word(expression)
        return f"{name}({', '.join(self.text(argument) for argument in arguments)})"

    def _branches(self, expression: sp.Piecewise) -> Iterator[str]:
        for value, condition in expression.args:
            if condition != sp.true:
                yield self.condition(condition)
            yield self.text(value)

    def _no_word(self, expression: sp.Basic) -> ProblemError:
        if isinstance(expression, AppliedUndef):
            return ProblemError(f"{describe(expression)} is not a known function: text cannot hold callables")
        if isinstance(expression, sp.Symbol):
            return ProblemError(f"the symbol {expression} is neither a coordinate nor a parameter")
        return ProblemError(f"the notation of problem files has no word for {describe(expression)}")
