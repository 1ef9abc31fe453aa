"""Branches that several tests look at."""

from __future__ import annotations

import warnings

import pytest
import sympy as sp

import fspielm as fs

x, lam = sp.symbols("x lam")
u = sp.Function("u")(x)


@pytest.fixture(scope="session")
def bratu() -> fs.Branch:
    """Around the fold."""
    equation = sp.Eq(u.diff(x, 2) + lam * sp.exp(u), 0)
    problem = fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(0)], given={lam: 1.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)  # close to the fold
        return fs.follow(problem, lam, (3, 4), approach="patches", points=8, rng=0)


@pytest.fixture(scope="session")
def cubic() -> fs.Branch:
    """Zero, and what leaves it at the first eigenvalue."""
    equation = sp.Eq(-u.diff(x, 2), lam * (u - u**3))
    problem = fs.Problem(equation, fs.Interval(0, sp.pi), [fs.Dirichlet(0)], given={lam: 1.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)  # close to the bifurcation
        return fs.follow(problem, lam, (0.5, 1.2), approach="patches", points=6, rng=0)
