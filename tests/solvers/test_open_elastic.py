"""Waves in elastic bodies outside of objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.problem.scattering.open_domain import elastic_waves
from fspielm.solution import far_field_to_csv

x, y = sp.symbols("x y")
u, v = (sp.Function(name)(x, y) for name in "uv")
LAME, SHEAR, STIFFNESS = 2.0, 1.0, 16.0
LONGITUDINAL, TRANSVERSE = 2.0, 4.0
DISK = fs.Exterior(fs.Disk((0.2, 0), 1))


def body(lame: float = LAME, stiffness: float = STIFFNESS) -> list[sp.Eq]:
    spread = u.diff(x) + v.diff(y)
    return [
        sp.Eq(SHEAR * (f.diff(x, 2) + f.diff(y, 2)) + (lame + SHEAR) * spread.diff(s) + stiffness * f, 0)
        for f, s in ((u, x), (v, y))
    ]


def tractions(first: sp.Expr, second: sp.Expr) -> Any:
    return fs.traction(fs.stress((first, second), LAME, SHEAR, (x, y)), (x, y))


def from_sources() -> tuple[sp.Expr, sp.Expr]:
    one = sp.hankel1(0, LONGITUDINAL * sp.sqrt((x - 0.3) ** 2 + y**2))
    other = sp.hankel1(0, TRANSVERSE * sp.sqrt(x**2 + (y - 0.2) ** 2))
    return one.diff(x) + other.diff(y), one.diff(y) - other.diff(x)


@pytest.mark.parametrize("shape", [fs.Disk((0.2, 0), 1), fs.Ellipse((0, 0), (1.0, 0.7))], ids=["disk", "ellipse"])
@pytest.mark.parametrize("is_cavity", [False, True])
def test_the_field_of_sources_inside_is_found_outside(shape: fs.Domain, is_cavity: bool) -> None:
    exact = from_sources()
    free = [fs.Condition(sp.Eq(a, b)) for a, b in zip(tractions(u, v), tractions(*exact), strict=True)]
    conditions = free if is_cavity else [fs.Dirichlet(dict(zip((u, v), exact, strict=True)))]
    solution = fs.solve(fs.Problem(body(), fs.Exterior(shape), conditions), rng=0)
    points = solution.problem.domain.sample(100, np.random.default_rng(0))
    known = np.column_stack([sp.lambdify((x, y), field, "scipy")(*points.T) for field in exact])
    assert solution.converged
    assert np.linalg.norm(solution(points) - known) <= solution.error_estimate * np.linalg.norm(known)


def test_the_far_field_is_what_is_left_far_away(tmp_path: Path) -> None:
    incident = {v: sp.exp(sp.I * TRANSVERSE * x), u: 0}  # transverse
    solution = fs.solve(fs.Problem(body(), DISK, [fs.Dirichlet({u: 0, v: 0})], incident=incident), rng=0)
    assert solution.converged
    assert np.abs(solution([[1.2, 0.0]])).max() < 1e-8
    angle, far = 1.0, 1e5
    ahead, aside = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    there = np.sqrt(far) * solution.scattered([far * ahead])[0]
    phases = np.exp(1j * far * np.array([LONGITUDINAL, TRANSVERSE]))
    assert np.array([there @ ahead, there @ aside]) / phases == pytest.approx(solution.far_field([angle])[0], abs=1e-4)
    solution.save(tmp_path / "body.fspielm")
    loaded = fs.load(tmp_path / "body.fspielm")
    assert np.array_equal(loaded([2 * ahead]), solution([2 * ahead]))
    assert np.array_equal(loaded.far_field([angle]), solution.far_field([angle]))
    far_field_to_csv(solution, tmp_path / "far.csv")
    table = np.genfromtxt(tmp_path / "far.csv", delimiter=",", names=True)
    values = solution.far_field(np.radians(table["angle_degrees"][:2])).T
    for part, expected in zip(("along", "across"), values, strict=True):
        assert table[f"real_{part}"][:2] + 1j * table[f"imag_{part}"][:2] == pytest.approx(expected, abs=1e-13)
        assert table[f"abs_{part}"][:2] == pytest.approx(np.abs(expected), abs=1e-13)


def test_wavenumbers_and_axes_are_told_by_the_equations() -> None:
    problem = fs.Problem(body(), DISK, [fs.Dirichlet({u: 0, v: 0})], unknowns=[v, u])
    waves = elastic_waves([relation.operator for relation in problem.equations])
    assert (waves.longitudinal, waves.transverse) == pytest.approx((LONGITUDINAL, TRANSVERSE))
    assert waves.axes == (1, 0)


@pytest.mark.parametrize(
    ("equations", "why"),
    [
        (body(stiffness=0.0), "this system has other terms"),
        ([*body()[:1], body(lame=3.0)[1]], "different coefficients"),
        ([sp.Eq(f.diff(x, 2) + f.diff(y, 2) + f, 0) for f in (u, v)], "this system has other terms"),
        ([sp.Eq(e.lhs + x * f, 0) for e, f in zip(body(), (u, v), strict=True)], "a coefficient varies"),
    ],
)
def test_other_systems_are_refused(equations: list[sp.Eq], why: str) -> None:
    with pytest.raises(fs.ProblemError, match=rf"isotropic elastic body.*{why}"):
        fs.Problem(equations, DISK, [fs.Dirichlet({u: 0, v: 0})])


@pytest.mark.parametrize(
    ("incident", "why"),
    [
        (fs.plane_wave(LONGITUDINAL, (1, 0)), "what comes in of each unknown"),
        ({u: sp.exp(2 * sp.I * x)}, r"u\(x, y\) is given.*u\(x, y\), v"),
        ({u: sp.exp(3 * sp.I * x), v: 0}, r"not satisfy.*wavenumber 2 and 4"),
        ({u: None, v: 0}, r"expression or a wave.*None"),
    ],
)
def test_what_comes_in_is_checked(incident: Any, why: str) -> None:
    with pytest.raises(fs.ProblemError, match=why):
        fs.Problem(body(), DISK, [fs.Dirichlet({u: 0, v: 0})], incident=incident)


def test_objects_in_elastic_bodies_let_nothing_through() -> None:
    with pytest.raises(fs.ProblemError, match="Transparent is for one unknown"):
        fs.Problem(body(), DISK, [fs.Transparent(5)])
