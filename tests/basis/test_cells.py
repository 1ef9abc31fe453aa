"""Polynomials on cells: derivatives, sums, tables, and one unknown of several."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from fspielm import Disk, Interval, LShape
from fspielm.basis import localise
from fspielm.cells import CellBasis, Tiling, tile
from fspielm.cells.basis import ball
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, derivative, identity

TILINGS: dict[str, Tiling] = {
    "1d": tile(Interval(0, 2), (3,)).halve({1: (0,)}),
    "L": tile(LShape((0, 0), 1), (2, 2)).halve({0: (0, 1), 1: (0,)}),
    "disk": tile(Disk((0.2, 0), 1), (3, 3)),
}
Sample = tuple[CellBasis, Sites]


@pytest.fixture(params=list(TILINGS))
def tiling(request: pytest.FixtureRequest) -> Tiling:
    return TILINGS[request.param]


@pytest.fixture(params=[1, 2], ids=["one unknown", "two"])
def sample(request: pytest.FixtureRequest, tiling: Tiling) -> Sample:
    """Degrees that differ from cell to cell and axis to axis, and points of the domain."""
    shape = len(tiling.cells), tiling.domain.dimension
    degrees = 3 + np.arange(np.prod(shape)).reshape(shape) % 4
    basis = CellBasis(tiling.frames, degrees, (1.0, 2.5)[: request.param], elsewhere=3)
    return basis, Sites(tiling.domain.sample(60, np.random.default_rng(1)))


def operator_on(basis: CellBasis, number: complex = -2.0) -> Operator:
    """Two derivatives, one with a coefficient that varies, on the last unknown."""
    first, zero = (1,) + (0,) * (basis.dimension - 1), (0,) * basis.dimension
    last = basis.components - 1
    terms = (
        Term(lambda s: 1 + s.points[:, 0] ** 2, first, last),
        Term(number, zero, 0),
        Term(0.5, (2, *zero[1:]), last),
    )
    return Operator(basis.dimension, terms)


def test_degrees_are_within_an_ellipse() -> None:
    assert len(ball((6,))) == 7
    inside = {tuple(each) for each in ball((4, 2)).tolist()}
    assert inside == {(i, j) for i, j in product(range(5), range(3)) if (i / 4) ** 2 + (j / 2) ** 2 <= 1}
    assert ball((0, 0)).tolist() == [[0, 0]]


def test_derivatives_agree_with_finite_differences(sample: Sample) -> None:
    basis, sites = sample
    cells, step = basis.frames.locate(sites.points), 1e-3
    for cell, axis in product(np.unique(cells).tolist(), range(basis.dimension)):
        points = sites.points[cells == cell]
        shift = step * np.eye(basis.dimension)[axis]

        def rows(orders: tuple[int, ...], where: np.ndarray, cell: int = cell) -> np.ndarray:
            return basis.rows(cell, localise(derivative(orders), Sites(where), basis.components))

        once, twice = (tuple(order * int(other == axis) for other in range(basis.dimension)) for order in (1, 2))
        values = [rows((0,) * basis.dimension, points + k * shift) for k in (-2, -1, 0, 1, 2)]
        slope = (values[0] - 8 * values[1] + 8 * values[3] - values[4]) / (12 * step)
        bend = (-values[0] + 16 * values[1] - 30 * values[2] + 16 * values[3] - values[4]) / (12 * step**2)
        for orders, expected in ((once, slope), (twice, bend)):
            exact = rows(orders, points)
            assert np.abs(exact - expected).max() < 1e-6 * np.abs(exact).max()


@pytest.mark.parametrize("number", [-2.0, 1j], ids=["real", "complex"])
def test_fill_sums_and_tables_are_made_of_the_rows_of_cells(sample: Sample, number: complex) -> None:
    basis, sites = sample
    local = localise(operator_on(basis, number), sites, basis.components)
    expected = np.zeros((len(sites), basis.size), dtype=basis.dtype_under(local))
    for index, cell in enumerate(basis.frames.locate(sites.points).tolist()):
        expected[index, basis.columns(cell)] = basis.rows(cell, local.select(np.array([index])))[0]
    size = np.abs(expected).max()
    np.testing.assert_allclose(basis.matrix(operator_on(basis, number), sites), expected, rtol=0, atol=1e-13 * size)
    np.testing.assert_allclose(basis.sparse(local).toarray(), expected, rtol=0, atol=1e-13 * size)
    fields = np.random.default_rng(2).normal(size=(3, basis.size))
    sums = basis.sums(fields, [local])[0]
    assert sums.dtype == expected.dtype
    np.testing.assert_allclose(sums, fields @ expected.T, rtol=0, atol=1e-12 * size)


def test_fill_writes_some_columns(sample: Sample) -> None:
    basis, sites = sample
    local, whole = (
        localise(identity(basis.dimension), sites, basis.components),
        basis.matrix(identity(basis.dimension), sites),
    )
    for columns in (slice(0, 5), slice(4, basis.size - 4), slice(basis.size - 2, basis.size)):
        out = np.full((columns.stop - columns.start, len(sites)), np.nan)
        basis.fill(local, columns, out)
        np.testing.assert_allclose(out.T, whole[:, columns], rtol=0, atol=1e-14 * np.abs(whole).max())


def test_a_field_is_one_unknown_of_the_sums(sample: Sample) -> None:
    basis, sites = sample
    coefficients = np.random.default_rng(3).normal(size=(2, basis.size))
    for unknown in range(basis.components):
        own, its = basis.field(unknown, coefficients)
        assert own.components == 1
        assert own.size == its.shape[1]
        (whole,) = basis.sums(coefficients, [localise(identity(basis.dimension).on(unknown), sites, basis.components)])
        (alone,) = own.sums(its, [localise(identity(basis.dimension), sites)])
        np.testing.assert_allclose(alone, whole, rtol=0, atol=1e-13 * np.abs(whole).max())


def test_columns_without_values_can_be_left_out(sample: Sample) -> None:
    basis, sites = sample
    coefficients = np.random.default_rng(4).normal(size=(1, basis.size))
    valued, its = basis.valued(coefficients)
    assert valued.size == its.shape[1] == basis.size - 3
    local = localise(operator_on(basis), sites, basis.components)
    (found,), (expected,) = valued.sums(its, [local]), basis.sums(coefficients, [local])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_many_points_in_a_cell_are_summed_as_few_are(tiling: Tiling) -> None:
    basis = CellBasis(tiling.frames, np.full((len(tiling.cells), tiling.domain.dimension), 6))
    fields = np.random.default_rng(5).normal(size=(1, basis.size))
    points = tiling.domain.sample(30_000, np.random.default_rng(6))
    (many,) = basis.sums(fields, [localise(identity(basis.dimension), Sites(points))])
    (few,) = basis.sums(fields, [localise(identity(basis.dimension), Sites(points[:50]))])
    np.testing.assert_allclose(many[:, :50], few, rtol=0, atol=1e-13 * np.abs(many).max())


def test_it_tells_what_it_is(tiling: Tiling) -> None:
    number, dimension = len(tiling.cells), tiling.domain.dimension
    basis = CellBasis(tiling.frames, np.full((number, dimension), 7))
    assert basis.on_cells == (basis,)
    assert basis.in_words.startswith(f"{number}, degree 7")
    sizes = basis.sizes(np.ones((1, basis.size)), 1)
    assert sizes.shape == (1, number)
    assert np.all(sizes > 0)


def test_it_tells_degrees_and_sizes_in_words() -> None:
    alone, halved = tile(Interval(0, 1), (1,)), TILINGS["1d"]
    assert CellBasis(alone.frames, np.array([[9]])).in_words == "1, degree 9"
    assert CellBasis(halved.frames, np.array([[9], [5], [6], [7]])).in_words == (
        "4, degree 5 to 9; the smallest 0.5 of the largest"
    )
