"""Zeros of symbols: values, multiplicities, and the frequencies that a problem gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fspielm.basis.exact.family import characteristic_frequencies
from fspielm.basis.exact.laws import directions_needed, scene_of
from fspielm.basis.exact.symbol import Frequencies, Symbol, solve_along, symbol_of
from fspielm.errors import UnsuitableError
from fspielm.problem import Operator, Term

# Rounding of a value of the symbol, in units of its terms; double roots are known to half of the digits, as are
# values next to them to all.
ROUNDING = 1e-12

Find = Callable[[str, Symbol, Any], Frequencies]


def polynomial(coefficients: Any) -> Symbol:
    """The symbol of ``sum c_k (-i d/dx)^k``, in one dimension: its value at w is ``sum c_k w^k``, for even k alone."""
    return symbol_of(Operator(1, tuple(Term(float(c) * (-1) ** k, (2 * k,)) for k, c in enumerate(coefficients))))


def test_the_symbol_is_what_the_operator_brings_down(symbol: Symbol) -> None:
    rng = np.random.default_rng(1)
    W = rng.normal(size=(7, symbol.dimension)) + 1j * rng.normal(size=(7, symbol.dimension))
    expected = [
        sum(c * np.prod((1j * w) ** o) for c, o in zip(symbol.coefficients, symbol.orders, strict=True)) for w in W
    ]
    assert np.allclose(symbol(W), expected, rtol=1e-13)


def test_along_a_line_the_symbol_is_a_polynomial(symbol: Symbol) -> None:
    rng = np.random.default_rng(2)
    base = rng.normal(size=(4, symbol.dimension)) + 1j * rng.normal(size=(4, symbol.dimension))
    direction = rng.normal(size=(4, symbol.dimension))
    coefficients = symbol.along(base, direction)
    for step in (0.3, -1.1 + 0.4j):
        values = coefficients @ step ** np.arange(coefficients.shape[1])
        assert np.allclose(values, symbol(base + step * direction), rtol=1e-12)
    slope = (symbol(base + 1e-6 * direction) - symbol(base - 1e-6 * direction)) / 2e-6
    assert np.allclose(np.sum(symbol.gradient(base) * direction, axis=1), slope, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@settings(max_examples=20)
@given(roots=st.lists(st.floats(0.1, 50.0), min_size=1, max_size=3, unique_by=lambda r: round(r)))
def test_simple_roots_are_found(roots: list[float], scale: float) -> None:
    # w^2 = r^2 for each of the roots
    coefficients = np.polynomial.polynomial.polyfromroots(np.array(roots) ** 2)
    sizes = scale ** (-2 * np.arange(len(coefficients)))
    found = solve_along(polynomial(coefficients * sizes), np.zeros((1, 1), complex), np.ones((1, 1)), scale)
    expected = scale * np.sort(np.concatenate([roots, -np.array(roots)]))
    assert not np.any(found.powers)
    assert np.allclose(np.sort(found.W[:, 0].real), expected, rtol=1e-6)
    assert np.all(found.W.imag == 0)


@pytest.mark.parametrize("multiplicity", [1, 2, 3])
@pytest.mark.parametrize("square", [4.0, -9.0, 0.0])
def test_multiple_roots_come_with_powers(multiplicity: int, square: float) -> None:
    coefficients = np.polynomial.polynomial.polyfromroots([square] * multiplicity)
    found = solve_along(polynomial(coefficients), np.zeros((1, 1), complex), np.ones((1, 1)), 1.0)
    expected = sorted(2 * list(range(multiplicity))) if square else list(range(2 * multiplicity))
    assert sorted(found.powers.tolist()) == expected
    assert np.allclose(found.W[:, 0] ** 2, square, atol=1e-10)


def test_lines_without_roots_are_left_out(symbol_named: Callable[[str], Symbol]) -> None:
    transport = symbol_named("transport")
    # along (1, -2) the symbol of 2 u_x + u_y is constant: zero everywhere or nowhere
    along = np.array([[1.0, -2.0]] * 2)
    assert len(solve_along(transport, np.array([[0.0, 0.0], [1.0, 0.0]], complex), along, 1.0)) == 0


@pytest.fixture(scope="module")
def frequencies() -> Find:
    """Those of an equation, found once: 300 were asked for."""
    known: dict[str, Frequencies] = {}

    def find(equation: str, symbol: Symbol, domain: Any) -> Frequencies:
        if equation not in known:
            axis = None if domain.time is None else symbol.dimension - 1
            rng = np.random.default_rng(0)
            known[equation] = characteristic_frequencies(symbol, scene_of(domain), 300, rng, time_axis=axis)
        return known[equation]

    return find


def test_every_frequency_is_a_zero(symbol: Symbol, domain: Any, equation: str, frequencies: Find) -> None:
    found = frequencies(equation, symbol, domain)
    assert 0 < found.total <= 300
    assert np.all(np.abs(symbol(found.W)) <= ROUNDING * symbol.size(found.W))
    for power in range(1, int(found.powers.max(initial=0)) + 1):
        several = found.select(found.powers == power)
        coefficients = np.abs(symbol.along(several.W, several.along))
        assert np.all(coefficients[:, power] <= 1e-8 * coefficients.max(axis=1))


def test_no_frequency_comes_twice(symbol: Symbol, domain: Any, equation: str, frequencies: Find) -> None:
    found = frequencies(equation, symbol, domain)
    for turned in (found.W, -found.W.conj()):
        distances = np.abs(found.W[:, None, :] - turned[None, :, :]).max(axis=2)
        same = (distances < 1e-9 * np.abs(found.W).max()) & (found.powers[:, None] == found.powers)
        itself = np.eye(len(found), dtype=bool)
        # a function that does not oscillate is its own conjugate
        assert not np.any(same & ~itself)


def test_most_of_the_neurons_are_used(symbol: Symbol, domain: Any, equation: str, frequencies: Find) -> None:
    if symbol.dimension == 1:
        pytest.skip("an ordinary equation has as many solutions as its order says")
    assert frequencies(equation, symbol, domain).total >= 0.8 * 300


@pytest.mark.parametrize("neurons", [4, 9, 20, 60])
def test_few_neurons_are_used_too(symbol: Symbol, domain: Any, neurons: int) -> None:
    axis = None if domain.time is None else symbol.dimension - 1
    found = characteristic_frequencies(symbol, scene_of(domain), neurons, np.random.default_rng(0), time_axis=axis)
    assert 0 < found.total <= neurons


@pytest.mark.parametrize(("name", "number"), [("oscillator", 2), ("beam", 4)])
def test_ordinary_equations_have_as_many_solutions_as_their_order(
    symbol_named: Callable[[str], Symbol], name: str, number: int
) -> None:
    from fspielm import Interval

    found = characteristic_frequencies(symbol_named(name), scene_of(Interval(0, 1)), 50, np.random.default_rng(0))
    assert found.total == number


def test_waves_lie_on_the_circle_in_even_directions(symbol_named: Callable[[str], Symbol]) -> None:
    from fspielm import Disk

    found = characteristic_frequencies(
        symbol_named("helmholtz"), scene_of(Disk((0, 0), 1)), 60, np.random.default_rng(0)
    )
    assert np.all(found.are_real)
    assert np.allclose(np.linalg.norm(found.W.real, axis=1), 20)
    angles = np.sort(np.arctan2(found.W[:, 1].real, found.W[:, 0].real) % np.pi)
    assert np.allclose(np.diff(angles), np.pi / 30)


def test_evanescent_waves_come_when_directions_are_enough(symbol_named: Callable[[str], Symbol]) -> None:
    from fspielm import Disk

    scene = scene_of(Disk((0, 0), 1))
    enough = directions_needed(20.0, 2)
    found = characteristic_frequencies(symbol_named("helmholtz"), scene, enough + 100, np.random.default_rng(0))
    assert found.select(found.are_real).total == pytest.approx(enough, abs=2)
    assert found.select(~found.are_real).total >= 80


def test_reach_sets_the_highest_frequencies(symbol_named: Callable[[str], Symbol]) -> None:
    from fspielm import Interval, Time

    scene = scene_of(Interval(0, 1) * Time(0, 1))
    found = characteristic_frequencies(
        symbol_named("heat"), scene, 200, np.random.default_rng(0), time_axis=1, reach=(40.0, 10.0)
    )
    modes = found.W[found.W[:, 0].imag == 0]
    driven = found.W[found.W[:, 0].imag != 0]
    assert modes[:, 0].real.max() == pytest.approx(40.0, rel=0.1)
    assert driven[:, 1].real.max() == pytest.approx(10.0, rel=0.1)


def test_operators_without_zeros_are_refused() -> None:
    with pytest.raises(UnsuitableError, match="no derivative: no frequency"):
        symbol_of(Operator(2, (Term(3.0, (0, 0)),)))
    with pytest.raises(UnsuitableError, match="vanishes identically"):
        symbol_of(Operator(2, (Term(0.0, (2, 0)),)))
