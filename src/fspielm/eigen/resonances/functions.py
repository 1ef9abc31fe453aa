"""Functions that radiate, at every value of a symbol."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np
import scipy
import sympy as sp

from fspielm.arrays import BoolArray, ComplexArray, FloatArray, NumberArray
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.outgoing.family import at_wavenumbers
from fspielm.collocation.system import BlockRows, Discretisation
from fspielm.eigen.pencil import with_value
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import Sites
from fspielm.problem.operator import identity
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import two_sided
from fspielm.problem.scattering.media import media_of
from fspielm.problem.scattering.open_domain import ratio_of
from fspielm.solvers.driver import Record
from fspielm.solvers.plan import FeatureTrial
from fspielm.solvers.request import Request
from fspielm.solvers.strategies.open_space import OpenSpace, first_efforts
from fspielm.wording import duration, readable_bytes

# ---- Rectangles of the complex plane


# Points of a contour on the longer sides; on the shorter ones in proportion, but not fewer than half as many.
_ON_SIDE = 20


@final
@dataclass(frozen=True)
class Rectangle:
    """All numbers between two opposite corners.

    Attributes
    ----------
    lower, upper : complex
        The corner of the least parts, and that of the largest.
    """

    lower: complex
    upper: complex

    @property
    def extent(self) -> complex:
        """Width and height."""
        return self.upper - self.lower

    @property
    def longer(self) -> float:
        """Of its sides."""
        return max(self.extent.real, self.extent.imag)

    @property
    def largest(self) -> float:
        """The largest size of a number in it."""
        return max(abs(self.lower), abs(complex(self.upper.real, self.lower.imag)), abs(self.upper))

    @property
    def contour(self) -> ComplexArray:
        """Points of its sides, which crowd toward the corners."""
        size, parts = self.extent, []
        for length, along, across in ((size.real, 1, 1j * size.imag), (size.imag, 1j, size.real)):
            share = max(length / self.longer, 0.5)
            count = round(_ON_SIDE * share)
            t = 0.5 - 0.5 * np.cos(np.pi * (np.arange(count) + 0.5) / count)
            side = self.lower + along * length * t
            parts += [side, side + across]
        return np.concatenate(parts)

    def contains(self, values: ComplexArray, slack: float = 0.0) -> BoolArray:
        """Which of some numbers are in it, or no farther away than a slack."""
        lower, upper = self.lower, self.upper
        across = (values.real >= lower.real - slack) & (values.real <= upper.real + slack)
        return np.asarray(across & (values.imag >= lower.imag - slack) & (values.imag <= upper.imag + slack))

    def grown(self, share: float) -> Rectangle:
        """Larger by a share of its longer sides everywhere, but not closer to zero than half of its distance."""
        more = share * self.longer
        left = min(more, 0.5 * self.lower.real)
        return Rectangle(self.lower - complex(left, more), self.upper + complex(more, more))

    def cut(self, share: float) -> tuple[Rectangle, Rectangle]:
        """Two, cut across the longer sides."""
        size = self.extent
        if size.real >= size.imag:
            middle = self.lower.real + share * size.real
            return (
                Rectangle(self.lower, complex(middle, self.upper.imag)),
                Rectangle(complex(middle, self.lower.imag), self.upper),
            )
        level = self.lower.imag + share * size.imag
        return (
            Rectangle(self.lower, complex(self.upper.real, level)),
            Rectangle(complex(self.lower.real, level), self.upper),
        )

    def __str__(self) -> str:
        return f"({_told(self.lower)}, {_told(self.upper)})"


def _told(number: complex) -> str:
    return f"{number:.6g}" if number.imag else f"{number.real:.6g}"


# ---- Functions that satisfy the equation and radiate, at every value of a symbol: around the same places


# Places of the window on either side of the boundary, and for each function.
_PLACES, _EACH = 100, 0.15
# How many data drive fields, in the plane and in space: more than there are modes of one value.
_DRIVES = {2: 6, 3: 30}
# Functions that others make up to so much are left out.
_DEPENDENT = 1e-15
# Wavenumbers of larger angles are turned round.
_TURNED = 0.75 * np.pi


def waves_of(problem: Problem) -> tuple[complex, ...]:
    """Wavenumbers outside of the objects and, where they have a field, inside.

    Below the real axis these are the continuation of waves that leave, rather than the root that falls off. Inside they
    are as they were stated, up to their signs: a root would have a cut where metals are.
    """
    first, *_ = two_sided(problem).equations
    inside = [medium.condition.number(problem.givens) for medium in media_of(problem)]
    return cmath.sqrt(ratio_of(first.operator)), *(-k if abs(cmath.phase(k)) > _TURNED else k for k in inside)


@final
@dataclass(frozen=True, eq=False)
class Rows:
    """What functions are at one value.

    Attributes
    ----------
    value : complex
    finite : Discretisation
    conditions : (n, M) array
        What they leave in conditions, scaled; squares add up to a mean.
    window : (m, M) array
        What they are in the window, likewise.
    data : (n, L) array
        What drives fields.
    """

    value: complex
    finite: Discretisation
    conditions: NumberArray
    window: NumberArray
    data: NumberArray

    @property
    def response(self) -> ComplexArray:
        """Fields in the window, driven by the data, ``(m, L)``: as functions of the value, with poles at resonances."""
        R, order, sizes, data = self._factored
        solved = scipy.linalg.solve_triangular(R, data, check_finite=False)
        return np.asarray((self.window[:, order] / sizes[order]) @ solved)

    @property
    def amplification(self) -> float:
        """How large fields in the window are for data of size one, at most."""
        R, order, sizes, _ = self._factored
        window = (self.window[:, order] / sizes[order]).T
        return float(np.linalg.norm(scipy.linalg.solve_triangular(R, window, trans="T", check_finite=False), 2))

    @cached_property
    def _factored(self) -> tuple[ComplexArray, NumberArray, FloatArray, ComplexArray]:
        """R of the conditions, for the functions that are needed first, which these are, sizes of all, and Q* data.

        Pivots are chosen in a square factor, as choosing them is slow: plain QR of all rows comes before it.
        """
        sizes = np.linalg.norm(self.conditions, axis=0)
        count = len(sizes)
        plain = np.asarray(np.linalg.qr(np.column_stack([self.conditions / sizes, self.data]), mode="r"))
        Q, R, order = scipy.linalg.qr(plain[:count, :count], mode="economic", pivoting=True, check_finite=False)
        rank = int(np.count_nonzero(np.abs(np.diag(R)) > _DEPENDENT * abs(R[0, 0])))
        return R[:rank, :rank], order[:rank], sizes, Q[:, :rank].conj().T @ plain[:count, count:]

    def smallest(self, count: int) -> tuple[ComplexArray, int, float]:
        """Coefficients ``(M, count)`` of functions that leave least in the conditions, orthonormal in the window.

        And how many functions do not depend on others, and their condition.
        """
        fitted = len(self.conditions)
        rows = np.concatenate([self.conditions, self.window])
        sizes = np.linalg.norm(rows, axis=0)
        U, S, Vh = np.linalg.svd(rows / sizes, full_matrices=False)
        rank = int(np.count_nonzero(10 * _DEPENDENT * S[0] < S))
        _, _, Yh = np.linalg.svd(np.linalg.qr(U[:fitted, :rank], mode="r"))
        own = (Vh[:rank].conj().T / S[:rank]) @ Yh[-count:].conj().T / sizes[:, None]
        _, R = np.linalg.qr(self.window @ own)
        return np.asarray(np.linalg.solve(R.T, own.T).T, dtype=np.complex128), rank, float(S[0] / S[rank - 1])


@final
@dataclass(frozen=True, eq=False)
class Left:
    """What k functions leave in the condition of a name, ``(n, k)``, in its own units; and what that is scaled with."""

    name: str
    scale: float
    values: NumberArray


@final
@dataclass(frozen=True, eq=False)
class OpenFunctions:
    """Functions of one kind and number for all values of a rectangle, at the same places.

    Attributes
    ----------
    problem : Problem
    symbol : Symbol
    trial : FeatureTrial
    first : Discretisation
        At the largest value.
    """

    problem: Problem
    symbol: sp.Symbol
    trial: FeatureTrial
    first: Discretisation

    def at(self, value: complex) -> Rows:
        """All that is known of them at a value."""
        problem = two_sided(with_value(self.problem, self.symbol, value))
        basis = at_wavenumbers(self.first.basis, waves_of(problem))
        finite = replace(self.first, problem=problem, drawn=basis)
        window = [
            tabulate(basis, identity(problem.dimension).on(place), sites, threads=finite.threads)
            for place, sites in enumerate(self.window)
        ]
        scale = 1 / np.sqrt(sum(map(len, self.window)))
        conditions = finite.further_columns(basis, self._scaled)
        return Rows(value, finite, conditions, scale * np.concatenate(window), self._data)

    def left(self, rows: Rows, coefficients: ComplexArray) -> tuple[Left, ...]:
        """What functions leave in conditions at places that were not fitted, block by block."""
        finite = replace(rows.finite, sites=rows.finite.hold_out(np.random.default_rng(1)).sites)
        plain = finite.assemble("none")
        left = plain.matrix @ coefficients
        return tuple(
            Left(own.name, fitted.scale * np.sqrt(fitted.count / own.count), left[own.rows])
            for own, fitted in zip(plain.blocks, self._scaled, strict=True)
        )

    @property
    def drives(self) -> int:
        """How many different data fields are driven by: no more modes of one value are seen."""
        return _DRIVES[self.problem.dimension]

    @cached_property
    def window(self) -> tuple[Sites, ...]:
        """Places in the window: outside of the objects and, where they have a field, inside."""
        count = max(_PLACES, int(_EACH * self.first.basis.size))
        domains = [unknown.domain for unknown in self.first.problem.unknowns]
        return tuple(Sites(domain.sample(count, np.random.default_rng(0), "low-discrepancy")) for domain in domains)

    @cached_property
    def _scaled(self) -> Sequence[BlockRows]:
        blocks = self.first.assemble("rms").blocks
        return [replace(each, scale=each.scale / np.sqrt(each.count)) for each in blocks]

    @cached_property
    def _data(self) -> NumberArray:
        """What drives fields: what the functions themselves, mixed, leave in conditions at the largest value.

        So what they hold is driven, as strongly as they hold it, waves along surfaces that are much shorter than others
        too; and nothing that they cannot.
        """
        columns = self.first.further_columns(self.first.basis, self._scaled)
        size = self.first.basis.size
        mixed = np.random.default_rng(size).standard_normal((size, self.drives))  # others for other functions
        return np.asarray((columns / np.linalg.norm(columns, axis=0)) @ mixed / np.sqrt(size))


# ---- Functions as resonances ask for them, if the budget allows them


# Tables of the size of a system that are held at a time, and how many systems are solved at least.
_TABLES, _FEWEST = 4, 20
# What is over within so many seconds is tried, however little time there is.
_LONG = 1.0
# From so many entries of a matrix on it pays to fill it on threads.
_MANY_ENTRIES = 200_000


class BeyondBudgetError(ProblemError):
    """There is no time, or no memory, for functions or for all of a rectangle."""


@final
@dataclass(frozen=True, eq=False)
class Asked:
    """What functions are for.

    Attributes
    ----------
    problem : Problem
    symbol : Symbol
        That stands for the value.
    largest : float
        The largest size of a value.
    along : float
        The highest wavenumber of waves that are bound to surfaces.
    """

    problem: Problem
    symbol: sp.Symbol
    largest: float
    along: float


def open_functions(asked: Asked, record: Record, request: Request, level: int) -> OpenFunctions:
    """Functions that hold all that is asked for; more of them for every level.

    Raises
    ------
    BeyondBudgetError
        If the budget does not allow so many.
    """
    here = replace(request, problem=two_sided(with_value(asked.problem, asked.symbol, asked.largest)))
    efforts = [
        replace(each, made=replace(each.made, held=max(each.made.held, asked.along)))
        for each in first_efforts(here.problem, None, level)
    ]
    trial = OpenSpace(here, tuple(efforts)).first().trial
    assert isinstance(trial, FeatureTrial)  # as that of open domains is
    _check_budget(asked, record, here, trial)
    first = trial.discretise(here, {})
    entries = first.rows * first.basis.size
    threads = first.threads if entries > _MANY_ENTRIES else 1
    return OpenFunctions(asked.problem, asked.symbol, trial, replace(first, threads=threads))


def _check_budget(asked: Asked, record: Record, request: Request, trial: FeatureTrial) -> None:
    budget, memory = record.budget, _TABLES * trial.nbytes(request)
    each = trial.outlook(request, None, math.inf).seconds
    bound = f"; waves of wavenumber {asked.along:.3g} are bound to a surface" if asked.along > asked.largest else ""
    for is_beyond, what, remedy in (
        (budget.neurons is not None and trial.neurons > budget.neurons, "", f"neurons={trial.neurons}"),
        (memory > budget.memory_limit, f" and {readable_bytes(memory)} of memory", "memory=..."),
        (each > max(_LONG, record.seconds_left / _FEWEST), f" and {duration(_FEWEST * each)}, at least", "seconds=..."),
    ):
        if is_beyond:
            raise BeyondBudgetError(
                f"resonances there need {trial.neurons} functions{what}{bound}: ask for fewer digits, or allow more "
                f"with budget=fs.Budget({remedy})"
            )
