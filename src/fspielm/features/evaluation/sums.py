"""Operators on sums of features, at any number of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Operator
from fspielm.features.basis import Basis
from fspielm.features.local import localise
from fspielm.geometry import Sites

Method = Literal["auto", "direct", "nufft", "tiles"]

# Points at a time: what is held besides the result does not grow beyond what these need.
SLAB = 2**20


def evaluate(
    basis: Basis,
    coefficients: NDArray[Any],
    operator: Operator,
    sites: Sites,
    *,
    threads: int,
    method: Method = "auto",
) -> NDArray[Any]:
    """``operator`` on the sum of ``coefficients * basis``, at `sites`, shape ``(n,)``; see `evaluate_each`."""
    return np.asarray(evaluate_each(basis, coefficients, [operator], sites, threads=threads, method=method)[0])


def evaluate_each(
    basis: Basis,
    coefficients: NDArray[Any],
    operators: Sequence[Operator],
    sites: Sites,
    *,
    threads: int,
    method: Method = "auto",
) -> NDArray[Any]:
    """Each of the operators on the sum of ``coefficients * basis``, at `sites`.

    The sinusoids of the basis are summed by a fast transform where a model of the cost says that it pays, other
    functions by expansions on tiles, and few points directly. Transforms and the direct sum agree to 1e-13 times the
    norm of the coefficients (each times the operator's symbol), and where ``K L``, the highest frequency times the
    extent of the points, is above 100, times ``K L / 100``; expansions and the direct sum to a few times the rounding
    of the latter. The bits do not depend on the number of threads.

    Parameters
    ----------
    basis : Basis
    coefficients : (..., M) array
        Real or complex.
    operators : sequence of Operator
    sites : Sites
    threads : int
    method : {"auto", "direct", "nufft", "tiles"}
        "nufft" where there are sinusoids in one to three dimensions at all; "tiles" for every function.

    Returns
    -------
    (T, ..., n) array
        One entry for each of the T operators; complex where coefficients or functions are.
    """
    if basis.components > 1 or basis.dtype.kind == "c":
        return _by_unknown(basis, coefficients, operators, sites, threads=threads, method=method)
    if not basis.size:  # an unknown of a system that is zero
        return np.zeros((len(operators), *coefficients.shape[:-1], len(sites)), dtype=coefficients.dtype)
    from fspielm.features.evaluation.slab import on_slab  # much code, which is not needed before there is a solution

    fields = _real_fields(coefficients)
    values = np.empty((len(operators), len(fields), len(sites)))
    for start in range(0, max(len(sites), 1), SLAB):
        here = sites.select(slice(start, start + SLAB))
        local = [localise(operator, here, basis.components) for operator in operators]
        found = on_slab(basis, fields, local, here.points, threads, method)
        values = values.astype(np.result_type(values, found), copy=False)
        values[:, :, start : start + SLAB] = found
    return _as_given(values, coefficients)


def _by_unknown(
    basis: Basis,
    coefficients: NDArray[Any],
    operators: Sequence[Operator],
    sites: Sites,
    *,
    threads: int,
    method: Method,
) -> NDArray[Any]:
    """`evaluate_each` for several unknowns, or complex functions: each unknown as sums of its own real functions."""
    total: NDArray[Any] = np.zeros((len(operators), *coefficients.shape[:-1], len(sites)))
    for unknown in sorted(set().union(*(operator.unknowns for operator in operators))):
        parts = [operator.part(unknown) for operator in operators]
        some = [index for index, part in enumerate(parts) if part.terms]
        real, its_coefficients = basis.field(unknown, coefficients)
        if real.size:
            its_parts = [parts[index] for index in some]
            values = evaluate_each(real, its_coefficients, its_parts, sites, threads=threads, method=method)
            total = total.astype(np.result_type(total, values), copy=False)
            total[some] += values
    return total


def _real_fields(coefficients: NDArray[Any]) -> FloatArray:
    """Coefficients ``(..., M)`` as real ones ``(F, M)``; of complex ones, all real parts before all imaginary ones."""
    flat = coefficients.reshape(-1, coefficients.shape[-1])
    return np.concatenate([flat.real, flat.imag]) if np.iscomplexobj(flat) else flat


def _as_given(values: NumberArray, coefficients: NDArray[Any]) -> NDArray[Any]:
    """Values ``(T, F, n)`` of real fields, in the form of the coefficients: ``(T, ..., n)``."""
    shape = (len(values), *coefficients.shape[:-1], values.shape[-1])
    if not np.iscomplexobj(coefficients):
        return values.reshape(shape)
    real, imaginary = np.split(values, 2, axis=1)
    return np.asarray(real + 1j * imaginary).reshape(shape)
