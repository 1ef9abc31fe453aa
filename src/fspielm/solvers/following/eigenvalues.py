"""Eigenvalues of a linearisation: those closest to zero, and how many of them make a solution unstable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Problem, identity
from fspielm.features.evaluation import tabulate
from fspielm.geometry import Sites
from fspielm.solvers.krylov import SmoothSides, Space

if TYPE_CHECKING:
    from fspielm.solvers.following.local import Local

# Functions that eigenfunctions are sought among; and the error of those that count, relative to the largest of the
# inverse.
_FUNCTIONS, _SETTLED = 24, 1e-6
# Those of the inverse are looked at down to a share of the one that has this place among them: smaller ones are of
# functions that the basis does not hold.
_USUAL, _LEAST = 3, 1e-2
# How many to begin with, of how many waves along each axis at most; and what is left of a function that is rounding.
_STARTS, _WAVES, _ROUNDING = 3, 1.5, 1e-7
# Frequencies at which the sign of the highest derivatives is looked at, and places.
_DIRECTIONS, _PLACES = 16, 64
# Of an eigenvalue, an imaginary part that is rounding.
_REAL = 1e-6


@final
@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues mu of the linearisation F' that are closest to zero: ``F' phi = mu phi``, with conditions at rest.

    Attributes
    ----------
    values : (k,) complex array
        The closest first. Those of ``u_t = F(u)`` or of ``u_t = -F(u)``, whichever makes sense: where their real parts
        are all negative, a solution is stable.
    functions : (M, k) complex array
        Coefficients of the eigenfunctions.
    sign : int
        By which F was multiplied for it; zero where neither makes sense, and stability is not told.
    """

    values: NDArray[np.complex128]
    functions: NDArray[np.complex128]
    sign: int

    @property
    def without_functions(self) -> Spectrum:
        """The values alone, which take little memory."""
        return replace(self, functions=self.functions[:, :0].copy())

    @property
    def unstable(self) -> int | None:
        """How many have a positive real part; None where stability is not told."""
        return int(np.sum(self.values.real > 0)) if self.sign else None

    @property
    def positive_real(self) -> int:
        """How many are real and positive, whatever that means."""
        return int(np.sum(self._real > 0))

    def closest(self, *, positive: bool) -> float:
        """Of the real ones with a sign, that which is closest to zero; infinite where there is none."""
        found = self._real[self._real > 0 if positive else self._real < 0]
        return float(found[0]) if len(found) else np.inf

    @property
    def null(self) -> FloatArray:
        """The coefficients of the function of the real one that is closest to zero."""
        return np.asarray(self.functions[:, np.flatnonzero(self.is_real)[0]].real)

    def is_singular(self, share: float) -> bool:
        """Whether the one that is closest to zero is less than a share of the next."""
        sizes = np.abs(self.values[:2])
        return len(sizes) > 0 and bool(sizes[0] < share * sizes[-1])

    @property
    def _real(self) -> FloatArray:
        return np.asarray(self.values[self.is_real].real)

    @cached_property
    def is_real(self) -> NDArray[np.bool_]:
        """Which of them are real."""
        return np.asarray(np.abs(self.values.imag) <= _REAL * np.abs(self.values))


def find_spectrum(local: Local) -> Spectrum:
    """In a Krylov space of the inverse, whose largest eigenvalues those are.

    Among functions of the places of the equations' rows: coefficients that are hardly determined do not show there. It
    begins with several functions, for eigenvalues may be double; with smooth ones, for what the basis does not hold is
    rounding at best.
    """
    inverse = _Inverse(local)
    space = Space(inverse.values, _ROUNDING)
    block = space.add(inverse.starts(_STARTS))
    while block.shape[1] and space.count <= min(_FUNCTIONS, inverse.rows):  # or all that can be reached
        block = space.add(inverse(block))
    H = space.matrix
    square, beyond = np.split(H, [H.shape[1]])
    theta, modes = np.linalg.eig(square)
    outside = np.linalg.norm(beyond @ modes, axis=0)
    order = np.argsort(-np.abs(theta))
    sizes = np.abs(theta[order])
    # not by the largest, which is much larger than all others where the linearisation is almost singular
    usual = sizes[min(_USUAL, len(sizes) - 1)]
    settled = (outside[order] <= _SETTLED * sizes[0]) & (sizes > _LEAST * usual)
    order = order[settled] if settled.any() else order[:1]
    functions = space.images @ (modes[:, order] / theta[order])
    sign = leading_sign(local.finite.problem)
    return Spectrum(np.asarray((sign or 1) / theta[order], dtype=complex), np.asarray(functions, dtype=complex), sign)


def leading_sign(problem: Problem) -> int:
    """The sign with which ``u_t = F(u)`` makes sense, by the highest derivatives of an equation for one unknown.

    Zero where neither does, or where there are several unknowns, or time.
    """
    if len(problem.unknowns) > 1 or problem.domain.time is not None:
        return 0
    operator = problem.equations[0].operator
    if operator.order % 2:
        return 0
    rng = np.random.default_rng(0)
    places = Sites(problem.domain.sample(_PLACES, rng, "low-discrepancy"))
    directions = rng.standard_normal((_DIRECTIONS, problem.dimension))
    symbol = np.zeros((_PLACES, _DIRECTIONS))
    for term in operator.terms:
        if term.order == operator.order:
            powers = np.prod(directions ** np.array(term.orders), axis=1)
            symbol += (-1) ** (operator.order // 2) * np.outer(np.real(term.at(places)), powers)
    return -1 if np.all(symbol > 0) else int(np.all(symbol < 0))


@dataclass(frozen=True, eq=False)
class _Inverse:
    """From functions as right-hand sides of the equations to solutions with the conditions at rest."""

    local: Local

    def __call__(self, functions: NumberArray) -> NumberArray:
        """Coefficients of solutions ``(M, F)``, of those of functions."""
        return self._solved(self.values(functions))

    def values(self, functions: NumberArray) -> NumberArray:
        """At the places of all equations' rows, ``(n, F)``."""
        return np.concatenate([np.asarray(table @ functions) for table in self._tables])

    @property
    def rows(self) -> int:
        """Places of all equations."""
        return sum(self._counts)

    def starts(self, count: int) -> NumberArray:
        """What it makes of smooth functions without any symmetry."""
        smooth = SmoothSides(self.local.finite.problem, self._names, count, np.random.default_rng(0), _WAVES)
        return self._solved(np.concatenate([smooth.at(name, self.local.sites[name].points) for name in self._names]))

    def _solved(self, values: NumberArray) -> NumberArray:
        parts = np.split(values, np.cumsum(self._counts)[:-1])
        each = [dict(zip(self._names, own, strict=True)) for own in zip(*(part.T for part in parts), strict=True)]
        return np.stack([self.local.solve(own) for own in each], axis=1)

    @cached_property
    def _names(self) -> list[str]:
        return [equation.name for equation in self.local.finite.problem.equations]

    @cached_property
    def _counts(self) -> list[int]:
        return [len(self.local.sites[name]) for name in self._names]

    @cached_property
    def _tables(self) -> list[Any]:
        finite = self.local.finite
        return [
            tabulate(
                finite.basis,
                identity(finite.problem.dimension).on(place),
                self.local.sites[name],
                threads=finite.threads,
            )
            for place, name in enumerate(self._names)
        ]
