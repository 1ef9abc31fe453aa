"""What is refused, with what to do instead."""

import pytest
import sympy as sp

import fspielm as fs

x, t, lam, other = sp.symbols("x t lam other")
u = sp.Function("u")(x)
UNIT = fs.Interval(0, 1)
REST = [fs.Dirichlet(0)]
WAVE = sp.Eq(-u.diff(x, 2), lam * u)


def problem(equation=WAVE, conditions=REST, **given):
    return fs.Problem(equation, UNIT, conditions, given={lam: 1.0, **given})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "count=10"),
        ({"count": 3, "within": (0, 1)}, "count=10"),
        ({"count": 0}, "at least 1"),
        ({"count": 2.5}, "at least 1"),
        ({"within": (3, 1)}, r"write within=\(1, 3\)"),
        ({"within": (1, 1)}, "empty"),
        ({"within": 7}, "two numbers"),
        ({"within": (0, float("inf"))}, "finite"),
    ],
)
def test_wishes(options, words):
    with pytest.raises(fs.ProblemError, match=words):
        fs.eigenmodes(problem(), lam, **options)


@pytest.mark.parametrize(
    ("stated", "symbol", "words"),
    [
        (problem(), other, "does not occur"),
        (problem(), "lam", "SymPy symbol"),
        (problem(), x, "coordinate"),
        (problem(sp.Eq(-u.diff(x, 2), lam * u + 1)), lam, r"right-hand side.*not zero"),
        (problem(conditions=[fs.Dirichlet(1)]), lam, r"'dirichlet x-'.*not zero"),
        (problem(sp.Eq(-u.diff(x, 2), lam * u**3)), lam, "not linear"),
        (problem(sp.Eq(-u.diff(x, 2), sp.exp(lam) * u)), lam, "as polynomials do"),
        (problem(conditions=[fs.Periodic("x", factor=sp.exp(sp.I * lam))]), lam, r"factor.*'periodic x'.*lam"),
        (problem(sp.Eq(u.diff(x), lam * u), [fs.Dirichlet(0, on="x-")]), lam, "no mode was found"),
    ],
)
def test_problems(stated, symbol, words):
    with pytest.raises(fs.ProblemError, match=words):
        fs.eigenmodes(stated, symbol, count=1, rng=0)


def test_time():
    w = sp.Function("w")(x, t)
    moving = fs.Problem(
        sp.Eq(w.diff(t), lam * w.diff(x, 2)), UNIT * fs.Time(0, 1), [*REST, fs.Initial(0)], given={lam: 1.0}
    )
    with pytest.raises(fs.ProblemError, match="space alone"):
        fs.eigenmodes(moving, lam, count=1)
