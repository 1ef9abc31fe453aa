"""Open domains: waves that leave, and fields that stay bounded."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.special as special
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2)
DISK = fs.Exterior(fs.Disk((0.3, 0.2), 1))
K = 5.0


def wave(domain: fs.Domain = DISK, condition: Any = None, k: float = K, **others: Any) -> fs.Problem:
    incident = others.pop("incident", fs.plane_wave(k, (1, 0)))
    return fs.Problem(
        sp.Eq(LAPLACIAN + k**2 * u, 0), domain, [condition or fs.Dirichlet(0)], incident=incident, **others
    )


def series(points: Any, alpha: complex, beta: complex) -> Any:
    """The field that the disk adds; its normal goes inward."""
    x0, y0 = (np.asarray(points) - (0.3, 0.2)).T
    r, theta = np.hypot(x0, y0), np.arctan2(y0, x0)
    total = 0
    for n in range(-30, 31):
        regular = alpha * special.jv(n, K) - beta * K * special.jvp(n, K)
        leaving = alpha * special.hankel1(n, K) - beta * K * special.h1vp(n, K)
        total = total - 1j**n * regular / leaving * special.hankel1(n, K * r) * np.exp(1j * n * theta)
    return np.exp(0.3j * K) * total


@pytest.mark.parametrize(
    ("condition", "alpha", "beta"),
    [(fs.Dirichlet(0), 1, 0), (fs.Neumann(0), 0, 1), (fs.Robin(-2j, 1, 0), -2j, 1)],
    ids=["soft", "hard", "impedance"],
)
def test_a_disk_has_its_series(condition: Any, alpha: complex, beta: complex) -> None:
    solution = fs.solve(wave(condition=condition), rng=0)
    points = DISK.sample(100, np.random.default_rng(0))
    known = series(points, alpha, beta)
    assert solution.converged
    assert np.linalg.norm(solution.scattered(points) - known) <= solution.error_estimate * np.linalg.norm(known)
    assert np.abs(solution(points) - known - np.exp(1j * K * points[:, 0])).max() < 1e-9
    sections = solution.cross_sections()
    assert sections.absorption == pytest.approx(0.0, abs=1e-9) if alpha != -2j else sections.absorption > 0.5
    assert repr(sections).endswith(f", absorption={sections.absorption!r})")


def test_conditions_hold_for_the_total_field() -> None:
    solution = fs.solve(wave(condition=fs.Dirichlet(x)), rng=0)
    (part,) = DISK.boundary()
    rim = part.place(np.linspace(0, 1, 30)[:, None]).points
    assert np.abs(solution.total(rim) - rim[:, 0]).max() < 1e-8


def test_the_estimate_covers_the_error_at_corners() -> None:
    triangle = fs.Exterior(fs.Polygon([(0, 0), (1, 0), (0, 1)]))
    coarse, fine = (fs.solve(wave(triangle, k=2.0), tol=tol, rng=0) for tol in (1e-2, 1e-4))
    points = triangle.sample(200, np.random.default_rng(0))
    error = np.linalg.norm(coarse.scattered(points) - fine.scattered(points)) / np.linalg.norm(fine.scattered(points))
    assert fine.converged
    assert error < 1e-3
    assert error <= coarse.error_estimate


def test_smooth_objects_obey_reciprocity() -> None:
    objects = fs.Exterior(fs.Ellipse((0, 0), (1, 0.5)), fs.Disk((3, 0), 1))

    def far(direction: float, angle: float) -> complex:
        incident = fs.plane_wave(2.0, (np.cos(direction), np.sin(direction)))
        solution = fs.solve(wave(objects, fs.Neumann(0), 2.0, incident=incident), tol=1e-5, rng=0)
        return complex(solution.far_field([angle])[0])

    assert far(0.2, 0.7) == pytest.approx(far(0.7 + np.pi, 0.2 + np.pi), abs=1e-6)


@pytest.mark.parametrize(("inside", "flux"), [(7.5, 0.5), (1 + 9j, 1.0)], ids=["glass", "metal"])
def test_a_disk_that_lets_waves_through_has_its_series(inside: complex, flux: float) -> None:
    solution = fs.solve(wave(condition=fs.Transparent(inside, flux)), rng=0)
    points = np.random.default_rng(0).uniform(-2, 2.5, (200, 2))
    x0, y0 = (points - (0.3, 0.2)).T
    r, theta = np.hypot(x0, y0), np.arctan2(y0, x0)
    known = np.where(r < 1, 0, np.exp(1j * K * points[:, 0]))
    for n in range(-25, 26):
        rows = [
            [special.hankel1(n, K), -special.jv(n, inside)],
            [K * special.h1vp(n, K), -flux * inside * special.jvp(n, inside)],
        ]
        comes_in = 1j**n * np.exp(0.3j * K) * np.array([special.jv(n, K), K * special.jvp(n, K)])
        outer, own = np.linalg.solve(rows, -comes_in)
        each = np.where(r < 1, own * special.jv(n, inside * r), outer * special.hankel1(n, K * r))
        known = known + each * np.exp(1j * n * theta)
    assert solution.converged
    assert np.abs(solution(points) - known).max() < 1e-8
    assert np.abs(solution.scattered(points) - known + np.exp(1j * K * points[:, 0])).max() < 1e-8
    sections = solution.cross_sections()
    assert (sections.absorption > 0.1) == (inside == 1 + 9j)


def test_several_objects_let_waves_through() -> None:
    objects = fs.Exterior(fs.Disk((0, 0), 1), fs.Ellipse((2.5, 0.3), (0.5, 1), 0.2))

    def solved(direction: float) -> fs.Solution:
        incident = fs.plane_wave(2.0, (np.cos(direction), np.sin(direction)))
        return fs.solve(wave(objects, fs.Transparent(3.0), 2.0, incident=incident), tol=1e-6, rng=0)

    there, back = solved(0.2), solved(0.7 + np.pi)
    assert there.converged
    assert there.far_field([0.7]) == pytest.approx(back.far_field([0.2 + np.pi]), abs=1e-6)
    assert there.cross_sections().absorption == pytest.approx(0.0, abs=1e-6)
    rim = np.array([[np.cos(1.0), np.sin(1.0)]])
    assert there(1.0001 * rim) == pytest.approx(there(0.9999 * rim), abs=1e-3)


def test_a_flow_goes_around_a_disk() -> None:
    problem = fs.Problem(sp.Eq(LAPLACIAN, 0), fs.Exterior(fs.Disk((0, 0), 1)), [fs.Neumann(0)], incident=x)
    solution = fs.solve(problem, rng=0)
    points = np.array([[2.0, 0.0], [0.0, 3.0], [1.0, 1.0]])
    assert solution(points) == pytest.approx(points[:, 0] * (1 + 1 / np.sum(points**2, axis=1)))
    assert solution.at_infinity == 0.0


def test_a_harmonic_field_is_bounded_and_has_a_value_at_infinity() -> None:
    problem = fs.Problem(sp.Eq(LAPLACIAN, 0), fs.Exterior(fs.Disk((0, 0), 2)), [fs.Dirichlet(3 + x * y)])
    solution = fs.solve(problem, rng=0)
    assert solution.at_infinity == pytest.approx(3.0)
    assert solution([[4.0, 4.0]])[0] == pytest.approx(3 + 16 * (2 / np.sqrt(32)) ** 4)
    with pytest.raises(fs.ProblemError, match="only undamped waves"):
        solution.far_field([0.0])


def test_a_given_wavenumber_an_expression_and_a_beam_come_in() -> None:
    k = sp.Symbol("k", positive=True)
    incidents = [fs.plane_wave(k, (0, 2)), sp.exp(sp.I * k * y)]
    equation = sp.Eq(LAPLACIAN + k**2 * u, 0)
    found = [
        fs.solve(fs.Problem(equation, DISK, [fs.Dirichlet(0)], given={k: 2.0}, incident=one), rng=0)([[0.0, 3.0]])[0]
        for one in incidents
    ]
    assert found[0] == pytest.approx(found[1])
    beam = fs.beam(40.0, (1, 0), (0, 0), 0.5)
    values = beam.derivative(np.array([[0.0, 0.0], [0.0, 0.5]]), (0, 0))
    assert np.abs(values) == pytest.approx([1.0, np.exp(-1)], rel=1e-2)


def test_problems_and_solutions_are_pickled() -> None:
    solution = fs.solve(wave(), rng=0)
    again = pickle.loads(pickle.dumps(solution))
    assert again([[2.0, 2.0]]) == solution([[2.0, 2.0]])
    assert again.far_field([1.0]) == solution.far_field([1.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: wave(fs.Disk((0, 0), 1)), "incident is for open domains"),
        (
            lambda: wave(incident=fs.plane_wave(4.0, (1, 0))),
            "which is one of wavenumber 5",
        ),
        (lambda: wave(incident=x), "does not satisfy the equation"),
        # what is narrow drowns in the wave, and is zero nearly everywhere
        (lambda: wave(incident=sp.exp(sp.I * K * x) + sp.exp(-1e6 * ((x - 2) ** 2 + y**2))), "does not satisfy"),
        (lambda: wave(incident=fs.point_source(K, (0.5, 0))), "lies in an object"),
        (lambda: wave(incident=3), "incident must be fs.plane_wave"),
        (lambda: wave(incident=fs.plane_wave(sp.Symbol("q"), (1, 0))), "is no number; supply one"),
        (lambda: fs.plane_wave(K, (0, 0)), "not all zero"),
        (
            lambda: fs.Problem(sp.Eq(LAPLACIAN, 0), DISK, [fs.Dirichlet(0)], incident=fs.plane_wave(1, (1, 0))),
            "Laplace's",
        ),
        (lambda: fs.Problem(sp.Eq(LAPLACIAN + u, 1), DISK, [fs.Dirichlet(0)]), "zero on its right-hand side"),
        (lambda: fs.Problem(sp.Eq(LAPLACIAN + x**2 * u, 0), DISK, [fs.Dirichlet(0)]), "a coefficient varies"),
        (lambda: fs.Problem(sp.Eq(LAPLACIAN + u.diff(x), 0), DISK, [fs.Dirichlet(0)]), "has other terms"),
        (lambda: fs.Problem(sp.Eq(LAPLACIAN + u**2, 0), DISK, [fs.Dirichlet(0)]), "must be linear"),
        (lambda: fs.solve(wave(), approach="band"), "is for bounded domains"),
        (lambda: fs.solve(wave(), features=fs.Tanh(100, mu=(1, 2))), r"features.*open domain"),
        (lambda: wave(fs.Disk((0, 0), 1), fs.Transparent(2.0), incident=None), "is for objects of open domains"),
        (
            lambda: fs.solve(wave(fs.Exterior(fs.Disk((0, 0), 1) | fs.Disk((3, 0), 1)), fs.Transparent(2.0))),
            "in one piece",
        ),
        (lambda: fs.solve(wave(condition=fs.Transparent(2 - 1j))), "imaginary part negative"),
        (lambda: fs.solve(fs.Problem(sp.Eq(LAPLACIAN, 0), DISK, [fs.Neumann(1)])), "do not balance"),
        (lambda: fs.prepare(wave()), "prepare is for bounded domains"),
    ],
)
def test_refuses(make: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        make()


def test_a_negative_wavenumber_is_a_wave_that_goes_the_other_way() -> None:
    one, other = (
        fs.solve(wave(incident=incident), rng=0) for incident in (fs.plane_wave(-K, (-1, 2)), fs.plane_wave(K, (1, -2)))
    )
    np.testing.assert_allclose(one([[2.0, 2.0]]), other([[2.0, 2.0]]), rtol=0, atol=1e-13)
    sections, others = one.cross_sections(), other.cross_sections()
    assert sections.scattering == pytest.approx(others.scattering, rel=1e-12)
    assert sections.extinction == pytest.approx(others.extinction, rel=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fs.plane_wave("5", (1, 0)), r"plane_wave: k.*a number.*'5'"),
        (lambda: wave(condition=fs.Transparent("5")), "wavenumber must be a number"),
        (lambda: wave(condition=fs.Transparent(float("nan"))), "wavenumber must be finite"),
        (lambda: wave(condition=fs.Transparent(5, flux=sp.zoo)), "flux must be finite"),
        (lambda: wave(incident=fs.beam(0, (1, 0), (0, 0), 1)), "k must not be zero"),
        (lambda: fs.Exterior(fs.Ball((0, 0, 0), 1), period=3), r"period.*gratings"),
    ],
)
def test_numbers_that_are_none_are_told(make: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        make()


def test_transparent_objects_have_no_other_condition() -> None:
    equation = sp.Eq(LAPLACIAN + K**2 * u, 0)
    with pytest.raises(fs.ProblemError, match="contradicting conditions"):
        fs.Problem(equation, DISK, [fs.Transparent(K), fs.Dirichlet(0)], incident=fs.plane_wave(K, (1, 0)))


def test_directions_and_orders_are_checked() -> None:
    solution = fs.solve(wave(), tol=1e-3, rng=0)
    with pytest.raises(fs.ProblemError, match="angles must be numbers"):
        solution.far_field("abc")
    with pytest.raises(fs.ProblemError, match="which this domain is not"):
        solution.orders()
