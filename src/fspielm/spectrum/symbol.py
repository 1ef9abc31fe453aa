"""What the equation itself carries: the real zeros of its symbol."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray, NumberArray, real_parts
from fspielm.equations import Operator
from fspielm.geometry import Sites

_GRID = 5


def symbol_band(operator: Operator, sites: Sites, bands: FloatArray, also: Sites | None = None) -> FloatArray:
    """The highest frequency along each axis at which a wave of the equation can run.

    With frozen coefficients, a plane wave ``exp(i w x)`` satisfies the homogeneous equation where the symbol
    ``P(w) = sum c (i w)^alpha`` is zero: the circle of radius kappa for Helmholtz, the cone for waves. For every
    axis the symbol is solved for that component while the others run over their own data's bands; roots that
    oscillate faster than they grow or decay count, with their real part.

    Parameters
    ----------
    operator : Operator
    sites : Sites
        Where variable coefficients are frozen.
    bands : (d,) array
        Highest frequency of the data along each axis.
    also : Sites, optional
        A few at each of which they are frozen, be they extreme there or not.

    Returns
    -------
    (d,) array
    """
    coefficients = np.stack([term.at(sites) for term in operator.terms])
    # the distinct extremes are enough: one column for each term's smallest and largest value
    parts = real_parts(coefficients)
    extremes = np.unique(np.concatenate([at for part in parts for at in (part.argmin(axis=1), part.argmax(axis=1))]))
    coefficients = coefficients[:, extremes]
    if also is not None:
        coefficients = np.hstack([coefficients, np.stack([term.at(also) for term in operator.terms])])
    units = 1 / np.ptp(sites.points, axis=0)
    return np.array([_along(operator, coefficients, bands, axis, units[axis]) for axis in range(operator.dimension)])


def _along(operator: Operator, coefficients: NumberArray, bands: FloatArray, axis: int, unit: float) -> float:
    """The band along one axis, found in multiples of `unit`: only then do small coefficients mean little."""
    others = [i for i in range(operator.dimension) if i != axis]
    grid = np.meshgrid(*(np.linspace(-bands[i], bands[i], _GRID) for i in others), indexing="ij")
    w = np.stack([g.ravel() for g in grid], axis=1) if others else np.zeros((1, 0))
    degree = max(term.orders[axis] for term in operator.terms)
    if degree == 0:
        return 0.0
    # polynomial coefficients in the component along `axis`: (degree + 1, frozen, grid)
    polynomial = np.zeros((degree + 1, coefficients.shape[1], len(w)), dtype=complex)
    for term, values in zip(operator.terms, coefficients, strict=True):
        factor = np.prod((1j * w) ** np.array([term.orders[i] for i in others]), axis=1) if others else np.ones(1)
        polynomial[term.orders[axis]] += values[:, None] * factor * (1j * unit) ** term.orders[axis]
    return unit * _largest_real_part(polynomial.reshape(degree + 1, -1))


def _largest_real_part(polynomials: ComplexArray) -> float:
    largest = 0.0
    for column in polynomials.T:
        magnitude = np.abs(column).max()
        used = np.flatnonzero(np.abs(column) > 1e-14 * magnitude) if magnitude > 0 else np.array([], dtype=int)
        if used.size < 2:
            continue
        roots = np.roots(column[used[-1] :: -1])
        waves = roots[np.abs(roots.real) > np.abs(roots.imag)]
        largest = max(largest, float(np.abs(waves.real).max(initial=0.0)))
    return largest
