"""The plain sum over all features, in bounded memory, on threads."""

from __future__ import annotations

from functools import partial

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Operator
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator, localise
from fspielm.geometry import Sites
from fspielm.machine import run_tasks

_CHUNK_POINTS = 1024
_CHUNK_COLUMNS = 64


def direct_sum(basis: Basis, fields: FloatArray, local: LocalOperator, *, threads: int) -> NumberArray:
    """``local`` on the sums of ``fields[f] * basis``, shape ``(F, n)``, for coefficients `fields` ``(F, M)``."""
    values = np.empty((len(fields), len(local.points)), dtype=basis.dtype_under(local))
    run_tasks(
        [
            partial(_sum_chunk, basis, fields, local, slice(start, start + _CHUNK_POINTS), values)
            for start in range(0, len(local.points), _CHUNK_POINTS)
        ],
        threads,
    )
    return values


def tabulate(basis: Basis, operator: Operator, sites: Sites, *, threads: int) -> NumberArray:
    """``operator`` on every function of the basis, at `sites`, shape ``(n, M)``; sparse where most of it is zero."""
    local = localise(operator, sites, basis.components)
    for cells in basis.on_cells:
        if cells is basis:
            return cells.sparse(local)  # type: ignore[no-any-return]
    transposed = np.empty((basis.size, len(sites)), dtype=basis.dtype_under(local))
    run_tasks([partial(basis.write, local, columns, transposed[columns]) for columns in _chunks(basis)], threads)
    return transposed.T


def _sum_chunk(basis: Basis, fields: FloatArray, local: LocalOperator, index: slice, values: NumberArray) -> None:
    here = local.select(index)
    total = np.zeros((len(fields), len(here.points)), dtype=values.dtype)
    for columns in _chunks(basis):
        buffer = np.empty((columns.stop - columns.start, len(here.points)), dtype=values.dtype)
        with np.errstate(all="ignore"):  # outside of a domain functions may be infinite
            basis.write(here, columns, buffer)
            total += fields[:, columns] @ buffer
    values[:, index] = total


def _chunks(basis: Basis) -> list[slice]:
    """A few functions at a time, but as many as share work."""
    step = max(_CHUNK_COLUMNS, basis.together)
    return [slice(first, min(first + step, basis.size)) for first in range(0, basis.size, step)]
