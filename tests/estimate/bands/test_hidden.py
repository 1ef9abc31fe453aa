"""What hides from a basis: functions that conditions let through, growth in time, waves and streams."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate import Hidden, find_hidden
from fspielm.estimate import growth as streamlines
from fspielm.geometry import Domain

x, y, z, t = sp.symbols("x y z t")
u = sp.Function("u")
DISK, SQUARE, LINE = fs.Disk((0, 0), 2), fs.Box((0, 0), (1, 1)), fs.Interval(0, 1)


def laplace(w: sp.Expr, *coordinates: sp.Symbol) -> sp.Expr:
    return sum(w.diff(s, 2) for s in coordinates)


def hidden(equation: Any, domain: Domain, *conditions: Any, **more: Any) -> Hidden:
    return find_hidden(fs.Problem(equation, domain, conditions, **more))


def passing(equation: Any, domain: Domain, *conditions: Any) -> list[float]:
    """The frequencies that conditions let through."""
    found = hidden(equation, domain, *conditions)
    assert not found.reason
    return [function.frequency for function in found.passing]


# --- conditions that let functions through ------------------------------------------------------


@pytest.mark.parametrize("m", [7.0, 40.5, 3e4])
def test_a_wrong_sign_lets_one_frequency_through(m: float) -> None:
    """r^n cos(n theta) has the slope n / R on the rim of a disk of radius R."""
    assert passing(laplace(u(x, y), x, y), DISK, fs.Robin(-m, 1, x)) == pytest.approx([m], rel=1e-3)
    assert passing(laplace(u(x, y, z), x, y, z), fs.Ball((0, 0, 0), 1), fs.Robin(m, -1, x)) == pytest.approx(
        [m], rel=1e-3
    )


def test_other_equations_have_their_own() -> None:
    wave, screened = laplace(u(x, y), x, y) + 400 * u(x, y), laplace(u(x, y), x, y) - 400 * u(x, y)
    robin = fs.Robin(-30, 1, 0)
    assert passing(wave, DISK, robin) == pytest.approx([np.sqrt(30**2 + 400)], rel=1e-3)  # along the surface alone
    assert passing(screened, DISK, robin) == pytest.approx([np.sqrt(30**2 - 400)], rel=1e-3)
    assert passing(screened, DISK, fs.Robin(-19, 1, 0)) == []
    # twice as fast along x: on the sides x = 0 and x = 1 the slope is |xi| / 2
    across = 4 * u(x, y).diff(x, 2) + u(x, y).diff(y, 2)
    conditions = fs.Robin(-10, 1, 0, on=["x-", "x+"]), fs.Dirichlet(0, on=["y-", "y+"])
    assert passing(across, SQUARE, *conditions) == pytest.approx([20.0, 20.0], rel=1e-3)


@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_conditions_of_several_unknowns(turn: float) -> None:
    """A harmonic function with a wrong sign, and a screened one with values, each a mixture of two unknowns."""
    v = sp.Function("v")
    first, second = u(x, y) - turn * v(x, y), turn * u(x, y) + v(x, y)
    equations = [sp.Eq(laplace(first, x, y), 0), sp.Eq(laplace(second, x, y) - second, 1)]
    slope = sp.Eq(fs.normal_derivative(u(x, y)) - turn * fs.normal_derivative(v(x, y)) - 30 * first, 0)
    both = [fs.Condition(sp.Eq(second, 0)), fs.Condition(slope, on="y+")]
    held = fs.Condition(sp.Eq(first, 0), on=["x-", "x+", "y-"])
    assert passing(equations, SQUARE, *both, held) == pytest.approx([30.0], rel=1e-3)
    assert passing(equations, SQUARE, both[0], fs.Condition(sp.Eq(first, 0))) == []


def test_a_coefficient_of_a_condition_counts_where_it_is_largest() -> None:
    found = passing(laplace(u(x, y), x, y), DISK, fs.Robin(-(30 + 5 * x), 1, 0))
    assert found == pytest.approx([40.0], rel=0.01)


@pytest.mark.parametrize(
    "conditions",
    [
        [fs.Dirichlet(x)],
        [fs.Neumann(x)],
        [fs.Robin(40, 1, x)],
        [fs.Robin(-40, -1, x)],
        [fs.Dirichlet(0, on=sp.Symbol("x") > 0), fs.Robin(3, 2, 0, on=sp.Symbol("x") <= 0)],
    ],
)
@pytest.mark.parametrize("square", [0, 400, -400])
def test_ordinary_conditions_let_nothing_through(conditions: list[Any], square: float) -> None:
    assert passing(laplace(u(x, y), x, y) + square * u(x, y), DISK, *conditions) == []


def test_plates() -> None:
    plate = laplace(laplace(u(x, y), x, y), x, y)
    assert passing(plate, DISK, fs.Dirichlet(0), fs.Neumann(0)) == []
    # of exp(q s) and s exp(q s), s = n x, the value zero leaves the second, whose slope is one whatever m is
    assert passing(plate, DISK, fs.Dirichlet(0), fs.Robin(-40, 1, 0)) == []


def test_frequencies_of_less_than_a_period_need_no_band() -> None:
    lengths = np.array([4.0, 4.0])
    low = hidden(laplace(u(x, y), x, y), DISK, fs.Robin(-1, 1, 0))
    assert low.affordable(lengths).tolist() == [0.0, 0.0]
    some = hidden(laplace(u(x, y), x, y), DISK, fs.Robin(-20, 1, 0))
    assert some.affordable(lengths) == pytest.approx([20, 20], rel=1e-2)
    many = hidden(laplace(u(x, y), x, y), DISK, fs.Robin(-2000, 1, 0))
    assert many.affordable(lengths).tolist() == [0.0, 0.0]


# --- growth in time -----------------------------------------------------------------------------


def in_time(operator: Any, orders: int, *conditions: Any, duration: float = 2.0) -> Hidden:
    starts = [fs.Initial(0, order) for order in range(orders)]
    return hidden(operator, LINE * fs.Time(0, duration), *(conditions or [fs.Dirichlet(0)]), *starts)


v = u(x, t)


@pytest.mark.parametrize(
    ("operator", "orders"),
    [
        (v.diff(t) - v.diff(x, 2), 1),
        (v.diff(t, 2) - v.diff(x, 2), 2),
        (v.diff(t, 2) - (2 + sp.sin(x)) * v.diff(x, 2) + v.diff(t), 2),
        (v.diff(t, 2) - v.diff(x, 2) + 144 * v, 2),
        (v.diff(t) + v.diff(x, 3), 1),
        (v.diff(t) + 3 * v.diff(x) - v.diff(x, 2) / 100, 1),
        (v.diff(t) - x**2 * v.diff(x, 2), 1),
    ],
)
def test_what_does_not_grow(operator: Any, orders: int) -> None:
    found = in_time(operator, orders)
    assert found.growth is not None
    assert len(found.growth.foldings) == 0
    assert not found.reason


@pytest.mark.parametrize(
    ("operator", "orders"),
    [
        (v.diff(t) + v.diff(x, 2), 1),
        (v.diff(t) + v.diff(x, 2) / 10**6, 1),
        (v.diff(t, 2) + v.diff(x, 2), 2),
        (v.diff(t) - (x - sp.Rational(1, 2)) * v.diff(x, 2), 1),
    ],
)
def test_growth_without_bound_is_ill_posed(operator: Any, orders: int) -> None:
    found = in_time(operator, orders)
    assert re.search(r"ill-posed: .*frequency", found.reason)
    assert "without bound for higher ones" in found.reason


def test_growth_with_a_bound_has_its_rate() -> None:
    growth = in_time(v.diff(t) + v.diff(x, 2) + v.diff(x, 4) / 2000, 1, fs.Dirichlet(0), fs.Neumann(0)).growth
    assert growth is not None
    assert growth.has_bound
    fastest = growth.foldings.argmax()  # k^2 - k^4 / 2000, at k^2 = 1000
    assert growth.foldings[fastest] == pytest.approx(2 * 500, rel=0.05)
    assert growth.frequencies[fastest, 0] == pytest.approx(np.sqrt(1000), rel=0.15)
    # values at both ends leave half a period at least, slopes none
    heated = v.diff(t) - v.diff(x, 2) - 40 * v
    for condition, rate in ((fs.Dirichlet(0), 40 - np.pi**2), (fs.Neumann(0), 40.0)):
        found = in_time(heated, 1, condition).growth
        assert found is not None
        assert found.foldings.max() == pytest.approx(2 * rate, rel=1e-6)


def test_what_is_carried_along_grows_until_it_leaves() -> None:
    growth = in_time(v.diff(t) + 10 * v.diff(x) - 40 * v, 1, fs.Dirichlet(0, on="x-")).growth
    assert growth is not None
    assert growth.foldings.max() == pytest.approx(4.0)
    around = in_time(v.diff(t) + 10 * v.diff(x) - 40 * v, 1, fs.Periodic("x")).growth
    assert around is not None
    assert around.foldings.max() == pytest.approx(80.0)


def test_a_condition_may_make_things_grow() -> None:
    found = in_time(v.diff(t) - v.diff(x, 2), 1, fs.Robin(-10, 1, 0))
    assert found.growth is not None
    assert found.growth.foldings.max() == pytest.approx(2 * 100, rel=1e-3)  # exp(10 n x + 100 t)
    assert not found.reason
    assert len(in_time(v.diff(t) - v.diff(x, 2), 1, fs.Robin(10, 1, 0)).growth.foldings) == 0  # type: ignore[union-attr]


def test_time_alone() -> None:
    growth = hidden(u(t).diff(t, 2) - 9 * u(t), fs.Time(0, 4), fs.Initial(1), fs.Initial(0, 1)).growth
    assert growth is not None
    assert growth.foldings.tolist() == pytest.approx([12.0])


def test_rates_that_change_with_time_are_summed_up() -> None:
    growth = hidden(u(t).diff(t, 2) - t * u(t), fs.Time(-20, 2), fs.Initial(1), fs.Initial(0, 1)).growth
    assert growth is not None
    exact = 2 / 3 * 2**1.5  # of the root of t, from zero on
    assert exact < growth.foldings.max() < 2 * exact
    assert growth.remaining(0, np.array([0.0, 0.5, 1.0])) == pytest.approx(
        [growth.foldings[0], growth.foldings[0], 0.0]
    )


# --- waves and streams --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "operator",
    [
        u(x, y).diff(x, 2) - u(x, y).diff(y, 2),
        u(x, y).diff(x, y) + u(x, y),
        (y - sp.Rational(1, 2)) * u(x, y).diff(x, 2) + u(x, y).diff(y, 2),
    ],
)
def test_waves_are_not_determined_all_round(operator: Any) -> None:
    assert "those of waves" in hidden(operator, SQUARE, fs.Dirichlet(0)).reason


@pytest.mark.parametrize(
    "operator",
    [
        laplace(u(x, y), x, y) + 900 * u(x, y),
        -(1 + x) * laplace(u(x, y), x, y) + 30 * u(x, y).diff(y),
        2 * u(x, y).diff(x, 2) + u(x, y).diff(x, y) + u(x, y).diff(y, 2),
        laplace(laplace(u(x, y), x, y), x, y) - 100 * u(x, y),
    ],
)
def test_elliptic_equations_are(operator: Any) -> None:
    conditions = [fs.Dirichlet(0), fs.Neumann(0)] if operator.has(u(x, y).diff(x, 4)) else [fs.Dirichlet(0)]
    assert hidden(operator, SQUARE, *conditions).reason == ""


def test_diffusion_along_a_coordinate_is_no_wave() -> None:
    ends = fs.Dirichlet(0, on=["x-", "x+", "y-"])
    assert hidden(u(x, y).diff(y) - u(x, y).diff(x, 2), SQUARE, ends).reason == ""


VORTEX = -y * u(x, y).diff(x) + x * u(x, y).diff(y)


@pytest.mark.parametrize(
    ("damping", "leaves_open"),
    [(0.0, True), pytest.param(0.01, True, marks=pytest.mark.slow), (2.0, False), (-2.0, False)],
)
def test_closed_streamlines_need_damping(damping: float, leaves_open: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In whichever direction: what is damped one way grows the other."""
    monkeypatch.setattr(streamlines, "POINTS", 400)  # some turns
    found = hidden(VORTEX + damping * u(x, y), DISK, fs.Dirichlet(1)).reason
    assert ("never leaves the domain" in found) is leaves_open
    assert bool(found) is leaves_open


@pytest.mark.parametrize(
    ("parts", "reason"),
    [(["x-", "y-"], ""), (["x+", "y+"], ""), (["y-"], "nothing is prescribed where the streamline through x=")],
)
def test_streams_are_known_from_either_end(parts: list[str], reason: str) -> None:
    found = hidden(u(x, y).diff(x) + u(x, y).diff(y) / 2, SQUARE, fs.Dirichlet(x, on=parts)).reason
    assert (reason in found) is True
    assert bool(found) is bool(reason)


def test_streams_in_time() -> None:
    carried = v.diff(t) + v.diff(x)
    assert in_time(carried, 1, fs.Dirichlet(0, on="x-")).reason == ""
    assert in_time(carried, 1, fs.Periodic("x")).reason == ""
    assert "nothing is prescribed" in in_time(carried, 1, fs.Dirichlet(0, on="x+")).reason


def test_coefficients_without_a_value_somewhere_are_left_to_others() -> None:
    def hollow(points: Any) -> Any:
        return np.where(points[:, 0] > 0.9, np.nan, 1.0)

    f = sp.Function("f")
    stated = fs.Problem(f(x) * u(x, y).diff(x, 2) - u(x, y).diff(y, 2), SQUARE, [fs.Dirichlet(0)], given={f: hollow})
    assert find_hidden(stated).reason == ""


def test_looking_is_little_work() -> None:
    asked = 0

    def slow(points: Any) -> Any:
        nonlocal asked
        asked += len(points)
        return 2 + points[:, 0]

    f = sp.Function("f")
    stated = fs.Problem(u(x, y).diff(x, 2) + f(x, y) * u(x, y).diff(y, 2), SQUARE, [fs.Robin(1, 1, 0)], given={f: slow})
    narrow = fs.find_narrow(stated).places
    asked = 0
    find_hidden(stated)
    find_hidden(stated)
    assert asked <= 1100 + sum(len(place.sites) for place in narrow)
