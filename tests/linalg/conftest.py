"""Every least-squares method of the package: the subject of the contract suite."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm import QR, TruncatedSVD
from fspielm.linalg import LeastSquares

METHODS: dict[str, LeastSquares] = {"qr": QR(), "svd": TruncatedSVD(1e-13)}


@pytest.fixture(params=list(METHODS))
def method(request: pytest.FixtureRequest) -> LeastSquares:
    """Each method in turn."""
    return METHODS[request.param]


@pytest.fixture
def rng() -> np.random.Generator:
    """A fresh generator, the same for every test."""
    return np.random.default_rng(20)
