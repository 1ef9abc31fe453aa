"""Modes closest to a shift: block Krylov spaces of the inverse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.solvers.krylov import Space
from fspielm.solvers.modes.inverse import Inverse
from fspielm.solvers.modes.smooth import sides_for, solved

# Functions that are multiplied together: as many as modes of one value may be told from each other.
_BLOCK = 6
# What is left of a function that is rounding.
_ROUNDING = 1e-10
# What is taken for symmetric, of the inverse of a selfadjoint problem: its errors are large on rough functions, and
# would be in all modes if what they make of the matrix were made symmetric.
_NEARLY = 1e-11
# What is left of a mode that is known to be there; blocks after which there must have been some gain, and how much.
_ROUGHLY, _PATIENCE, _GAIN = 1e-2, 2, 0.5
# Of a real value, an imaginary part that is rounding.
_REAL = 1e-9
# Functions at most.
_MOST = 240


@final
@dataclass(frozen=True, eq=False)
class Found:
    """Modes, the closest to the shift first.

    Attributes
    ----------
    mu : (k,) complex array
        Distances from the shift.
    coefficients : (M, k) array
        Of functions whose integral of ``|u|^2`` is one, in the inner product of the inverse.
    left : (k,) array
        How far the space of functions is from holding each, relative to it.
    conditions : (k,) array
        How much more than its own size a value may move, in the space that was searched; one where the inverse is
        symmetric.
    is_cut : bool
        Whether the clock ended the search for them: others may be closer, or between them.
    """

    mu: NDArray[np.complex128]
    coefficients: NumberArray
    left: FloatArray
    conditions: FloatArray
    is_cut: bool = False

    def select(self, which: NDArray[np.intp] | BoolArray) -> Found:
        """Some of them."""
        return Found(self.mu[which], self.coefficients[:, which], self.left[which], self.conditions[which], self.is_cut)

    def followed_by(self, other: Found) -> Found:
        """These, and others."""
        return Found(
            np.concatenate([self.mu, other.mu]),
            np.concatenate([self.coefficients, other.coefficients], axis=1),
            np.concatenate([self.left, other.left]),
            np.concatenate([self.conditions, other.conditions]),
            self.is_cut or other.is_cut,
        )


def closest(
    inverse: Inverse,
    starts: NumberArray,
    needed: Callable[[NDArray[np.complex128]], int],
    tol: float,
    seconds_left: Callable[[], float] = lambda: np.inf,
) -> Found:
    """As many of the closest modes as are `needed` by their distances, known to a tolerance; and others beyond them.

    What is left of modes may be more than the tolerance, where functions do not hold them any better, where they are
    too many, or where there was no time.
    """
    modes = _Modes(inverse)
    space = modes.space
    block = space.add(starts)
    history: list[float] = []
    while True:
        block = space.add(inverse(block))
        mu, left = modes.distances()
        count = needed(mu)
        enough = len(mu) > count and left[count] < _ROUGHLY
        history.append(float(left[:count].max(initial=0.0)) if enough else np.inf)
        stalled = (
            len(history) > _PATIENCE and history[-1] > _GAIN * min(history[:-_PATIENCE]) and history[-1] < _ROUGHLY
        )
        late = seconds_left() <= 0 and left.min(initial=1.0) < _ROUGHLY  # one mode is known, at least
        done = history[-1] <= tol or stalled or not block.shape[1] or space.count >= _MOST
        if done or late:
            return replace(modes.found(), is_cut=not done)


def polished(inverse: Inverse, found: Found) -> Found:
    """The same modes after another multiplication, by which all that is rough in them becomes less.

    Among themselves alone: others that are not as well known would spoil them. How much values may move is seen beside
    these others, where all that was searched is known.
    """
    modes = _Modes(inverse)
    powers = [found.coefficients * (found.mu / inverse.unit) ** n for n in range(inverse.pencil.degree)]
    stacks = np.concatenate(powers)
    if inverse.is_real:  # pairs of complex ones span the same as their real and imaginary parts, however close they are
        stacks = np.concatenate([stacks.real, stacks[:, found.mu.imag != 0].imag], axis=1)
    modes.space.add(inverse(modes.space.add(stacks)))
    better = modes.found(symmetric=inverse.symmetric)
    before = np.argmin(np.abs(better.mu[:, None] - found.mu), axis=1)
    return replace(better, conditions=np.maximum(better.conditions, found.conditions[before]))


class _Modes:
    """Modes in a growing space of functions."""

    def __init__(self, inverse: Inverse) -> None:
        self._inverse = inverse
        self.space = Space(inverse.vectors, _ROUNDING)

    def distances(self) -> tuple[NDArray[np.complex128], FloatArray]:
        """Of modes from the shift, the closest first; and how far each is from being held by the functions."""
        known = self._solved(symmetric=False)
        return np.asarray(self._inverse.unit / known.theta, dtype=complex), known.left

    def _solved(self, *, symmetric: bool) -> _Eigen:
        """Eigenvalues of the inverse on its functions, which may be far from symmetric on those that are rough."""
        H = self.space.matrix
        square, outside = H[: H.shape[1]], H[H.shape[1] :]
        gap = float(np.linalg.norm(square - square.conj().T))
        if symmetric or (self._inverse.symmetric and gap <= _NEARLY * float(np.linalg.norm(square))):
            theta, Y = np.linalg.eigh(0.5 * (square + square.conj().T))
            conditions = np.ones(len(theta))
        else:
            theta, Y = _eig(square, np.inf if self._inverse.symmetric else _REAL)
            conditions = np.linalg.norm(np.linalg.pinv(Y), axis=1) * np.linalg.norm(Y, axis=0)
        order = np.argsort(-np.abs(theta), kind="stable")
        order = order[np.abs(theta[order]) > _ROUNDING * np.abs(theta).max()]
        theta, Y = theta[order], Y[:, order]
        left = np.linalg.norm(outside @ Y, axis=0) / np.abs(theta)
        return _Eigen(theta, Y, left, conditions[order])

    def found(self, *, symmetric: bool = False) -> Found:
        """The largest eigenvalues of the inverse."""
        known = self._solved(symmetric=symmetric)
        functions = self.space.images[: self._inverse.size] @ known.Y
        mu = np.asarray(self._inverse.unit / known.theta, dtype=complex)
        return Found(mu, functions / known.theta, known.left, known.conditions)


@dataclass(frozen=True, eq=False)
class _Eigen:
    """Eigenvalues of a matrix, the largest first, and what is known of them; see `Found`."""

    theta: NumberArray
    Y: NumberArray
    left: FloatArray
    conditions: FloatArray


def _eig(matrix: NumberArray, share: float) -> tuple[NumberArray, NumberArray]:
    """Eigenvalues and vectors; two of a real matrix that are a conjugate pair but for errors are the same real one.

    That is where their imaginary parts are no more than a share of them. They have real vectors then.
    """
    theta, Y = np.linalg.eig(matrix)
    if np.isrealobj(matrix) and np.iscomplexobj(theta):
        for place in np.flatnonzero((theta.imag > 0) & (theta.imag <= share * np.abs(theta))):
            # the conjugate is the next one
            Y[:, place : place + 2] = np.linalg.qr(np.stack([Y[:, place].real, Y[:, place].imag], axis=1))[0]
            theta[place : place + 2] = theta[place].real
        if not theta.imag.any():
            theta, Y = theta.real, Y.real
    return theta, Y


def first_functions(inverse: Inverse, rng: np.random.Generator, waves: float) -> NumberArray:
    """What the inverse makes of smooth right-hand sides without any symmetry, of so many `waves` along the domain.

    What functions do not hold would come back as rounding.
    """
    degree = inverse.pencil.degree
    smooth = sides_for(inverse, _BLOCK * degree, rng, waves)
    parts = solved(inverse, smooth).reshape(inverse.size, degree, _BLOCK)
    return np.concatenate([parts[:, power] for power in range(degree)])
