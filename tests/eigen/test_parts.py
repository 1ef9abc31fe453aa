"""What modes are found with: powers of the eigenvalue, windows, the end of a spectrum."""

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.eigen.modes import Window
from fspielm.eigen.pencil import pencil_of
from fspielm.eigen.search import outlook_of

x, lam = sp.symbols("x lam")
u = sp.Function("u")(x)


def pencil(equation, conditions=None):
    stated = fs.Problem(equation, fs.Interval(-1, 1), conditions or [fs.Dirichlet(0)], given={lam: 1.0})
    return pencil_of(stated, lam)


def coefficient(operator):
    (term,) = operator.terms
    return term.coefficient


def test_powers_are_read_exactly():
    found = pencil(sp.Eq(u.diff(x, 2) + lam**2 * u, 3 * lam * u.diff(x)))
    assert found.degree == 2
    assert coefficient(found.powers[0]["equation"]) == pytest.approx(-3.0, abs=1e-14)
    assert coefficient(found.powers[1]["equation"]) == pytest.approx(1.0, abs=1e-14)
    at_shift = found.around(2.0)
    assert sum(term.coefficient for term in at_shift[0]["equation"].terms if term.order == 0) == pytest.approx(4.0)


def test_a_large_potential_costs_no_digit():
    found = pencil(sp.Eq(-u.diff(x, 2) + 1e6 * sp.cos(x) * u, lam * u))
    sites = found.problem.equations[0].sample(9, np.random.default_rng(0), "low-discrepancy")
    (term,) = found.powers[0]["equation"].terms
    assert np.abs(term.at(sites) + 1).max() < 1e-14


def test_conditions_have_powers_too():
    found = pencil(sp.Eq(u.diff(x, 2), 0), [fs.Robin(-lam, 1, 0)])
    assert set(found.powers[0]) == {"robin x-", "robin x+"}


def test_what_is_no_polynomial_is_none():
    assert pencil(sp.Eq(u.diff(x, 2) + sp.sqrt(lam**2 + 1) * u, 0)) is None


def test_the_end_of_a_spectrum_is_that_of_the_potential():
    up = outlook_of(pencil(sp.Eq(-u.diff(x, 2) + (x**2 - 5) * u, lam * u)))
    assert up.direction == 1
    assert up.end == pytest.approx(-5.0, abs=1e-3)
    assert up.shift < -5
    assert outlook_of(pencil(sp.Eq(u.diff(x, 2), lam * u))).direction == -1
    assert outlook_of(pencil(sp.Eq(u.diff(x), lam * u), [fs.Dirichlet(0, on="x-")])).direction == 0


def test_windows_pick_in_the_order_of_values():
    mu = np.array([1.0, -2.0, 3.0 + 1j, 4.0])
    assert Window(10.0, None, 7.0, 15.0).pick(mu).tolist() == [1, 0, 3]
    assert Window(10.0, None, 7.0, 15.0).needed(mu) == 4
    assert Window(10.0, 2, direction=1).behind(mu).tolist() == [8.0]
