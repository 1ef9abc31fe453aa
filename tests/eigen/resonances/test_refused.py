"""What is refused of resonances, with what to do instead."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.eigen.resonances.search import waves_of

x, y, k, other = sp.symbols("x y k other")
u, v = (sp.Function(name)(x, y) for name in "uv")
DISK = fs.Disk((0, 0), 1)
HELMHOLTZ = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0)


def outside(condition=None, equation=HELMHOLTZ, domain=None, **options):
    return fs.Problem(
        equation,
        domain or fs.Exterior(DISK),
        [condition or fs.Dirichlet(0)],
        given={k: ..., **options.pop("given", {})},
        **options,
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, r"within=\(1 - 0.5j, 3\).*corner$"),
        ({"count": 3}, "count=3 alone"),
        ({"count": 3, "within": (1 - 1j, 2)}, "give within, not count"),
        ({"within": 7}, r"complex plane.*within=7"),
        ({"within": ("a", 2)}, r"rectangle.*complex plane"),
        ({"within": (1 - 1j, float("inf"))}, "finite"),
        ({"within": (1, 2)}, r"no area.*real axis"),
        ({"within": (2 - 1e-14j, 2 + 1e-14)}, r"smaller.*sides are 1e-08"),
        ({"within": (2, 1 - 1j)}, r"wrong way.*within=\(1-1j, 2\)"),
        ({"within": (1, 2 - 1j)}, r"wrong way.*within=\(1-1j, 2\)"),
        ({"within": (1 - 1j, 2 + 0.1j)}, "reaches above the real axis"),
        ({"within": (-2 - 1j, -1)}, r"positive real parts.*mirrored"),
        ({"within": (0 - 1j, 1)}, "at zero waves end"),
        ({"within": (1 - 1j, 2), "tol": 2.0}, "tol must be a number"),
        ({"within": (1 - 1j, 2), "approach": "patches"}, r"'patches'.*bounded domains"),
        ({"within": (1 - 1j, 2), "progress": 7}, "progress must be True"),
    ],
)
def test_wishes(options, words):
    with pytest.raises(fs.ProblemError, match=words):
        fs.eigenmodes(outside(), k, **options)


def elastic():
    grown = u.diff(x) + v.diff(y)
    equations = [
        sp.Eq(u.diff(x, 2) + u.diff(y, 2) + 2 * grown.diff(x) + k**2 * u, 0),
        sp.Eq(v.diff(x, 2) + v.diff(y, 2) + 2 * grown.diff(y) + k**2 * v, 0),
    ]
    return fs.Problem(equations, fs.Exterior(DISK), [fs.Dirichlet({u: 0, v: 0})], given={k: ...})


PLANE_WAVE = fs.plane_wave(k, (0.6, 0.8))
FIXED = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + 4 * u, 0)


@pytest.mark.parametrize(
    ("stated", "symbol", "words"),
    [
        (outside, other, "does not occur"),
        (outside, "k", "SymPy symbol"),
        (outside, x, "is a coordinate"),
        (
            lambda: outside(given={other: ...}, equation=sp.Eq(HELMHOLTZ.lhs + other * u, 0)),
            k,
            "^other has no value",
        ),
        (lambda: outside(fs.Dirichlet(1)), k, r"value of .* is not zero"),
        (lambda: outside(incident=PLANE_WAVE), k, r"incident.*resonances"),
        (lambda: outside(domain=fs.Exterior(DISK, period=3), incident=PLANE_WAVE), k, "gratings"),
        (elastic, k, "for one unknown"),
        (lambda: outside(fs.Transparent(k * (2 + x**2))), k, "objects of one wavenumber"),
        (lambda: outside(fs.Transparent(2 * k, -1)), k, "resonances without end"),
        (lambda: outside(fs.Transparent(2 * k, 1 / (1 - 4 / k**2))), k, r"k = 1.41421\+?-?.*flux inside"),
        (lambda: outside(fs.Robin(k, 1, 0), FIXED), k, "stand in the equation outside"),
        (lambda: outside(equation=sp.Eq(HELMHOLTZ.lhs.subs(k, k - sp.Rational(3, 2)), 0)), k, "no single one"),
    ],
)
def test_problems(stated, symbol, words):
    with pytest.raises(fs.ProblemError, match=words):
        fs.eigenmodes(stated(), symbol, within=(1 - 1j, 2), rng=0)


def test_a_bounded_domain_has_no_rectangle():
    membrane = fs.Problem(HELMHOLTZ, DISK, [fs.Dirichlet(0)], given={k: ...})
    with pytest.raises(fs.ProblemError, match=r"open domains.*real values"):
        fs.eigenmodes(membrane, k, within=(1 - 1j, 2))


def test_wavenumbers_of_a_medium_that_gives_are_refused_still():
    with pytest.raises(fs.ProblemError, match="imaginary part negative"):
        outside(fs.Transparent(other * k), given={other: 2 - 0.1j}).at({k: 1.0})


def test_wavenumbers_of_metals_are_as_stated() -> None:
    """A root of the square would jump where a metal's is close to minus one."""
    metal = outside(fs.Transparent((0.2 + 3.4j) * k))
    values = [waves_of(metal.at({k: 3.0 + step * 1j})) for step in (-0.3, 0.3)]
    assert values[0][1] == pytest.approx((0.2 + 3.4j) * (3.0 - 0.3j))
    assert values[1][1] == pytest.approx((0.2 + 3.4j) * (3.0 + 0.3j))


def test_what_rounding_lifts_above_the_axis_is_not_refused():
    glass = outside(fs.Transparent(10 * k))
    for value in (complex(1.8, -1e-17), complex(1.8, 1e-15)):
        assert np.allclose(waves_of(glass.at({k: value})), (value, 10 * value), rtol=1e-14)
