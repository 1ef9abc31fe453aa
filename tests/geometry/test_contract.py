"""What every domain promises, checked on every shape."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
from typing import Any

import numpy as np
import pytest

from fspielm.errors import ProblemError
from fspielm.geometry import SHAPES, BoundaryPart

N = 200


def unit_grid(part: BoundaryPart, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Midpoints of cells of the unit cube that `part` is placed from, and the volumes of the cells.

    `n` of them along its first axis, which is the one that may be curved, shared among its smooth pieces, and three
    along the others.
    """
    if part.parameters == 0:
        return np.empty((1, 0)), np.ones(1)
    each = n // (len(part.breaks) - 1)
    middle = (np.arange(each) + 0.5) / each
    first = np.concatenate([a + (b - a) * middle for a, b in itertools.pairwise(part.breaks)])
    width = np.repeat(np.diff(part.breaks) / each, each)
    others = [(np.arange(3) + 0.5) / 3] * (part.parameters - 1)
    unit = np.array(list(itertools.product(first, *others)))
    return unit, np.repeat(width, 3 ** len(others)) / 3 ** len(others)


def unit_corners(part: BoundaryPart) -> np.ndarray:
    ends = [part.breaks, *[(0.0, 1.0)] * (part.parameters - 1)] if part.parameters else []
    corners = list(itertools.product(*ends))
    return np.array(corners).reshape(len(corners), part.parameters)


def away_from_corners(part: BoundaryPart, rng: np.random.Generator) -> np.ndarray:
    return 0.05 + 0.9 * rng.random((N if part.parameters else 1, part.parameters))


def straddles_kinks(part: BoundaryPart, unit: np.ndarray, h: float, tolerance: float) -> np.ndarray:
    """Whether a map that is linear between its kinks is not so within `h` of these points."""
    bent = np.zeros(len(unit), dtype=bool)
    for step in h * np.eye(part.parameters):
        ends = part.place(unit + step).points + part.place(unit - step).points
        bent |= np.abs(ends - 2 * part.place(unit).points).max(axis=1) > tolerance
    return bent


@pytest.fixture(scope="session")
def draws(case: Any) -> dict[str, np.ndarray]:
    """Samples by their rule, drawn once for all tests of a shape."""
    rules = ("uniform", "low-discrepancy", "clustered")
    return {rule: case.domain.sample(N, np.random.default_rng(3), rule) for rule in rules}


@pytest.fixture(scope="session")
def nodes(case: Any) -> dict[int, Any]:
    """Quadratures by the number of nodes asked for, made once for all tests of a shape."""
    return {n: case.domain.quadrature(n) for n in (1, 37, 500)}


def test_samples_lie_inside(case: Any, sampling: Any, draws: dict[str, np.ndarray]) -> None:
    points = draws[sampling]
    assert points.shape == (N, case.domain.dimension)
    assert points.dtype == np.float64
    assert case.domain.contains(points).all()
    lower, upper = case.domain.bounding_box
    assert (points >= lower).all()
    assert (points <= upper).all()


def test_exactly_n_samples(case: Any, sampling: Any, rng: np.random.Generator) -> None:
    for n in (0, 1, 7):
        assert case.domain.sample(n, rng, sampling).shape == (n, case.domain.dimension)
        for part in case.domain.boundary():
            expected = n if part.parameters else min(n, 1)
            sites = part.sample(n, rng, sampling)
            assert sites.points.shape == sites.normals.shape == (expected, case.domain.dimension)


def test_same_seed_same_points(case: Any, sampling: Any, draws: dict[str, np.ndarray]) -> None:
    assert np.array_equal(case.domain.sample(N, np.random.default_rng(3), sampling), draws[sampling])
    for part in case.domain.boundary():
        a, b = (part.sample(50, np.random.default_rng(3), sampling) for _ in range(2))
        assert np.array_equal(a.points, b.points)
        assert np.array_equal(a.normals, b.normals)


def test_sampling_rules_differ(draws: dict[str, np.ndarray]) -> None:
    for one, other in itertools.combinations(draws.values(), 2):
        assert not np.array_equal(one, other)


@pytest.mark.parametrize("even", ["uniform", "low-discrepancy"])
def test_samples_fill_the_domain_evenly(case: Any, even: Any, rng: np.random.Generator) -> None:
    """Half of each axis, seen from the domain's own samples and from its bounding box, weighs the same."""
    lower, upper = case.domain.bounding_box
    box = lower + (upper - lower) * rng.random((40_000, case.domain.dimension))
    inside = box[case.domain.contains(box)]
    points = case.domain.sample(4000, rng, even)
    middle = 0.5 * (lower + upper)
    assert np.mean(points < middle, axis=0) == pytest.approx(np.mean(inside < middle, axis=0), abs=0.05)


def test_measure(case: Any, rng: np.random.Generator) -> None:
    assert case.domain.measure == pytest.approx(case.measure, rel=1e-13)
    lower, upper = case.domain.bounding_box
    points = lower + (upper - lower) * rng.random((40_000, case.domain.dimension))
    filled = case.domain.measure / np.prod(upper - lower)
    assert np.mean(case.domain.contains(points)) == pytest.approx(filled, abs=0.012)


def test_parts_have_unique_names(case: Any) -> None:
    names = [part.name for part in case.domain.boundary()]
    assert len(names) == len(set(names)) > 0


def test_boundary_points_lie_on_the_true_boundary(case: Any, sampling: Any, rng: np.random.Generator) -> None:
    for part in case.domain.boundary():
        points = part.sample(N, rng, sampling).points
        assert case.distance(part.name, points).max() <= case.rounding
        assert case.domain.contains(points).all()
        assert not case.domain._contains(points, False).any()


def test_perimeter(case: Any) -> None:
    if case.perimeter is not None:
        assert sum(part.measure for part in case.domain.boundary()) == pytest.approx(case.perimeter, rel=1e-13)


def test_parts_share_nothing_but_corners(case: Any, rng: np.random.Generator) -> None:
    """Away from its ends, no part lies on another: none of the boundary is weighted twice."""
    parts = case.domain.boundary()
    for part, other in itertools.permutations(parts, 2):
        points = part.place(away_from_corners(part, rng)).points
        assert case.distance(other.name, points).min() > 1e-9 * case.size


def test_normals_are_unit_and_lead_out(case: Any, rng: np.random.Generator) -> None:
    for part in case.domain.boundary():
        sites = part.place(away_from_corners(part, rng))
        assert np.linalg.norm(sites.normals, axis=1) == pytest.approx(1, abs=1e-14)
        lower, upper = case.domain.bounding_box
        step = 1e-6 * np.min(upper - lower)
        assert not case.domain.contains(sites.points + step * sites.normals).any()
        assert case.domain.contains(sites.points - step * sites.normals).all()


def test_normals_and_measure_by_finite_differences(case: Any, rng: np.random.Generator) -> None:
    """The placed surface is orthogonal to its normals, and the map stretches by the measure everywhere."""
    h = 5e-6
    for part in case.domain.boundary():
        unit = away_from_corners(part, rng)
        if case.facetted:
            unit = unit[~straddles_kinks(part, unit, h, 1e-9 * case.size)]
            assert len(unit) > 0.9 * N
        normals = part.place(unit).normals
        tangents = np.empty((len(unit), case.domain.dimension, part.parameters))
        for axis in range(part.parameters):
            step = np.zeros(part.parameters)
            step[axis] = h
            tangent = (part.place(unit + step).points - part.place(unit - step).points) / (2 * h)
            length = np.linalg.norm(tangent, axis=1)
            assert np.abs(np.sum(tangent * normals, axis=1) / length).max() < 1e-6
            tangents[:, :, axis] = tangent
        # volume of the parallelepiped between the tangents
        stretch = np.linalg.svd(tangents, compute_uv=False).prod(axis=1) if part.parameters else np.ones(1)
        assert stretch == pytest.approx(part.measure, rel=1e-6)


def test_equal_steps_are_equal_chords(case: Any) -> None:
    for part in case.domain.boundary():
        if part.parameters == 1:
            unit = np.linspace(0, 1, 3001)
            points = part.place(unit[:, None]).points
            chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
            corners = np.searchsorted(unit, part.breaks[1:-1]) - 1
            expected = part.measure / 3000
            assert np.abs(np.delete(chords, corners) - expected).max() <= 1e-4 * expected


def test_places_do_not_depend_on_their_company(case: Any, rng: np.random.Generator) -> None:
    """Placing points in chunks gives the same as placing them at once."""
    for part in case.domain.boundary():
        unit = rng.random((64, part.parameters))
        whole, chunks = part.place(unit), [part.place(unit[i : i + 13]) for i in range(0, 64, 13)]
        # libm may treat the rest of a vector differently from its bulk, by a last bit or two
        assert np.concatenate([c.points for c in chunks]) == pytest.approx(whole.points, abs=case.rounding / 20)


def test_divergence_theorem(case: Any, space_axes: int) -> None:
    center = 0.5 * sum(case.domain.bounding_box)
    flux, total = 0.0, np.zeros(case.domain.dimension)
    for part in case.domain.boundary():
        rule = part.quadrature(1000 if case.domain.time is None else 20_000)
        flux += rule.integrate(np.sum((rule.points - center) * rule.normals, axis=1))
        total += rule.weights @ rule.normals
    assert flux == pytest.approx(space_axes * case.domain.measure, rel=case.quadrature)
    assert np.abs(total).max() <= case.quadrature * sum(part.measure for part in case.domain.boundary())


def waves(case: Any, space_axes: int, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A vector field of about half a wave across the domain, and its divergence in space."""
    lower, upper = case.domain.bounding_box
    k = np.array([1.0, 0.7, -1.3, 0.9])[: case.domain.dimension] / (upper - lower)
    phase = (points - 0.3 * lower - 0.7 * upper) @ k
    along = np.zeros_like(k)
    along[:space_axes] = k[:space_axes]
    return np.sin(phase)[:, None] * along, (along @ along) * np.cos(phase)


def test_quadrature_agrees_with_that_of_the_boundary(case: Any, space_axes: int) -> None:
    many = 1 if case.domain.time is None else 10
    rule = case.domain.quadrature(6000 * many)
    inner = rule.integrate(waves(case, space_axes, rule.points)[1])
    outer = 0.0
    for part in case.domain.boundary():
        around = part.quadrature(3000 * many)
        outer += around.integrate(np.sum(waves(case, space_axes, around.points)[0] * around.normals, axis=1))
    scale = case.domain.measure * np.abs(waves(case, space_axes, rule.points)[1]).max()
    assert inner == pytest.approx(outer, abs=case.quadrature * scale)


def test_quadrature_is_inside_positive_and_sums_to_the_measure(case: Any, nodes: dict[int, Any]) -> None:
    for n, rule in nodes.items():
        assert rule.points.shape == (len(rule), case.domain.dimension)
        assert rule.normals is None
        assert case.domain.contains(rule.points).all()
        assert (rule.weights > 0).all()
        assert rule.weights.sum() == pytest.approx(case.domain.measure, rel=1e-13)
        assert 1 <= len(rule) <= max(3 * n, 500)
        for part in case.domain.boundary():
            around = part.quadrature(n)
            assert case.distance(part.name, around.points).max() <= case.rounding
            assert np.abs(np.linalg.norm(around.sites.normals, axis=1) - 1).max() <= 1e-14
            assert (around.weights > 0).all()
            assert around.weights.sum() == pytest.approx(part.measure, rel=1e-13)


def test_quadrature_is_the_same_every_time(case: Any, nodes: dict[int, Any]) -> None:
    again = case.domain.quadrature(37)
    assert np.array_equal(again.points, nodes[37].points)
    assert np.array_equal(again.weights, nodes[37].weights)


def test_number_of_nodes_is_checked(case: Any) -> None:
    for n in (0, -1, 2.5, True):
        with pytest.raises(ProblemError, match=r"n must be a whole.*nodes"):
            case.domain.quadrature(n)
        with pytest.raises(ProblemError, match=r"n must be a whole.*nodes"):
            case.domain.boundary()[0].quadrature(n)


def test_bounding_box_is_tight(case: Any) -> None:
    lower, upper = case.domain.bounding_box
    assert lower.shape == upper.shape == (case.domain.dimension,)
    points = np.concatenate(
        [
            part.place(np.concatenate([unit_grid(part, 1500)[0], unit_corners(part)])).points
            for part in case.domain.boundary()
        ]
    )
    assert (points >= lower - case.rounding).all()
    assert (points <= upper + case.rounding).all()
    assert points.min(axis=0) == pytest.approx(lower, abs=case.coarse * case.size)
    assert points.max(axis=0) == pytest.approx(upper, abs=case.coarse * case.size)


def test_bounding_box_cannot_be_changed_from_outside(case: Any) -> None:
    case.domain.bounding_box[0][:] = 1e9
    assert (case.domain.bounding_box[0] < 1e9).all()


def test_points_far_away_are_outside(case: Any) -> None:
    lower, upper = case.domain.bounding_box
    assert not case.domain.contains([upper + (upper - lower), lower - (upper - lower)]).any()
    assert case.domain.contains(np.empty((0, case.domain.dimension))).shape == (0,)


def test_wrong_shape_of_points(case: Any) -> None:
    d = case.domain.dimension
    with pytest.raises(ProblemError, match=rf"points.*\(n, {d}\).*\(2, {d + 1}\)"):
        case.domain.contains(np.zeros((2, d + 1)))
    with pytest.raises(ProblemError, match=rf"\({d},\); .*(single point|column)"):
        case.domain.contains(np.zeros(d))
    with pytest.raises(ProblemError, match=r"points.*real.*complex128"):
        case.domain.contains(np.zeros((1, d), dtype=complex))


def test_axes_are_checked(case: Any) -> None:
    d = case.domain.dimension
    with pytest.raises(ProblemError, match=rf"axes.*{d} coordinates.*\['a'"):
        case.domain.boundary(["a"] * (d + 1))
    if d > 1:
        with pytest.raises(ProblemError, match=r"axes.*different names.*'a', 'a'"):
            case.domain.boundary(["a"] * d)


def test_domains_are_values(case: Any) -> None:
    """Equal to their copies, also through pickle and after use; hashable; frozen."""
    case.domain.boundary()
    for twin in (copy.deepcopy(case.domain), pickle.loads(pickle.dumps(case.domain))):
        assert twin == case.domain
        assert hash(twin) == hash(case.domain)
        assert np.array_equal(twin.bounding_box, case.domain.bounding_box)
    for field in vars(case.domain):
        with pytest.raises(AttributeError):
            setattr(case.domain, field, 1)


def test_repr_is_short_and_says_the_shape(case: Any) -> None:
    assert re.match(r"\(?[A-Z]\w+\(", repr(case.domain))
    assert "\n" not in repr(case.domain)
    assert "name=" not in repr(case.domain)


def test_every_registered_shape_is_an_example_here(examples: dict[str, Any]) -> None:
    """Shapes are told by their class; what merely builds one (`Interval`, `Panda`) by the names of its examples."""
    shown = {type(make().domain).__name__.lower() for make in examples.values()}
    shown |= {key.split("-")[0] for key in examples}
    assert {name.lower() for name in SHAPES} <= shown
