"""Rectangles, rational functions and clusters, each alone."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm.eigen.resonances.search import Rectangle, clusters
from fspielm.numerics.rational import rational

WHERE = Rectangle(1 - 1j, 3 + 0j)


def test_contours_go_around():
    places = WHERE.contour
    assert WHERE.contains(places, 1e-12).all()
    assert not Rectangle(1.001 - 0.999j, 2.999 - 0.001j).contains(places).any()
    assert len(set(places.tolist())) == len(places)


@pytest.mark.parametrize("share", [0.5, 0.44])
def test_parts_fill_a_rectangle(share):
    first, second = WHERE.cut(share)
    assert first.lower == WHERE.lower
    assert second.upper == WHERE.upper
    assert first.extent.real + second.extent.real == pytest.approx(WHERE.extent.real)
    tall = Rectangle(1 - 3j, 2 + 0j).cut(share)
    assert tall[0].extent.imag + tall[1].extent.imag == pytest.approx(3)


def test_a_larger_one_keeps_away_from_zero():
    grown = Rectangle(0.1 - 1j, 5 + 0j).grown(0.1)
    assert grown.lower.real == pytest.approx(0.05)
    assert grown.upper == pytest.approx(5.49 + 0.49j)
    assert WHERE.largest == pytest.approx(np.sqrt(10))


@pytest.mark.parametrize("count", [0, 1, 7])
def test_poles_of_several_functions(count):
    rng = np.random.default_rng(count)
    poles = rng.uniform(1.1, 2.9, count) - 1j * rng.uniform(0.01, 0.99, count)
    outside = np.array([3.2 - 0.5j, 1.5 + 0.1j])
    places = WHERE.contour
    every = np.concatenate([poles, outside])
    residues = rng.standard_normal((len(every), 5)) + 1j * rng.standard_normal((len(every), 5))
    values = (1 / (places[:, None] - every)) @ residues + np.exp(np.outer(places, np.arange(5) / 4))
    found = rational(places, values, 1e-11)
    assert found.error <= 1e-11
    inside = found.poles[WHERE.contains(found.poles)]
    assert len(inside) == count
    for pole in poles:
        assert np.abs(inside - pole).min() <= 1e-7


def test_functions_that_are_zero_have_no_poles():
    found = rational(WHERE.contour, np.zeros((len(WHERE.contour), 2), dtype=complex), 1e-9)
    assert len(found.poles) == 0
    assert found.error == 0


def test_noise_is_no_function():
    rng = np.random.default_rng(0)
    assert rational(WHERE.contour, rng.standard_normal((len(WHERE.contour), 4)) + 0j, 1e-6).error > 1e-6


def test_clusters():
    values = np.array([1.0, 2 - 1j, 1.0 + 5e-4j, 2.0005 - 1j, 1.0005 + 5e-4j, 3])
    assert [own.tolist() for own in clusters(values, 1e-3)] == [[0, 2, 4], [1, 3], [5]]
    assert list(clusters(values[:0], 1e-3)) == []
