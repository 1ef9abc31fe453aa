"""Weights that change their sign: eigenvalues on both sides of zero."""

import numpy as np
import pytest
import sympy as sp
from numpy.polynomial import legendre
from scipy.linalg import eigvals

import fspielm as fs

x, y, lam = sp.symbols("x y lam")
u = sp.Function("u")(x)
v = sp.Function("v")(x, y)


def by_galerkin(weight, across=0.0):
    """The values of ``-u'' + across u = lam weight u`` with u = 0 at 0 and 1, by size: Legendre's polynomials."""
    nodes, weights = legendre.leggauss(80)
    at = legendre.legvander(nodes, 32)
    functions = at[:, 2:] - at[:, :-2]  # zero at both ends
    # the derivative of P(n+1) - P(n-1) is (2 n + 1) P(n), and the interval has length 2 here
    slopes = 2 * at[:, 1:-1] * (2 * np.arange(1, 32) + 1)
    stiffness = slopes.T @ (weights[:, None] * slopes) + across * functions.T @ (weights[:, None] * functions)
    mass = functions.T @ ((weights * weight((nodes + 1) / 2))[:, None] * functions)
    inverses = eigvals(mass, stiffness).real
    found = 1 / inverses[np.abs(inverses) > 1e-6]
    return found[np.argsort(np.abs(found))]


@pytest.mark.parametrize("middle", [0.5, 0.3])  # at 0.5 both signs weigh the same
def test_on_an_interval(middle):
    problem = fs.Problem(sp.Eq(-u.diff(x, 2), lam * (x - middle) * u), fs.Interval(0, 1), [fs.Dirichlet(0)])
    found = fs.eigenmodes(problem, lam, count=4, rng=0)
    exact = by_galerkin(lambda at: at - middle)
    for mode in found:
        assert np.abs(exact - mode.value).min() <= mode.estimate + 1e-10 * abs(mode.value)
        assert mode.estimate <= 1e-6 * abs(mode.value)
    np.testing.assert_allclose(np.sort(np.abs(found.values)), np.sort(np.abs(exact[:4])), rtol=1e-7)


def test_on_a_square():
    equation = sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * (x - sp.Rational(1, 2)) * v)
    found = fs.eigenmodes(fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)]), lam, count=2, rng=0)
    exact = by_galerkin(lambda at: at - 0.5, across=np.pi**2)
    np.testing.assert_allclose(np.sort(found.values), np.sort(exact[:2]), rtol=1e-7)
