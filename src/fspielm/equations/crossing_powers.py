"""Powers of the distance in solutions where sectors of several materials meet, to full precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import mpmath
import numpy as np
import scipy
from numpy.polynomial.legendre import leggauss

# Powers up to this are found, and those that are whole left out: such functions are polynomials in each sector.
HIGHEST = 6.0
_WHOLE = 1e-6
# Degree of the polynomials on each sector with which they are found approximately, and how close they are then.
_DEGREE = 40
_APART = 1e-4
_DIGITS = 40


@final
@dataclass(frozen=True)
class CrossingPower:
    """A solution ``Re(factor * w^power)``, with ``w`` the place turned so that a sector's middle is on the real axis.

    Attributes
    ----------
    power : float
    factors : tuple of complex
        One for each sector.
    """

    power: float
    factors: tuple[complex, ...]


@lru_cache(maxsize=256)
def crossing_powers(openings: tuple[float, ...], conducts: tuple[float, ...]) -> tuple[CrossingPower, ...]:
    """The solutions of ``div(a grad u) = 0`` around a point that are no polynomials in the sectors around it.

    Parameters
    ----------
    openings : tuple of float
        Angles of the sectors, one after the other; together a full turn.
    conducts : tuple of float
        What `a` is in them.

    Returns
    -------
    tuple of CrossingPower
        From the lowest positive power up to `HIGHEST`.

    Notes
    -----
    In a sector, u is ``r^s`` times a cosine and a sine of ``s`` times the angle. From one border to the next, values
    and fluxes are multiplied with a matrix of two by two; the product of all of them has the eigenvalue one.
    """
    found = []
    for guess, several in _guesses(openings, conducts):
        if abs(guess - round(guess)) < _APART and several == 2:
            continue
        with mpmath.workdps(_DIGITS):
            power = _polished(guess, several, openings, conducts)
            if abs(power - mpmath.nint(power)) > _WHOLE and power > 0:
                found += [
                    CrossingPower(float(power), _factors(power, state, openings, conducts))
                    for state in _states(power, several, openings, conducts)
                ]
    return tuple(found)


def _guesses(openings: Sequence[float], conducts: Sequence[float]) -> list[tuple[float, int]]:
    """Powers by finite elements of high degree around the point, and how many solutions each has."""
    nodes = np.cos(np.pi * np.arange(_DEGREE, -1, -1) / _DEGREE)
    at, weights = leggauss(_DEGREE + 2)
    values = np.polynomial.chebyshev.chebvander(at, _DEGREE) @ np.linalg.inv(
        np.polynomial.chebyshev.chebvander(nodes, _DEGREE)
    )
    slopes_of = np.polynomial.chebyshev.chebder(np.eye(_DEGREE + 1))
    slopes = np.polynomial.chebyshev.chebval(at, slopes_of).T @ np.linalg.inv(
        np.polynomial.chebyshev.chebvander(nodes, _DEGREE)
    )
    size = _DEGREE * len(openings)
    K, M = np.zeros((size, size)), np.zeros((size, size))
    for sector, (opening, a) in enumerate(zip(openings, conducts, strict=True)):
        own = (sector * _DEGREE + np.arange(_DEGREE + 1)) % size
        K[np.ix_(own, own)] += a * 2 / opening * slopes.T @ (weights[:, None] * slopes)
        M[np.ix_(own, own)] += a * opening / 2 * values.T @ (weights[:, None] * values)
    squares = scipy.linalg.eigh(K, M, eigvals_only=True)
    powers = np.sqrt(squares[1:][squares[1:] < HIGHEST**2])  # the first is a constant
    groups = np.split(powers, np.flatnonzero(np.diff(powers) > _APART) + 1)
    return [(float(group.mean()), len(group)) for group in groups if len(group)]


def _turns(power: mpmath.mpf, openings: Sequence[float], conducts: Sequence[float]) -> list[mpmath.matrix]:
    """From the value and the flux over the power at one border to those at the next."""
    found = []
    for opening, a in zip(openings, conducts, strict=True):
        c, s = mpmath.cos(power * opening), mpmath.sin(power * opening)
        found.append(mpmath.matrix([[c, s / a], [-a * s, c]]))
    return found


def _round(power: mpmath.mpf, openings: Sequence[float], conducts: Sequence[float]) -> mpmath.matrix:
    product = mpmath.eye(2)
    for turn in _turns(power, openings, conducts):
        product = turn * product
    return product


def _polished(guess: float, several: int, openings: Sequence[float], conducts: Sequence[float]) -> mpmath.mpf:
    """The power near a guess: where the trace is two, which it touches where there are two solutions."""

    def off(power: mpmath.mpf) -> mpmath.mpf:
        product = _round(power, openings, conducts)
        return product[0, 0] + product[1, 1] - 2

    function = off if several == 1 else lambda power: mpmath.diff(off, power)
    return mpmath.findroot(function, (mpmath.mpf(guess), mpmath.mpf(guess) * (1 + mpmath.mpf(10) ** -9)))


def _states(
    power: mpmath.mpf, several: int, openings: Sequence[float], conducts: Sequence[float]
) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Values and fluxes at the first border that come back after a full turn."""
    if several > 1:
        return [(mpmath.mpf(1), mpmath.mpf(0)), (mpmath.mpf(0), mpmath.mpf(1))]
    left = _round(power, openings, conducts) - mpmath.eye(2)
    rows = [(left[i, 0], left[i, 1]) for i in range(2)]
    first, second = max(rows, key=lambda row: abs(row[0]) + abs(row[1]))
    return [(-second, first)]


def _factors(
    power: mpmath.mpf, state: tuple[mpmath.mpf, mpmath.mpf], openings: Sequence[float], conducts: Sequence[float]
) -> tuple[complex, ...]:
    found = []
    here = mpmath.matrix(state)
    for turn, opening, a in zip(_turns(power, openings, conducts), openings, conducts, strict=True):
        found.append(complex((here[0] - 1j * here[1] / a) * mpmath.expj(power * opening / 2)))
        here = turn * here
    largest = max(abs(factor) for factor in found)
    return tuple(factor / largest for factor in found)
