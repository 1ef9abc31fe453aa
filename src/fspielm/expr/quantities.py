"""Expressions under construction, with bounds that keep them small and finite."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean

from fspielm.expr.grammar import BITS, EXPONENT, MAGNITUDE_BITS, RefusalError


@dataclass(frozen=True)
class Scalar:
    """An expression."""

    expression: sp.Expr
    value: complex | None = None  # of a constant; complex if it contains the imaginary unit
    bits: int = 1  # bound of the binary digits of whole numbers and fractions in it
    order: int = 0  # number of derivatives taken so far
    unknown: bool = False  # whether it contains the unknown

    @property
    def is_real(self) -> bool:
        """Whether the imaginary unit occurs only inside real parts, imaginary parts and absolute values."""
        return _is_real(self.expression)


@dataclass(frozen=True)
class VectorOf:
    """Scalars, one for each coordinate of space."""

    components: tuple[Scalar, ...]


@dataclass(frozen=True)
class Truth:
    """A condition with its number of comparisons; `value` is known if all sides are constants."""

    relation: Boolean
    value: bool | None = None
    count: int = 1


Quantity: TypeAlias = Scalar | VectorOf | Truth


def integer(text: str) -> Scalar:
    """A whole number."""
    # more than 308 digits exceed double precision, and Python is slow with very long numbers
    if len(text.lstrip("0")) > 308:
        raise RefusalError("the number is larger than double precision holds")
    return Scalar(sp.Integer(int(text)), float(int(text)), max(1, int(text).bit_length()))


def decimal(text: str) -> Scalar:
    """A number with a point or an exponent: the nearest double, as in Python."""
    value = float(text)
    if not math.isfinite(value):
        raise RefusalError("the number is larger than double precision holds")
    mantissa = text.lower().split("e")[0]
    if value == 0 and any(digit in "123456789" for digit in mantissa):
        raise RefusalError("the number is smaller than double precision holds")
    return Scalar(sp.Float(value), value)


def join(
    expression: sp.Expr, parts: Iterable[Scalar], value: complex | None = None, bits: int = 0, order: int = 0
) -> Scalar:
    """`expression` as a scalar made of `parts`; refuses values that are not finite and numbers that are too long."""
    made = tuple(parts)
    if value is not None and not cmath.isfinite(value):
        kind = "complex" if isinstance(value, complex) else "real"
        raise RefusalError(f"the value is not a {kind} number that double precision holds")
    if expression.has(sp.zoo, sp.nan, sp.oo, -sp.oo):
        raise RefusalError("the value is not finite")
    bits = bits or sum(part.bits for part in made)
    check_bits(bits)
    if value is None and not expression.free_symbols and not expression.has(AppliedUndef):
        value = number_of(expression)  # constant after simplification, as (x - x + 2)
    if isinstance(value, complex) and not expression.has(sp.I):
        value = value.real  # such as i*i
    return Scalar(
        expression,
        value,
        bits,
        order or max((part.order for part in made), default=0),
        any(part.unknown for part in made) and expression.has(AppliedUndef),
    )


def check_bits(bits: float) -> None:
    """Refuse numbers of too many digits."""
    if bits > BITS:
        raise RefusalError("the whole numbers in it would have too many digits; write decimals, such as 2.0 for 2")


def add(terms: Sequence[tuple[int, Scalar]]) -> Scalar:
    """The sum of terms with their signs."""
    value = sum(sign * term.value for sign, term in terms if term.value is not None)
    constant = all(term.value is not None for _, term in terms)
    check_bits(sum(term.bits for _, term in terms))
    total = sp.Add(*(term.expression if sign > 0 else -term.expression for sign, term in terms))
    return join(total, (term for _, term in terms), value if constant else None)


def multiply(factors: Sequence[tuple[int, Scalar]]) -> Scalar:
    """The product of factors, inverted if their power is -1."""
    value: complex = 1.0
    for exponent, factor in factors:
        if exponent < 0 and factor.value == 0:
            raise RefusalError("division by zero")
        if factor.value is not None:
            value = value * factor.value if exponent > 0 else value / factor.value
    constant = all(factor.value is not None for _, factor in factors)
    check_bits(sum(factor.bits for _, factor in factors))
    return join(_product(factors), (factor for _, factor in factors), value if constant else None)


def _product(factors: Sequence[tuple[int, Scalar]]) -> sp.Expr:
    if all(factor.expression.is_Number for _, factor in factors):
        number = sp.Integer(1)
        for exponent, factor in factors:
            # 0.1/0.3 rounds once, 0.1*(1/0.3) rounds twice
            number = number * factor.expression if exponent > 0 else number / factor.expression
        return number
    return sp.Mul(*(f.expression if exponent > 0 else 1 / f.expression for exponent, f in factors))


def power(base: Scalar, exponent: Scalar) -> Scalar:
    """`base` to the `exponent`; refuses a result that is too large before computing it."""
    if exponent.expression == 1:
        return base
    bits = base.bits + exponent.bits
    if exponent.value is not None:
        if abs(exponent.value) > EXPONENT:
            raise RefusalError(f"the exponent {exponent.value:.6g} is larger than {EXPONENT}")
        bits = math.ceil(base.bits * max(1.0, abs(exponent.value)))
        check_bits(bits)
    value = None
    if base.value is not None and exponent.value is not None:
        value = _power_value(base.value, exponent.value)
    return join(sp.Pow(base.expression, exponent.expression), (base, exponent), value, bits)


def _power_value(base: complex, exponent: complex) -> complex:
    if isinstance(base, complex) or isinstance(exponent, complex):
        return _complex_power(complex(base), complex(exponent))
    if base == 0 and exponent < 0:
        raise RefusalError("division by zero")
    if base < 0 and exponent != round(exponent):
        raise RefusalError(f"a power of the negative number {base:.6g} with the exponent {exponent:.6g} is not real")
    if base != 0 and abs(exponent * math.log2(abs(base))) > MAGNITUDE_BITS:
        size = "larger" if exponent * math.log2(abs(base)) > 0 else "smaller"
        raise RefusalError(f"the power is {size} than double precision holds")
    return float(base**exponent)


def _complex_power(base: complex, exponent: complex) -> complex:
    if base == 0:
        if exponent.real <= 0:
            raise RefusalError("division by zero")
        return 0j
    size = (exponent * cmath.log(base)).real / math.log(2)
    if abs(size) > MAGNITUDE_BITS:
        raise RefusalError(f"the power is {'larger' if size > 0 else 'smaller'} than double precision holds")
    return base**exponent


def number_of(expression: sp.Expr) -> complex:
    """The value of a constant expression, complex if it contains the imaginary unit."""
    try:
        return complex(expression) if expression.has(sp.I) else float(expression)
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        raise RefusalError("the value is not a real number") from None


def _is_real(expression: sp.Basic) -> bool:
    if isinstance(expression, sp.re | sp.im | sp.Abs):
        return True
    return expression is not sp.I and all(map(_is_real, expression.args))
