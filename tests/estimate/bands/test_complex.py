"""Bands, peaks and what hides, of complex data and coefficients; none of it stumbles over systems."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate import Hidden, data_bands, find_hidden, find_peaks, symbol_band
from fspielm.estimate.let_through import without_phase
from fspielm.estimate.peaks import waves_from_axes
from fspielm.expr import make_field
from fspielm.geometry import Domain, Sites
from fspielm.problem import Operator, Term, identity

x, y, z, t = sp.symbols("x y z t")
i = sp.I
u = sp.Function("u")
SQUARE, LINE = fs.Box((0, 0), (1, 1)), fs.Interval(0, 1)
RNG = np.random.default_rng


@pytest.fixture(autouse=True)
def no_part_is_dropped() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        yield


def laplace(w: sp.Expr) -> sp.Expr:
    return w.diff(x, 2) + w.diff(y, 2)


def hidden(equation: Any, domain: Domain, *conditions: Any) -> Hidden:
    return find_hidden(fs.Problem(equation, domain, conditions))


class TestBands:
    @pytest.mark.parametrize("datum", [sp.sin(20 * x + 7 * y), sp.exp(-((x - 0.3) ** 2) * 1000) + x * y], ids=str)
    def test_those_of_an_imaginary_datum_are_those_of_the_real_one(self, datum: sp.Expr) -> None:
        problems = [fs.Problem(sp.Eq(laplace(u(x, y)), c * datum), SQUARE, fs.Dirichlet(c * datum)) for c in (1, i)]
        real, imaginary = ([(b.source, b.axis, b.frequency) for b in data_bands(p, RNG(0))] for p in problems)
        assert real == imaginary

    def test_either_part_counts(self) -> None:
        datum = sp.sin(3 * x) + i * sp.cos(40 * x)
        bands = data_bands(fs.Problem(sp.Eq(laplace(u(x, y)), datum), SQUARE, fs.Dirichlet(0)), RNG(0))
        assert 39 < max(band.frequency for band in bands if band.axis == 0) < 45

    def test_a_plane_wave_is_one_peak(self) -> None:
        field = make_field(sp.exp(i * (20 * x + 7 * y)) + 2 * i * sp.sin(9 * x - y), (x, y))
        peaks = find_peaks(field, SQUARE, np.array([30.0, 30.0]), RNG(0))
        assert peaks is not None
        assert all(peak.exact for peak in peaks)
        centers = sorted(tuple(np.abs(peak.center).round(9)) for peak in peaks)
        assert centers == [(9.0, 1.0), (20.0, 7.0)]

    def test_waves_in_space(self) -> None:
        field = make_field(sp.exp(i * (20 * x + 7 * y - 5 * z)), (x, y, z))
        peaks = waves_from_axes(field, fs.Box((0, 0, 0), (1, 1, 1)), np.full(3, 25.0), RNG(0))
        assert peaks is not None
        (peak,) = peaks
        np.testing.assert_allclose(peak.center, [20, 7, -5], rtol=1e-9)

    def test_extremes_of_complex_coefficients(self) -> None:
        def lossy(sites: Sites) -> Any:
            return 100 + 50j * sites.points[:, 0]

        operator = Operator(2, (*identity(2).times(lossy).terms, Term(1.0, (2, 0)), Term(1.0, (0, 2))))
        sites = Sites(RNG(0).random((50, 2)))
        np.testing.assert_allclose(symbol_band(operator, sites, np.zeros(2)), 10.3, atol=0.3)


class TestGrowth:
    @pytest.mark.parametrize("sign", [1, -1])
    @pytest.mark.parametrize("potential", [0, x**2, sp.sin(20 * x)])
    def test_schroedinger_does_not_grow(self, sign: int, potential: Any) -> None:
        w = u(x, t)
        equation = i * w.diff(t) + sign * w.diff(x, 2) - potential * w
        found = hidden(equation, LINE * fs.Time(0, 1), fs.Dirichlet(0), fs.Initial(sp.sin(sp.pi * x)))
        assert found.reason == ""
        assert found.growth is not None
        assert len(found.growth.foldings) == 0

    def test_a_complex_potential_feeds(self) -> None:
        w = u(x, t)
        equation = i * w.diff(t) + w.diff(x, 2) - 2 * i * w
        found = hidden(equation, LINE * fs.Time(0, 1), fs.Dirichlet(0), fs.Initial(0))
        assert found.reason == ""
        assert found.growth is not None
        np.testing.assert_allclose(found.growth.foldings, 2.0)

    @pytest.mark.parametrize(("factor", "posed"), [(1 + i, True), (1 - 5j, True), (-1 + i, False), (-1 - 9j, False)])
    def test_complex_diffusion(self, factor: Any, posed: bool) -> None:
        w = u(x, t)
        found = hidden(w.diff(t) - factor * w.diff(x, 2), LINE * fs.Time(0, 1), fs.Dirichlet(0), fs.Initial(0))
        assert found.reason.startswith("the problem is ill-posed") != posed

    def test_what_is_carried_along_leaves(self) -> None:
        w = u(x, t)
        conditions = fs.Dirichlet(0, on="x-"), fs.Initial(0)
        assert not hidden(i * w.diff(t) + 3 * i * w.diff(x), LINE * fs.Time(0, 1), *conditions).reason
        turned = hidden(w.diff(t) + i * w.diff(x), LINE * fs.Time(0, 1), *conditions)
        assert turned.reason.startswith("the problem is ill-posed")

    def test_the_pair_is_as_the_whole(self) -> None:
        a, b = (sp.Function(name)(x, t) for name in "ab")
        start = fs.Dirichlet({a: 0, b: 0}), fs.Initial({a: 0, b: 0})
        found = hidden([a.diff(t) + b.diff(x, 2), b.diff(t) - a.diff(x, 2)], LINE * fs.Time(0, 1), *start)
        assert found.growth is not None
        assert len(found.growth.foldings) == 0
        back = hidden([a.diff(t) + a.diff(x, 2) + b, b.diff(t) + b.diff(x, 2)], LINE * fs.Time(0, 1), *start)
        assert back.reason.startswith("the problem is ill-posed")

    def test_without_time_in_the_determinant(self) -> None:
        a, b = (sp.Function(name)(x, t) for name in "ab")
        equations = [a.diff(t) - a.diff(x, 2) + b.diff(x), a.diff(x)]
        assert not hidden(equations, LINE * fs.Time(0, 1), fs.Dirichlet({a: 0}), fs.Initial({a: 0})).reason


class TestBoundary:
    @pytest.mark.parametrize("sign", [1, -1])
    @pytest.mark.parametrize("k", [3, 40])
    def test_impedance_lets_nothing_through(self, k: int, sign: int) -> None:
        w = u(x, y)
        for domain in (SQUARE, fs.Disk((0, 0), 1)):
            found = hidden(laplace(w) + k**2 * w, domain, fs.Robin(sign * i * k, 1, sp.exp(i * k * x)))
            assert (found.reason, found.passing) == ("", ())

    @pytest.mark.parametrize("sign", [1, -1])
    def test_nor_in_a_lossy_medium(self, sign: int) -> None:
        """Of the wrong sign, one that does not change along the boundary, which every basis has."""
        w, k = u(x, y), 40 * (1 + 0.05 * i)
        found = hidden(laplace(w) + k**2 * w, SQUARE, fs.Robin(sign * i * k, 1, sp.exp(i * k * x)))
        assert found.reason == ""
        assert not found.affordable(np.ones(2)).any()
        assert sign == 1 or found.passing == ()

    def test_a_real_one_does_as_before(self) -> None:
        w = u(x, y)
        found = hidden(i * laplace(w), fs.Disk((0, 0), 2), fs.Robin(-7 * i, i, 0))
        assert [one.frequency for one in found.passing] == pytest.approx([7.0], rel=1e-3)

    def test_waves_all_round_times_a_phase(self) -> None:
        w = u(x, y)
        found = hidden((3 + i) * (w.diff(x, 2) - w.diff(y, 2)), SQUARE, fs.Dirichlet(0))
        assert "those of waves" in found.reason
        assert not hidden(w.diff(x, 2) + i * w.diff(y, 2), SQUARE, fs.Dirichlet(0)).reason

    def test_cauchy_and_riemann_have_no_streamlines(self) -> None:
        w = u(x, y)
        assert not hidden(w.diff(x) + i * w.diff(y), SQUARE, fs.Dirichlet(x + i * y, on="x-")).reason

    @pytest.mark.slow
    def test_an_eddy_turned_by_a_phase_is_one(self) -> None:
        w = u(x, y)
        eddy = hidden(i * (y * w.diff(x) - x * w.diff(y)), fs.Disk((0, 0), 1), fs.Dirichlet(0))
        assert "never leaves the domain" in eddy.reason


def test_without_phase() -> None:
    values = np.array([[1.0, 2.0], [-3.0, 0.5]])
    assert without_phase(values) is values
    turned = without_phase(values * np.exp([0.3j, -2j]))
    assert turned is not None
    np.testing.assert_allclose(np.abs(turned), np.abs(values))
    np.testing.assert_allclose(turned[0] * turned[1], values[0] * values[1])
    assert without_phase(values * np.array([[1], [1j]])) is None
