"""The inverse of a problem at a shift, and its block Krylov spaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.system import BlockRows, Finite
from fspielm.eigen.pencil import Inner, Pencil, Rows, densities_at, quadrature_for
from fspielm.geometry.boundary import Quadrature, Sites
from fspielm.numerics.krylov import Space
from fspielm.numerics.tolerances import HALF, ROUNDED, SAME
from fspielm.problem.derived import SmoothSides
from fspielm.problem.operator import identity
from fspielm.problem.statement import has_complex_operator
from fspielm.solvers.request import Request
from fspielm.solvers.round import BETTER, PATIENCE, factor

# ---- Solutions for smooth right-hand sides, and whether the inverse is symmetric on them

# Functions in a block of a Krylov space (as many modes of one value can be distinguished), and to test symmetry with.
_BLOCK = 6
# How often the inverse is applied to get an envelope.
_ENVELOPE_STEPS = 3


def smooth_sides(inverse: Inverse, count: int, rng: np.random.Generator, waves: float) -> SmoothSides:
    """Smooth right-hand sides for each relation with the eigenvalue."""
    names = sorted(set().union(*(set(operators) for operators in inverse.pencil.powers)))
    return SmoothSides(inverse.finite.problem, names, count, rng, max(waves, 1.0))


def solve_sides(inverse: Inverse, smooth: SmoothSides) -> NumberArray:
    """The solutions for smooth right-hand sides, ``(M, count)``."""
    return inverse.solved({name: smooth.tied(name, inverse.sites[name].points) for name in smooth.names})


def asymmetry_of(inverse: Inverse) -> float:
    """The relative asymmetry of the inverse: of integrals of one solution times the side of another.

    Sides are cosines, or cosines times an envelope: the inverse applied several times to one of them, which is large
    where modes are. A basis for modes may represent only one kind of solutions well, so that the smaller asymmetry
    counts. The eigenvalue must occur only in equations, each with their own unknown.
    """
    smooth = smooth_sides(inverse, _BLOCK, np.random.default_rng(3), 1.0)
    smooth.with_periods()
    envelope = solve_sides(inverse, smooth)[:, :1]
    for _ in range(_ENVELOPE_STEPS):
        envelope = inverse(envelope)
    envelope = envelope / np.linalg.norm(inverse.inner.values(envelope))
    return min(_asymmetry(inverse, smooth, None), _asymmetry(inverse, smooth, envelope))


def _asymmetry(inverse: Inverse, smooth: SmoothSides, envelope: NumberArray | None) -> float:
    """The asymmetry on smooth sides times an envelope ``(M, 1)``."""
    rule, unit = inverse.inner.rule, identity(inverse.finite.problem.dimension)
    # an envelope already has the phase factors of periods
    side = smooth.tied if envelope is None else smooth.at
    sides: dict[str, NumberArray] = {}
    at_nodes: dict[int, NumberArray] = {}
    for place, equation in enumerate(inverse.finite.problem.equations):
        if equation.name in inverse.pencil.powers[0]:
            sites = inverse.sites[equation.name]
            sides[equation.name], at_nodes[place] = (side(equation.name, p) for p in (sites.points, rule.points))
            if envelope is not None:
                own = Rows(inverse.finite, unit.on(place), sites) @ envelope
                sides[equation.name] = sides[equation.name] * own
                at_nodes[place] = at_nodes[place] * inverse.inner.plain(place, envelope)
    solutions = inverse.solved(sides)
    total = np.zeros((_BLOCK, _BLOCK), dtype=np.result_type(solutions, *at_nodes.values()))
    for place, nodes in at_nodes.items():
        total += inverse.inner.plain(place, solutions).T @ (rule.weights[:, None] * nodes.conj())
    return float(np.linalg.norm(total - total.conj().T, 2) / np.linalg.norm(total, 2))


# ---- The inverse of a problem at a shift, of which modes are eigenfunctions


@final
@dataclass(frozen=True, eq=False)
class Inverse:
    """A problem at a shift s, factored.

    With ``F(s + mu) = F_0 + mu F_1 + mu^2 F_2 + ...`` a mode has ``F_0 u = -(F_1 u + F_2 (mu u) + ...) mu``. The map
    from ``(u, mu u, mu^2 u, ...)`` to ``(w, u, mu u, ...)`` with ``F_0 w = -(F_1 u + F_2 (mu u) + ...)`` multiplies it
    by ``1 / mu``. Functions are coefficients ``(p M,)``, those of each power after one another.
    """

    pencil: Pencil
    shift: complex
    finite: Finite  # the discretisation of the problem at the shift
    blocks: Sequence[BlockRows]
    factored: Factored
    unit: float  # the unit of distances from the shift, so that all powers have equal weight
    slack: float  # the asymmetry up to which the inverse counts as symmetric
    # an inverse on the same basis at another shift: both have the same inner product and symmetry
    like: Inverse | None = None

    @property
    def size(self) -> int:
        """Number of functions."""
        return self.finite.basis.size

    @property
    def is_real(self) -> bool:
        """Whether it maps real functions to real functions."""
        problem = self.finite.problem
        return not any(map(has_complex_operator, problem.relations)) and self.finite.basis.dtype.kind == "f"

    def __call__(self, stacks: NumberArray) -> NumberArray:
        """The images of functions ``(p M, F)``."""
        parts = np.split(stacks, self.pencil.degree)
        values: dict[str, NumberArray] = {}
        for power, (part, rows) in enumerate(zip(parts, self._rows, strict=True)):
            for name, own in rows.items():
                image = -(self.unit ** (power + 1)) * (own @ part)
                values[name] = values[name] + image if name in values else image
        return np.concatenate([self.solved(values), *parts[:-1]])

    def solved(self, values: Mapping[str, NumberArray]) -> NumberArray:
        """Coefficients ``(M, F)`` for right-hand sides ``(n, F)`` at the places of rows, by relation."""
        count = next(iter(values.values())).shape[1]
        columns = [{name: own[:, column] for name, own in values.items()} for column in range(count)]
        given = np.stack([self.finite.spread(each, self.blocks) for each in columns], axis=1)
        return np.asarray(self.factored.solve(np.asfortranarray(given)))

    @cached_property
    def sites(self) -> dict[str, Sites]:
        """The sites of rows, by relation."""
        return {name: sites for name, (sites, _) in self.finite.fitted(self.blocks).items()}

    @cached_property
    def _rows(self) -> list[dict[str, Rows]]:
        return [
            {name: Rows(self.finite, operator, self.sites[name]) for name, operator in operators.items()}
            for operators in self.pencil.around(self.shift)
        ]

    @cached_property
    def _rule(self) -> Quadrature:
        return quadrature_for(self.finite)

    @cached_property
    def _densities(self) -> FloatArray | None:
        return densities_at(self.pencil, self._rule.sites)

    @cached_property
    def inner(self) -> Inner:
        """The inner product in which it is symmetric, if it is in any."""
        if self.like is not None:
            return self.like.inner
        densities = self._densities
        if densities is None:
            densities = np.ones((len(self.finite.problem.unknowns), len(self._rule)))
        return Inner(self.finite, self._rule, densities)

    @cached_property
    def asymmetry(self) -> float:
        """The asymmetry on smooth functions, relative to the norm."""
        return asymmetry_of(self)

    @cached_property
    def symmetric(self) -> bool:
        """Whether the problem is selfadjoint, up to the errors of the inverse."""
        if self.like is not None:
            return self.like.symmetric
        return self._densities is not None and self.asymmetry <= self.slack

    def vectors(self, stacks: NumberArray) -> NumberArray:
        """Functions ``(p M, F)`` as vectors of an inner product."""
        return np.concatenate([self.inner.values(part) for part in np.split(stacks, self.pencil.degree)])


def inverse_at(
    pencil: Pencil, shift: complex, finite: Finite, request: Request, unit: float, like: Inverse | None = None
) -> Inverse:
    """The problem at a shift, factored on a given basis; `like` is an inverse on the same basis."""
    here = finite.with_problem(pencil.at(shift))
    system = here.assemble(request.scaling, reuse=True)
    factored, _, _ = factor(request.method, system, in_place=True)
    return Inverse(pencil, shift, here, system.blocks, factored, unit, max(HALF, request.tol), like)


# ---- Modes closest to a shift, by block Krylov spaces of the inverse

# The residual of a mode that certainly exists.
KNOWN = 1e-2
_MOST_FUNCTIONS = 240


@final
@dataclass(frozen=True, eq=False)
class Found:
    """Modes, the closest to the shift first."""

    mu: NDArray[np.complex128]  # (k,): distances from the shift
    coefficients: NumberArray  # (M, k): the functions, with norm one in the inner product of the inverse
    left: FloatArray  # (k,): relative residuals in the Krylov space
    conditions: FloatArray  # (k,): condition numbers of the values; one if the inverse is symmetric
    is_cut: bool = False  # whether the search ran out of time: there may be other modes, closer or between them

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
    """As many of the closest modes as are `needed` by their distances, and others; to a tolerance where possible."""
    space = Space(inverse.vectors, SAME)
    block = space.add(starts)
    history: list[float] = []
    while True:
        block = space.add(inverse(block))
        theta, _, left, _ = _eigenvalues(inverse, space)
        count = needed(np.asarray(inverse.unit / theta, dtype=complex))
        enough = len(theta) > count and left[count] < KNOWN
        history.append(float(left[:count].max(initial=0.0)) if enough else np.inf)
        helps = len(history) <= PATIENCE or BETTER * history[-1] <= min(history[:-PATIENCE]) or history[-1] >= KNOWN
        late = seconds_left() <= 0 and left.min(initial=1.0) < KNOWN  # one mode is known, at least
        done = history[-1] <= tol or not helps or not block.shape[1] or space.count >= _MOST_FUNCTIONS
        if done or late:
            return replace(_found(inverse, space), is_cut=not done)


def polished(inverse: Inverse, found: Found) -> Found:
    """The same modes after applying the inverse once more, which smooths them.

    Without the other modes of the search, which are less accurate and would spoil these. The condition numbers still
    include the other modes.
    """
    space = Space(inverse.vectors, SAME)
    powers = [found.coefficients * (found.mu / inverse.unit) ** n for n in range(inverse.pencil.degree)]
    stacks = np.concatenate(powers)
    if inverse.is_real:  # complex pairs span the same space as their real and imaginary parts
        stacks = np.concatenate([stacks.real, stacks[:, found.mu.imag != 0].imag], axis=1)
    space.add(inverse(space.add(stacks)))
    better = _found(inverse, space, symmetric=inverse.symmetric)
    before = np.argmin(np.abs(better.mu[:, None] - found.mu), axis=1)
    return replace(better, conditions=np.maximum(better.conditions, found.conditions[before]))


_Eigen: TypeAlias = tuple[NumberArray, NumberArray, FloatArray, FloatArray]


def _eigenvalues(inverse: Inverse, space: Space, *, symmetric: bool = False) -> _Eigen:
    """Eigenvalues and vectors of the inverse in a space, the largest first, with residuals and conditions of `Found`.

    On rough functions the inverse may be far from symmetric.
    """
    H = space.matrix
    square, outside = H[: H.shape[1]], H[H.shape[1] :]
    gap = float(np.linalg.norm(square - square.conj().T))
    # not beyond rounding: errors of the inverse are large on rough functions, and would spread to all modes
    if symmetric or (inverse.symmetric and gap <= 10 * ROUNDED * float(np.linalg.norm(square))):
        theta, Y = np.linalg.eigh(0.5 * (square + square.conj().T))
        conditions = np.ones(len(theta))
    else:
        theta, Y = _eig(square, np.inf if inverse.symmetric else SAME)
        conditions = np.linalg.norm(np.linalg.pinv(Y), axis=1) * np.linalg.norm(Y, axis=0)
    order = np.argsort(-np.abs(theta), kind="stable")
    order = order[np.abs(theta[order]) > SAME * np.abs(theta).max()]
    theta, Y = theta[order], Y[:, order]
    return theta, Y, np.linalg.norm(outside @ Y, axis=0) / np.abs(theta), conditions[order]


def _found(inverse: Inverse, space: Space, *, symmetric: bool = False) -> Found:
    """The modes of the largest eigenvalues of the inverse in a space."""
    theta, Y, left, conditions = _eigenvalues(inverse, space, symmetric=symmetric)
    functions = space.images[: inverse.size] @ Y
    return Found(np.asarray(inverse.unit / theta, dtype=complex), functions / theta, left, conditions)


def _eig(matrix: NumberArray, share: float) -> tuple[NumberArray, NumberArray]:
    """Eigenvalues and vectors; conjugate pairs of a real matrix become double real values with real vectors.

    This applies to pairs whose imaginary parts are at most a share of their size, and therefore errors.
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
    """Solutions for smooth right-hand sides without symmetry, with so many `waves` along the domain.

    Sides that the basis cannot represent would only give rounding errors.
    """
    degree = inverse.pencil.degree
    smooth = smooth_sides(inverse, _BLOCK * degree, rng, waves)
    parts = solve_sides(inverse, smooth).reshape(inverse.size, degree, _BLOCK)
    return np.concatenate([parts[:, power] for power in range(degree)])
