"""What the parser refuses, at once and with the place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sympy as sp

from fspielm.errors import ProblemError, TextError
from fspielm.expr import Scope, parse_condition, parse_equation, parse_expression

# text, column, message
REFUSED = [
    ("", 1, "the expression is empty"),
    ("  ", 1, "the expression is empty"),
    ("x +", 4, "expected a number, a name or a parenthesis; got the end"),
    ("x + * y", 5, "expected a number, a name or a parenthesis; got '*'"),
    ("(x + y", 7, "expected an operator or ')'; got the end"),
    ("[x, y", 6, "expected an operator or ']'; got the end"),
    ("x y", 3, "expected an operator or the end; got 'y'"),
    ("x)", 2, "expected an operator or the end; got ')'"),
    ("sin()", 5, "expected a number, a name or a parenthesis; got ')'"),
    ("1 if x else 2", 3, "expected an operator or the end; got 'if'"),
    ("x and", 6, "expected a number, a name or a parenthesis; got the end"),
    ("2x", 2, "a number ends where 'x' begins; write 2*x"),
    ("1.2.3", 4, "a number ends where '.3' begins; write one decimal point"),
    ("x.diff", 2, "the character '.' has no meaning in an expression"),
    ("x $ y", 3, "the character '$' has no meaning in an expression"),
    ("x\x00", 2, "the character 'U+0000' has no meaning in an expression"),
    ("x − 1", 3, "the character '−' has no meaning here; write '-'"),
    ("x·y", 2, "the character '·' has no meaning here; write '*'"),
    ("__import__('os')", 12, 'the character "\'" has no meaning in an expression'),
    ("lambda x: 1", 9, "the character ':' has no meaning in an expression"),
    ("lambda x", 8, "expected an operator or the end; got 'x'"),
    ("x²", 1, "a name has at most 60 plain letters, digits and underscores"),
    ("x" * 61, 1, "a name has at most 60 plain letters, digits and underscores"),
    ("__import__(x)", 1, "unknown function '__import__'"),
    ("eval(x)", 1, "unknown function 'eval'; known are dx, dy, dt, diff, grad, div, laplacian, dot, dn, normal, "),
    ("sinn(x)", 1, "unknown function 'sinn'; did you mean sin or sinh or sign?"),
    ("Sin(x)", 1, "unknown function 'Sin'; did you mean sin"),
    ("lap(u)", 1, "unknown function 'lap'; did you mean laplacian?"),
    ("x + xx", 5, "unknown name 'xx'; did you mean x?"),
    ("x + zq", 5, "unknown name 'zq'; known are k, x, y, t, u, pi, e"),
    ("sin", 1, "sin is a function; write sin(...)"),
    ("dx + 1", 1, "dx is a function; write dx(...)"),
    ("x(3)", 1, "x is no function; to multiply, write x*(...)"),
    ("u(y, x, t)", 1, "the unknown is meant at the point itself; write u, or u(x, y, t)"),
    ("u(x, y, 0)", 1, "the unknown is meant at the point itself; write u, or u(x, y, t)"),
    ("sin(x, y)", 1, "sin takes 1 argument; got 2"),
    ("atan2(x)", 1, "atan2 takes 2 arguments; got 1"),
    ("dx(u, 1, 2)", 1, "dx takes 1 or 2 arguments; got 3"),
    ("diff(u)", 1, "diff takes 2 or 3 arguments; got 1"),
    ("diff(u, k)", 9, "expected a coordinate (x, y, t)"),
    ("grad(u, x)", 1, "grad takes 1 argument; got 2"),
    ("where(x < 1)", 1, "where takes a condition, a value, and a value for elsewhere"),
    ("where(1 > 2, x)", 1, "no condition of where holds anywhere"),
    ("where(x, 1, 2)", 7, "expected a comparison, as in x < 0.5; got a number or a function"),
    ("min(x)", 1, "min takes from 2 to 12 arguments; got 1"),
    ("dx(u, 0)", 7, "the order of a derivative must be a whole number, 1 or more"),
    ("dx(u, x)", 7, "the order of a derivative must be a whole number, 1 or more"),
    ("dx(u, 9)", 1, "derivatives have at most order 8 in all; this would be order 9"),
    ("dx(laplacian(laplacian(u)), 5)", 1, "derivatives have at most order 8 in all; this would be order 9"),
    ("(x < 1) + 1", 4, "a comparison cannot be added or multiplied; write where(x < 0.5, 1, 0)"),
    ("-(x < 1)", 5, "a comparison cannot be added or multiplied; write where(x < 0.5, 1, 0)"),
    ("sin(x < 1)", 7, "expected a number or a function; got a comparison"),
    ("sin([x, y])", 5, "expected a number or a function; got a vector"),
    ("grad(u)", 1, "expected a number or a function; got a vector"),
    ("grad(u) + 1", 9, "a vector can only be added to a vector of the same length"),
    ("[x, y] + [x]", 8, "a vector can only be added to a vector of the same length"),
    ("grad(u)*grad(u)", 8, "two vectors are multiplied by dot(a, b)"),
    ("1/grad(u)", 2, "nothing can be divided by a vector"),
    ("div(u)", 5, "expected a vector, as in grad(u) or [a, b]; got a number or a function"),
    ("div([x, y, t])", 1, "div takes a vector of 2 components, one for each coordinate of space (x, y); got 3"),
    ("dot([x, y], [x])", 1, "dot takes two vectors of the same length; got 2 and 1"),
    ("sign(u)", 1, "sign of the unknown has jumps; write tanh(f/0.01)"),
    ("u + floor(2*dx(u))", 5, "floor of the unknown has jumps"),
    ("heaviside(u)", 1, "heaviside of the unknown has jumps"),
    ("max(u, 0)", 1, "max of the unknown has kinks; write (f + g + sqrt((f - g)**2 + 0.01**2))/2"),
    ("min(u, 0)", 1, "min of the unknown has kinks; write (f + g - sqrt("),
    ("besselj(u, x)", 1, "the order of besselj must be known"),
    ("u/(x - x)", 2, "division by zero"),
    ("u**(10**5)", 2, "the exponent 100000 is larger than 10000"),
    ("where(u < 1, 0, 1)", 9, "the unknown cannot be compared"),
    ("1/0", 2, "division by zero"),
    ("1/(x - x)", 2, "division by zero"),
    ("0**-1", 2, "division by zero"),
    ("log(0)", 1, "the value is not a real number that double precision holds"),
    ("log(-1)", 1, "log has no real value there"),
    ("sqrt(-2)", 1, "sqrt has no real value there"),
    ("asin(2)", 1, "asin has no real value there"),
    ("gamma(-1)", 1, "gamma has no real value there"),
    ("(-8)**(1/3)", 5, "a power of the negative number -8 with the exponent 0.333333 is not real"),
    ("sqrt(x - x - 1)", 1, "sqrt has no real value there"),
    ("tan(pi/2)", 1, "the value is not finite"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "column", "message"), REFUSED)
def test_refused(text: str, column: int, message: str, scope: Scope) -> None:
    with pytest.raises(TextError) as caught:
        parse_equation(text, scope)
    assert caught.value.reason.startswith(message)
    assert caught.value.column == column


# What would take for ever, or all memory, if it were computed.
TOO_LARGE = [
    ("2**2**2**2**2**99", "the exponent 6.33825e+29 is larger than 10000"),
    ("2**(x - x + 10**300)", "the exponent 1e+300 is larger than 10000"),
    ("9**9**9", "the exponent 3.8742e+08 is larger than 10000"),
    ("x**10**9", "the exponent 1e+09 is larger than 10000"),
    ("((2*x)**9999)**9999", "the whole numbers in it would have too many digits; write decimals, such as 2.0 for 2"),
    ("(1 + 1/10**20)**9999", "the whole numbers in it would have too many digits"),
    ("10**400", "the power is larger than double precision holds"),
    ("10**-400", "the power is smaller than double precision holds"),
    ("9" * 310, "the number is larger than double precision holds"),
    ("9" * 40_000, "the number is larger than double precision holds"),
    ("1e400", "the number is larger than double precision holds"),
    ("1e-400", "the number is smaller than double precision holds"),
    ("1e200*1e200", "the value is not a real number that double precision holds"),
    ("gamma(10**9)", "the value is not a real number that double precision holds"),
    ("exp(exp(exp(100000)))", "the value is not a real number that double precision holds"),
    ("exp(exp(exp(1e5)))", "the value is not a real number that double precision holds"),
    ("exp(10**300*log(2*x))", "exp of more than 10000 times a logarithm is too large a power"),
    ("besselj(10**6, x)", "the order of besselj must be at most 1000; got 1e+06"),
    ("(" * 1000 + "x", "nested more than 40 deep"),
    ("-" * 1000 + "x", "nested more than 40 deep"),
    ("2**" * 1000 + "2", "nested more than 40 deep"),
    ("sin(" * 100 + "x" + ")" * 100, "nested more than 40 deep"),
    ("x+" * 40_000 + "x", "an expression has at most 50000 characters; this one has 80001"),
    ("x+" * 6_000 + "x", "an expression has at most 10000 numbers, names and signs"),
    ("dx(" + "*".join(f"sin({i}*x)" for i in range(1, 90)) + ", 8)", "the derivative of so long an expression"),
    ("dx(" + "exp(x*" * 15 + "x" + ")" * 15 + ", 8)", "the derivative of so long an expression"),
    ("+".join(f"x/{10**9 + i}" for i in range(2, 800)), "a whole number in it has too many digits"),
    ("max(" + "x, " * 20 + "y)", "max takes from 2 to 12 arguments; got 21"),
    ("where(" + " and ".join(f"x < {i}" for i in range(20)) + ", 1, 2)", "a condition takes at most 12 comparisons"),
    ("where(" + "".join(f"x < {i}, {i}, " for i in range(20)) + "2)", "where takes at most 12 comparisons"),
]


# Calls of functions; most need some thousands.
_AT_ONCE = 2_000_000


@pytest.mark.parametrize(("text", "message"), TOO_LARGE, ids=lambda value: value[:30])
def test_what_would_be_too_large_is_refused_at_once(
    text: str, message: str, scope: Scope, count_calls: Callable[[Callable[[], object]], int]
) -> None:
    def refuse() -> None:
        with pytest.raises(TextError) as caught:
            parse_equation(text, scope)
        assert caught.value.reason.startswith(message)

    refuse()  # what SymPy does once only is no part of it
    assert count_calls(refuse) < _AT_ONCE


def test_the_message_shows_the_place(scope: Scope) -> None:
    with pytest.raises(TextError) as caught:
        parse_expression("x +\n  sin(zz)", scope)
    assert str(caught.value).splitlines() == [
        "line 2, column 7: unknown name 'zz'; known are k, x, y, t, u, pi, e, I, i",
        "      sin(zz)",
        "          ^",
    ]


def test_the_message_shows_a_piece_of_a_long_line(scope: Scope) -> None:
    text = "x + " * 100 + "zz" + " + x" * 100
    with pytest.raises(TextError) as caught:
        parse_expression(text, scope)
    _, line, mark = str(caught.value).splitlines()
    assert len(line) <= 80
    assert line[mark.index("^") :].startswith("zz")


@pytest.mark.parametrize("text", ["x = 1 = 2", "x < 1", "x != 1"])
def test_an_equation_has_one_sign(text: str, scope: Scope) -> None:
    with pytest.raises(TextError, match="equation has two sides"):
        parse_equation(text, scope)


def test_a_condition_that_is_always_the_same(scope: Scope) -> None:
    with pytest.raises(TextError, match="condition is true everywhere"):
        parse_condition("1 < 2 and 2 < 3", scope)
    with pytest.raises(TextError, match="condition is false everywhere"):
        parse_condition("not 1 < 2", scope)
    with pytest.raises(TextError, match=r"comparison.*got a number"):
        parse_condition("x", scope)


def test_only_text_is_parsed(scope: Scope) -> None:
    with pytest.raises(ProblemError, match=r"expression must be text.*3"):
        parse_expression(3, scope)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("x", "x"), "'x' stands for two things"),
        (("x", "2"), r"coordinate '2'.*letter"),
        (("x", "sin"), r"coordinate.*'sin'.*meaning"),
        (("n",), r"coordinate 'n'.*dn.*taken"),
        (("iv",), r"coordinate 'iv'.*div.*taken"),
    ],
)
def test_names_that_cannot_be_used(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Scope(tuple(map(sp.Symbol, names)))
