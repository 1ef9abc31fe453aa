"""Objects that let waves through: each with its own medium, beside others, and one in another."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.special import eval_legendre, spherical_jn, spherical_yn

import fspielm as fs
from fspielm.problem.scattering.inside import transmission_problem
from fspielm.problem.scattering.media import media_of

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

x, y, z = sp.symbols("x y z")
u = sp.Function("u")(x, y)
K, DIRECTION = 3.0, 0.3
CENTER = (0.3, 0.2)
TREFOIL = fs.PolarCurve(1 + sp.cos(3 * sp.Symbol("t")) / 5, name="outer")


def wave(shapes: list[fs.Domain], conditions: list[Any], k: float = K, **others: Any) -> fs.Problem:
    angle = others.pop("direction", DIRECTION)
    incident = others.pop("incident", fs.plane_wave(k, (np.cos(angle), np.sin(angle))))
    given, outside = others.pop("given", None), fs.Exterior(*shapes, **others)
    return fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0), outside, conditions, given, incident=incident)


@pytest.fixture
def layers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark of layered disks, with series that nothing of the package takes part in."""
    if not BENCHMARKS.is_dir():
        pytest.skip("the benchmarks come with the repository, not with the package")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import open_space_layers

    return open_space_layers


def compare(case: Any, tol: float) -> None:
    """The scattered field at random points, and the far field, with those of the series."""
    solution = fs.solve(case.problem(), tol=tol, rng=0)
    domain = solution.problem.domain
    points = np.random.default_rng(0).uniform(*domain.bounding_box, (200, 2))
    points = points[domain.contains(points)]
    known = case.series.scattered(points)
    assert solution.converged
    assert np.linalg.norm(solution.scattered(points) - known) <= solution.error_estimate * np.linalg.norm(known)
    angles = np.array([0.1, 2.0, 4.0])
    assert np.abs(solution.far_field(angles) - case.series.far_field(angles)).max() < 10 * tol


@pytest.mark.parametrize(
    "disk",
    [
        {"radii": (1.0, 0.6), "waves": (4.5, 6.0), "fluxes": (1.0, 1.0)},
        {"radii": (1.0, 0.6), "waves": (4.5, 6.0 + 0.5j), "fluxes": (1 / 1.5**2, 1 / 4)},
        {"radii": (1.0, 0.95), "waves": (0.6 + 10j, 3.0), "fluxes": (1.0, 1.0)},
        {"radii": (1.0, 0.7, 0.4), "waves": (4.5, 2.0, 6.0), "fluxes": (0.5, 2.0, 1.0)},
        {"radii": (1.0,), "waves": (4.5,), "fluxes": (0.5,), "core": (0.7, "soft")},
        {"radii": (1.0,), "waves": (4.5,), "fluxes": (0.5,), "core": (0.99, "hard")},
    ],
    ids=["coated", "lossy", "metal coat", "three layers", "soft core", "thin coat of a hard core"],
)
def test_layered_disks_have_their_series(disk: Any, layers: Any) -> None:
    compare(layers.layered_disks(K, layers.Layered(CENTER, **disk)), 1e-8)


def test_several_disks_have_conditions_of_their_own(layers: Any) -> None:
    disks = [
        layers.Layered((0.0, 0.0), (1.0,), (4.5,), (1.0,)),
        layers.Layered((2.4, 0.3), (0.8,), (1.5 + 6j,), (0.5,)),
        layers.Layered((0.3, 2.5), (1.0,), (3.9,), (1.0,), (0.6, "soft")),
    ]
    compare(layers.layered_disks(K, *disks), 1e-6)


def test_a_layer_of_what_is_around_it_is_none() -> None:
    glass = fs.Transparent(4.5, 0.7, on="outer.circle")
    plain = fs.solve(wave([fs.Disk((0, 0), 0.8, name="outer")], [glass]), rng=0)
    shapes = [fs.Disk((0, 0), 1.2, name="air"), fs.Disk((0, 0), 0.8, name="outer"), fs.Disk((0.2, 0), 0.4, name="in")]
    air, core = fs.Transparent(K, on="air.circle"), fs.Transparent(4.5, 0.7, on="in.circle")
    solution = fs.solve(wave(shapes, [air, glass, core]), rng=0)
    points = np.random.default_rng(0).uniform(-1.5, 1.5, (100, 2))
    assert solution.converged
    assert np.abs(solution(points) - plain(points)).max() < 1e-7


def test_a_layered_trefoil_obeys_reciprocity_and_keeps_no_power() -> None:
    shapes = [TREFOIL, fs.Ellipse((0.1, 0), (0.5, 0.3), name="core")]
    conditions = [fs.Transparent(4.5, 0.5, on="outer.*"), fs.Transparent(6.0, on="core.*")]
    there, back = (fs.solve(wave(shapes, conditions, direction=d), tol=1e-7, rng=0) for d in (0.2, 0.7 + np.pi))
    assert there.converged
    assert there.far_field([0.7]) == pytest.approx(back.far_field([0.2 + np.pi]), abs=1e-7)
    assert there.cross_sections().absorption == pytest.approx(0.0, abs=1e-7)


def test_corners_in_media_and_media_in_corners() -> None:
    shapes = [fs.Disk((0, 0), 1, name="disk"), fs.Box((-0.4, -0.4), (0.4, 0.4), name="box")]
    conditions = [fs.Transparent(3.0, on="disk.*"), fs.Transparent(4.0, on="box.*")]
    coarse, fine = (fs.solve(wave(shapes, conditions, 2.0), tol=tol, rng=0) for tol in (1e-2, 1e-4))
    points = np.random.default_rng(0).uniform(-2, 2, (200, 2))
    error = np.linalg.norm(coarse.scattered(points) - fine.scattered(points)) / np.linalg.norm(fine.scattered(points))
    assert fine.converged
    assert error <= coarse.error_estimate


def test_objects_are_meant_by_name_by_relation_or_all_together() -> None:
    shapes = [fs.Disk((0, 0), 1), fs.Disk((3, 0), 1), fs.Disk((0, 0), 0.5)]
    problem = wave(shapes, [fs.Transparent(4.5)])
    assert [(medium.place, medium.around) for medium in media_of(problem)] == [(0, 0), (1, 0), (2, 1)]
    assert [unknown.symbol.func.__name__ for unknown in transmission_problem(problem).unknowns[1:]] == [
        "u inside object 1",
        "u inside object 2",
        "u inside object 3",
    ]
    problem = wave(shapes[:2], [fs.Transparent(4.5, on=x < 1.5), fs.Dirichlet(0, on="rest")])
    assert [medium.place for medium in media_of(problem)] == [0]
    assert fs.solve(problem, tol=1e-4, rng=0).converged
    names = [relation.name for relation in problem.constraints]
    assert names == ["transparent circle (1) value", "transparent circle (1) flux", "dirichlet circle (2)"]


def test_reports_call_fields_by_their_objects(tmp_path: Path) -> None:
    names = "shell", "core", "", "core"
    shapes = [fs.Disk((x0, 0), r, name=n) for x0, r, n in zip((0, 0, 3, 6), (1, 0.5, 1, 1), names, strict=True)]
    assert [str(unknown.symbol) for unknown in transmission_problem(wave(shapes, [fs.Transparent(4.5)])).unknowns] == [
        "u(x, y)",
        "u in shell(x, y)",
        "u inside object 3(x, y)",
        "u in core (4)(x, y)",
        "u in core (2)(x, y)",
    ]
    solution = fs.solve(wave(shapes[:2], [fs.Transparent(2.0)], 1.0), tol=1e-4, rng=0)
    assert list(solution.report.fields) == ["u", "u in shell", "u in core"]
    assert "error of u          estimated" in str(solution.report)
    assert "error of u in shell estimated" in str(solution.report)
    # as files of earlier versions have them
    fields = dict(zip(("u", "u_inside_1", "u_inside_2"), solution.report.fields.values(), strict=True))
    replace(solution, report=replace(solution.report, fields=fields)).save(tmp_path / "earlier.fspielm")
    earlier = fs.load(tmp_path / "earlier.fspielm")
    assert earlier.report.fields == fields
    assert earlier([[0.0, 0.0]]) == pytest.approx(solution([[0.0, 0.0]]), abs=1e-14)


def test_what_is_nothing_beside_the_others_is_told_to_be() -> None:
    coat, core = fs.Disk((0, 0), 1, name="coat"), fs.Disk((0, 0), 0.5, name="core")
    conditions = [fs.Transparent(3 + 80j, on="coat.circle"), fs.Transparent(4, on="core.circle")]
    report = fs.solve(wave([coat, core], conditions), tol=1e-4, rng=0).report
    assert report.fields["u"].relative_to is None
    hidden = report.fields["u in core"]
    assert hidden.relative_to is not None
    assert hidden.scale < 1e-15 * hidden.relative_to
    assert re.search(r"error of u in core estimated .* of .*, beside which it is nothing \(.*e-.*\)", str(report))


def test_what_is_solid_belongs_to_no_medium() -> None:
    shapes = [fs.Disk((0, 0), 1, name="a"), fs.Disk((0, 0), 0.5, name="b"), fs.Disk((3, 0), 1, name="c")]
    conditions = [fs.Transparent(4.5, on="a.*"), fs.Neumann(0, on="b.*"), fs.Dirichlet(x, on="c.*")]
    solution = fs.solve(wave(shapes, conditions), tol=1e-5, rng=0)
    domain = solution.problem.domain
    assert solution.converged
    assert domain.contains([[0.7, 0], [0.2, 0], [3, 0], [5, 5]]).tolist() == [True, False, False, True]
    rim = np.array([[3 + np.cos(1.0), np.sin(1.0)]])
    assert solution(rim)[0] == pytest.approx(rim[0, 0], abs=1e-4)
    figure = solution.plot()
    assert figure.axes


def test_gratings_have_several_media() -> None:
    shapes = [fs.Disk((0, 0), 0.8, name="a"), fs.Disk((0, 0), 0.5, name="b"), fs.Disk((1, 1.4), 0.4, name="c")]
    conditions = [fs.Transparent(4.5, on="a.*"), fs.Transparent(6.0, 0.5, on="b.*"), fs.Dirichlet(0, on="c.*")]
    solution = fs.solve(wave(shapes, conditions, direction=-1.1, period=2.5), tol=1e-6, rng=0)
    assert solution.converged
    assert solution.orders().absorbed == pytest.approx(0.0, abs=1e-7)


def test_lenses_beside_and_in_others() -> None:
    shapes = [fs.Disk((0, 0), 1, name="a"), fs.Disk((0, 0), 0.6, name="b"), fs.Disk((2.5, 0), 0.6, name="c")]
    core, other = fs.Transparent(2.5, 0.5, on="b.*"), fs.Transparent(2.0, on="c.*")
    q, p = (sp.Function(name)(x, y) for name in "qp")
    varying = [fs.Transparent(q, 0.5, on="b.*"), fs.Transparent(p, on="c.*")]
    given = {q: lambda points: np.full(len(points), 2.5), p: lambda points: np.full(len(points), 2.0)}
    glass = fs.Transparent(3.0, 0.7, on="a.*")
    solution = fs.solve(wave(shapes, [glass, *varying], 1.0, given=given), tol=1e-3, rng=0)
    known = fs.solve(wave(shapes, [glass, core, other], 1.0), rng=0)
    points = np.random.default_rng(0).uniform(-1.5, 3.5, (200, 2))
    error = np.linalg.norm(solution.scattered(points) - known.scattered(points))
    assert solution.converged
    assert error <= solution.error_estimate * np.linalg.norm(known.scattered(points))


def test_a_coated_ball_has_its_series() -> None:
    w, inside, core, flux = sp.Function("w")(x, y, z), 3.0, 4.0 + 0.1j, 0.5
    equation = sp.Eq(w.diff(x, 2) + w.diff(y, 2) + w.diff(z, 2) + 4 * w, 0)
    outside = fs.Exterior(fs.Ball((0, 0, 0), 1, name="a"), fs.Ball((0, 0, 0), 0.6, name="b"))
    conditions = [fs.Transparent(inside, on="a.*"), fs.Transparent(core, flux, on="b.*")]
    problem = fs.Problem(equation, outside, conditions, incident=fs.plane_wave(2.0, (0, 0, 1)))
    solution = fs.solve(problem, tol=1e-5, rng=0)
    points = np.random.default_rng(0).uniform(-1.8, 1.8, (100, 3))
    r = np.linalg.norm(points, axis=1)
    known = np.where(r < 1, 0, np.exp(2j * points[:, 2]))

    def both(n: int, k: complex, radius: float, factor: float = 1.0) -> Any:
        j, h = (
            [spherical_jn(n, k * radius, d), spherical_jn(n, k * radius, d) + 1j * spherical_yn(n, k * radius, d)]
            for d in (False, True)
        )
        return np.array([j, [factor * k * value for value in h]])

    for n in range(16):
        rows = np.zeros((4, 4), dtype=complex)
        rows[:2, 0], rows[:2, 1:3] = both(n, 2.0, 1.0)[:, 1], -both(n, inside, 1.0)
        rows[2:, 1:3], rows[2:, 3] = both(n, inside, 0.6), -both(n, core, 0.6, flux)[:, 0]
        values = np.concatenate([-both(n, 2.0, 1.0)[:, 0], [0, 0]])
        outer, shell, away, own = np.linalg.solve(rows, values)
        hankel = [spherical_jn(n, k * r) + 1j * spherical_yn(n, k * r) for k in (2.0, inside)]
        layer = shell * spherical_jn(n, inside * r) + away * hankel[1]
        each = np.where(r < 0.6, own * spherical_jn(n, core * r), np.where(r < 1, layer, outer * hankel[0]))
        known = known + (2 * n + 1) * 1j**n * each * eval_legendre(n, points[:, 2] / r)
    assert solution.converged
    assert np.abs(solution(points) - known).max() < 1e-5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: wave([fs.Box((0, 0), (1, 1))], [fs.Transparent(2.0, on="x-"), fs.Dirichlet(0, on="rest")]),
            r"whole objects.*Box.*'x-' alone",
        ),
        (
            lambda: wave([fs.Disk((0, 0), 1)], [fs.Transparent(2.0, on=x < 0), fs.Dirichlet(0, on=x > 0)]),
            r"whole objects.*Disk.*piece.*alone",
        ),
        (lambda: wave([fs.Disk((0, 0), 1), fs.Disk((0, 0), 0.5)], [fs.Dirichlet(0)]), r"lies in Disk.*nothing through"),
        (
            lambda: wave([fs.Disk((0, 0), 1, name="a"), fs.Disk((3, 0), 1)], [fs.Transparent(2.0, on="a.*")]),
            "'circle' has 0 of the 1",
        ),
        (
            lambda: wave([fs.Disk((0, 0), 1)], [fs.Transparent(2.0), fs.Transparent(3.0)]),
            "contradicting conditions",
        ),
        (lambda: wave([fs.Disk((0, 0), 1)], [fs.Transparent(2.0, 0)]), r"flux.*not be zero.*fs.Neumann"),
        (lambda: wave([fs.Disk((0, 0), 1)], [fs.Transparent(2.0, on="disk")]), "no part 'disk'"),
        (lambda: wave([fs.Disk((0, 0), 1)], [fs.Transparent(2.0, on=3)]), r"Transparent: on.*a part's name"),
        (
            lambda: wave([fs.Disk((0, 0), 1)], [fs.Transparent(2.0)], given={sp.Symbol("q"): 2}),
            r"given names q.*no equation",
        ),
        (
            lambda: fs.solve(
                wave(
                    [fs.Disk((0, 0), 1, name="a"), fs.Disk((0, 0), 0.5, name="b")],
                    [fs.Transparent(2 + x / 2, on="a.*"), fs.Transparent(2.0, on="b.*")],
                )
            ),
            r"varies in Disk.*others lie",
        ),
    ],
)
def test_mistakes_are_named(make: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        make()
