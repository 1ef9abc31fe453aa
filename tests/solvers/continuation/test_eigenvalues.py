"""Eigenvalues of linearisations, and which of them make a solution unstable."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
import sympy as sp

import fspielm as fs
from fspielm.solvers import Budget
from fspielm.solvers.continuation.path import Along, Equations, Local, Place, find_spectrum, leading_sign
from fspielm.solvers.continuation.walk import functions_at_rest
from fspielm.solvers.request import Request, Streams

x, y, lam = sp.symbols("x y lam")


def at_rest(along: Along, value: float, approach: str, tol: float = 1e-8) -> Local:
    streams, seed = Streams.spawned(0)
    request = Request(along.at(value), tol, Budget(threads=1), streams, seed, approach=approach)  # type: ignore[arg-type]
    best = functions_at_rest(request).best
    return Equations(along, request, best.discretisation).at(Place(np.zeros(best.basis.size), value))


@pytest.mark.parametrize("approach", ["band", "patches"])
@pytest.mark.parametrize("sign", [1, -1])
def test_on_a_line(approach: str, sign: int) -> None:
    u = sp.Function("u")(x)
    equation = sp.Eq(sign * (u.diff(x, 2) + lam * sp.sin(u)), 0)
    problem = fs.Problem(equation, fs.Interval(0, sp.pi), [fs.Dirichlet(0)], given={lam: 1.0})
    spectrum = find_spectrum(at_rest(Along(problem, lam, 0.0, 10.0), 5.0, approach))
    assert spectrum.sign == sign
    assert spectrum.values[:3].real == pytest.approx([1, 4, -4], rel=1e-4) or spectrum.values[:3].real == pytest.approx(
        [1, -4, 4], rel=1e-4
    )
    assert spectrum.unstable == 2
    assert spectrum.closest(positive=False) == pytest.approx(-4, rel=1e-4)


def test_double_eigenvalues_are_seen_twice() -> None:
    u = sp.Function("u")(x, y)
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + lam * (u - u**3), 0)
    problem = fs.Problem(equation, fs.Disk((0, 0), 1), [fs.Dirichlet(0)], given={lam: 1.0})
    spectrum = find_spectrum(at_rest(Along(problem, lam, 0.0, 20.0), 16.0, "band", tol=1e-4))
    single, double = scipy.special.jn_zeros(0, 1)[0] ** 2, scipy.special.jn_zeros(1, 1)[0] ** 2
    assert spectrum.values[:3].real == pytest.approx([16 - double, 16 - double, 16 - single], rel=1e-2)
    assert spectrum.unstable == 3


def test_the_sign_of_the_highest_derivatives_decides() -> None:
    u = sp.Function("u")(x, y)
    square = fs.Box((0, 0), (1, 1))
    bilaplacian = u.diff(x, 4) + 2 * u.diff(x, 2, y, 2) + u.diff(y, 4)
    clamped = [fs.Dirichlet(0), fs.Neumann(0)]
    assert leading_sign(fs.Problem(sp.Eq(bilaplacian, 1), square, clamped)) == -1
    assert leading_sign(fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 1), square, [fs.Dirichlet(0)])) == 1
    waves = fs.Problem(sp.Eq(u.diff(x, 2) - u.diff(y, 2), 1), square, [fs.Dirichlet(0)])
    assert leading_sign(waves) == 0
