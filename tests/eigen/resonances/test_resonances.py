"""Resonances of open domains, beside what is known of them."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import newton
from scipy.special import h1vp, hankel1, jv, jvp

import fspielm as fs
from fspielm.eigen.resonances import find
from fspielm.eigen.resonances.search import BeyondBudgetError, Found, Rectangle
from fspielm.errors import OutOfTime
from fspielm.solvers.round import Record

x, y, z, k, lam, t = sp.symbols("x y z k lam t")
u = sp.Function("u")(x, y)
CENTER = np.array([0.3, 0.2])
DISK = fs.Disk(CENTER, 1)


def outside(*objects: fs.Domain, condition: fs.AnyCondition, square: sp.Expr = k**2) -> fs.Problem:
    (symbol,) = square.free_symbols
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + square * u, 0)
    return fs.Problem(equation, fs.Exterior(*objects), [condition], given={symbol: ...})


def glass(index: float, n: int):
    def function(value: complex) -> complex:
        return jv(n, index * value) * h1vp(n, value) - index * jvp(n, index * value) * hankel1(n, value)

    return function


def impedance(n: int):
    def function(value: complex) -> complex:
        return h1vp(n, value) + 0.5j * hankel1(n, value)

    return function


def check(modes: fs.Modes, known: list[complex]) -> None:
    """All of them, in this order, within their estimates, which are small."""
    assert modes.complete
    assert not modes.selfadjoint
    assert len(modes) == len(known)
    for mode, value in zip(modes, known, strict=True):
        assert abs(mode.value - value) <= mode.estimate <= 1e-11
        assert mode.bound is None
        assert mode.multiplicity == known.count(value)


def test_progress_tells_of_searches_and_of_what_they_find() -> None:
    told: list[object] = []
    asked = outside(DISK, condition=fs.Dirichlet(0))
    modes = fs.eigenmodes(asked, k, within=(1 - 1.9j, 1.8), rng=0, progress=told.append)
    searches = [event for event in told if isinstance(event, fs.ModeSearch)]
    found = [event for event in told if isinstance(event, fs.FoundMode)]
    assert [event.number for event in searches] == [1, 2]
    assert [event.number for event in found] == list(range(1, len(modes) + 1))
    assert sorted(event.value.real for event in found) == [mode.value.real for mode in modes]
    assert str(searches[0]).startswith("search 1: ")
    assert "error up to" in str(found[0])


class TestDisks:
    """Zeros of characteristic functions, of every order."""

    def test_soft(self) -> None:
        modes = fs.eigenmodes(outside(DISK, condition=fs.Dirichlet(0)), k, within=(1 - 1.9j, 1.8), rng=0)
        zero = complex(newton(lambda value: hankel1(3, value), 1.3 - 1.7j, tol=1e-15))
        check(modes, [zero, zero])

    def test_hard(self, hard: fs.Modes) -> None:
        zero = complex(newton(lambda value: h1vp(2, value), 1.4 - 0.8j, tol=1e-15))
        check(hard, [zero, zero])

    def test_an_impedance_with_the_symbol_in_it(self) -> None:
        """``du/dn - 0.5 i k u = 0`` with a normal that points into the disk."""
        problem = outside(DISK, condition=fs.Robin(-0.5j * k, 1, 0))
        modes = fs.eigenmodes(problem, k, within=(0.6 - 1.6j, 1.8), rng=0)
        zero = complex(newton(impedance(2), 1.15 - 0.79j, tol=1e-15))
        check(modes, [zero, zero])

    @pytest.mark.slow
    def test_glass_inside_and_outside(self) -> None:
        modes = fs.eigenmodes(outside(DISK, condition=fs.Transparent(3 * k)), k, within=(2.4 - 0.03j, 2.6), rng=0)
        zero = complex(newton(glass(3.0, 5), 2.485 - 0.002j, x1=2.4851 - 0.0021j, tol=1e-14))
        check(modes, [zero, zero])
        field = modes[0].field
        # values and slopes go on across the boundary
        angles = np.linspace(0, 2 * np.pi, 7)
        ways = np.column_stack([np.cos(angles), np.sin(angles)])
        inside, beyond = (field(CENTER + (1 + step) * ways) for step in (-1e-7, 1e-7))
        assert np.abs(inside - beyond).max() <= 1e-5
        # as Bessel's functions are, on either side
        inner, outer = (np.abs(field(CENTER + r * ways)) for r in (0.5, 1.5))
        order_five = np.abs(jv(5, 1.5 * zero) / jv(5, 3 * zero) / (hankel1(5, 1.5 * zero) / hankel1(5, zero)))
        np.testing.assert_allclose(inner[0] / outer[0], order_five, rtol=1e-9)

    @pytest.mark.slow
    def test_whispering_galleries_that_hardly_lose_anything(self) -> None:
        modes = fs.eigenmodes(outside(DISK, condition=fs.Transparent(3 * k)), k, within=(6.6 - 1e-3j, 6.7), rng=0)
        near = complex(modes[0].value)
        zero = complex(newton(glass(3.0, 16), near + 1e-8, x1=near - 1e-8, tol=1e-14))
        assert -1e-9 < zero.imag < -1e-10
        check(modes, [zero, zero])

    def test_the_square_of_the_wavenumber_as_the_symbol(self) -> None:
        problem = outside(DISK, condition=fs.Neumann(0), square=lam)
        modes = fs.eigenmodes(problem, lam, within=(1 - 3j, 1.8 - 2j), rng=0)
        zero = complex(newton(lambda value: h1vp(2, value), 1.4 - 0.8j, tol=1e-15)) ** 2
        check(modes, [zero, zero])


def test_a_rectangle_without_any() -> None:
    modes = fs.eigenmodes(outside(DISK, condition=fs.Dirichlet(0)), k, within=(1 - 0.5j, 1.5), rng=0)
    assert len(modes) == 0
    assert modes.complete


@pytest.mark.slow
def test_balls() -> None:
    """Of degree two the zeros of Hankel's spherical function are known in closed form; there are five functions."""
    w = sp.Function("w")(x, y, z)
    equation = sp.Eq(w.diff(x, 2) + w.diff(y, 2) + w.diff(z, 2) + k**2 * w, 0)
    problem = fs.Problem(equation, fs.Exterior(fs.Ball((0.1, 0.2, 0.3), 1)), [fs.Dirichlet(0)], given={k: ...})
    check(fs.eigenmodes(problem, k, within=(0.6 - 1.7j, 1.2), rng=0), [complex(np.sqrt(3) / 2, -1.5)] * 5)


@pytest.mark.slow
def test_an_ellipse_with_more_functions() -> None:
    """Modes of a disk come in pairs, which an ellipse splits; a finer computation agrees within the estimates."""
    problem = outside(fs.Ellipse((0.1, 0.0), (1.0, 0.97)), condition=fs.Transparent(2 * k))
    modes, finer = (fs.eigenmodes(problem, k, within=(3.5 - 0.1j, 3.8), tol=tol, rng=0) for tol in (1e-8, 1e-11))
    assert len(modes) == len(finer) > 1
    assert {mode.multiplicity for mode in modes} == {1}
    for mode, other in zip(modes, finer, strict=True):
        assert abs(mode.value - other.value) <= mode.estimate


@pytest.fixture(scope="module")
def hard() -> fs.Modes:
    return fs.eigenmodes(outside(DISK, condition=fs.Neumann(0)), k, within=(1.2 - 1.1j, 1.8), rng=0)


class TestFields:
    """Modes are solutions: normalised, without data, kept and read again."""

    def test_normalised_and_orthogonal_to_each_other(self, hard: fs.Modes) -> None:
        modes = hard
        grid = np.random.default_rng(0).uniform(*modes[0].field.problem.domain.bounding_box, (4000, 2))
        grid = grid[np.hypot(*(grid - CENTER).T) > 1]
        first, second = (mode.field(grid) for mode in modes)
        assert 0.99 <= np.abs(first).max() <= 1.2
        assert abs(np.vdot(first, second)) <= 0.05 * np.linalg.norm(first) * np.linalg.norm(second)
        slopes = modes[0].field.diff(x), modes[0].field.diff(y)
        ways = np.column_stack([np.cos(np.arange(9)), np.sin(np.arange(9))])
        left = sum(slope(CENTER + ways) * ways[:, axis] for axis, slope in enumerate(slopes))
        assert np.abs(left).max() <= 1e-11

    def test_it_grows_far_away(self, hard: fs.Modes) -> None:
        mode = hard[0]
        near, far = np.abs(mode.field([[3.3, 0.2], [10.3, 0.2]]))
        expected = np.abs(hankel1(2, 10 * mode.value) / hankel1(2, 3 * mode.value))
        np.testing.assert_allclose(far / near, expected, rtol=1e-8)
        assert far > 10 * near

    def test_kept(self, hard: fs.Modes, tmp_path) -> None:
        mode = hard[0]
        mode.field.save(tmp_path / "mode.fspielm")
        again = fs.load(tmp_path / "mode.fspielm")
        np.testing.assert_array_equal(again([[2.0, 1.0]]), mode.field([[2.0, 1.0]]))
        assert "radiate" in str(mode.field.report)

    @pytest.mark.slow
    def test_the_same_twice(self, hard: fs.Modes) -> None:
        again = fs.eigenmodes(outside(DISK, condition=fs.Neumann(0)), k, within=(1.2 - 1.1j, 1.8), rng=0)
        np.testing.assert_array_equal(again.values, hard.values)


def test_waves_along_a_surface_that_are_much_shorter_than_others() -> None:
    # of order 15, where waves around the disk have orders of two; the slope that binds them is stated
    bound = -14.9 - 0.02j
    problem = outside(DISK, condition=fs.Robin(bound, 1, 0))
    modes = fs.eigenmodes(problem, k, within=(1.6 - 0.2j, 1.8), tol=1e-8, rng=0)
    known = newton(lambda value: bound - value * h1vp(15, value) / hankel1(15, value), 1.68 - 0.17j)
    check(modes, [known, known])


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ({"neurons": 50}, r"need \d+ functions.*400.*neurons"),
        ({"memory": 1e6}, r"memory.*400.*memory="),
    ],
)
def test_functions_that_a_budget_does_not_allow_are_not_made(budget: dict[str, float], words: str) -> None:
    problem = outside(DISK, condition=fs.Robin(-400, 1, 0))
    with pytest.raises(fs.ProblemError, match=words):
        fs.eigenmodes(problem, k, within=(1.6 - 0.2j, 1.8), budget=fs.Budget(**budget), rng=0)


@pytest.mark.slow
def test_a_small_rectangle_beside_many_others() -> None:
    """Of a disk of glass, which has more of them about there than different data can tell apart."""
    known = newton(glass(3.0, 13), 6.892 - 6e-6j)
    corner = 2e-7 * (1 + 1j)
    modes = fs.eigenmodes(
        outside(DISK, condition=fs.Transparent(3 * k)), k, within=(known - corner, known + corner), tol=1e-8, rng=0
    )
    assert modes.complete
    assert len(modes) == 2
    assert all(abs(mode.value - known) <= mode.estimate < 1e-7 for mode in modes)


@pytest.mark.slow
def test_where_resonances_meet_none_is_lost_and_errors_are_roots() -> None:
    # index and flux for which two zeros of order three, and so two of minus three, are one
    index, flux = 1.4768642332979052 + 0.415879265081783j, -0.9124259524656808 - 0.10768472720339474j
    problem = outside(DISK, condition=fs.Transparent(index * k, flux))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        modes = fs.eigenmodes(problem, k, within=(1.9 - 0.2j, 2.1), tol=1e-8, rng=0)
    assert len(modes) == 4
    for mode in modes:
        assert abs(mode.value - (2 - 0.1j)) <= mode.estimate < 1e-5
        assert mode.multiplicity == 4


class TestDoubts:
    """What two searches do not agree on, or there was no time for, is told."""

    POLES = np.array([1.434438 - 0.834546j])

    def found(self, monkeypatch: pytest.MonkeyPatch, second: Found) -> fs.Modes:
        searches = iter([Found(self.POLES, self.POLES[:0]), second])
        monkeypatch.setattr(find, "search", lambda *_: next(searches))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fs.AccuracyWarning)
            return fs.eigenmodes(outside(DISK, condition=fs.Neumann(0)), k, within=(1.2 - 1.1j, 1.8), rng=0)

    def test_one_that_only_one_has_seen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        modes = self.found(monkeypatch, Found(self.POLES[:0], self.POLES[:0]))
        assert len(modes) == 2
        assert not modes.complete
        (remark,) = modes.remarks
        assert re.search(r"two searches.*missing", remark)

    def test_a_pole_that_is_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        modes = self.found(monkeypatch, Found(np.append(self.POLES, 1.7 - 0.5j), self.POLES[:0]))
        assert len(modes) == 2
        assert modes.complete

    def test_a_part_that_is_not_resolved(self, monkeypatch: pytest.MonkeyPatch) -> None:
        modes = self.found(monkeypatch, Found(self.POLES, self.POLES[:0], (Rectangle(1.2 - 1j, 1.5 + 0j),)))
        assert not modes.complete
        assert re.match(r"resonances in within=\(1\.2-1j, 1\.5\).*missing", modes.remarks[0])

    def test_no_time_for_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Record, "seconds_left", property(lambda _: 0.0))
        modes = self.found(monkeypatch, Found(self.POLES, self.POLES[:0]))
        assert len(modes) == 0
        assert not modes.complete
        assert re.match(r"resonances at 1 more.*time", modes.remarks[0])

    def test_a_budget_that_allows_a_look_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made = find.open_functions

        def looks_alone(asked, record, request, level):
            if request.tol < 1e-7:
                raise BeyondBudgetError("too many functions")
            return made(asked, record, request, level)

        monkeypatch.setattr(find, "open_functions", looks_alone)
        modes = self.found(monkeypatch, Found(self.POLES, self.POLES[:0]))
        assert not modes.complete
        words = "resonances at 1 more places were seen than could be pinned down: too many functions"
        assert modes.remarks == (words,)


@pytest.mark.usefixtures("patient")
def test_what_there_is_no_time_for() -> None:
    with pytest.raises(fs.ProblemError, match=r"all of this rectangle.*about"):
        fs.eigenmodes(
            outside(DISK, condition=fs.Dirichlet(0)), k, within=(1 - 1j, 9), budget=fs.Budget(seconds=0.01), rng=0
        )


@pytest.mark.slow
def test_a_tolerance_that_is_missed_is_told() -> None:
    problem = outside(fs.Ellipse((0, 0), (1.0, 0.9)), condition=fs.Dirichlet(0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        modes = fs.eigenmodes(problem, k, within=(1.1 - 2j, 1.6), tol=1e-14, rng=0)
    late = [mode for mode in modes if not mode.estimate <= 1e-14 * abs(mode.value)]
    assert late
    assert any("errors above the tolerance" in str(each.message) for each in caught)


def test_a_deadline_ends_the_search_for_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(find._Search, "_certain", late)
    with pytest.warns(fs.AccuracyWarning, match=r"places were seen.*600 s"):
        modes = fs.eigenmodes(outside(DISK, condition=fs.Dirichlet(0)), k, within=(1 - 1.9j, 1.8), rng=0)
    assert not len(modes)
    assert not modes.complete
