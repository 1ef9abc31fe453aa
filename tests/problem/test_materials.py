"""Data by region, interfaces, and what continues across them."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, t, k = sp.symbols("x y t k")
u, v, a, lam, mu = (sp.Function(name)(x, y) for name in ("u", "v", "a", "lam", "mu"))
w, b = (sp.Function(name)(x) for name in "wb")
DISKS = fs.Regions(core=fs.Disk((0, 0), 1), shell=fs.Disk((0, 0), 2) - fs.Disk((0, 0), 1))
LINE = fs.Regions(left=fs.Interval(0, 1), right=fs.Interval(1, 3))
BOX = fs.Box((-2, -2), (2, 2))


def div_grad(a: Any, u: Any = u) -> sp.Expr:
    return (a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y)


def disks(data: fs.ByRegion, *conditions: fs.AnyCondition, equation: Any = None) -> fs.Problem:
    equation = sp.Eq(-div_grad(a), 1) if equation is None else equation
    return fs.Problem(equation, DISKS, [fs.Dirichlet(0), *conditions], given={a: data})


def coefficients(operator: fs.Operator, sites: fs.Sites) -> dict[tuple[int, ...], Any]:
    return {(*term.orders, term.unknown): term.at(sites) for term in operator.terms}


def test_flux_of_a_divergence_form() -> None:
    problem = disks(fs.ByRegion(core=10.0, shell=1 + x**2))
    (line,) = problem.interfaces
    assert (line.name, line.sides) == ("core | shell", ("core", "shell"))
    assert line.jump.constant == line.flux_jump.constant == 0
    sites = line.part.sample(5, np.random.default_rng(0))
    assert sites.normals is not None
    for flux, size in zip(line.flux, (10, 1 + sites.points[:, 0] ** 2), strict=True):
        found = coefficients(flux, sites)
        assert found[1, 0, 0] == pytest.approx(-size * sites.normals[:, 0])
        assert found[0, 1, 0] == pytest.approx(-size * sites.normals[:, 1])
    assert problem.remarks == ()
    assert problem.relations[-1].name == "interface core | shell flux"


def test_values_and_derivatives_by_region() -> None:
    problem = disks(fs.ByRegion(core=10.0, shell=1 + x**2))
    sites = fs.Sites(np.array([[0.5, 0.0], [1.5, 0.0]]))
    found = coefficients(problem.operator, sites)
    assert found[2, 0, 0] == pytest.approx([-10, -3.25])
    assert found[1, 0, 0] == pytest.approx([0, -3])


def test_equations_with_the_materials_of_a_place() -> None:
    problem = disks(fs.ByRegion(core=10.0, shell=1 + x**2))
    assert problem.material_of([[0, 0], [1.5, 0]]).tolist() == [[0], [1]]
    core, shell = (problem.equations_at(point)[0].operator for point in ([0, 0], [1.5, 0]))
    assert core.is_constant
    beyond = fs.Sites(np.array([[0.0, 0.5]]))  # in the core, where the shell's own go on
    assert coefficients(shell, beyond)[2, 0, 0] == pytest.approx([-1])
    assert problem.equations_at([0.1, 0]) is problem.equations_at([0, 0])


def test_without_a_divergence_form_normal_derivatives_continue() -> None:
    problem = disks(fs.ByRegion(core=10.0, shell=1.0), equation=a * (u.diff(x, 2) + u.diff(y, 2)))
    assert [rule.name for rule in problem.interfaces[0].rules] == ["value", "normal derivative"]
    assert "normal derivatives continue, for" in problem.remarks[0]


def test_symbols_by_region() -> None:
    problem = fs.Problem(
        u.diff(x, 2) + u.diff(y, 2) + k**2 * u, DISKS, [fs.Dirichlet(1)], given={k: fs.ByRegion(core=2, shell=3)}
    )
    found = coefficients(problem.operator, fs.Sites(np.array([[0.5, 0.0], [1.5, 0.0]])))
    assert found[0, 0, 0] == pytest.approx([4, 9])
    assert not any(relation.region.kind == "interface" for relation in problem.relations)  # smooth enough


def test_a_callable_needs_its_derivatives() -> None:
    ax, ay = a.diff(x), a.diff(y)
    data = fs.ByRegion(core=lambda p: 1 + p[:, 0], shell=1.0)
    with pytest.raises(fs.ProblemError, match=r"callable in 'core'.*derivative"):
        disks(data)
    given = {a: data, ax: fs.ByRegion(core=1, shell=0), ay: fs.ByRegion(core=0, shell=0)}
    problem = fs.Problem(-div_grad(a), DISKS, [fs.Dirichlet(0)], given=given)
    assert coefficients(problem.operator, fs.Sites(np.array([[0.5, 0.0]])))[1, 0, 0] == pytest.approx([-1])
    assert len(problem.equations_at([0, 0])) == 1


def test_traction_of_elasticity() -> None:
    sxx, syy = ((lam + 2 * mu) * p + lam * q for p, q in ((u.diff(x), v.diff(y)), (v.diff(y), u.diff(x))))
    sxy = mu * (u.diff(y) + v.diff(x))
    given = {lam: fs.ByRegion(core=10, shell=1), mu: fs.ByRegion(core=7, shell=2)}
    equations = [sxx.diff(x) + sxy.diff(y), sxy.diff(x) + syy.diff(y)]
    problem = fs.Problem(equations, DISKS, [fs.Dirichlet({u: 0, v: 0})], given=given)
    (line,) = problem.interfaces
    assert [rule.name for rule in line.rules] == ["value u", "value v", "flux 1", "flux 2"]
    sites = line.part.place(np.array([[0.1]]))
    assert sites.normals is not None
    nx, ny = sites.normals[0]
    found = coefficients(line.rules[2].second, sites)
    expected = {(1, 0, 0): 5 * nx, (0, 1, 1): nx, (0, 1, 0): 2 * ny, (1, 0, 1): 2 * ny}
    assert {key: float(value[0]) for key, value in found.items()} == pytest.approx(expected)


class TestPiecewise:
    def test_circle(self) -> None:
        problem = fs.Problem(div_grad(sp.Piecewise((10, x**2 + y**2 < 1), (1, True))), BOX, [fs.Dirichlet(x)])
        (line,) = problem.interfaces
        assert line.border == x**2 + y**2 - 1
        assert line.level is not None
        assert line.level(np.array([[0.0, 0.0], [2.0, 0.0]])).tolist() == [-1, 3]
        assert line.part.measure == pytest.approx(2 * np.pi)
        assert [flux.terms[0].at(line.part.place(np.zeros((1, 1)))).size for flux in line.flux] == [1, 1]
        assert problem.equations_at([0, 0])[0].operator.terms[0].coefficient == 10
        assert problem.equations_at([1.5, 0])[0].operator.terms[0].coefficient == 1

    def test_any_smooth_curve(self) -> None:
        a = sp.Piecewise((10, y < sp.sin(x)), (1 + x**2, True))
        (line,) = fs.Problem(div_grad(a), BOX, [fs.Dirichlet(0)]).interfaces
        sites = line.part.sample(50, np.random.default_rng(0))
        assert sites.normals is not None
        assert sites.points[:, 1] == pytest.approx(np.sin(sites.points[:, 0]), abs=1e-13)
        assert np.all(sites.normals[:, 1] * (line.sides[0].startswith("y") or -1) > 0)
        exact = np.trapezoid(np.hypot(1, np.cos(np.linspace(-2, 2, 10001))), dx=4 / 10000)
        assert line.part.measure == pytest.approx(exact, rel=1e-6)

    def test_on_a_line_and_in_time(self) -> None:
        steps = sp.Piecewise((1, x < 0.25), (2, x < 0.75), (3, True))
        ends = [fs.Dirichlet(0)]
        problem = fs.Problem((steps * w.diff(x)).diff(x), fs.Interval(0, 1), ends)
        assert [float(line.part.place(np.empty((1, 0))).points[0, 0]) for line in problem.interfaces] == [0.25, 0.75]
        z = sp.Function("z")(x, t)
        moving = sp.Piecewise((1, x < 0.25 + t / 2), (2, True))
        domain = fs.Interval(0, 1) * fs.Time(0, 1)
        problem = fs.Problem(z.diff(t) - (moving * z.diff(x)).diff(x), domain, [*ends, fs.Initial(0)])
        assert problem.interfaces[0].part.measure == pytest.approx(1.25**0.5)

    def test_pieces_that_speak_against_a_divergence_form(self) -> None:
        a = sp.Piecewise((1 + x**2, x < 0), (3, True))
        problem = fs.Problem(a * (u.diff(x, 2) + u.diff(y, 2)), BOX, [fs.Dirichlet(0)])
        assert [rule.name for rule in problem.interfaces[0].rules] == ["value", "normal derivative"]
        assert "no divergence form" in problem.remarks[0]

    def test_what_is_not_followed_is_said(self) -> None:
        z = sp.Function("z")(x, y, t)
        source = sp.Piecewise((1, x < t), (2, True))
        domain = fs.Box((0, 0), (1, 1)) * fs.Time(0, 1)
        equation = sp.Eq(z.diff(t) - z.diff(x, 2) - z.diff(y, 2), source)
        problem = fs.Problem(equation, domain, [fs.Dirichlet(0), fs.Initial(0)])
        assert problem.interfaces == ()
        assert re.search(r"not followed.*moves in the plane", problem.remarks[0])


class TestInterface:
    def test_jumps_are_from_the_first_to_the_second(self) -> None:
        data = fs.ByRegion(core=10.0, shell=1.0)
        problem = disks(data, fs.Interface(jump=x, flux_jump=2, between=("shell", "core")))
        (line,) = problem.interfaces
        assert line.sides == ("shell", "core")
        sites = line.part.place(np.zeros((1, 1)))
        assert sites.normals == pytest.approx(np.array([[-1, 0]]))
        assert line.jump(sites.points) == pytest.approx([1])
        assert line.flux_jump.constant == 2
        names = [relation.name for relation in problem.relations]
        assert names[-2:] == ["interface core | shell value", "interface core | shell flux"]
        assert len(pickle.loads(pickle.dumps(problem)).interfaces) == 1

    @pytest.mark.parametrize(
        ("conditions", "message"),
        [
            ([fs.Interface(between=("core", "crust"))], r"region 'crust'.*core, shell"),
            ([fs.Interface(), fs.Interface(jump=1)], "two Interface conditions"),
            ([fs.Interface(flux_jump=(1, 2))], "flux_jump must be a tuple of 1"),
        ],
    )
    def test_refused(self, conditions: list[fs.Interface], message: str) -> None:
        with pytest.raises(fs.ProblemError, match=message):
            disks(fs.ByRegion(core=10.0, shell=1.0), *conditions)

    def test_separating_nothing(self) -> None:
        with pytest.raises(fs.ProblemError, match="separates nothing"):
            fs.Problem(u.diff(x, 2) + u.diff(y, 2), BOX, [fs.Dirichlet(0), fs.Interface()])
        three = fs.Regions(a=fs.Interval(0, 1), b=fs.Interval(1, 2), c=fs.Interval(2, 3))
        with pytest.raises(fs.ProblemError, match=r"'a', 'c'. separates nothing"):
            fs.Problem(w.diff(x, 2), three, [fs.Dirichlet(0), fs.Interface(between=("a", "c"))])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (fs.ByRegion(core=10.0), r"nothing for.*'shell'.*shell="),
        (fs.ByRegion(core=10.0, shell=1, crust=2), r"region 'crust'.*core, shell"),
        (fs.ByRegion(core=0, shell=1.0), "zero in 'core', beside 1"),
    ],
)
def test_data_refused(data: fs.ByRegion, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        disks(data)


def test_a_callable_that_is_zero_is_refused() -> None:
    def nothing(points: np.ndarray) -> np.ndarray:
        return np.zeros(len(points))

    given = {a: fs.ByRegion(core=nothing, shell=2.0)} | {
        a.diff(axis): fs.ByRegion(core=nothing, shell=0) for axis in (x, y)
    }
    with pytest.raises(fs.ProblemError, match="zero in 'core', beside 2"):
        fs.Problem(-div_grad(a), DISKS, [fs.Dirichlet(0)], given=given)


def test_a_piecewise_without_a_piece_for_the_rest() -> None:
    half = sp.Piecewise((3, x < 0.5), (1, x < 0.75))
    with pytest.raises(fs.ProblemError, match=r"end the Piecewise.*True\)"):
        fs.Problem(-div_grad(half), BOX, [fs.Dirichlet(0)])


def test_data_without_regions() -> None:
    with pytest.raises(fs.ProblemError, match=r"no regions.*domain=fs.Regions"):
        fs.Problem(-div_grad(a), BOX, [fs.Dirichlet(0)], given={a: fs.ByRegion(core=1, shell=2)})
    with pytest.raises(fs.ProblemError, match="ByRegion: core is a Piecewise"):
        fs.ByRegion(core=sp.Piecewise((1, x < 0), (2, True)))


def test_values_of_conditions_by_region() -> None:
    given = {b: fs.ByRegion(left=1, right=10)}
    problem = fs.Problem(
        (b * w.diff(x)).diff(x), LINE, [fs.Dirichlet(fs.ByRegion(left=k, right=x))], given=given | {k: 7}
    )
    assert [float(c.value(c.sample(1, np.random.default_rng(0)).points)[0]) for c in problem.constraints[:2]] == [7, 3]
    assert "ByRegion" in problem._repr_html_()


def test_smooth_features_own_up() -> None:
    """A kink that they cannot have leaves no digit, at any tolerance."""
    ends = [fs.Dirichlet(0, on="x-"), fs.Dirichlet(1, on="x+")]
    problem = fs.Problem((b * w.diff(x)).diff(x), LINE, ends, given={b: fs.ByRegion(left=1, right=1000)})
    with pytest.warns(fs.AccuracyWarning, match=r"materials jump.*'left . right'"):
        solution = fs.solve(problem, tol=0.3, rng=0, approach="band", budget=fs.Budget(neurons=40))
    assert not solution.converged
