"""What may bind modes where no search leads."""

import re

import pytest
import sympy as sp

import fspielm as fs
from fspielm.eigen.search import why_incomplete

x = sp.Symbol("x")
u = sp.Function("u")(x)
REST = [fs.Dirichlet(0)]


def stated(potential, conditions=REST):
    return fs.Problem(sp.Eq(-u.diff(x, 2) + potential * u, 3 * u), fs.Interval(0, 1), conditions)


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (stated(-5e6 * sp.exp(-(((x - 0.37) / 1e-5) ** 2))), "changes within a distance of .*e-0.*bound there"),
        (stated(0, [fs.Robin(-20, 1, 0, on="x-"), fs.Dirichlet(0, on="x+")]), "'robin x-' lets functions grow"),
        (stated(0, [fs.Robin(20, 1, 0)]), "^$"),
        (stated(x**2), "^$"),
        (stated(sp.Piecewise((4, x < 0.5), (1, True))), "^$"),
    ],
)
def test_reasons(problem, words):
    assert re.search(words, why_incomplete(problem))
