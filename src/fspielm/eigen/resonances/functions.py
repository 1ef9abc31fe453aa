"""Functions that radiate, at every value of a symbol, and rectangles of values."""

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
from fspielm.eigen.particular import DEPENDENT, independent
from fspielm.eigen.pencil import with_value
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import PROBES
from fspielm.problem.operator import identity
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import transmission_problem
from fspielm.problem.scattering.media import media_of
from fspielm.problem.scattering.open_domain import ratio_of
from fspielm.solvers.request import LONG, Request
from fspielm.solvers.round import FeaturePlan, Record
from fspielm.solvers.strategies.open_space import OpenSpace, first_efforts
from fspielm.wording import duration, readable_bytes

# ---- Rectangles of the complex plane

# Points of a contour on the longer sides; shorter sides have fewer in proportion, but at least half as many.
_ON_SIDE = 20


@final
@dataclass(frozen=True)
class Rectangle:
    """All numbers between two opposite corners."""

    lower: complex  # the lower left and the upper right corner
    upper: complex

    @property
    def extent(self) -> complex:
        """Width and height."""
        return self.upper - self.lower

    @property
    def longer(self) -> float:
        """The length of the longer sides."""
        return max(self.extent.real, self.extent.imag)

    @property
    def largest(self) -> float:
        """The largest absolute value in it."""
        return max(abs(self.lower), abs(complex(self.upper.real, self.lower.imag)), abs(self.upper))

    @property
    def contour(self) -> ComplexArray:
        """Points on its sides, denser toward the corners."""
        size, parts = self.extent, []
        for length, along, across in ((size.real, 1, 1j * size.imag), (size.imag, 1j, size.real)):
            share = max(length / self.longer, 0.5)
            count = round(_ON_SIDE * share)
            t = 0.5 - 0.5 * np.cos(np.pi * (np.arange(count) + 0.5) / count)
            side = self.lower + along * length * t
            parts += [side, side + across]
        return np.concatenate(parts)

    def contains(self, values: ComplexArray, slack: float = 0.0) -> BoolArray:
        """Which numbers are in it, or no farther away than a slack."""
        lower, upper = self.lower, self.upper
        across = (values.real >= lower.real - slack) & (values.real <= upper.real + slack)
        return np.asarray(across & (values.imag >= lower.imag - slack) & (values.imag <= upper.imag + slack))

    def grown(self, share: float) -> Rectangle:
        """Extended by a share of its longer sides everywhere, but at most to half of its distance from zero."""
        more = share * self.longer
        left = min(more, 0.5 * self.lower.real)
        return Rectangle(self.lower - complex(left, more), self.upper + complex(more, more))

    def cut(self, share: float) -> tuple[Rectangle, Rectangle]:
        """Two rectangles, cut across the longer sides."""
        lower, upper, size = self.lower, self.upper, self.extent
        if size.real >= size.imag:
            cut = lower.real + share * size.real
            return Rectangle(lower, complex(cut, upper.imag)), Rectangle(complex(cut, lower.imag), upper)
        cut = lower.imag + share * size.imag
        return Rectangle(lower, complex(upper.real, cut)), Rectangle(complex(lower.real, cut), upper)

    @property
    def corners(self) -> tuple[str, str]:
        """Both corners, for messages."""
        return _format(self.lower), _format(self.upper)

    def __str__(self) -> str:
        return f"({', '.join(self.corners)})"


def _format(number: complex) -> str:
    return f"{number:.6g}" if number.imag else f"{number.real:.6g}"


# ---- Functions that satisfy the equation and radiate from the same places, at every value of a symbol

# The number of data that drive fields, in the plane and in space: more than modes of one value.
_DRIVES = {2: 6, 3: 30}
# Wavenumbers with larger angles get the other sign.
_TURNED = 0.75 * np.pi


def waves_of(problem: Problem) -> tuple[complex, ...]:
    """Wavenumbers outside of the objects and, if they have a field, inside.

    Below the real axis they continue outgoing waves analytically, rather than decaying ones. Inside they are as stated
    up to their signs: a root would have a branch cut at metals.
    """
    first, *_ = transmission_problem(problem).equations
    inside = [medium.condition.number(problem.givens) for medium in media_of(problem)]
    return cmath.sqrt(ratio_of(first.operator)), *(-k if abs(cmath.phase(k)) > _TURNED else k for k in inside)


@final
@dataclass(frozen=True, eq=False)
class OpenRows:
    """The functions at one value."""

    value: complex
    finite: Discretisation
    conditions: NumberArray  # (n, M): their images in the conditions, scaled so that squares add up to a mean
    window: NumberArray  # (m, M): their values in the window, likewise
    data: NumberArray  # (n, L): data that drive fields

    @property
    def response(self) -> ComplexArray:
        """Fields in the window, driven by the data, ``(m, L)``: functions of the value with poles at resonances."""
        R, order, sizes, data = self._factored
        solved = scipy.linalg.solve_triangular(R, data, check_finite=False)
        return np.asarray((self.window[:, order] / sizes[order]) @ solved)

    @property
    def amplification(self) -> float:
        """The largest norm of fields in the window for data of norm one."""
        R, order, sizes, _ = self._factored
        window = (self.window[:, order] / sizes[order]).T
        return float(np.linalg.norm(scipy.linalg.solve_triangular(R, window, trans="T", check_finite=False), 2))

    @cached_property
    def _factored(self) -> tuple[ComplexArray, NumberArray, FloatArray, ComplexArray]:
        """R of the conditions by pivoted QR, the order of functions, the sizes of all functions, and Q* data.

        As pivoting is slow, a QR of all rows without pivots comes first and reduces them to a square factor.
        """
        sizes = np.linalg.norm(self.conditions, axis=0)
        count = len(sizes)
        plain = np.asarray(np.linalg.qr(np.column_stack([self.conditions / sizes, self.data]), mode="r"))
        Q, R, order = scipy.linalg.qr(plain[:count, :count], mode="economic", pivoting=True, check_finite=False)
        rank = int(np.count_nonzero(np.abs(np.diag(R)) > 0.1 * DEPENDENT * abs(R[0, 0])))
        return R[:rank, :rank], order[:rank], sizes, Q[:, :rank].conj().T @ plain[:count, count:]

    def smallest(self, count: int) -> tuple[ComplexArray, int, float]:
        """Coefficients ``(M, count)`` of the functions with the least residuals, orthonormal in the window.

        Also the number of independent functions in the basis, and their condition number.
        """
        among = independent(np.concatenate([self.conditions, self.window]))
        own = among.combined(among.smallest(len(self.conditions), count))
        _, R = np.linalg.qr(self.window @ own)
        return np.asarray(np.linalg.solve(R.T, own.T).T, dtype=np.complex128), among.rank, among.condition


@final
@dataclass(frozen=True, eq=False)
class Left:
    """Residuals of k functions in one condition, ``(n, k)``, in its own units; and the scale of its rows."""

    name: str
    scale: float
    values: NumberArray


@final
@dataclass(frozen=True, eq=False)
class OpenFunctions:
    """Functions of one kind and number at the same places, for all values of a rectangle."""

    problem: Problem
    symbol: sp.Symbol
    plan: FeaturePlan
    first: Discretisation  # the discretisation at the largest value

    def at(self, value: complex) -> OpenRows:
        """The functions at a value."""
        problem = transmission_problem(with_value(self.problem, self.symbol, value))
        basis = at_wavenumbers(self.first.basis, waves_of(problem))
        finite = replace(self.first, problem=problem, drawn=basis)
        window = [
            tabulate(basis, identity(problem.dimension).on(place), sites, threads=finite.threads)
            for place, sites in enumerate(self.window)
        ]
        scale = 1 / np.sqrt(sum(map(len, self.window)))
        conditions = finite.further_columns(basis, self._scaled)
        return OpenRows(value, finite, conditions, scale * np.concatenate(window), self._data)

    def left(self, rows: OpenRows, coefficients: ComplexArray) -> tuple[Left, ...]:
        """Residuals of functions in the conditions at held-out places, by block."""
        finite = replace(rows.finite, sites=rows.finite.hold_out(np.random.default_rng(1)).sites)
        plain = finite.assemble("none")
        left = plain.matrix @ coefficients
        return tuple(
            Left(own.name, fitted.scale * np.sqrt(fitted.count / own.count), left[own.rows])
            for own, fitted in zip(plain.blocks, self._scaled, strict=True)
        )

    @property
    def drives(self) -> int:
        """The number of data that drive fields, which limits the modes of one value that can be found."""
        return _DRIVES[self.problem.dimension]

    @cached_property
    def window(self) -> tuple[Sites, ...]:
        """Places in the window: outside of the objects and, if they have a field, inside."""
        domains = [unknown.domain for unknown in self.first.problem.unknowns]
        return tuple(Sites(domain.sample(PROBES, np.random.default_rng(0), "low-discrepancy")) for domain in domains)

    @cached_property
    def _scaled(self) -> Sequence[BlockRows]:
        blocks = self.first.assemble("rms").blocks
        return [replace(each, scale=each.scale / np.sqrt(each.count)) for each in blocks]

    @cached_property
    def _data(self) -> NumberArray:
        """Data that drive fields: images in the conditions of random sums of the functions at the largest value.

        So they drive exactly what the functions can represent, including short waves along surfaces.
        """
        columns = self.first.further_columns(self.first.basis, self._scaled)
        size = self.first.basis.size
        mixed = np.random.default_rng(size).standard_normal((size, self.drives))  # others for other functions
        return np.asarray((columns / np.linalg.norm(columns, axis=0)) @ mixed / np.sqrt(size))


# ---- Functions for a search for resonances, within the budget

# Tables of the size of a system that are in memory at a time.
_TABLES = 4
# Larger matrices are filled on threads.
_MANY_ENTRIES = 200_000


class BeyondBudgetError(ProblemError):
    """There is no time, or no memory, for functions or for all of a rectangle."""


@final
@dataclass(frozen=True, eq=False)
class Requirements:
    """What functions have to represent."""

    problem: Problem
    symbol: sp.Symbol  # the symbol of the value
    largest: float  # the largest absolute value
    along: float  # the highest wavenumber of waves that are bound to surfaces


def open_functions(required: Requirements, record: Record, request: Request, level: int) -> OpenFunctions:
    """Functions that represent all that is required, more of them for each level.

    Raises
    ------
    BeyondBudgetError
        If the budget does not allow so many.
    """
    here = replace(
        request, problem=transmission_problem(with_value(required.problem, required.symbol, required.largest))
    )
    efforts = [
        replace(each, made=replace(each.made, held=max(each.made.held, required.along)))
        for each in first_efforts(here.problem, None, level)
    ]
    plan = OpenSpace(here, tuple(efforts)).first().plan
    assert isinstance(plan, FeaturePlan)  # as that of open domains is
    _check_budget(required, record, here, plan)
    first = plan.discretise(here, {})
    entries = first.rows * first.basis.size
    threads = first.threads if entries > _MANY_ENTRIES else 1
    return OpenFunctions(required.problem, required.symbol, plan, replace(first, threads=threads))


def _check_budget(required: Requirements, record: Record, request: Request, plan: FeaturePlan) -> None:
    budget, memory = record.budget, _TABLES * plan.nbytes(request)
    each = plan.outlook(request, None, math.inf).seconds
    least = _ON_SIDE * each  # a search solves more systems
    bound = (
        f"; waves of wavenumber {required.along:.3g} are bound to a surface"
        if required.along > required.largest
        else ""
    )
    for is_beyond, what, remedy in (
        (budget.neurons is not None and plan.neurons > budget.neurons, "", f"neurons={plan.neurons}"),
        (memory > budget.memory_limit, f" and {readable_bytes(memory)} of memory", "memory=..."),
        (each > LONG and least > record.seconds_left, f" and {duration(least)}, at least", "seconds=..."),
    ):
        if is_beyond:
            raise BeyondBudgetError(
                f"resonances there need {plan.neurons} functions{what}{bound}: ask for fewer digits, or allow more "
                f"with budget=fs.Budget({remedy})"
            )
