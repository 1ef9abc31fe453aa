"""The values that the parameters of a sweep go through."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias, final

import numpy as np
import sympy as sp

from fspielm.equations import Problem
from fspielm.equations.parameters import check_parameter, need_values
from fspielm.errors import ProblemError

Number: TypeAlias = int | float

# More rows than this are a mistake.
_MOST_ROWS = 250_000


@final
@dataclass(frozen=True)
class Grid:
    """Every combination of the values of some parameters, the last of which varies fastest.

    Attributes
    ----------
    names : tuple of str
    values : tuple of tuple of float
        Of each parameter.
    """

    names: tuple[str, ...]
    values: tuple[tuple[Number, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each parameter has."""
        return tuple(map(len, self.values))

    @cached_property
    def rows(self) -> dict[str, tuple[Number, ...]]:
        """The values of every row, by its label, in order."""
        return {self._label(row): row for row in product(*self.values)}

    def _label(self, row: tuple[Number, ...]) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in zip(self.names, row, strict=True))


def read_grid(problem: Problem, values: Any) -> tuple[tuple[sp.Symbol, ...], Grid]:
    """The parameters of a sweep, and the grid of their values; refused where these are none.

    Raises
    ------
    ProblemError
        If a parameter does not occur, has no values or one twice, or another symbol has none.
    """
    if not isinstance(values, Mapping) or not values:
        raise ProblemError(
            f"values must be a mapping from parameters to their values, as in {{k: [1, 2]}}; got {values!r}"
        )
    for symbol in values:
        check_parameter(symbol, problem.parameters, problem.coordinates)
    left = tuple(symbol for symbol in problem.open_symbols if symbol not in values)
    if left:
        raise ProblemError(need_values(problem, left))
    grid = Grid(tuple(map(str, values)), tuple(_numbers(str(name), some) for name, some in values.items()))
    if math.prod(grid.shape) > _MOST_ROWS:
        raise ProblemError(f"a sweep has at most {_MOST_ROWS} rows; got {math.prod(grid.shape)}: make several of it")
    return tuple(values), grid


def _numbers(name: str, values: Any) -> tuple[Number, ...]:
    try:
        array = np.atleast_1d(np.asarray(values))
    except ValueError:
        array = np.array(["?"])
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        if array.size == 0:
            raise ProblemError(f"values of {name} are empty; give at least one number")
        raise ProblemError(f"values of {name} must be real numbers in a row, as in [1, 2.5] or np.linspace(1, 9, 5)")
    if array.size == 0:
        raise ProblemError(f"values of {name} are empty; give at least one number")
    if not np.all(np.isfinite(array)):
        raise ProblemError(f"values of {name} must be finite; got {array[~np.isfinite(array)][0]}")
    numbers: tuple[Number, ...] = tuple(array.tolist())
    twice = [value for value in numbers if numbers.count(value) > 1] if len(set(numbers)) < len(numbers) else []
    if twice:
        raise ProblemError(f"values of {name} have {twice[0]!r} more than once; every row is solved once")
    return numbers
