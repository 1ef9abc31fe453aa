"""Sources on confocal surfaces, with strengths that are spherical harmonics."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import fspielm as fs
from fspielm.basis import localise
from fspielm.basis.outgoing.multipoles import MultipoleBasis
from fspielm.basis.outgoing.space import Degrees, LayerBasis, _distances, distance_of, fastest, layer_on
from fspielm.geometry import Sites
from fspielm.geometry.exterior import Body
from fspielm.problem import derivative, identity

DIRECTIONS = np.random.default_rng(0).standard_normal((20, 3))
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)
CENTER, TURN = np.array([0.1, -0.2, 0.3]), np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]
FOLDINGS = 24.0


def body(*semi_axes: float) -> Body:
    return Body(CENTER, np.array(semi_axes), TURN)


def layered(of: Body, semi_axes: list[float], degrees: Degrees, k: complex) -> LayerBasis:
    layer = layer_on(of, np.array(semi_axes), degrees, k, FOLDINGS)
    count = len(layer.centers)
    sources = MultipoleBasis(layer.centers, np.zeros(count, dtype=int), k, np.full(count, layer.scale))
    return LayerBasis(sources, (layer.rings,))


@pytest.mark.parametrize(
    ("k", "radius", "regular"),
    [(3.0, 0.4, False), (0.0, 0.4, False), (3.0, 2.0, True), (1 + 9j, 1.8, True)],
    ids=str,
)
def test_around_a_ball_they_are_its_multipoles(k: complex, radius: float, regular: bool) -> None:
    ball = Body(CENTER, np.ones(3), np.eye(3))
    basis = layered(ball, [radius] * 3, Degrees(4, 4, 2), k)
    known = MultipoleBasis([CENTER], [4], k, [1.0], regular=regular)
    sites = Sites(CENTER + (0.9 if regular else 1.2) * DIRECTIONS)
    found, each = (functions.matrix(identity(3), sites) for functions in (basis, known))
    column = 0
    for m in range(5):
        for sign in (1, -1) if m else (1,):
            for n in range(m, 5):
                own = each[:, n * n + n + sign * m]
                share = np.vdot(own, found[:, column]) / np.vdot(own, own)
                assert np.abs(found[:, column] - share * own).max() <= 1e-9 * np.abs(found[:, column]).max()
                column += 1
    assert column == basis.size == known.size


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_sums_are_those_of_sources(axis: int) -> None:
    spheroid = body(*(1.0 if other == axis else 0.4 for other in range(3)))
    inner = np.sqrt(spheroid.semi_axes**2 - 0.15).tolist()
    basis = layered(spheroid, inner, Degrees(6, 3, axis), 2.0)
    sites = Sites(CENTER + 1.5 * DIRECTIONS)
    coefficients = np.random.default_rng(2).standard_normal(basis.size)
    sources, strengths = basis.valued(coefficients)
    for operator in (identity(3), derivative((0, 1, 0)), derivative((1, 0, 1))):
        whole = basis.matrix(operator, sites)
        assert np.allclose(whole @ coefficients, sources.matrix(operator, sites) @ strengths, rtol=1e-12)
        part = np.empty((4, len(sites)), dtype=complex)
        pickle.loads(pickle.dumps(basis)).fill(localise(operator, sites), slice(5, 9), part)
        np.testing.assert_allclose(part.T, whole[:, 5:9], rtol=0, atol=1e-12)
    # strengths follow the shape: rings are around its own axis
    rings = (sources.sources - CENTER) @ TURN[:, axis]
    assert np.allclose(rings, np.repeat(inner[axis] * basis.layers[0].heights, basis.layers[0].counts))


def test_functions_have_size_one_where_they_are_told_to() -> None:
    flat = body(1.0, 1.0, 0.5)
    sites = Sites(flat.rim)
    local = localise(identity(3), sites)
    basis = layered(flat, np.sqrt(flat.semi_axes**2 - 0.2).tolist(), Degrees(5, 5, 2), 3.0).scaled_at(local)
    assert np.allclose(np.mean(np.abs(basis.matrix(identity(3), sites)) ** 2, axis=0), 1.0)


def test_multipoles_beside_them_are_as_they_were() -> None:
    layer = layer_on(body(1.0, 0.6, 0.6), np.array([0.9, 0.4, 0.4]), Degrees(3, 2, 0), 2.0, FOLDINGS)
    count = len(layer.centers)
    centers = np.concatenate([layer.centers, [[3.0, 0.0, 0.0]]])
    both = MultipoleBasis(centers, [0] * count + [2], 2.0, [layer.scale] * count + [1.0])
    basis = LayerBasis(both, (layer.rings, None))
    sites = Sites(CENTER + 1.5 * DIRECTIONS)
    assert basis.size == layer.rings.size + 9
    assert np.allclose(basis.matrix(identity(3), sites)[:, -9:], both.matrix(identity(3), sites)[:, -9:])
    with pytest.raises(fs.ProblemError, match=rf"{both.size} functions.*got {count}"):
        LayerBasis(both, (layer.rings,))


def test_distances_are_the_shortest() -> None:
    semi_axes = np.array([1.0, 0.5, 0.2])
    points = (1.2 + np.random.default_rng(3).uniform(0, 2, (20, 1))) * DIRECTIONS
    surface = Body(np.zeros(3), semi_axes, np.eye(3)).sites(np.random.default_rng(4).uniform(size=(200_000, 2))).points
    nearest = np.linalg.norm(points[:, None] - surface, axis=2).min(axis=1)
    assert np.allclose(_distances(semi_axes, points), nearest, atol=1e-3)


@pytest.mark.parametrize("k", [0.0, 5.0, 2 + 30j])
def test_a_distance_and_what_is_lost_there_are_inverses(k: complex) -> None:
    frequency = float(fastest(complex(k), 20.0, 0.3))
    assert distance_of(complex(k), 20.0, frequency) == pytest.approx(0.3)
    assert distance_of(5.0, 20.0, 4.0) == np.inf
