"""Open domains in space."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.special import eval_legendre, spherical_jn, spherical_yn

import fspielm as fs

x, y, z = sp.symbols("x y z")
u = sp.Function("u")(x, y, z)
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2) + u.diff(z, 2)
CENTER, DIRECTION, K = np.array([0.3, 0.2, -0.1]), np.array([0.6, 0.48, 0.64]), 2.0
BALL = fs.Exterior(fs.Ball(CENTER, 1))
SPHEROID = fs.Exterior(fs.Ellipsoid(CENTER, (1, 0.7, 0.7)).rotated(0.5, axis="y"))


def wave(domain: fs.Domain = BALL, condition: Any = None, **others: Any) -> fs.Problem:
    incident = others.pop("incident", fs.plane_wave(K, DIRECTION))
    return fs.Problem(sp.Eq(LAPLACIAN + K**2 * u, 0), domain, [condition or fs.Dirichlet(0)], incident=incident)


def hankel(n: int, r: Any, derivative: bool = False) -> Any:
    return spherical_jn(n, r, derivative) + 1j * spherical_yn(n, r, derivative)


def polar(points: Any) -> tuple[Any, Any]:
    r = np.linalg.norm(points - CENTER, axis=1)
    return r, (points - CENTER) @ DIRECTION / r


@pytest.mark.parametrize(
    ("condition", "alpha", "beta"),
    [(fs.Dirichlet(0), 1, 0), (fs.Neumann(0), 0, 1), (fs.Robin(-2j, 1, 0), -2j, 1)],
    ids=["soft", "hard", "impedance"],
)
def test_a_ball_has_its_series(condition: Any, alpha: complex, beta: complex) -> None:
    solution = fs.solve(wave(condition=condition), tol=1e-7, rng=0)
    points = BALL.sample(50, np.random.default_rng(0))
    (r, cosine), known = polar(points), 0
    for n in range(20):
        regular = alpha * spherical_jn(n, K) - beta * K * spherical_jn(n, K, True)
        leaving = alpha * hankel(n, K) - beta * K * hankel(n, K, True)
        known = known - (2 * n + 1) * 1j**n * regular / leaving * hankel(n, K * r) * eval_legendre(n, cosine)
    known = known * np.exp(1j * K * CENTER @ DIRECTION)
    assert solution.converged
    assert np.linalg.norm(solution.scattered(points) - known) <= solution.error_estimate * np.linalg.norm(known)
    sections = solution.cross_sections()
    assert sections.absorption == pytest.approx(0.0, abs=1e-8) if beta != 1 or alpha == 0 else sections.absorption > 1


@pytest.mark.parametrize(
    ("inside", "flux", "last"),
    [(3.0 + 0.1j, 0.5, 1), (3.0 + 0.1j, 0.5, 1 - 1e-9), (0.4 + 6.8j, 1.0, 1 - 1e-9)],
    ids=["ball", "nearly a ball", "nearly a ball of metal"],
)
def test_a_ball_that_lets_waves_through_has_its_series(inside: complex, flux: float, last: float) -> None:
    # what is not quite a ball has sources in and around it, as ellipsoids do
    domain = BALL if last == 1 else fs.Exterior(fs.Ellipsoid(CENTER, (1, 1, last)))
    solution = fs.solve(wave(domain, fs.Transparent(inside, flux)), tol=1e-6, rng=0)
    points = np.random.default_rng(0).uniform(-2, 2.5, (100, 3))
    r, cosine = polar(points)
    known = np.where(r < 1, 0, np.exp(1j * K * points @ DIRECTION))
    for n in range(20):
        rows = [
            [hankel(n, K), -spherical_jn(n, inside)],
            [K * hankel(n, K, True), -flux * inside * spherical_jn(n, inside, True)],
        ]
        outer, own = np.linalg.solve(rows, [-spherical_jn(n, K), -K * spherical_jn(n, K, True)])
        each = np.where(r < 1, own * spherical_jn(n, inside * r), outer * hankel(n, K * r))
        known = known + (2 * n + 1) * 1j**n * each * eval_legendre(n, cosine) * np.exp(1j * K * CENTER @ DIRECTION)
    assert solution.converged
    assert np.abs(solution(points) - known).max() < 1e-6


@pytest.mark.parametrize(
    "condition",
    [fs.Dirichlet(0), fs.Neumann(0), fs.Robin(-1j, 1, 0), fs.Transparent(3.0), fs.Transparent(0.4 + 6.8j)],
    ids=["soft", "hard", "impedance", "glass", "metal"],
)
@pytest.mark.parametrize(
    "semi_axes",
    [
        (1, 0.2, 0.2),
        pytest.param((1, 0.6, 0.4), marks=pytest.mark.slow),
        pytest.param((1, 1, 0.3), marks=pytest.mark.slow),
    ],
    ids=["long", "three axes", "flat"],
)
def test_long_objects_take_few_functions_and_obey_reciprocity(condition: Any, semi_axes: Any) -> None:
    domain = fs.Exterior(fs.Ellipsoid(CENTER, semi_axes).rotated(0.4, axis="y"))
    there, back = DIRECTION, np.array([0.8, 0, 0.6])

    def solved(direction: Any) -> fs.Solution:
        return fs.solve(wave(domain, condition, incident=fs.plane_wave(K, direction)), tol=1e-3, rng=0)

    one, other = solved(there), solved(-back)
    assert one.converged
    assert other.converged
    assert one.report.neurons < 1500
    far = one.far_field([back, -there])
    assert abs(far[0] - other.far_field([-there])[0]) <= 1e-4 * np.abs(far).max()
    sections = one.cross_sections()
    assert sections.absorption >= -1e-4 * sections.scattering


def test_a_field_of_sources_is_saved_and_read(tmp_path: Any) -> None:
    two = fs.Exterior(fs.Ball((0, 0, 0), 1), fs.Ellipsoid((0, 3, 0), (1, 0.7, 0.7)))
    solution = fs.solve(wave(two, fs.Transparent(3.0)), tol=1e-2, rng=0)
    solution.save(tmp_path / "two.fspielm")
    points = np.random.default_rng(0).uniform(-1, 3, (20, 3))
    again = fs.load(tmp_path / "two.fspielm")
    assert np.array_equal(again(points), solution(points))
    assert np.array_equal(again.far_field([DIRECTION]), solution.far_field([DIRECTION]))


def test_a_source_within_a_spheroid_makes_its_own_field() -> None:
    place = CENTER + np.array([0.2, 0.1, 0.0])
    r = sp.sqrt((x - place[0]) ** 2 + (y - place[1]) ** 2 + (z - place[2]) ** 2)
    solution = fs.solve(wave(SPHEROID, fs.Dirichlet(sp.exp(sp.I * K * r) / r), incident=None), tol=1e-2, rng=0)
    points = SPHEROID.sample(50, np.random.default_rng(0))
    distances = np.linalg.norm(points - place, axis=1)
    known = np.exp(1j * K * distances) / distances
    assert solution.converged
    assert np.linalg.norm(solution(points) - known) <= solution.error_estimate * np.linalg.norm(known)
    ahead = np.exp(-1j * K * place @ DIRECTION)
    assert solution.far_field([3 * DIRECTION])[0] == pytest.approx(ahead, abs=1e-3)


def test_several_objects_obey_reciprocity() -> None:
    objects = fs.Exterior(fs.Ball((0, 0, 0), 1), fs.Ellipsoid((0, 3, 0), (1, 1, 0.8), name="lens"))

    def far(direction: Any, seen: Any) -> complex:
        problem = wave(objects, fs.Transparent(3.0), incident=fs.plane_wave(K, direction))
        return complex(fs.solve(problem, tol=1e-3, rng=0).far_field([seen])[0])

    there, back = DIRECTION, np.array([0.8, 0, 0.6])
    assert far(there, back) == pytest.approx(far(-back, -there), abs=2e-3)


def test_harmonic_fields_decay_and_may_have_a_net_flux() -> None:
    equation = sp.Eq(LAPLACIAN, 0)
    charged = fs.solve(fs.Problem(equation, BALL, [fs.Neumann(1)]), rng=0)
    far = CENTER + np.array([3.0, 0.0, 0.0])
    assert charged([far])[0] == pytest.approx(1 / 3)
    assert charged.at_infinity == 0.0
    flow = fs.solve(fs.Problem(equation, fs.Exterior(fs.Ball((0, 0, 0), 1)), [fs.Neumann(0)], incident=x), rng=0)
    assert flow([[2.0, 0.0, 0.0]])[0] == pytest.approx(2 + 2 / 16)


def test_fields_fall_off_and_sources_outside_are_mirrored() -> None:
    decaying = fs.solve(fs.Problem(sp.Eq(LAPLACIAN - 4 * u, 0), BALL, [fs.Dirichlet(1)]), rng=0)
    assert decaying([CENTER + 2 * DIRECTION])[0] == pytest.approx(np.exp(-2) / 2)
    place = CENTER + 2.5 * DIRECTION
    mirrored = fs.solve(wave(incident=fs.point_source(K, place)), tol=1e-5, rng=0)
    rim = BALL.boundary()[0].sample(20, np.random.default_rng(0)).points
    assert mirrored.converged
    assert np.abs(mirrored(rim)).max() < 1e-5
    again = pickle.loads(pickle.dumps(mirrored))
    assert again([far := place + 3.0]) == mirrored([far])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fs.beam(K, (1, 0, 0), (0, 0), 1), "beams are those of the plane"),
        (lambda: fs.point_source(K, (1,)), "two coordinates, or three"),
        (lambda: wave(incident=fs.point_source(0, (2, 0, 0))), r"point source.*a wavenumber"),
        (lambda: wave(incident=fs.point_source(K, CENTER)), "lies in an object"),
        (lambda: wave(incident=fs.plane_wave(K, (1, 0))), r"2 entries.*3 coordinates"),
        (lambda: fs.solve(wave(), tol=1e-2, rng=0).far_field([0.0]), "must be vectors"),
        (
            lambda: fs.solve(wave(fs.Exterior(fs.Ellipsoid((0, 0, 0), (1, 1, 0.02)))), rng=0),
            r"1, 1, 0.02 asks.*too flat",
        ),
    ],
)
def test_refuses(make: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        make()
