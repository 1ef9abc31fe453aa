"""What is narrow in an expression is found, however narrow, with its place and width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate.narrow_search import sharp_atoms

x, y, z, t = sp.symbols("x y z t")
u = sp.Function("u")(x, y)
X, Y = sp.Rational(31, 100), sp.Rational(47, 100)
R2 = (x - X) ** 2 + (y - Y) ** 2
BOX = fs.Box((0, 0), (1, 1))
PROFILES = {
    "Gaussian": lambda s: sp.exp(-(s**2)),
    "Lorentzian": lambda s: 1 / (1 + s**2),
    "sech": lambda s: sp.sech(s),
    "square of a sech": lambda s: 1 / sp.cosh(s) ** 2,
    "arctangent": lambda s: sp.atan(s),
    "tanh": lambda s: sp.tanh(s),
    "erf": lambda s: sp.erf(s),
    "root": lambda s: sp.sqrt(1 + s**2),
    "logarithm": lambda s: sp.log(1 + s**2),
}


def with_coefficient(c: sp.Expr, domain: fs.Domain = BOX, value: Any = 0) -> fs.Problem:
    return fs.Problem(sp.Eq(-u.diff(x, 2) - u.diff(y, 2) + c * u, 1), domain, [fs.Dirichlet(value)])


def closest(problem: fs.Problem, place: tuple[float, ...]) -> tuple[fs.Narrow, float]:
    """What was found nearest to a place, and its distance from there."""
    found = fs.find_narrow(problem).places
    gaps = [float(np.linalg.norm(one.sites.points - place, axis=1).min()) for one in found]
    return found[int(np.argmin(gaps))], min(gaps)


@pytest.mark.parametrize("width", [1e-2, 1e-5, 1e-9])
@pytest.mark.parametrize("profile", PROFILES)
def test_a_slab_in_one_dimension(profile: str, width: float) -> None:
    v = sp.Function("v")(x)
    c = PROFILES[profile]((x - X) / width)
    problem = fs.Problem(sp.Eq(-v.diff(x, 2) + c * v, 1), fs.Interval(0, 1), [fs.Dirichlet(0)])
    found, gap = closest(problem, (float(X),))
    assert gap < 2 * width
    assert 0.02 * width < found.width < 2 * width
    assert "the equation's coefficient" in found.source
    assert not fs.find_narrow(problem).looks


@pytest.mark.parametrize("width", [1e-2, 1e-5, 1e-10])
@pytest.mark.parametrize("profile", ["Gaussian", "Lorentzian", "sech"])
def test_an_inclusion_in_the_plane(profile: str, width: float) -> None:
    problem = with_coefficient(100 * PROFILES[profile](sp.sqrt(R2) / width))
    found, gap = closest(problem, (float(X), float(Y)))
    assert gap < 2 * width
    assert found.width < 2 * width
    inside = np.linalg.norm(found.sites.points - [float(X), float(Y)], axis=1) < 3 * width
    assert inside.sum() >= 5


@pytest.mark.parametrize("width", [*(pytest.param(w, marks=pytest.mark.slow) for w in (1e-3, 1e-6)), 3e-10])
def test_a_ring_between_two_borders(width: float) -> None:
    """Whose inside no point of a line across it meets by chance."""
    ring = sp.Piecewise((1, (sp.sqrt(R2) - sp.Rational(1, 5)) ** 2 < width**2), (0, True))
    found = fs.find_narrow(with_coefficient(ring / width)).places
    radii = np.concatenate([np.linalg.norm(one.sites.points - [float(X), float(Y)], axis=1) for one in found])
    assert np.sum(np.abs(radii - 0.2) < width) >= 5


def test_an_inclusion_in_space_and_one_in_time() -> None:
    w = sp.Function("w")(x, y, z)
    bump = sp.exp(-((x - X) ** 2 + (y - Y) ** 2 + (z - X) ** 2) / 1e-8)
    equation = sp.Eq(w.diff(x, 2) + w.diff(y, 2) + w.diff(z, 2), bump)
    problem = fs.Problem(equation, fs.Box((0, 0, 0), (1, 1, 1)), [fs.Dirichlet(0)])
    found, gap = closest(problem, (float(X), float(Y), float(X)))
    assert gap < 2e-4
    assert found.source == "the right-hand side"
    q = sp.Function("q")(x, t)
    flash = sp.exp(-((x - X) ** 2 + (t - Y) ** 2) / 1e-8)
    conditions = [fs.Dirichlet(0), fs.Initial(sp.exp(-((x - X) ** 2) / 1e-12))]
    problem = fs.Problem(sp.Eq(q.diff(t) - q.diff(x, 2), flash), fs.Interval(0, 1) * fs.Time(0, 1), conditions)
    assert closest(problem, (float(X), float(Y)))[1] < 2e-4
    found, gap = closest(problem, (float(X), 0.0))
    assert gap < 2e-6
    assert found.source == "the value of 'initial'"


@pytest.mark.parametrize(
    ("shape", "on"),
    [(fs.Box((0, -1), (1, 1)), (1.0, 0.1)), (fs.Disk((0, 0), 1), (np.sqrt(0.99), 0.1)), (fs.LShape(), (1.0, 0.1))],
)
def test_data_on_a_boundary(shape: fs.Domain, on: tuple[float, float]) -> None:
    problem = with_coefficient(sp.S.Zero, shape, sp.exp(-((x - on[0]) ** 2 + (y - on[1]) ** 2) / 1e-10))
    found, gap = closest(problem, on)
    assert gap < 2e-5
    assert "the value of 'dirichlet" in found.source
    assert found.sites.normals is not None


def test_a_layer_along_a_curve_is_met_all_along() -> None:
    problem = with_coefficient(sp.tanh((sp.sqrt(R2) - sp.Rational(1, 5)) / 1e-6))
    found, _ = closest(problem, (float(X) + 0.2, float(Y)))
    across = np.linalg.norm(found.sites.points - [float(X), float(Y)], axis=1) - 0.2
    within = np.abs(across) < 4e-6
    assert within.mean() > 0.8
    angles = np.arctan2(*(found.sites.points[within] - [float(X), float(Y)]).T)
    assert np.diff(np.sort(angles)).max() < 0.5
    # a strip of that width around the circle
    assert found.shares[within].sum() == pytest.approx(2 * np.pi * 0.2 * 6e-6, rel=1.0)


def test_borders_are_met_at_both_sides_from_afar_and_close() -> None:
    problem = with_coefficient(sp.Piecewise((1, sp.Rational(1, 10**6) > R2), (0, True)))
    found, _ = closest(problem, (float(X) + 1e-3, float(Y)))
    assert found.kind == "jump"
    assert found.width == 0.0
    radii = np.linalg.norm(found.sites.points - [float(X), float(Y)], axis=1)
    assert (radii < 1e-3).sum() > 20
    assert (radii > 1e-3).sum() > 20
    # all of what is inside, within what a few points can tell
    assert found.shares[radii < 1e-3].sum() == pytest.approx(np.pi * 1e-6, rel=0.9)
    assert "jumps, about (0.3" in str(found)
    kink, _ = closest(with_coefficient(sp.Abs(x - y)), (0.5, 0.5))
    assert kink.kind == "kink"
    assert "has a kink" in str(kink)


@pytest.mark.parametrize(
    "c",
    [sp.sin(80 * x) * sp.cos(70 * y), sp.exp(-(x**2) - y) * sp.sin(3 * x * y), 1 / (2 + x), x**8, sp.log(3 + x * y)],
)
def test_nothing_is_found_where_nothing_is_narrow(c: sp.Expr) -> None:
    scrutiny = fs.find_narrow(with_coefficient(c))
    assert not scrutiny.places
    assert not scrutiny.looks


def test_where_a_wave_is_much_faster_than_elsewhere() -> None:
    _, gap = closest(with_coefficient(sp.sin(1 / (x + sp.Rational(1, 1000)))), (1e-3, 0.5))
    assert gap < 0.2
    points = np.concatenate(
        [one.sites.points for one in fs.find_narrow(with_coefficient(sp.sin(1 / (x + 1e-3)))).places]
    )
    assert (points[:, 0] < 1e-2).sum() > 20


def test_what_cannot_be_enclosed_is_sampled() -> None:
    scrutiny = fs.find_narrow(with_coefficient(sp.besselj(0, 3 * x)))
    (look,) = scrutiny.looks
    assert "besselj(0, 3*x)" in look.source
    assert str(look).endswith("may have been missed")
    assert sharp_atoms(sp.besselj(0, 3 * x))[1] is False


def test_later_data_are_looked_at_and_coefficients_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from fspielm.estimate import narrow as module
    from fspielm.problem import with_data

    problem = with_coefficient(100 * sp.exp(-R2 / 1e-6))
    asked: list[Any] = []
    find = module.find_in_atom
    monkeypatch.setattr(module, "find_in_atom", lambda atom, *others: asked.append(atom) or find(atom, *others))
    fs.find_narrow(problem)
    assert len(asked) == 1
    later = with_data(problem, sp.exp(-((x - Y) ** 2) / 1e-8), None)
    assert closest(later, (float(Y), 0.5))[0].source == "the right-hand side"
    assert len(asked) == 2
