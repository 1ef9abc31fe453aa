"""Modes with known values: bounds hold, functions are normalised, nothing is missed."""

import re
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.eigen import rounds
from fspielm.eigen import search as second
from fspielm.eigen.rounds import Round, find
from fspielm.eigen.search import uncertain_neighbour
from fspielm.solvers.round import Record

x, y, lam = sp.symbols("x y lam")
u = sp.Function("u")(x)
v = sp.Function("v")(x, y)
UNIT, SQUARE = fs.Interval(0, 1), fs.Box((0, 0), (1, 1))
REST = [fs.Dirichlet(0)]


def modes(equation, conditions, domain=UNIT, **options):
    return fs.eigenmodes(fs.Problem(equation, domain, conditions, given={lam: ...}), lam, rng=0, **options)


def check(found, exact):
    assert found.selfadjoint
    assert found.complete
    assert len(found) == len(exact)
    for mode, value in zip(found, exact, strict=True):
        assert mode.bound is not None
        assert abs(mode.value - value) <= mode.bound
        assert mode.bound <= 2e-8 * max(abs(value), 1.0)


WAVE = sp.Eq(-u.diff(x, 2), lam * u)
DRUM = sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * v)


def test_a_string_has_the_modes_of_a_string():
    found = modes(WAVE, REST, count=3)
    check(found, [(n * np.pi) ** 2 for n in (1, 2, 3)])
    field = found[1].field
    assert field.integrate(u**2) == pytest.approx(1.0, abs=1e-9)
    exact = np.sqrt(2) * np.sin(2 * np.pi * np.linspace(0, 1, 30))
    values = field(np.linspace(0, 1, 30)[:, None])
    assert min(np.abs(values - exact).max(), np.abs(values + exact).max()) < 1e-7


def test_modes_in_an_interval_are_all_there():
    check(modes(WAVE, REST, within=(30, 100)), [(n * np.pi) ** 2 for n in (2, 3)])


@pytest.mark.parametrize("ends", [(50, 60), (4 * np.pi**2 + 1e-6, 9 * np.pi**2 - 1e-6)], ids=["far", "close"])
def test_an_interval_without_modes_is_searched_twice(ends, monkeypatch):
    seeds = []

    def counted(*arguments, **options):
        seeds.append(options["seed"])
        return find(*arguments, **options)

    monkeypatch.setattr(second, "find", counted)
    empty = modes(WAVE, REST, within=ends)
    assert len(empty) == 0
    assert empty.complete
    assert len(seeds) == 1


def test_a_mode_that_a_first_search_did_not_see_is_told(monkeypatch):
    played = rounds.find

    def blind(inverse, window, *arguments, **options):
        found = played(inverse, window, *arguments, **options)
        return found.select(np.abs(window.shift + found.mu - 4 * np.pi**2) > 1.0)

    monkeypatch.setattr(rounds, "find", blind)
    said = r"second search.*1 values.*found 0"
    with pytest.warns(fs.AccuracyWarning, match=said):
        assert not modes(WAVE, REST, within=(30, 50)).complete


def test_a_free_string_rests():
    check(modes(WAVE, [fs.Neumann(0)], count=2), [0.0, np.pi**2])


def test_a_well_at_one_end_binds():
    with pytest.warns(fs.AccuracyWarning, match=r"'robin x\+'.*grow"):
        found = modes(WAVE, [fs.Neumann(0, on="x-"), fs.Robin(-3, 1, 0, on="x+")], count=2)
    assert not found.complete
    kappa = np.sqrt(-found[0].value)
    assert kappa * np.tanh(kappa) == pytest.approx(3.0, abs=1e-7)
    assert found[1].value > 0


def test_periods_make_pairs_that_are_orthogonal():
    found = modes(WAVE, [fs.Periodic("x")], count=3)
    check(found, [0.0, 4 * np.pi**2, 4 * np.pi**2])
    assert [mode.multiplicity for mode in found] == [1, 2, 2]
    points = (np.arange(64) / 64)[:, None]
    assert abs(np.mean(found[1].field(points) * found[2].field(points))) < 1e-8


def test_waves_of_a_crystal_are_complex():
    bloch = sp.Eq(-u.diff(x, 2) - 2 * sp.I * u.diff(x) + u, lam * u)
    check(modes(bloch, [fs.Periodic("x")], count=2), [1.0, (2 * np.pi - 1) ** 2])


@pytest.mark.parametrize("phase", [1.0, np.pi, -2.0])
def test_a_factor_from_period_to_period_makes_waves_of_a_crystal(phase):
    found = modes(WAVE, [fs.Periodic("x", factor=sp.exp(sp.I * phase))], count=2)
    # the two lowest values of a free wave, whose number is known up to whole turns
    check(found, sorted((phase + 2 * np.pi * n) ** 2 for n in range(-2, 3))[:2])
    ends = found[0].field([[0.0], [1.0]])
    assert abs(ends[1] - np.exp(1j * phase) * ends[0]) < 1e-8


def test_a_loss_from_period_to_period_is_not_selfadjoint():
    assert not modes(WAVE, [fs.Periodic("x", factor=0.5)], count=1).selfadjoint


def test_values_that_go_down_begin_at_the_top():
    check(modes(sp.Eq(u.diff(x, 2), lam * u), REST, count=2), [-(np.pi**2), -4 * np.pi**2])


def test_an_oscillator_is_known_to_eleven_digits():
    oscillator = sp.Eq(-u.diff(x, 2) + x**2 * u, lam * u)
    found = modes(oscillator, REST, fs.Interval(-9, 9), count=3, tol=1e-11)
    np.testing.assert_allclose(found.values, [1, 3, 5], rtol=1e-11)
    assert np.all(found.bounds <= 1e-10)


def test_a_density_belongs_to_the_inner_product():
    found = modes(sp.Eq(-u.diff(x, 2), lam * u / (1 + x) ** 2), REST, count=2)
    check(found, [(n * np.pi / np.log(2)) ** 2 + 0.25 for n in (1, 2)])


def test_advection_has_estimates_alone():
    found = modes(sp.Eq(-u.diff(x, 2) + 3 * u.diff(x), lam * u), REST, count=2)
    assert not found.selfadjoint
    for n, mode in enumerate(found, 1):
        assert mode.bound is None
        assert abs(mode.value - (n * np.pi) ** 2 - 9 / 4) <= mode.estimate + 1e-10


def test_damped_waves_have_complex_values():
    found = modes(sp.Eq(u.diff(x, 2), lam**2 * u + 2 * lam * u), REST, count=2)
    exact = -1 + 1j * np.sqrt(np.pi**2 - 1)
    assert abs(found.values.imag).min() > 0
    assert min(abs(found.values - exact)) < 1e-9
    with pytest.raises(fs.ProblemError, match="no real value"):
        modes(sp.Eq(u.diff(x, 2), lam**2 * u + 2 * lam * u), REST, within=(-3, 3))


def test_a_column_buckles():
    found = modes(sp.Eq(u.diff(x, 4) + lam * u.diff(x, 2), 0), [fs.Dirichlet(0), fs.Neumann(0)], count=1)
    assert found[0].value == pytest.approx(4 * np.pi**2, rel=1e-9)


def test_values_in_conditions_are_found():
    slopes = sp.Eq(v.diff(x, 2) + v.diff(y, 2), 0)
    found = modes(slopes, [fs.Robin(-lam, 1, 0)], fs.Disk((0, 0), 1), count=3, tol=1e-4)
    np.testing.assert_allclose(found.values, [0, 1, 1], atol=1e-6)


def test_where_there_are_no_more_modes_time_is_not_blamed():
    growing = sp.Eq(u.diff(x, 2), u)
    with pytest.warns(fs.AccuracyWarning, match=r"2 of 5 modes.*within="):
        found = modes(growing, [fs.Robin(-lam, 1, 0)], count=5, tol=1e-6)
    np.testing.assert_allclose(found.values, [np.tanh(0.5), 1 / np.tanh(0.5)], rtol=1e-6)
    assert not any("budget" in remark for remark in found.remarks)


def test_values_that_no_shift_was_found_before_are_told(monkeypatch):
    monkeypatch.setattr("fspielm.eigen.search.TRIES", 1)
    with pytest.warns(fs.AccuracyWarning):
        found = modes(WAVE, [fs.Neumann(0, on="x-"), fs.Robin(-3, 1, 0, on="x+")], count=2, tol=1e-4)
    assert not found.complete
    said = "there are values before those that are given, and no shift was found that is before all of them"
    assert any(remark.startswith(said) for remark in found.remarks)
    assert not any("budget" in remark for remark in found.remarks)


def test_a_disk_has_pairs():
    drum = sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * v)
    found = modes(drum, REST, fs.Disk((0, 0), 1), count=3, tol=1e-11)
    exact = np.array([5.783185962946784, 14.681970642123893, 14.681970642123893])
    assert np.all(np.abs(found.values - exact) <= found.bounds)
    assert np.all(found.bounds <= 1e-11)  # refined with functions that satisfy the equation
    assert "2-fold" in repr(found)


def test_what_a_budget_ends_is_kept():
    drum = sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * v)
    with pytest.warns(fs.AccuracyWarning, match="errors above the tolerance"):
        found = modes(drum, REST, fs.LShape(), count=1, budget=fs.Budget(neurons=1000), approach="patches")
    assert not found.complete
    assert abs(found[0].value - 9.6397238440219) <= found[0].estimate


def test_modes_of_one_value_are_orthonormal():
    drum = sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * v)
    free = modes(drum, [fs.Neumann(0)], SQUARE, count=4, tol=1e-4, approach="patches")
    assert np.all(np.abs(free.values - np.pi**2 * np.array([0, 1, 1, 2])) <= free.bounds)
    assert [mode.multiplicity for mode in free] == [1, 2, 2, 1]
    rule = SQUARE.quadrature(400)
    values = np.stack([mode.field(rule.points) for mode in free])
    np.testing.assert_allclose(values @ (rule.weights * values).T, np.eye(4), atol=1e-5)


def test_waves_of_a_plane_crystal_have_bounds():
    turned = 2 * sp.I * (v.diff(x) + 2 * v.diff(y)) - 5 * v
    bloch = sp.Eq(-v.diff(x, 2) - v.diff(y, 2) - turned, lam * v)
    found = modes(bloch, [fs.Periodic("x"), fs.Periodic("y")], SQUARE, count=2, tol=1e-4, approach="patches")
    assert found.selfadjoint
    exact = [5.0, 1 + (2 * np.pi - 2) ** 2]
    assert np.all(np.abs(found.values - exact) <= found.bounds)


def test_systems_and_materials_have_bounds_too():
    w = sp.Function("w")(x)
    coupled = [sp.Eq(-u.diff(x, 2) + w, lam * u), sp.Eq(-w.diff(x, 2) + u, lam * w)]
    check(modes(coupled, [fs.Dirichlet({u: 0, w: 0})], count=2), [np.pi**2 - 1, np.pi**2 + 1])
    stiffness = sp.Piecewise((4, x < sp.Rational(1, 2)), (1, True))
    found = modes(sp.Eq(-sp.diff(stiffness * u.diff(x), x), lam * u), REST, count=1)
    k = np.sqrt(found[0].value)
    assert 2 * np.cos(k / 4) * np.sin(k / 2) + np.sin(k / 4) * np.cos(k / 2) == pytest.approx(0, abs=1e-8)


def test_periods_alone_along_both_axes() -> None:
    lam, (x, y) = sp.Symbol("lam"), sp.symbols("x y")
    u = sp.Function("u")(x, y)
    equation = sp.Eq(-u.diff(x, 2) - u.diff(y, 2), lam * u)
    torus = fs.Problem(equation, fs.Box((0, 0), (1, 1.3)), [fs.Periodic("x"), fs.Periodic("y")], given={lam: ...})
    modes = fs.eigenmodes(torus, lam, count=3, rng=0)
    known = np.array([0.0, 1.0, 1.0]) * (2 * np.pi / 1.3) ** 2
    assert np.all(np.abs(modes.values - known) <= modes.bounds)


@pytest.mark.parametrize(
    ("side", "count"), [pytest.param(side, 9, marks=pytest.mark.slow) for side in (1.0, 7.0, np.pi)]
)
def test_bounds_of_a_periodic_square_hold_to_rounding(side, count) -> None:
    """Cells have periods by themselves; functions that refine modes do not, and leave jumps that count."""
    square = fs.Box((0, 0), (side, side))
    found = modes(DRUM, [fs.Periodic("x"), fs.Periodic("y")], square, count=count)
    known = (2 * np.pi / side) ** 2 * np.array([0, 1, 1, 1, 1, 2, 2, 2, 2])[:count]
    assert np.all(np.abs(found.values - known) <= found.bounds)
    assert np.all(found.bounds <= 1e-10 * np.maximum(known, 1.0))


@pytest.mark.slow
def test_bounds_of_a_periodic_strip_count_jumps() -> None:
    found = modes(DRUM, [fs.Periodic("x"), fs.Dirichlet(0, on=("y-", "y+"))], fs.Box((0, 0), (2, 1)), count=3)
    known = np.pi**2 * np.array([1, 2, 2])
    assert np.all(np.abs(found.values - known) <= found.bounds)
    assert np.all(found.bounds <= 1e-10 * known)


def test_pairs_that_rounding_makes_complex_are_pairs() -> None:
    """Steklov's values on a disk are all double but the first; in no symmetric form, pairs come out as conjugates."""
    w = sp.Function("w")(x, y)
    harmonic = fs.Problem(
        sp.Eq(w.diff(x, 2) + w.diff(y, 2), 0), fs.Disk((0, 0), 1), [fs.Robin(-lam, 1, 0)], given={lam: ...}
    )
    found = fs.eigenmodes(harmonic, lam, count=5, tol=1e-10, rng=0)
    assert np.isrealobj(found.values)
    assert np.abs(found.values - [0, 1, 1, 2, 2]).max() < 1e-10


def test_modes_of_a_well_that_cells_do_not_resolve_may_be_missing() -> None:
    """Of two wells one has all the small cells, and the modes of the other are seen far above where they are."""
    wells = 2.43 * (x**2 - 7.8961) ** 2 + 5.03e-8 * x
    problem = fs.Problem(sp.Eq(-u.diff(x, 2) + wells * u, lam * u), fs.Interval(-6.414, 6.414), REST, given={lam: ...})
    for seed in (0, 1, 1017699721):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fs.AccuracyWarning)
            found = fs.eigenmodes(problem, lam, count=2, tol=8.96e-7, rng=seed)
        assert not found.complete or np.abs(found.values - [8.69632183, 8.69632211]).max() < 1e-5


class TestNextToThoseWanted:
    """What is said of modes beyond those that were asked for, by their errors."""

    @pytest.fixture
    def best(self, monkeypatch):
        """The last round of a string's first two modes."""
        rounds_seen = []
        monkeypatch.setattr(
            sys.modules["fspielm.eigen.eigenmodes"], "uncertain_neighbour", lambda own, _: rounds_seen.append(own) or ""
        )
        modes(sp.Eq(-u.diff(x, 2), lam * u), REST, count=2, tol=1e-6, approach="patches")
        return rounds_seen[-1]

    def test_nothing_where_they_are_known(self, best):
        assert uncertain_neighbour(best, Record(fs.Budget())) == ""

    @pytest.mark.parametrize(("error", "known"), [(1e3, "to 1.0e+03 only"), (np.inf, "to no digit")])
    def test_one_that_may_be_among_them(self, best, monkeypatch, error, known):
        monkeypatch.setattr(Round, "errors", lambda self, _: np.full(len(self.wanted), error))
        told = uncertain_neighbour(best, Record(fs.Budget()))
        assert re.match(rf"a mode about 88\.\d+ is known {re.escape(known)}, and may be among these", told)

    def test_no_time_to_look(self, best, monkeypatch):
        monkeypatch.setattr(Record, "seconds_left", property(lambda _: 0.0))
        assert re.match(r"there was no time.*modes next to", uncertain_neighbour(best, Record(fs.Budget(seconds=1))))

    def test_errors_are_no_smaller_than_rounding(self, best):
        """However small a residual is, since a value is the sum of shift and distance."""
        errors = best.errors([SimpleNamespace(error=0.0)] * len(best.wanted))
        assert np.all(errors >= np.finfo(float).eps * np.abs(best.values))
