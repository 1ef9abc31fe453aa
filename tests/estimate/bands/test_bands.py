"""Bands of whole problems: where they come from, and what has none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

from fspielm import Box, Dirichlet, Disk, Initial, Interval, Neumann, Polygon, Problem, ProblemError, Time
from fspielm.estimate import Bands, data_bands, infer_bands, settled_bands, without_short_lines
from fspielm.estimate import band_data as data
from fspielm.geometry import Domain
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda
from fspielm.paper.cases import catalogue as cases

x, y, t = sp.symbols("x y t")
SQUARE = Box((0, 0), (1, 1))
f = sp.Function("f")


def bands(problem: Problem, seed: int = 0) -> Bands:
    return infer_bands(problem, np.random.default_rng(seed))


def poisson(source: Any, boundary: Any = 0, domain: Domain = SQUARE, **conditions: Any) -> Problem:
    """Laplace's operator with a source and Dirichlet data, each a number, an expression or a callable."""
    u = sp.Function("u")(x, y)
    given = {f: source} if callable(source) and not isinstance(source, sp.Expr) else None
    right = f(x, y) if given else source
    return Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), right), domain, [Dirichlet(boundary)], given=given)


# --- the benchmarks -----------------------------------------------------------------------------

# What the exact solutions' data contain; Pacman's and Panda's are cut off by their outlines, not by a box.
TRUE_BANDS = {
    "helmholtz-2d": (24 * np.pi, 24 * np.pi),
    "wave-1d": (16 * np.pi, 24 * np.pi),
    "poisson-1d": (75 * np.pi,),
    "klein-gordon": (19 * np.pi, 19 * np.pi),
    "heat": (20 * np.pi, 0),
    "advection-diffusion-pacman": (3 * np.pi, 10 * np.pi, 0),
    "helmholtz-panda": (30 * np.pi, 0),
}


@pytest.mark.parametrize("name", TRUE_BANDS)
def test_the_benchmarks_bands_are_found_in_their_data(name: str) -> None:
    problem = cases.load(name).problem
    highest = np.zeros(problem.dimension)
    for band in data_bands(problem, np.random.default_rng(1)):
        assert band.settled
        highest[band.axis] = max(highest[band.axis], band.frequency)
    assert highest == pytest.approx(TRUE_BANDS[name], rel=0.15, abs=3)


@pytest.mark.parametrize("name", ["helmholtz-2d", "wave-1d", "poisson-1d", "klein-gordon", "heat"])
def test_equation_and_data_are_joined(name: str) -> None:
    problem = cases.load(name).problem
    found = bands(problem)
    own = np.array(TRUE_BANDS[name])
    assert np.all(found.frequencies > 0.85 * own - 3)
    # the wave equation carries along x what the data have along t
    expected = np.full(2, 24 * np.pi) if name == "wave-1d" else np.maximum(own, 1)
    assert found.frequencies == pytest.approx(expected, rel=0.15, abs=3)
    assert not found.unsettled
    known = {"right-hand side", "the equation", "constant data", *(c.name for c in problem.constraints)}
    assert set(found.sources) <= known


# --- where a band comes from --------------------------------------------------------------------


def test_numbers_have_no_band() -> None:
    found = bands(poisson(1, 2))
    assert found.frequencies.tolist() == [0, 0]
    assert found.sources == ("constant data", "constant data")


def test_a_homogeneous_equation_driven_from_its_boundary_has_its_own() -> None:
    u = sp.Function("u")(x, y)
    wave = sp.cos(40 * (sp.Rational(3, 5) * x + sp.Rational(4, 5) * y))
    found = bands(Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + 1600 * u, 0), SQUARE, [Dirichlet(wave)]))
    assert found.frequencies == pytest.approx([40, 40])
    assert found.sources == ("the equation", "the equation")


def test_the_boundary_sets_what_the_source_does_not() -> None:
    found = bands(poisson(sp.sin(30 * y), sp.sin(50 * x)))
    assert found.frequencies == pytest.approx([50, 30], abs=2)
    assert found.sources[0] in ("dirichlet y-", "dirichlet y+")
    assert found.sources[1] == "right-hand side"


def test_expressions_and_callables_have_the_same_band() -> None:
    by_expression = bands(poisson(sp.sin(30 * x + 5 * y), sp.cos(20 * x * y)))
    by_callable = bands(poisson(lambda p: np.sin(30 * p[:, 0] + 5 * p[:, 1]), lambda p: np.cos(20 * p[:, 0] * p[:, 1])))
    assert by_callable.frequencies == pytest.approx(by_expression.frequencies, rel=0.02)


def test_initial_data_set_the_band_in_space_and_the_equation_that_in_time() -> None:
    u = sp.Function("u")(x, t)
    conditions = [Dirichlet(0), Initial(sp.sin(6 * sp.pi * x)), Initial(0, order=1)]
    found = bands(Problem(sp.Eq(u.diff(t, 2), 4 * u.diff(x, 2)), Interval(0, 1) * Time(0, 3), conditions))
    assert found.frequencies == pytest.approx([6 * np.pi, 12 * np.pi], rel=0.05)
    assert found.sources == ("initial", "the equation")


def test_neumann_data_count_too() -> None:
    u = sp.Function("u")(x, y)
    conditions = [Dirichlet(0, on=["x-", "x+", "y-"]), Neumann(sp.sin(80 * x), on="y+")]
    found = bands(Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), SQUARE, conditions))
    assert found.frequencies[0] == pytest.approx(80, abs=2)
    assert found.sources[0] == "neumann y+"


def test_a_high_frequency_is_not_mistaken_for_its_alias() -> None:
    u = sp.Function("u")(x)
    problem = Problem(sp.Eq(u.diff(x, 2), sp.sin(2000 * x)), Interval(0, 2.5), [Dirichlet(0)])
    assert bands(problem).frequencies == pytest.approx([2000], rel=0.02)


@pytest.mark.parametrize("unit", [1e-6, 1e3])
def test_units_do_not_matter(unit: float) -> None:
    source = sp.sin(30 * x / unit) * sp.exp(y / unit)
    scaled = bands(poisson(source, domain=Box((0, 0), (unit, unit))))
    plain = bands(poisson(sp.sin(30 * x) * sp.exp(y)))
    assert scaled.frequencies * unit == pytest.approx(plain.frequencies, rel=1e-6, abs=1e-6)


def test_the_same_seed_gives_the_same_band() -> None:
    problem = poisson(lambda p: np.sin(30 * p[:, 0] ** 2), domain=Pacman())
    assert np.array_equal(bands(problem, 3).frequencies, bands(problem, 3).frequencies)


# --- irregular domains, and data defined on little ----------------------------------------------


@pytest.mark.parametrize(
    "domain", [Interval(0, 1) * Time(0, 1), Disk((0, 0), 1), Pacman(), Panda(0.4), Pacman((0, 0), 1, 0.02)]
)
@pytest.mark.parametrize("seed", range(2))
def test_the_source_is_never_asked_outside_the_domain(domain: Domain, seed: int) -> None:
    def source(points: np.ndarray) -> np.ndarray:
        assert domain.contains(points).all(), "asked outside"
        return np.sin(30 * points[:, 0] + 5 * points[:, 1])

    found = bands(poisson(source, domain=domain) if domain.time is None else _heat(source, domain), seed)
    assert found.frequencies[0] == pytest.approx(30, rel=0.15)
    assert found.frequencies[1] == pytest.approx(5, abs=3)


def _heat(source: Any, domain: Domain) -> Problem:
    u = sp.Function("u")(x, t)
    conditions = [Dirichlet(0), Initial(0)]
    return Problem(sp.Eq(u.diff(t) - u.diff(x, 2), f(x, t)), domain, conditions, given={f: source})


def test_boundary_data_are_asked_on_the_boundary_alone() -> None:
    def rim(points: np.ndarray) -> np.ndarray:
        assert np.hypot(*points.T) == pytest.approx(1, abs=1e-12)
        return np.cos(12 * np.arctan2(points[:, 1], points[:, 0]))

    found = bands(poisson(0, rim, Disk((0, 0), 1)))
    assert found.frequencies == pytest.approx([12, 12], rel=0.15)
    assert found.sources == ("dirichlet circle", "dirichlet circle")


def test_a_condition_on_a_piece_is_asked_on_that_piece_alone() -> None:
    def left(points: np.ndarray) -> np.ndarray:
        assert np.all(points[:, 1] == 0)
        assert np.all(points[:, 0] < 0.5)
        return np.sin(90 * points[:, 0])

    u = sp.Function("u")(x, y)
    conditions = [
        Dirichlet(left, on=sp.Eq(y, 0) & (x < sp.Rational(1, 2))),
        Neumann(0, on=sp.Eq(y, 0) & (x >= sp.Rational(1, 2))),
        Dirichlet(0, on=["x-", "x+", "y+"]),
    ]
    found = bands(Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), SQUARE, conditions))
    assert found.frequencies[0] == pytest.approx(90, abs=4)
    assert found.sources[0] == "dirichlet y-"


def test_an_expression_on_a_curve_is_read_axis_by_axis() -> None:
    """Along the rim sin(40 x) would show on both axes."""
    found = bands(poisson(0, sp.sin(40 * x), Disk((0, 0), 1)))
    assert found.frequencies == pytest.approx([40, 0], abs=2)


def test_an_expression_that_is_singular_inside_is_read_along_the_curve() -> None:
    found = bands(
        poisson(0, sp.cos(12 * sp.atan2(y, x)) + 0 * x / (x**2 + y**2) + sp.log(x**2 + y**2), Disk((0, 0), 1))
    )
    assert np.all(np.isfinite(found.frequencies))


# --- narrow, rough, noisy and broken data -------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_narrow_bump_is_found(seed: int) -> None:
    center = np.random.default_rng(seed).uniform(0.1, 0.9, 2)

    def bump(points: np.ndarray) -> np.ndarray:
        return np.exp(-np.sum((points - center) ** 2, axis=1) / (2 * 0.01**2))

    assert bands(poisson(bump), seed).frequencies == pytest.approx([480, 480], rel=0.25)


def test_a_jump_is_unsettled_and_cut_low() -> None:
    found = bands(poisson(sp.Heaviside(x - 0.43)))
    assert found.unsettled == ("right-hand side",)
    assert 20 < found.frequencies[0] < 200


def test_a_kink_is_unsettled_and_cut_low() -> None:
    found = bands(poisson(0, lambda p: np.abs(p[:, 0] - 0.43)))
    assert set(found.unsettled) == {"dirichlet y-", "dirichlet y+"}
    assert found.frequencies[0] < 200


@pytest.mark.parametrize("offset", [0.0, 1.0])
@pytest.mark.parametrize("where", ["source", "boundary"])
def test_noise_is_refused_quickly(where: str, offset: float) -> None:
    rng, asked = np.random.default_rng(0), []

    def noise(points: np.ndarray) -> np.ndarray:
        asked.append(len(points))
        return offset + rng.standard_normal(len(points))

    problem = poisson(noise) if where == "source" else poisson(1, noise)
    name = "right-hand side" if where == "source" else "dirichlet x-"
    with pytest.raises(ProblemError, match=rf"'{name}'.*no band.*noise.*smooth"):
        bands(problem)
    assert sum(asked) < 5_000_000  # twice the finest grid that data are looked at on


@pytest.mark.parametrize("source", [sp.sign(sp.sin(3000 * x)), sp.Mod(43758 * sp.sin(300 * x), 1)], ids=str)
def test_formulas_like_noise_are_refused_beside_materials_too(source: sp.Expr) -> None:
    u = sp.Function("u")(x, y)
    stiffness = sp.Piecewise((2, x < sp.Rational(1, 2)), (1, True))
    for values in (source, stiffness * source):
        problem = Problem(sp.Eq(stiffness * (u.diff(x, 2) + u.diff(y, 2)), values), SQUARE, [Dirichlet(0)])
        with pytest.raises(ProblemError, match="no band"):
            bands(problem)


def test_what_rounding_leaves_of_zero_is_no_noise() -> None:
    """On the circle, x^2 + y^2 - 1 is a few units of the last place; so is the source of a harmonic function."""
    rng = np.random.default_rng(0)
    found = bands(poisson(4, lambda p: p[:, 0] ** 2 + p[:, 1] ** 2 - 1, Disk((0, 0), 1)))
    assert found.frequencies.tolist() == [0, 0]
    residue = bands(poisson(lambda p: 1e-13 * rng.standard_normal(len(p)), sp.exp(x) * sp.sin(y)))
    assert residue.frequencies.max() < 10
    assert not found.unsettled
    assert not residue.unsettled


def test_nan_at_some_points_is_named() -> None:
    def holed(points: np.ndarray) -> np.ndarray:
        return np.where(np.hypot(points[:, 0] - 0.3, points[:, 1] - 0.6) < 0.05, np.nan, 1.0)

    with pytest.raises(ProblemError, match="'right-hand side' is nan at x=0"):
        bands(poisson(holed))
    with pytest.raises(ProblemError, match="'dirichlet x-' is nan at x=0, y"):
        bands(poisson(1, lambda p: np.where(p[:, 1] > 0.9, np.nan, 0.0)))


def test_a_coefficient_that_is_nan_is_named() -> None:
    u = sp.Function("u")(x, y)
    equation = sp.Eq(sp.log(x - sp.Rational(1, 2)) * u.diff(x, 2) + u.diff(y, 2), 1)
    with pytest.raises(ProblemError, match=r"coefficient log.*u_xx.*nan"):
        bands(Problem(equation, SQUARE, [Dirichlet(0)]))


def test_a_gap_in_a_side_is_no_jump_of_its_data() -> None:
    """A disk cuts a side in two; smooth data on the two pieces have the band that they have on the whole side."""
    bitten = SQUARE - Disk((0.5, 0), 0.25)

    def ramp(points: np.ndarray) -> np.ndarray:
        return np.exp(points[:, 0] - points[:, 1])

    found = {}
    for domain in (SQUARE, bitten):
        by_source = data_bands(poisson(0, ramp, domain), np.random.default_rng(0))
        found[domain] = max(band.frequency for band in by_source if band.source == "dirichlet y-")
    assert found[bitten] == pytest.approx(found[SQUARE], rel=0.5)


def test_the_domain_is_looked_into_once_for_all_sides_of_a_polygon(monkeypatch: pytest.MonkeyPatch) -> None:
    angles = 2 * np.pi * np.arange(12) / 12 + 0.1
    vertices = np.column_stack([np.cos(angles), np.sin(angles)])
    many = Polygon(vertices, names=[f"side {i}" for i in range(12)])
    looks: list[str] = []
    real = data._inside

    def counted(field: Any, source: str, *rest: Any, **others: Any) -> Any:
        looks.append(source)
        return real(field, source, *rest, **others)

    monkeypatch.setattr(data, "_inside", counted)
    found = bands(poisson(0, sp.sin(20 * x) + y, many))
    assert looks == ["dirichlet side 0"]
    assert found.frequencies[0] == pytest.approx(20, rel=0.2)
    assert {band.source for band in found.data} == {f"dirichlet side {i}" for i in range(12)}


def test_a_jump_of_boundary_data_parts_what_is_smooth() -> None:
    """Each side of it has its own band: singular functions hold the jump."""
    found = bands(poisson(0, sp.sin(10 * x) + sp.Heaviside(x - 0.3)))
    assert not found.unsettled
    assert found.frequencies[0] < 40


def test_a_kink_of_high_order_sets_no_band_where_cells_end_at_it() -> None:
    def data_of(bend: float) -> Problem:
        wave = sp.cos(20 * x)
        value = wave + sp.Piecewise((0, x < 0), (bend * x**2 * wave, True))
        return Problem(
            sp.Eq(sp.Function("u")(x, t).diff(t), sp.Function("u")(x, t).diff(x, 2)),
            Interval(-1, 1) * Time(0, 1),
            [Dirichlet(0), Initial(value)],
        )

    smooth, kinked = (data_of(bend) for bend in (0, 100))
    rng = np.random.default_rng(0)
    found = infer_bands(kinked, rng)
    assert found.frequencies[0] > 200
    assert settled_bands(kinked, found, rng).frequencies[0] < 50
    found = infer_bands(smooth, rng)
    np.testing.assert_array_equal(settled_bands(smooth, found, rng).frequencies, found.frequencies)


def test_what_varies_along_a_small_piece_of_the_boundary_need_not_count() -> None:
    small = 1e-3
    hole = Dirichlet(lambda points: (points[:, 0] - 0.5) / small, on="circle")
    u = sp.Function("u")(x, y)
    domain = SQUARE - Disk((0.5, 0.5), small)
    laplace = sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0)
    problem = Problem(laplace, domain, [hole, Dirichlet(sp.sin(3 * x), on=["x-", "x+", "y-", "y+"])])
    found = bands(problem)
    assert found.frequencies.min() > 0.1 / small
    long = without_short_lines(problem, found, 0.1, np.random.default_rng(0))
    assert long.frequencies.max() < 20
    assert without_short_lines(problem, found, 1e-6, np.random.default_rng(0)) is found
