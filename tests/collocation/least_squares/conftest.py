"""Every least-squares method of the package, real and complex: the subjects of the contract suite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fspielm import QR, TruncatedSVD
from fspielm.collocation import LeastSquares

METHODS: dict[str, LeastSquares] = {"qr": QR(), "svd": TruncatedSVD(1e-13)}


@pytest.fixture(params=list(METHODS))
def method(request: pytest.FixtureRequest) -> LeastSquares:
    """Each method in turn."""
    return METHODS[request.param]


@pytest.fixture(params=[np.float64, np.complex128], ids=["real", "complex"])
def dtype(request: pytest.FixtureRequest) -> Any:
    """Each type of numbers in turn."""
    return np.dtype(request.param)


@pytest.fixture
def rng() -> np.random.Generator:
    """A fresh generator, the same for every test."""
    return np.random.default_rng(20)


@pytest.fixture
def draw(rng: np.random.Generator, dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    """Random numbers of the type in turn."""

    def numbers(*shape: int) -> np.ndarray:
        real = rng.normal(size=shape)
        return real + 1j * rng.normal(size=shape) if dtype.kind == "c" else real

    return numbers
