"""Values at the ends of an interval, and where two searches meet: none is lost, none is there twice."""

import re
from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.eigen import Mode
from fspielm.eigen.modes import Window, Wish
from fspielm.eigen.search import disagreements, end_remarks, inside, join_windows, within_margin

x, y, lam = sp.symbols("x y lam")
u, v = sp.Function("u")(x), sp.Function("v")(x, y)
STRING, DRUM = sp.Eq(-u.diff(x, 2), lam * u), sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * v)
SQUARE, HELD, FREE = fs.Box((0, 0), (1, 1)), fs.Dirichlet(0), fs.Neumann(0)
AT_END = r"end of the interval.*bound"


@pytest.mark.parametrize(
    ("equation", "domain", "condition", "options", "ends", "squares"),
    [
        pytest.param(DRUM, SQUARE, HELD, {}, (0, 2), [2], id="held, upper end"),
        pytest.param(DRUM, SQUARE, HELD, {}, (2, 5), [2, 5, 5], id="held, both ends"),
        pytest.param(DRUM, SQUARE, HELD, {"approach": "patches", "tol": 1e-5}, (2, 5), [2, 5, 5], id="by cells"),
        pytest.param(DRUM, SQUARE, FREE, {}, (0, 1), [0, 1, 1], id="free"),
        pytest.param(DRUM, SQUARE, HELD, {}, (100, 106), [100, 100, 101, 101, 104, 104, 106, 106], id="high"),
        pytest.param(STRING, fs.Interval(0, 1), HELD, {}, (1, 5), [1, 4], id="string, lower end"),
        pytest.param(STRING, fs.Interval(0, 1), HELD, {}, (0.1, 4), [1, 4], id="string, upper end"),
    ],
)
def test_values_at_the_ends_belong_to_an_interval(equation, domain, condition, options, ends, squares):
    problem = fs.Problem(equation, domain, [condition], given={lam: ...})
    with pytest.warns(fs.AccuracyWarning, match=AT_END):
        modes = fs.eigenmodes(problem, lam, within=tuple(np.pi**2 * np.array(ends)), rng=0, **options)
    assert modes.complete
    assert len(modes) == len(squares)
    assert np.all(np.abs(modes.values - np.pi**2 * np.array(squares)) <= modes.bounds)


def test_values_beside_the_ends_do_not():
    problem = fs.Problem(DRUM, SQUARE, [HELD], given={lam: ...})
    modes = fs.eigenmodes(problem, lam, within=(2 * np.pi**2 * (1 + 1e-5), 5 * np.pi**2 * (1 - 1e-5)), rng=0)
    assert len(modes) == 0
    assert modes.complete
    assert not modes.remarks


@dataclass(frozen=True)
class Known:
    """What is asked of a mode by its value alone."""

    value: float
    estimate: float
    bound: float | None = None


def known(*values: float, estimate: float = 1e-9) -> list[Mode]:
    return [Known(value, estimate) for value in values]  # type: ignore[misc]


def test_each_value_counts_by_its_own_error():
    wish = Wish(None, (1.0, 2.0), 1.0)
    modes = [*known(1 - 1e-10, 2 + 2e-9), *known(2 + 2e-9, estimate=1e-8), *known(1.5, 2.0, estimate=0.0)]
    kept = inside(modes, wish)
    assert [mode.value for mode in kept] == [1 - 1e-10, 2 + 2e-9, 1.5, 2.0]
    assert len(end_remarks(kept, wish)) == 2  # what is exact is not in doubt
    every = Wish(3, None, 1.0)
    assert inside(modes, every) == modes
    assert not end_remarks(modes, every)


def test_what_is_at_an_end_by_an_estimate_is_not_said_to_have_a_bound():
    wish = Wish(None, (1.0, 2.0), 1.0)
    modes: list[Mode] = [Known(1.0, 1e-9, 1e-9), Known(2.0, 1e-9)]  # type: ignore[list-item]
    first, second = end_remarks(modes, wish)
    assert re.search(r"value 1 .*end of the interval.*bound", first)
    assert re.search(r"value 2 .*end of the interval.*estimate", second)


def test_intervals_are_looked_at_with_a_margin():
    wish = Wish(None, (100.0, 101.0), 1.0)
    assert wish.searched_interval(1e-8) == (100 - 1e-3, 101 + 1e-3)
    assert wish.searched_interval(1e-3) == (100 - 0.202, 101 + 0.202)
    assert Wish(3, None, 1.0).searched_interval(1e-8) is None


def test_a_value_where_two_searches_meet_is_there_once():
    parts = [
        (Window(0.5, None, -0.1, 1.1), known(0.2, 1 + 1e-10)),
        (Window(1.5, None, 0.9, 2.1), known(1 - 1e-10, 1.7)),
    ]
    assert [mode.value for mode in join_windows(parts)] == [0.2, pytest.approx(1.0), 1.7]
    assert not disagreements(parts)
    at_edge = [parts[0], (parts[1][0], known(0.9 + 1e-10, 1 - 1e-10, 1.7))]  # the first may have it beyond its own
    assert not disagreements(at_edge)


@pytest.mark.parametrize(
    ("before", "after", "together"),
    [
        pytest.param(known(1.05, estimate=0.3), known(0.95, estimate=0.3), [1.0], id="each beyond the cut"),
        pytest.param(known(0.95, estimate=0.3), known(1.05, estimate=0.3), [1.0], id="each before the cut"),
        pytest.param(known(1.02, 1.03, estimate=0.1), known(0.97, 0.98, estimate=0.1), [1.0, 1.0], id="two of them"),
        pytest.param(known(1.05, estimate=np.inf), known(0.95, estimate=np.inf), [1.0], id="nothing certain"),
        pytest.param(known(1.0, 1.0), known(1.0, 1.0), [1.0, 1.0], id="two of one value"),
        pytest.param(known(0.7, estimate=1.0), known(1.3, estimate=1.0), [0.7, 1.3], id="beyond where they meet"),
    ],
)
def test_a_value_that_is_seen_on_either_side_is_not_lost(before, after, together):
    parts = [
        (Window(0.5, None, -0.1, 1.1), [*known(0.5), *before]),
        (Window(1.5, None, 0.9, 2.1), [*after, *known(1.5)]),
    ]
    found = [mode.value for mode in join_windows(parts)]
    assert found == pytest.approx([0.5, *together, 1.5], abs=0.06)
    assert found == sorted(found)


def test_what_is_off_by_more_than_the_margin_is_in_no_window_for_certain():
    first = Window(0.5, None, -0.1, 1.1), known(0.5)
    assert within_margin([first, (Window(1.5, None, 0.9, 2.1), known(1.5))], 0.1)
    # the second is not among those that are kept
    assert not within_margin([first, (Window(1.5, None, 0.9, 2.1), known(0.95, estimate=0.3))], 0.1)


def test_modes_of_one_value_come_from_one_search():
    before, after = known(1.0, 1 + 2e-9), known(1 - 1e-9, 1 + 1e-9)
    kept = join_windows([(Window(0.5, None, -0.1, 1.1), before), (Window(1.5, None, 0.9, 2.1), after)])
    assert kept in (before, after)


def test_searches_that_see_different_modes_where_they_meet_say_so():
    parts = [(Window(0.5, None, -0.1, 1.1), known(0.2)), (Window(1.5, None, 0.9, 2.1), known(1.0, 1.7))]
    (said,) = disagreements(parts)
    assert re.match(r"two searches.*at 1 .*missing", said)


def test_a_long_interval_is_cut_without_losing_its_ends():
    problem = fs.Problem(STRING, fs.Interval(0, 30), [HELD], given={lam: ...})
    exact = (np.arange(1, 61) * np.pi / 30) ** 2
    with pytest.warns(fs.AccuracyWarning, match=AT_END):
        modes = fs.eigenmodes(problem, lam, within=(exact[0], exact[-1]), tol=1e-6, rng=0)
    assert modes.complete
    assert len(modes) == 60
    assert np.all(np.abs(modes.values - exact) <= modes.bounds)
