"""What a result to the last bit depends on beside the sources: processor and libraries."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import numpy as np
import scipy
import sympy as sp
from numpy.typing import NDArray

# As wide as the systems of quick solves: a library takes other ways for small matrices than for large ones.
_ROWS, _COLUMNS = 500, 300


def fingerprint() -> dict[str, str]:
    """Digests of elementary functions and of matrix operations on fixed numbers, and versions.

    Where they agree, the same sources give the same bits; the linear algebra library has to use one thread.
    """
    digests = {name: digest(values) for name, values in _elementary()} | {
        name: digest(values) for name, values in _linear_algebra()
    }
    return digests | {"numpy": np.__version__, "scipy": scipy.__version__, "sympy": sp.__version__}


def digest(values: NDArray[Any]) -> str:
    """Of an array's bytes, in the order of its indices."""
    return sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


def _elementary() -> Iterator[tuple[str, NDArray[Any]]]:
    rng = np.random.default_rng(14)
    numbers, others = rng.uniform(-50, 50, (2, 2000))
    for function in (np.cos, np.sin, np.tanh, np.exp):
        yield function.__name__, function(numbers)
    for function in (np.log, np.sqrt):
        yield function.__name__, function(np.abs(numbers))
    for function in (np.hypot, np.arctan2):
        yield function.__name__, function(numbers, others)
    yield "power", np.abs(numbers) ** (others / 20)
    plane = (numbers + 1j * others) / 20
    for function in (np.exp, np.log, np.abs, np.square):
        yield f"complex {function.__name__}", function(plane)
    yield "bessel", scipy.special.jv(np.abs(others) / 10, np.abs(numbers))


def _linear_algebra() -> Iterator[tuple[str, NDArray[Any]]]:
    rng = np.random.default_rng(15)
    matrix, values = rng.standard_normal((_ROWS, _COLUMNS)), rng.standard_normal(_ROWS)
    yield "norm", np.linalg.norm(matrix, axis=1)
    yield "product", matrix.T @ matrix
    yield "vector product", matrix.T @ values
    yield "qr", scipy.linalg.qr(matrix, mode="r")[0]
    yield "gelsd", scipy.linalg.lstsq(matrix, values, lapack_driver="gelsd")[0]
    yield "fft", np.fft.rfft(values)
