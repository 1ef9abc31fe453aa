"""Solutions on cells come back to the last bit, from the numbers of their frames alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis.singular.angular import AngularBasis
from fspielm.cells import CellBasis, Tiling, tile
from fspielm.cells.shared import AroundPoint
from fspielm.cells.tree import grow_tree
from fspielm.files.archive import Arrays
from fspielm.files.saved_bases import describe_basis, read_basis

x, y, t = sp.symbols("x y t")
u, v = (sp.Function(name)(x, y) for name in "uv")
SQUARE = fs.Box((0, 0), (1, 1))
PROBLEMS: dict[str, Callable[[], fs.Problem]] = {
    "layer": lambda: _layer(sp.Function("u")(x)),
    "disk": lambda: fs.Problem(sp.Eq(_laplacian(u) + 4 * u, sp.exp(x)), fs.Disk((0, 0), 1), [fs.Dirichlet(x * y)]),
    "heat": lambda: _heat(sp.Function("u")(x, t)),
    "complex": lambda: fs.Problem(sp.Eq(_laplacian(u) + (2 + sp.I) * u, 1), SQUARE, [fs.Dirichlet(sp.exp(x * y))]),
    "corners": lambda: fs.Problem(sp.Eq(u - _laplacian(u), 1), fs.LShape((0, 0), 1), [fs.Dirichlet(0)]),
    "elastic": lambda: _elastic(),
    "system": lambda: fs.Problem(
        [sp.Eq(_laplacian(u) + v, 1), sp.Eq(_laplacian(v) - u, x)], SQUARE, [fs.Dirichlet({u: x * y, v: y})]
    ),
}


def _laplacian(of: sp.Expr) -> sp.Expr:
    return of.diff(x, 2) + of.diff(y, 2)


def _elastic() -> fs.Problem:
    stress = fs.stress([u, v], lam=1.0, mu=0.7)
    force, pull = fs.divergence(stress), fs.traction(stress)
    conditions = [fs.Dirichlet({u: 0, v: 0}, on="x-"), *(fs.Condition(sp.Eq(each, 0), on="rest") for each in pull)]
    return fs.Problem([sp.Eq(-force[0], 0), sp.Eq(-force[1], -1)], SQUARE, conditions, unknowns=[u, v])


def _layer(of: sp.Expr) -> fs.Problem:
    return fs.Problem(sp.Eq(of - of.diff(x, 2) / 1000, 1), fs.Interval(0, 1), [fs.Dirichlet(0)])


def _heat(of: sp.Expr) -> fs.Problem:
    start = [fs.Dirichlet(0), fs.Initial(sp.sin(sp.pi * x))]
    return fs.Problem(sp.Eq(of.diff(t), of.diff(x, 2)), fs.Interval(0, 1) * fs.Time(0, 0.1), start)


@pytest.fixture(scope="module", params=list(PROBLEMS))
def solution(request: pytest.FixtureRequest) -> fs.Solution:
    return fs.solve(PROBLEMS[request.param](), approach="patches", tol=0.05, rng=0)


def points_of(solution: fs.Solution) -> np.ndarray:
    """Of the bounding box, so that some are in no cell."""
    lower, upper = solution.problem.domain.bounding_box
    return np.random.default_rng(1).uniform(lower, upper, (2000, len(lower)))


def test_loaded_and_copied_evaluate_bit_for_bit(solution: fs.Solution, tmp_path: Path) -> None:
    solution.save(tmp_path / "it.fspielm")
    points, loaded = points_of(solution), fs.load(tmp_path / "it.fspielm")
    for other in (
        loaded,
        pickle.loads(pickle.dumps(solution)),
        copy.deepcopy(solution),
        pickle.loads(pickle.dumps(loaded)),
    ):
        np.testing.assert_array_equal(other(points, outside="extend"), solution(points, outside="extend"))
        inside = points[solution.contains(points)][:9]
        np.testing.assert_array_equal(other.residual(inside), solution.residual(inside))
        assert other.report == solution.report
        assert other.integrate(sp.Function("u")(*solution.problem.coordinates)) == solution.integrate(
            sp.Function("u")(*solution.problem.coordinates)
        )
    assert loaded.report.cells == len(loaded.basis.on_cells[0].frames)


def test_columns_without_values_are_not_stored(solution: fs.Solution, tmp_path: Path) -> None:
    solution.save(tmp_path / "it.fspielm")
    loaded = fs.load(tmp_path / "it.fspielm")
    elsewhere = solution.basis.on_cells[0].elsewhere
    assert loaded.basis.size == len(loaded.coefficients) == solution.basis.size - elsewhere
    assert len(loaded.estimate.null) == loaded.basis.size


@pytest.mark.filterwarnings("ignore:saved without its statement")
def test_one_field_of_a_system(tmp_path: Path) -> None:
    field = fs.solve(PROBLEMS["system"](), approach="patches", tol=0.05, rng=0)["v"]
    field.save(tmp_path / "it.fspielm")
    np.testing.assert_array_equal(fs.load(tmp_path / "it.fspielm")(points_of(field)), field(points_of(field)))


def graded() -> Tiling:
    tiling = tile(fs.Disk((0, 0), 1), (3, 3))
    for _ in range(6):
        cell = int(tiling.locate([[0.31, 0.2]])[0])
        tiling = tiling.halve({cell: (0, 1)})
    return tiling.halve({2: (0,)})


def test_the_tree_grows_again_from_its_cuts() -> None:
    tree = graded().frames.tree
    again = grow_tree(tree.lower[0], tree.upper[0], tree.cuts)
    for name in ("lower", "upper", "axis", "at", "below", "parent"):
        np.testing.assert_array_equal(getattr(again, name), getattr(tree, name))


def _stored() -> tuple[dict[str, object], Arrays]:
    frames, arrays = graded().frames, {}
    degrees = 3 + np.arange(2 * len(frames)).reshape(-1, 2) % 5
    return describe_basis(CellBasis(frames, degrees, (1.0, 0.1)), arrays), arrays


def test_a_graded_basis_comes_back() -> None:
    content, arrays = _stored()
    basis = read_basis(content, arrays)
    assert isinstance(basis, CellBasis)
    assert describe_basis(basis, {}) == content
    np.testing.assert_array_equal(basis.frames.owner, graded().frames.owner)


@pytest.mark.parametrize(
    ("name", "value"),
    [("cuts", [0.0, 0.0, 0.1]), ("cuts", [999.0, 0.0, 0.1]), ("owner", 99.0), ("degrees", 1e6), ("degrees", 2.5)],
)
def test_refuses_what_is_no_tiling(name: str, value: object) -> None:
    content, arrays = _stored()
    changed = arrays[f"basis.{name}"].copy()
    changed[-1] = value
    with pytest.raises(ValueError, match=r"a cut of node|leaves of other cells|degrees of shape|not whole"):
        read_basis(content, arrays | {f"basis.{name}": changed})


def test_functions_of_corners_are_checked() -> None:
    solution = fs.solve(PROBLEMS["corners"](), approach="patches", tol=0.05, rng=0)
    (basis,) = solution.basis.on_cells
    assert len(basis.corners) == 6
    arrays: Arrays = {}
    content = describe_basis(basis, arrays, "it")
    assert len(read_basis(content, arrays, "it").corners) == 6
    for wrong in ([], [0, 0], [-1], [len(basis.frames)]):
        with pytest.raises(ValueError, match="functions at a corner, in cells"):
            read_basis(content, arrays | {"it.corner.0": np.array(wrong, dtype=float)}, "it")
    other = {**content["corners"][0], "kind": "sources"}
    others = {"it.corner.0.points": np.zeros((1, 2)), "it.corner.0.clearances": np.ones(1)}
    with pytest.raises(ValueError, match="functions at a corner that are a 'sources'"):
        read_basis({**content, "corners": [{**other, "ratio": 0.0}]}, arrays | others, "it")
    # a file from before has none
    del content["corners"]
    assert read_basis(content, arrays, "it").corners == ()


def test_functions_of_the_angle_at_corners_are_checked() -> None:
    frames, arrays = graded().frames, {}
    basis = AngularBasis((0.0, 1.0), (0.0, 2.0), 0.5, np.array([0.5, 1.5]), np.ones((2, 2, 2, 9)))
    degrees = np.full((len(frames), 2), 3)
    content = describe_basis(
        CellBasis(frames, degrees, (1.0, 0.1), meeting=AroundPoint(basis, np.array([1, 2]))), arrays, "it"
    )
    assert read_basis(content, arrays, "it").corners == ((0.0, 1.0),)
    shapes = [(), (9,), (2, 2, 9), (1, 2, 2, 9), (2, 3, 2, 9), (2, 2, 1, 9), (2, 2, 2, 1), (2, 2, 2, 9, 1)]
    wrong = [("values", shape) for shape in shapes] + [("exponents", shape) for shape in [(), (3,), (2, 1)]]
    for name, shape in wrong:
        with pytest.raises(ValueError, match="functions at a corner of shape"):
            read_basis(content, arrays | {f"it.corner.0.{name}": np.ones(shape)}, "it")
