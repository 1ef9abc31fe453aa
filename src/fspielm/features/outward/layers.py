"""Sources all over closed surfaces, with strengths that are spherical harmonics: few functions made of many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator
from fspielm.features.outward.harmonics import harmonics
from fspielm.features.outward.multipoles import MultipoleBasis

# Values of sources at points that are held at once.
_AT_ONCE = 2**20


@final
@dataclass(frozen=True, eq=False)
class Rings:
    """Sources on rings around an axis, and the harmonics of degrees and orders up to some that their strengths are.

    Attributes
    ----------
    heights : (R,) array
        Of the rings on a unit ball, along its axis.
    counts : (R,) array of int
        How many sources each has, at equal distances of the azimuth, the first half of one from zero.
    weights : (N,) array
        What the strengths of all N sources are multiplied with.
    degree, order : int
        The highest ones.
    """

    heights: FloatArray
    counts: NDArray[np.int_]
    weights: FloatArray
    degree: int
    order: int

    @cached_property
    def starts(self) -> NDArray[np.int_]:
        """Where the functions of each order begin, cosines and sines of the azimuth apart, and where the last end."""
        counts = [self.degree + 1 - m for m in range(self.order + 1) for _ in range(2 if m else 1)]
        return np.concatenate([[0], np.cumsum(counts)])

    @property
    def size(self) -> int:
        """Number of functions."""
        return int(self.starts[-1])

    @cached_property
    def _around(self) -> list[FloatArray]:
        """Cosines and sines of the azimuth at the sources of each ring, ``(2 order + 1, n)``."""
        m = np.arange(1, self.order + 1)[:, None]
        found = []
        for weights in np.split(self.weights, np.cumsum(self.counts)[:-1]):
            turns = m * (2 * np.pi * (np.arange(len(weights)) + 0.5) / len(weights))
            both = np.stack([np.cos(turns), np.sin(turns)], axis=1).reshape(-1, len(weights))
            found.append(np.concatenate([np.ones((1, len(weights))), both]) * weights)
        return found

    @cached_property
    def _along(self) -> list[FloatArray]:
        """What remains of harmonics from pole to pole, at all rings, by order: ``(degree + 1 - m, R)``."""
        across = np.sqrt(1 - self.heights**2)
        table = harmonics(self.degree, np.column_stack([across, np.zeros(len(across)), self.heights]))
        n = [np.arange(m, self.degree + 1) for m in range(self.order + 1)]
        return [table[n[m] ** 2 + n[m] + m] for m in range(self.order + 1) for _ in range(2 if m else 1)]

    def sums(self, values: NumberArray) -> NumberArray:
        """The functions, from the values ``(N, n)`` of all sources: ``(M, n)``."""
        # as real numbers, which strengths are
        real = np.ascontiguousarray(values).view(np.float64)
        by_ring = np.split(real, np.cumsum(self.counts)[:-1])
        staged = np.stack([turns @ each for turns, each in zip(self._around, by_ring, strict=True)], axis=1)
        found = np.concatenate([along @ each for along, each in zip(self._along, staged, strict=True)])
        return np.ascontiguousarray(found).view(values.dtype)

    def strengths(self, coefficients: NumberArray) -> NumberArray:
        """Those of the sources in sums with `coefficients` ``(..., M)``: ``(..., N)``."""
        parts = [coefficients[..., start:stop] for start, stop in pairwise(self.starts.tolist())]
        staged = np.stack([part @ along for part, along in zip(parts, self._along, strict=True)], axis=-1)
        return np.concatenate([staged[..., ring, :] @ turns for ring, turns in enumerate(self._around)], axis=-1)


@final
class LayerBasis(Basis):
    """Fields of sources on surfaces, the strengths of which are smooth; and multipoles beside them, as they are.

    Far fewer functions than sources hold a field that is smooth: their number is set by how fast it varies along a
    surface, that of the sources by how close they are.

    Parameters
    ----------
    basis : MultipoleBasis
        The sources, and the multipoles.
    layers : tuple of Rings or None
        What is made of all functions of the basis, center by center: of the sources of a surface together, or None for
        a single center whose multipoles are functions themselves.
    sizes : (M,) array, optional
        What functions are divided by; ones by default.
    """

    def __init__(
        self, basis: MultipoleBasis, layers: tuple[Rings | None, ...], sizes: FloatArray | None = None
    ) -> None:
        self.basis, self.layers = basis, tuple(layers)
        own, made, center = [0], [0], 0
        for rings in self.layers:
            count = len(rings.weights) if rings else int(basis.orders[center] + 1) ** 2
            own.append(own[-1] + count)
            made.append(made[-1] + (rings.size if rings else count))
            center += len(rings.weights) if rings else 1
        if own[-1] != basis.size:
            raise ProblemError(f"layers must be of all {basis.size} functions of the basis; got {own[-1]} of them")
        self._pieces = tuple(zip(self.layers, pairwise(own), pairwise(made), strict=True))
        self._size = made[-1]
        self.sizes = np.ones(self._size) if sizes is None else np.array(sizes, dtype=np.float64)
        self._latest = _Latest()

    @property
    def size(self) -> int:
        """Number of functions."""
        return self._size

    @property
    def dimension(self) -> int:
        """Three."""
        return 3

    @property
    def dtype(self) -> np.dtype[Any]:
        """That of the sources."""
        return self.basis.dtype

    @property
    def sources(self) -> FloatArray:
        """Those of all."""
        return self.basis.sources

    @property
    def reach(self) -> FloatArray:
        """The wavenumber, along all axes."""
        return self.basis.reach

    def valued(self, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """Sums as those of sources; see `Basis.valued`."""
        each = coefficients / self.sizes
        parts = [
            each[..., first:last] if rings is None else rings.strengths(each[..., first:last])
            for rings, _, (first, last) in self._pieces
        ]
        return self.basis, np.concatenate(parts, axis=-1)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums as those of sources; see `Basis.field`."""
        basis, strengths = self.valued(coefficients)
        return basis.field(unknown, strengths)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        out[...] = self._all(operator)[columns]

    def scaled_at(self, operator: LocalOperator) -> LayerBasis:
        """The same functions, of size one where the operator is applied, on the average."""
        each = np.sqrt(np.mean(np.abs(self._all(operator)) ** 2, axis=1))
        return LayerBasis(self.basis, self.layers, each * self.sizes)

    def _all(self, operator: LocalOperator) -> NumberArray:
        """The operator on all functions, which are made together: ``(M, n)``."""
        return self._latest.table(operator, self._make)

    def _make(self, operator: LocalOperator) -> NumberArray:
        found = np.empty((self.size, len(operator.points)), dtype=self.dtype_under(operator))
        step = max(1, _AT_ONCE // self.basis.size)
        for begin in range(0, len(operator.points), step):
            here = operator.select(slice(begin, begin + step))
            for rings, (start, stop), (first, last) in self._pieces:
                values = np.empty((stop - start, len(here.points)), dtype=found.dtype)
                self.basis.write(here, slice(start, stop), values)
                found[first:last, begin : begin + step] = values if rings is None else rings.sums(values)
        found /= self.sizes[:, None]
        return found


@final
class _Latest:
    """The last table that was made: once, whoever asks first, and until another one is asked for."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: tuple[LocalOperator, NumberArray] | None = None

    def __reduce__(self) -> tuple[type[_Latest], tuple[()]]:
        return _Latest, ()

    def table(self, operator: LocalOperator, make: Callable[[LocalOperator], NumberArray]) -> NumberArray:
        """That of an operator."""
        with self._lock:
            if self._kept is None or not _are_same(self._kept[0], operator):
                self._kept = operator, make(operator)
            return self._kept[1]


def _are_same(one: LocalOperator, other: LocalOperator) -> bool:
    return one is other or all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("orders", "points", "coefficients")
    )
