"""Open domains and what comes in, in problem files and in files of solutions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, k = sp.symbols("x y k")
u = sp.Function("u")(x, y)
HELMHOLTZ = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0)
DISK = fs.Disk((0.1, 0), 1)
POINTS = np.array([[2.0, 2.0], [-1.5, 0.3]])
STATED: dict[str, tuple[fs.Exterior, Any, Any]] = {
    "a plane wave": (fs.Exterior(DISK, window=((-3, -3), (3, 3))), fs.Dirichlet(0), fs.plane_wave(k, (1, 2))),
    "a beam through glass": (fs.Exterior(DISK), fs.Transparent(1.5 * k, 0.5), fs.beam(k, (1, 2), (0, 0), 1.0)),
    "a source": (fs.Exterior(DISK, fs.Disk((4, 0), 1, name="b")), fs.Neumann(0), fs.point_source(k, (2, 3))),
    "an expression": (fs.Exterior(DISK), fs.Robin(-sp.I * k, 1, 0), sp.exp(sp.I * k * y)),
    "a grating": (fs.Exterior(DISK, period=2.5), fs.Dirichlet(0), fs.plane_wave(k, (1, -2))),
    "a grating of glass": (fs.Exterior(DISK, period=2.5), fs.Transparent(1.5 * k), fs.plane_wave(k, (1, -2))),
    "a lens": (fs.Exterior(DISK), fs.Transparent(k * sp.sqrt(2 - (x - 0.1) ** 2 - y**2)), fs.plane_wave(k, (1, 0))),
    "layers and a soft object": (
        fs.Exterior(DISK, fs.Disk((0, 0), 0.5, name="core"), fs.Disk((4, 0), 1, name="b")),
        [
            fs.Transparent(1.5 * k, 0.5, on="circle"),
            fs.Transparent(2 * k, on="core.*"),
            fs.Dirichlet(0, on="b.circle"),
        ],
        fs.plane_wave(k, (1, 2)),
    ),
    "nothing": (fs.Exterior(DISK), fs.Dirichlet(x), None),
}


def problem_of(name: str) -> fs.Problem:
    domain, condition, incident = STATED[name]
    conditions = condition if isinstance(condition, list) else [condition]
    return fs.Problem(HELMHOLTZ, domain, conditions, given={k: 3.3}, incident=incident)


@pytest.mark.parametrize("name", STATED)
def test_a_problem_is_read_as_it_was_written(name: str) -> None:
    problem = problem_of(name)
    text = fs.write_problem(problem)
    again = fs.read_problem(text)
    assert fs.write_problem(again) == text
    assert again.statement.incident == problem.statement.incident
    assert repr(again.domain) == repr(problem.domain)


@pytest.mark.parametrize("name", STATED)
def test_a_solution_is_loaded_as_it_was_saved(name: str, tmp_path: Path) -> None:
    solution = fs.solve(problem_of(name), tol=1e-6, rng=0)
    solution.save(tmp_path / "wave.fspielm")
    loaded = fs.load(tmp_path / "wave.fspielm")
    assert np.array_equal(loaded(POINTS, outside="extend"), solution(POINTS, outside="extend"))
    assert np.array_equal(loaded.scattered(POINTS, outside="extend"), solution.scattered(POINTS, outside="extend"))
    if "grating" in name:
        assert str(loaded.orders()) == str(solution.orders())
    else:
        assert np.array_equal(loaded.far_field([0.0, 1.0]), solution.far_field([0.0, 1.0]))
    assert loaded.problem.domain.contains([[0.1, 0.0]]) == solution.problem.domain.contains([[0.1, 0.0]])


def test_balls_that_let_waves_through_are_kept(tmp_path: Path) -> None:
    z = sp.Symbol("z")
    w = sp.Function("w")(x, y, z)
    equation = sp.Eq(w.diff(x, 2) + w.diff(y, 2) + w.diff(z, 2) + 4 * w, 0)
    outside = fs.Exterior(fs.Ball((0, 0, 0), 1), fs.Ball((3, 0, 0), 0.5, name="small"))
    problem = fs.Problem(equation, outside, [fs.Transparent(3)], incident=fs.plane_wave(2, (1, 0, 0)))
    solution = fs.solve(problem, tol=1e-4, rng=0)
    solution.save(tmp_path / "balls.fspielm")
    loaded = fs.load(tmp_path / "balls.fspielm")
    points = [[0.1, 0.2, 0.3], [3.0, 0.1, 0.0], [1.5, 1.5, 0.0]]
    assert np.array_equal(loaded(points), solution(points))
    assert np.array_equal(loaded.far_field([[0, 0, 1]]), solution.far_field([[0, 0, 1]]))


def test_harmonic_fields_are_kept_too(tmp_path: Path) -> None:
    flow = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), fs.Exterior(DISK), [fs.Neumann(0)], incident=x)
    solution = fs.solve(flow, tol=1e-6, rng=0)
    solution.save(tmp_path / "flow.fspielm")
    loaded = fs.load(tmp_path / "flow.fspielm")
    assert np.array_equal(loaded(POINTS), solution(POINTS))
    assert loaded.at_infinity == solution.at_infinity


def text_with(lines: Sequence[str]) -> str:
    return "\n".join(
        [
            'unknown = "u(x, y)"',
            'equation = "laplacian(u) + 9*u = 0"',
            'domain = { exterior = [{ shape = "Disk", center = [0, 0], radius = 1 }] }',
            'conditions = [{ type = "dirichlet", value = 0 }]',
            *lines,
        ]
    )


@pytest.mark.parametrize(
    ("incident", "message"),
    [
        ('{ type = "planewave", k = 3, direction = [1, 0] }', r"'planewave'.*'plane_wave'"),
        ('{ type = "plane_wave", k = 3 }', "the key 'direction' is missing"),
        ("{ k = 3, direction = [1, 0] }", "the key 'type' is missing"),
        ('{ type = "plane_wave", k = 4, direction = [1, 0] }', r"plane wave of wavenumber 4 .*one"),
        ('{ type = "plane_wave", k = "4 + i", direction = [1, 0] }', r"plane wave of wavenumber 4\+1j"),
        ('{ type = "point_source", k = 4.5, place = [2, 0] }', r"point source.*wavenumber 4\.5"),
        ('{ type = "beam", k = 4, direction = [1, 0], focus = [0, 0], waist = 2 }', r"sum of \d+ plane waves"),
        ('"exp(4*i*x)"', r"incident: exp\(4\*I\*x\)"),
        ('{ type = "plane_wave", k = "q", direction = [1, 0] }', "unknown name 'q'"),
        ('{ type = "point_source", k = 3, place = [0.5, 0] }', "lies in an object"),
        ("true", r"number.*expression in quotes"),
    ],
)
def test_mistakes_are_told(incident: str, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.read_problem(text_with([f"incident = {incident}"]))


def test_only_one_plane_wave_has_a_word() -> None:
    from fspielm.problem.scattering.incident import PlaneWaves

    two = PlaneWaves(3.3, ((1.0, 0.0), (0.0, 1.0)), (1.0, 1.0))
    problem = fs.Problem(HELMHOLTZ, fs.Exterior(DISK), [fs.Dirichlet(0)], given={k: 3.3}, incident=two)
    with pytest.raises(fs.ProblemError, match="one plane wave, or a beam"):
        fs.write_problem(problem)
