"""Modes that are close to each other: each is found, once, with its own bound."""

import re

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.arrays import FloatArray
from fspielm.eigen import Membrane, membrane_of
from fspielm.eigen.membranes.functions import Choice
from fspielm.eigen.membranes.look import Look, Scan, look_at, pinned
from fspielm.eigen.membranes.search import _lost_remarks
from fspielm.eigen.pencil import read_pencil

x, y, lam = sp.symbols("x y lam")
u = sp.Function("u")(x, y)
HELD, FREE = fs.Dirichlet(0), fs.Neumann(0)


def box(sides: tuple[float, float], condition: object) -> fs.Problem:
    equation = sp.Eq(-u.diff(x, 2) - u.diff(y, 2), lam * u)
    return fs.Problem(equation, fs.Box((0, 0), sides), [condition], given={lam: ...})


def values(sides: tuple[float, float], condition: object) -> FloatArray:
    numbers = range(condition is HELD, 12)
    return np.sort([(i * np.pi / sides[0]) ** 2 + (j * np.pi / sides[1]) ** 2 for i in numbers for j in numbers])


def as_membrane(problem: fs.Problem) -> Membrane:
    found = membrane_of(read_pencil(problem, lam))
    assert found is not None
    return found


@pytest.mark.parametrize("condition", [HELD, FREE], ids=["held", "free"])
@pytest.mark.parametrize("excess", [1e-2, 2e-3, 1e-3, 1e-4, 1e-6])
def test_of_boxes_that_are_nearly_square_all_are_found(condition: object, excess: float) -> None:
    sides = 1.0, 1 + excess
    modes = fs.eigenmodes(box(sides, condition), lam, count=6, rng=0)
    assert modes.complete
    assert len(modes) == 6
    assert np.all(np.abs(modes.values - values(sides, condition)[:6]) <= modes.bounds + 1e-14)


@pytest.mark.parametrize("excess", [3e-5, 1e-7])
@pytest.mark.parametrize("count", [2, 3])
def test_of_a_close_pair_the_lower_one_comes_first(excess: float, count: int) -> None:
    sides = 2.82, 2.82 * (1 + excess)
    modes = fs.eigenmodes(box(sides, FREE), lam, count=count, tol=1e-9, rng=0)
    assert len(modes) == count
    assert np.all(np.abs(modes.values - values(sides, FREE)[:count]) <= modes.bounds + 1e-15)


@pytest.mark.parametrize("off", [-0.03, 0.03])
def test_modes_that_were_all_seen_too_far_off_keep_their_order(off: float) -> None:
    sides = 1.0, 1.001
    exact = values(sides, FREE)[1:3]
    seen = Scan(exact + off, between=(5.0, 15.0))
    found = list(pinned(as_membrane(box(sides, FREE)), seen, Choice(30)))
    np.testing.assert_allclose([one.look.energy for one in found], exact, rtol=1e-11)


def test_a_mode_beyond_what_was_looked_at_takes_no_place() -> None:
    sides = 1.0, 1.001
    below, exact = values(sides, FREE)[1:3]
    seen = Scan(np.array([below]), between=(0.5 * (below + exact), 15.0))
    (found,) = pinned(as_membrane(box(sides, FREE)), seen, Choice(30))
    assert found.look.energy == pytest.approx(exact, rel=1e-11)


def test_a_pair_of_which_one_was_seen_hides_no_other() -> None:
    # of 6^2 + 14^2 and of 8^2 + 13^2, each seen once
    energies = np.pi**2 * np.array([232.0, 233.0])
    found = list(pinned(as_membrane(box((1.0, 1.0), HELD)), Scan(energies), Choice(30)))
    np.testing.assert_allclose([one.look.energy for one in found], energies, rtol=1e-11)
    assert [one.coefficients.shape[1] for one in found] == [2, 2]


def test_what_was_seen_and_not_found_is_told() -> None:
    square = as_membrane(box((1.0, 1.0), HELD))
    seen = Scan(np.array([2.0, 5.0]) * np.pi**2)
    (first,) = pinned(square, Scan(seen.energies[:1]), Choice(30))
    (said,) = _lost_remarks(square, seen, [first])
    assert re.search(r"seen at about 49\.348.*missing", said)


@pytest.mark.parametrize("condition", [HELD, FREE], ids=["held", "free"])
@pytest.mark.parametrize("excess", [1e-8, 1e-7, 1e-6, 1e-4])
@pytest.mark.parametrize("tol", [1e-2, 1e-4])
def test_at_loose_tolerances_close_modes_are_all_found(tol: float, excess: float, condition: object) -> None:
    sides = 1.0, 1 + excess
    modes = fs.eigenmodes(box(sides, condition), lam, count=8, tol=tol, rng=0)
    exact = values(sides, condition)[:8]
    assert modes.complete
    assert np.all(np.abs(modes.values - exact) <= modes.bounds + 1e-14)
    assert np.all(modes.bounds <= tol * np.maximum(exact, 1.0))


def test_modes_just_below_and_above_are_pinned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # close enough to be pinned together, but from the lowest one the next is seen too far off
    exact, close = 20.0 * np.array([1 - 0.98e-3, 1.0, 1 + 0.99e-3]), 1e-4
    functions = look_at(as_membrane(box((1.0, 1.0), HELD)), 20.0, Choice()).functions

    def look(_: Membrane, energy: float, __: Choice) -> Look:
        off = (exact - energy) * np.where(energy < 0.5 * (exact[0] + exact[1]), [1.0, 1.15, 1.15], 1.0)
        off = off[np.argsort(np.abs(off))]
        return Look(energy, off, np.diag(off), -np.eye(3), np.eye(3), np.eye(3), 3, 1.0, functions)

    monkeypatch.setattr("fspielm.eigen.membranes.look.look_at", look)
    monkeypatch.setattr("fspielm.eigen.membranes.look._pin", lambda _, at, count: (at.energy, count))
    found = list(pinned(as_membrane(box((1.0, 1.0), HELD)), Scan(exact), Choice(), close))
    np.testing.assert_allclose([energy for energy, _ in found], exact, rtol=1e-5)
    assert [count for _, count in found] == [1, 1, 1]
