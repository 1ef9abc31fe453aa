"""Too few, too many and contradicting conditions, by name; and statements that must not be refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm import Dirichlet, Initial, Neumann

x, y, t, r, z = sp.symbols("x y t r z")
U = sp.Function("u")
u, v, w = U(x, y), U(x), U(x, t)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE, INTERVAL = fs.Box((0, 0), (1, 1)), fs.Interval(0, 1)
ROD = INTERVAL * fs.Time(0, 1)
BIHARMONIC = u.diff(x, 4) + 2 * u.diff(x, 2, y, 2) + u.diff(y, 4)
HEAT, WAVE = w.diff(t) - w.diff(x, 2), w.diff(t, 2) - w.diff(x, 2)
POLAR = U(r, z)


def forbidden(points: Any) -> Any:
    raise AssertionError("user code is not needed to count conditions")


ACCEPTED = [
    ("value everywhere", LAPLACE, SQUARE, [Dirichlet(0)]),
    ("derivative everywhere", LAPLACE - u, SQUARE, [Neumann(0)]),
    ("mixed", LAPLACE, SQUARE, [Dirichlet(0, on="x-"), Neumann(0, on=["x+", "y-", "y+"])]),
    ("one condition, no list", LAPLACE, SQUARE, Dirichlet(0)),
    ("a generator", LAPLACE, SQUARE, (Dirichlet(0) for _ in range(1))),
    ("halves of parts", LAPLACE, SQUARE, [Dirichlet(0, on=x < 0.5), Neumann(0, on=x >= 0.5)]),
    ("halves that touch", LAPLACE, SQUARE, [Dirichlet(0, on=x <= 0.5), Dirichlet(1, on=x >= 0.5)]),
    ("open halves", LAPLACE, SQUARE, [Dirichlet(0, on=x < 0.5), Dirichlet(1, on=x > 0.5)]),
    (
        "masks that share one part",
        LAPLACE,
        SQUARE,
        [
            Dirichlet(0, on=["x-", "x+", "y+"]),
            Dirichlet(1, on=lambda p: (p[:, 1] == 0) & (p[:, 0] < 0.3)),
            Neumann(0, on=lambda p: (p[:, 1] == 0) & (p[:, 0] >= 0.3)),
        ],
    ),
    ("boundary value problem", v.diff(x, 2) + v, INTERVAL, [Dirichlet(0)]),
    ("initial value problem", v.diff(x, 2) + v, INTERVAL, [Dirichlet(1, on="x-"), Neumann(0, on="x-")]),
    ("first order", v.diff(x) + v, INTERVAL, [Dirichlet(1, on="x-")]),
    ("first order, from the far end", v.diff(x) - v, INTERVAL, [Dirichlet(1, on="x+")]),
    ("beam", v.diff(x, 4), INTERVAL, [Dirichlet(0), Neumann(0)]),
    ("third order", v.diff(x, 3), INTERVAL, [Dirichlet(0), Neumann(0, on="x-")]),
    (
        "Bessel, regular at 0",
        x**2 * v.diff(x, 2) + x * v.diff(x) + x**2 * v,
        INTERVAL,
        [Dirichlet(1, on="x+")],
    ),
    ("plate", BIHARMONIC, SQUARE, [Dirichlet(0), Neumann(0)]),
    ("plate, by parts", BIHARMONIC, SQUARE, [Dirichlet(0), Neumann(0, on=x < 0.5), Neumann(1, on=x >= 0.5)]),
    ("advection, inflow only", u.diff(x) + 2 * u.diff(y), SQUARE, [Dirichlet(0, on=["x-", "y-"])]),
    ("heat", HEAT, ROD, [Dirichlet(0), Initial(x)]),
    ("wave", WAVE, ROD, [Dirichlet(0), Initial(x), Initial(0, order=1)]),
    ("transport in time", w.diff(t) + w.diff(x), ROD, [Dirichlet(0, on="x-"), Initial(x)]),
    ("a family of initial value problems", w.diff(t) + x * w, ROD, [Initial(x)]),
    ("elliptic at every time", w.diff(x, 2) - t * w, ROD, [Dirichlet(0)]),
    (
        "beam in time",
        w.diff(t, 2) + w.diff(x, 4),
        ROD,
        [Dirichlet(0), Neumann(0), Initial(0), Initial(0, order=1)],
    ),
    ("pseudoparabolic", w.diff(t) - w.diff(x, 2, t) - w.diff(x, 2), ROD, [Dirichlet(0), Initial(x)]),
    # characteristic boundaries, where no highest derivative leads across
    (
        "heat, time as a plain coordinate",
        u.diff(y) - u.diff(x, 2),
        SQUARE,
        [Dirichlet(0, on=["x-", "x+", "y-"])],
    ),
    ("Goursat", u.diff(x, y), SQUARE, [Dirichlet(0, on=["x-", "y-"])]),
    ("along one axis", u.diff(x, 2) - y * u, SQUARE, [Dirichlet(0, on=["x-", "x+"])]),
    (
        "no condition on the axis",
        r * POLAR.diff(r, 2) + POLAR.diff(r) + r * POLAR.diff(z, 2),
        SQUARE,
        [Dirichlet(0, on=["r+", "z-", "z+"])],
    ),
    ("degenerate", x * u.diff(x, 2) + u.diff(y, 2), SQUARE, [Dirichlet(0, on=["x+", "y-", "y+"])]),
    (
        "singular",
        POLAR.diff(r, 2) + POLAR.diff(r) / r + POLAR.diff(z, 2),
        SQUARE,
        [Dirichlet(0, on=["r+", "z-", "z+"]), Neumann(0, on="r-")],
    ),
]


@pytest.mark.parametrize(("equation", "domain", "conditions"), [c[1:] for c in ACCEPTED], ids=[c[0] for c in ACCEPTED])
def test_accepted(equation: Any, domain: Any, conditions: Any) -> None:
    assert fs.Problem(equation, domain, conditions).constraints


REFUSED = [
    (LAPLACE, SQUARE, [], r"conditions is empty.*Dirichlet"),
    (WAVE, ROD, [], "conditions is empty"),
    (LAPLACE, SQUARE, None, r"conditions.*a list.*got None"),
    (LAPLACE, SQUARE, 0, "conditions must be a list"),
    (LAPLACE, SQUARE, [0], r"conditions.*objects.*got 0"),
    (LAPLACE, SQUARE, "x-", r"conditions.*objects.*got 'x'"),
    (LAPLACE, SQUARE, [Dirichlet], r"conditions.*objects.*got <class"),
    (LAPLACE, SQUARE, [sp.Eq(u, 0)], "conditions must be objects"),
    # a part with none
    (
        LAPLACE,
        SQUARE,
        [Dirichlet(0, on=["x-", "x+", "y-"])],
        r"^the boundary part 'y\+' has 0 of the 1.*'x-'.*on='y\+'.*whole",
    ),
    (LAPLACE, SQUARE, [Dirichlet(0, on=sp.Eq(x, 0))], r"part 'x\+' has 0 of the 1"),
    (LAPLACE, fs.Pacman(), [Dirichlet(0, on="arc")], r"part '.*' has 0 of the 1"),
    (HEAT, ROD, [Dirichlet(0, on="x-"), Initial(0)], r"part 'x\+' has 0 of the 1"),
    (BIHARMONIC, SQUARE, [Dirichlet(0)], "'x-' has 1 of the 2 conditions"),
    (BIHARMONIC, SQUARE, [Dirichlet(0), Neumann(0, on=["x-", "x+", "y-"])], r"part 'y\+' has 1 of the 2"),
    (
        r * POLAR.diff(r, 2) + r * POLAR.diff(z, 2),
        SQUARE,
        [Dirichlet(0, on=["z-", "z+"])],
        r"part 'r\+' has 0",
    ),
    # a piece with none
    (
        LAPLACE,
        SQUARE,
        [Dirichlet(0, on=x < 0.5)],
        r"part 'x\+' has 0 of the 1",
    ),
    (
        LAPLACE,
        SQUARE,
        [Dirichlet(0, on=["x-", "x+", "y+"]), Dirichlet(0, on=sp.And(sp.Eq(y, 0), x < 0.5))],
        r"^a piece of.*'y-'.*x=0\.[5-9].*0 of the 1.*x < 0\.5",
    ),
    (
        BIHARMONIC,
        SQUARE,
        [Dirichlet(0), Neumann(0, on=["x-", "x+", "y+"]), Neumann(0, on=sp.And(sp.Eq(y, 0), x < 0.5))],
        r"^a piece of.*'y-'.*1 of the 2",
    ),
    # two contradicting
    (LAPLACE, SQUARE, [Dirichlet(0), Dirichlet(sp.sin(x), on="y+")], r"'y\+' has two.*0 and sin\(x\).*on="),
    (LAPLACE, SQUARE, [Dirichlet(0), Dirichlet(np.sin, on="x-")], r"'x-' has two.*callable sin"),
    (LAPLACE, SQUARE, [Dirichlet(0, on=x < 0.6), Dirichlet(1, on=x > 0.4)], r"'y-' has two Dirichlet"),
    (LAPLACE, SQUARE, [Dirichlet(0), Neumann(0, on="x+")], r"'x\+'.*contradicting.*neumann x\+.*on="),
    (LAPLACE, SQUARE, [Dirichlet(0), Neumann(0, on=x > 0.9)], r"'x\+' has contradicting"),
    (u.diff(x) + u.diff(y), SQUARE, [Dirichlet(0), Dirichlet(1, on="x-")], r"'x-' has two Dirichlet"),
    (v.diff(x, 2), INTERVAL, [Dirichlet(0), Dirichlet(1, on="x-")], r"'x-' has two Dirichlet"),
    # ordinary differential equations
    (v.diff(x, 2), INTERVAL, [Dirichlet(0, on="x-")], r"^conditions:.*order 2 takes 2.*got 1"),
    (v.diff(x), INTERVAL, [Dirichlet(0)], r"order 1 takes 1.*got 2 \(dirichlet"),
    (v.diff(x, 2), INTERVAL, [Dirichlet(0), Neumann(0)], r"order 2 takes 2 of them; got 4"),
    # time
    (LAPLACE, SQUARE, [Dirichlet(0), Initial(0)], r"Initial.*with time.*fs\.Time"),
    (HEAT, ROD, [Dirichlet(0)], r"order 1.*misses.*order=0.*value"),
    (WAVE, ROD, [Dirichlet(0), Initial(0)], r"order 2.*misses.*order=1.*velocity"),
    (WAVE, ROD, [Dirichlet(0), Initial(0, order=1)], r"misses .*order=0"),
    (w.diff(t, 3) - w.diff(x, 2), ROD, [Dirichlet(0), Initial(0), Initial(0, 1)], r"order=2\), the time derivative"),
    (HEAT, ROD, [Dirichlet(0), Initial(0), Initial(1)], r"two Initial.*order 0; keep"),
    (HEAT, ROD, [Dirichlet(0), Initial(0), Initial(1, 1)], r"Initial of order 1.*order 0$"),
    (WAVE, ROD, [Dirichlet(0), Initial(0, 3)], r"Initial of order 3.*orders 0, 1$"),
    (w.diff(x, 2), ROD, [Dirichlet(0), Initial(0)], r"Initial of order 0.*no time"),
    (HEAT, ROD, [Dirichlet(0, on="t-"), Initial(0)], r"no part 't-'.*fs\.Initial"),
    (HEAT, ROD, [Dirichlet(0, on="t+"), Initial(0)], r"no part 't\+'.*end of time"),
]


@pytest.mark.parametrize(("equation", "domain", "conditions", "message"), REFUSED)
def test_refused(equation: Any, domain: Any, conditions: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.Problem(equation, domain, conditions)


def test_counting_calls_no_user_code_where_the_count_is_right() -> None:
    a = sp.Function("a")
    equation = a(x, y) * LAPLACE
    fs.Problem(equation, SQUARE, [Dirichlet(forbidden)], given={a: forbidden})


def test_a_given_coefficient_decides_whether_the_boundary_is_characteristic() -> None:
    a = sp.Function("a")
    equation = a(x, y) * u.diff(x, 2) + u.diff(y, 2)
    conditions = [Dirichlet(0, on=["x+", "y-", "y+"])]
    fs.Problem(equation, SQUARE, conditions, given={a: lambda p: p[:, 0]})
    with pytest.raises(fs.ProblemError, match="part 'x-' has 0 of the 1"):
        fs.Problem(equation, SQUARE, conditions, given={a: lambda p: 1 + p[:, 0]})
    with pytest.raises(fs.ProblemError, match="part 'x-' has 0 of the 1"):
        fs.Problem(equation, SQUARE, conditions, given={a: lambda p: np.full(len(p), np.nan)})
