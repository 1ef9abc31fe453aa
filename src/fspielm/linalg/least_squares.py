"""What a least-squares method is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.errors import SolveError
from fspielm.linalg.factored import Factored

if TYPE_CHECKING:
    from fspielm.linalg.leaves import Nested


class LeastSquares(ABC):
    """A method for ``min |H beta - y|``, real or complex; never becomes another method.

    Attributes
    ----------
    name : str
    leaves_triangle : bool
        Whether the factor R is there after a solve; otherwise a factorisation more is made when it is asked for.
    """

    name: ClassVar[str]
    leaves_triangle: ClassVar[bool]

    @abstractmethod
    def factor(self, augmented: NumberArray | Nested, *, in_place: bool = False) -> Factored:
        """Solve with ``[H | y]``, shape ``(N, M + 1)``; Fortran order saves a copy. Or with the rows of cells.

        It is read again when something is asked for later, so its numbers have to stay; or its memory is taken over,
        `in_place`.
        """

    @abstractmethod
    def workspace(self, rows: int, columns: int, *, in_place: bool = False, itemsize: int = 8) -> int:
        """Bytes that `factor` will allocate beside ``[H | y]`` itself, with numbers of `itemsize` bytes."""


def check_finite(augmented: NumberArray) -> None:
    """Refuse NaN and infinity, which LAPACK answers with messages of its own, or never.

    A sum shows them as well as a mask of the whole matrix would, and needs no memory.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        if not np.isfinite(augmented.sum()):
            raise SolveError("the matrix or the right-hand side contains NaN or infinity")
