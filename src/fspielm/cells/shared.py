"""Functions that several cells share: those at points around which a solution is not smooth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import NumberArray
from fspielm.basis.basis import LocalOperator
from fspielm.basis.singular.angular import AngularBasis
from fspielm.basis.singular.singular import SingularBasis


class SharedFunctions(ABC):
    """Functions, each of which lives in some of the cells of a tiling and is zero on the others."""

    @property
    @abstractmethod
    def sharing(self) -> NDArray[np.int_]:
        """Number of cells of each function."""

    @abstractmethod
    def columns(self, cell: int) -> NDArray[np.int_]:
        """The functions of a cell."""

    @abstractmethod
    def rows(self, cell: int, operator: LocalOperator) -> NumberArray:
        """The operator on the functions of a cell, shape ``(n, k)``; points may lie anywhere."""

    def component(self, unknown: int) -> SharedFunctions:
        """One unknown of the functions."""
        return self

    @property
    def parts(self) -> tuple[SharedFunctions, ...]:
        """The sets of functions that these are made of."""
        return (self,)

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """The points of the boundary around which they are singular."""
        return ()

    def __len__(self) -> int:
        return len(self.sharing)


@final
@dataclass(frozen=True, eq=False)
class AroundPoint(SharedFunctions):
    """A basis of singular functions around a point, in the cells there.

    Attributes
    ----------
    basis : SingularBasis or AngularBasis
    cells : (n,) integer array
        In ascending order.
    """

    basis: SingularBasis | AngularBasis
    cells: NDArray[np.int_]

    @property
    def is_angular(self) -> bool:
        """Whether these are fields that only a matrix polynomial knows, as those of elastic bodies."""
        return isinstance(self.basis, AngularBasis)

    @property
    def sharing(self) -> NDArray[np.int_]:
        """See `SharedFunctions`."""
        return np.full(self.basis.size, len(self.cells))

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """See `SharedFunctions`."""
        return self.basis.corners

    def columns(self, cell: int) -> NDArray[np.int_]:
        """See `SharedFunctions`."""
        return np.arange(self.basis.size if cell in self._held else 0)

    def rows(self, cell: int, operator: LocalOperator) -> NumberArray:
        """See `SharedFunctions`."""
        size = self.basis.size if cell in self._held else 0
        found = np.zeros((size, len(operator.points)), dtype=self.basis.dtype_under(operator))
        if size:
            self.basis.write(operator, slice(0, size), found)
        return found.T

    def component(self, unknown: int) -> SharedFunctions:
        """See `SharedFunctions`."""
        return replace(self, basis=self.basis.component(unknown)) if isinstance(self.basis, AngularBasis) else self

    @cached_property
    def _held(self) -> frozenset[int]:
        return frozenset(self.cells.tolist())


@final
@dataclass(frozen=True, eq=False)
class JoinedFunctions(SharedFunctions):
    """Several sets of functions, one after the other.

    Attributes
    ----------
    each : tuple of SharedFunctions
    """

    each: tuple[SharedFunctions, ...]

    @cached_property
    def sharing(self) -> NDArray[np.int_]:
        """See `SharedFunctions`."""
        return np.concatenate([np.empty(0, dtype=np.int_), *(part.sharing for part in self.each)])

    @property
    def parts(self) -> tuple[SharedFunctions, ...]:
        """See `SharedFunctions`."""
        return self.each

    @cached_property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """See `SharedFunctions`."""
        return tuple(corner for part in self.each for corner in part.corners)

    def columns(self, cell: int) -> NDArray[np.int_]:
        """See `SharedFunctions`."""
        none = np.empty(0, dtype=np.int_)
        return np.concatenate([none, *(start + part.columns(cell) for start, part in self._of(cell))])

    def rows(self, cell: int, operator: LocalOperator) -> NumberArray:
        """See `SharedFunctions`."""
        parts = [part.rows(cell, operator) for _, part in self._of(cell)]
        return np.hstack([np.zeros((len(operator.points), 0)), *parts])

    def component(self, unknown: int) -> SharedFunctions:
        """See `SharedFunctions`."""
        return JoinedFunctions(tuple(part.component(unknown) for part in self.each))

    def _of(self, cell: int) -> list[tuple[int, SharedFunctions]]:
        """The parts with functions in a cell, and the numbers of their first functions."""
        if cell not in self._known:
            starts = np.cumsum([0, *map(len, self.each)]).tolist()
            both = zip(starts[:-1], self.each, strict=True)
            self._known[cell] = [(start, part) for start, part in both if len(part.columns(cell))]
        return self._known[cell]

    @cached_property
    def _known(self) -> dict[int, list[tuple[int, SharedFunctions]]]:
        return {}


def join_functions(each: Sequence[SharedFunctions]) -> SharedFunctions:
    """All functions of several sets, those of a single cell first."""
    parts = sorted((part for part in each if len(part)), key=lambda part: int(part.sharing.max()) > 1)
    return parts[0] if len(parts) == 1 else JoinedFunctions(tuple(parts))
