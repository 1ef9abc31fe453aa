"""Tables of functions beside the bases that they are tables of."""

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis.evaluation.direct import tabulate
from fspielm.eigen import Membrane, membrane_of
from fspielm.eigen.membranes.functions import Choice, functions_at, table_of
from fspielm.eigen.membranes.look import look_at, pinned, scan
from fspielm.eigen.pencil import read_pencil
from fspielm.geometry import Sites
from fspielm.problem.operator import derivative, identity

x, y, lam = sp.symbols("x y lam")
u = sp.Function("u")(x, y)
CORNER = fs.Polygon([(0, 0), (1, 0), (1, 1), (-1, 1), (-1, -1), (0, -1)])
ROUND = fs.Disk((0, 0), 1) - fs.Box((-0.1, -1.5), (1.5, 0.1))
DOMAINS = {
    "corner": CORNER,
    "hole": CORNER - fs.Disk((-0.5, 0.5), 0.2),
    "joints": fs.Disk((-1, 0), 1) | fs.Box((-1, -1), (1, 1)) | fs.Disk((1, 0), 1),
    "between arcs": ROUND,
}


def as_membrane(domain: fs.Domain, condition: object) -> Membrane:
    equation = sp.Eq(-u.diff(x, 2) - u.diff(y, 2), lam * u)
    found = membrane_of(read_pencil(fs.Problem(equation, domain, [condition]), lam))
    assert found is not None
    return found


@pytest.mark.parametrize("condition", [fs.Dirichlet(0), fs.Neumann(0)], ids=["held", "free"])
@pytest.mark.parametrize("energy", [0.1, 20.0, 900.0])
@pytest.mark.parametrize("name", DOMAINS)
def test_tables_are_those_of_the_basis(name: str, energy: float, condition: object) -> None:
    membrane = as_membrane(DOMAINS[name], condition)
    basis = functions_at(membrane, energy, Choice(6, 1.25, 20.0, 0.2)).basis
    points = membrane.sampled(60)
    table = table_of(basis, points)
    for own, operator in ((table.values, identity(2)), (table.x, derivative((1, 0))), (table.y, derivative((0, 1)))):
        known = tabulate(basis, operator, Sites(points), threads=1)
        np.testing.assert_allclose(own, known, rtol=0, atol=1e-10 * np.abs(known).max())


def test_slopes_are_those_of_values() -> None:
    membrane, step = as_membrane(DOMAINS["hole"], fs.Dirichlet(0)), 1e-6
    basis, points = functions_at(membrane, 50.0, Choice(orders=0.3)).basis, membrane.sampled(40)
    table = table_of(basis, points)
    for own, ahead in ((table.x, np.array([step, 0.0])), (table.y, np.array([0.0, step]))):
        off = (table_of(basis, points + ahead).values - table_of(basis, points - ahead).values) / (2 * step)
        np.testing.assert_allclose(own, off, rtol=0, atol=1e-7 * np.abs(off).max())


def test_fewer_orders_are_the_lowest() -> None:
    membrane = as_membrane(DOMAINS["hole"], fs.Dirichlet(0))
    few, more = (functions_at(membrane, 50.0, Choice(orders=orders)).columns[-1] for orders in (0.2, 1.0))
    assert few.size < 0.5 * more.size
    points = membrane.sampled(5)
    np.testing.assert_allclose(table_of(few, points).values, table_of(more, points).values[:, : few.size])


def test_bounds_fall_as_sources_come_closer() -> None:
    membrane = as_membrane(DOMAINS["hole"], fs.Dirichlet(0))
    seen = scan(membrane, 20.0, 30.0, lambda energy: look_at(membrane, energy, Choice()))
    found = [next(pinned(membrane, seen, Choice(waves=0.3, away=away))) for away in (1.0, 0.5, 0.25)]
    for far, near in pairwise(found):
        assert near.bound < 0.1 * far.bound
        assert abs(near.look.energy - far.look.energy) <= near.bound + far.bound
    points, clearances = membrane.places_around(0.1)
    assert not membrane.domain.contains(points).any()
    assert clearances.min() > 0.05
