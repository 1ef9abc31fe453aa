"""The materials of points, for cells that were stored without them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.store.statement import read_stated_problem


def one_material(points: FloatArray) -> NDArray[np.int_]:
    """The same at all points."""
    return np.zeros((len(points), 1), dtype=np.int_)


@final
@dataclass(frozen=True, eq=False)
class StatedMaterials:
    """Those of a statement, which is read when it is first asked.

    Attributes
    ----------
    stated : mapping
        See `describe_statement`.
    """

    stated: Mapping[str, Any]

    @cached_property
    def problem(self) -> Problem:
        """What was solved; without its text, a stand-in that knows regions."""
        return read_stated_problem(self.stated)

    def __call__(self, points: FloatArray) -> NDArray[np.int_]:
        """Rows that are equal where materials are."""
        return self.problem.material_of(points)
