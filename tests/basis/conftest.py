"""Every family of the package in every dimension: the subject of the contract suites."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from fspielm.basis import COSINE, SINE, TANH, Activation, Family, RidgeBasis, Siren
from fspielm.basis.random.families import GFF, FrequencyShift, Tanh

FAMILIES: dict[str, Callable[[int], Family]] = {
    "tanh": lambda neurons: Tanh(neurons, mu=(0.5, 4)),
    "siren": lambda neurons: Siren(neurons, mu=(2, 30)),
    "gff": lambda neurons: GFF(neurons, mu=(2, 30)),
    "fs-l": lambda neurons: FrequencyShift(neurons, mu=(5, 80)),
    "fs-g": lambda neurons: FrequencyShift(neurons, mu=(5, 80), groups=3),
}
EXACT: dict[Activation, Callable[[Any], Any]] = {COSINE: mp.cos, SINE: mp.sin, TANH: mp.tanh}


@pytest.fixture(params=list(FAMILIES))
def make_family(request: pytest.FixtureRequest) -> Callable[[int], Family]:
    """Each family in turn, as a function of its number of neurons."""
    return FAMILIES[request.param]


@pytest.fixture(params=[1, 2, 3, 4])
def dimension(request: pytest.FixtureRequest) -> int:
    """Each dimension in turn."""
    return int(request.param)


@pytest.fixture
def basis(make_family: Callable[[int], Family], dimension: int) -> RidgeBasis:
    """Nine features of each family in each dimension, always the same."""
    drawn = make_family(9).draw(dimension, np.random.default_rng(7))
    assert isinstance(drawn, RidgeBasis)
    return drawn


@pytest.fixture
def points(dimension: int) -> np.ndarray:
    """Five points on both sides of the origin."""
    return np.random.default_rng(11).uniform(-1, 1, (5, dimension))


@pytest.fixture
def precise_feature() -> Callable[[RidgeBasis, int], Callable[..., Any]]:
    """A feature as a function of mpmath numbers, written from its definition."""

    def make(basis: RidgeBasis, index: int) -> Callable[..., Any]:
        function = EXACT[basis.activation]
        weights, bias = [mp.mpf(float(w)) for w in basis.W[index]], mp.mpf(float(basis.b[index]))
        return lambda *x: function(mp.fsum(w * v for w, v in zip(weights, x, strict=True)) + bias)

    return make
