"""The inverse of a problem at a shift, on functions: what it makes of a mode is the mode again, times a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.collocation import BlockRows, Finite
from fspielm.equations.relations import has_complex_operator
from fspielm.geometry import Quadrature, Sites
from fspielm.linalg import Factored
from fspielm.solvers.attempt import factor
from fspielm.solvers.modes.inner import Inner, Rows, densities_at, quadrature_for
from fspielm.solvers.modes.pencil import Pencil
from fspielm.solvers.modes.smooth import asymmetry_of
from fspielm.solvers.request import Request

# Functions by which symmetry is seen; and an asymmetry that may be errors in any case.
_LOOKED_AT, _SLACK = 6, 1e-8


@final
@dataclass(frozen=True, eq=False)
class Inverse:
    """A problem at a shift s, factored.

    With ``F(s + mu) = F_0 + mu F_1 + mu^2 F_2 + ...`` a mode has ``F_0 u = -(F_1 u + F_2 (mu u) + ...) mu``. The map
    from ``(u, mu u, mu^2 u, ...)`` to ``(w, u, mu u, ...)`` with ``F_0 w = -(F_1 u + F_2 (mu u) + ...)`` multiplies it
    by ``1 / mu``. Functions are coefficients ``(p M,)``, those of each power after one another.

    Attributes
    ----------
    pencil : Pencil
    shift : float
    finite : Finite
        Of the problem at the shift.
    blocks : sequence of BlockRows
    factored : Factored
    unit : float
        In which distances from the shift are measured, so that all powers weigh alike.
    slack : float
        Asymmetry that is taken for its errors.
    like : Inverse or None
        One of the same functions at another shift, which has the same inner product, and is symmetric if this is.
    """

    pencil: Pencil
    shift: complex
    finite: Finite
    blocks: Sequence[BlockRows]
    factored: Factored
    unit: float
    slack: float
    like: Inverse | None = None

    @property
    def size(self) -> int:
        """Number of functions."""
        return self.finite.basis.size

    @property
    def is_real(self) -> bool:
        """Whether it makes real functions of real ones."""
        problem = self.finite.problem
        return not any(map(has_complex_operator, problem.relations)) and self.finite.basis.dtype.kind == "f"

    def __call__(self, stacks: NumberArray) -> NumberArray:
        """Of several, ``(p M, F)``."""
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
        """Of the rows, by relation."""
        return {name: sites for name, (sites, _) in self.finite.fitted(self.blocks).items()}

    @cached_property
    def _rows(self) -> list[dict[str, Rows]]:
        return [
            {name: Rows(self.finite, operator, self.sites[name]) for name, operator in operators.items()}
            for operators in self.pencil.around(self.shift)
        ]

    @cached_property
    def is_weighted(self) -> bool:
        """Whether the inner product is that of what multiplies the eigenvalue."""
        return self._densities is not None

    @cached_property
    def _rule(self) -> Quadrature:
        return quadrature_for(self.finite)

    @cached_property
    def _densities(self) -> FloatArray | None:
        return densities_at(self.pencil, self._rule.sites)

    @cached_property
    def inner(self) -> Inner:
        """In which it is symmetric, where it is symmetric in any."""
        if self.like is not None:
            return self.like.inner
        densities = self._densities
        if densities is None:
            densities = np.ones((len(self.finite.problem.unknowns), len(self._rule)))
        return Inner(self.finite, self._rule, densities)

    @cached_property
    def asymmetry(self) -> float:
        """By how much it is not symmetric on smooth functions, relative to its norm."""
        return asymmetry_of(self, _LOOKED_AT, np.random.default_rng(3))

    @cached_property
    def symmetric(self) -> bool:
        """Whether the problem is selfadjoint, as far as its own errors show."""
        if self.like is not None:
            return self.like.symmetric
        return self.is_weighted and self.asymmetry <= self.slack

    def vectors(self, stacks: NumberArray) -> NumberArray:
        """Functions ``(p M, F)`` as vectors of an inner product."""
        return np.concatenate([self.inner.values(part) for part in np.split(stacks, self.pencil.degree)])


def inverse_at(
    pencil: Pencil, shift: complex, finite: Finite, request: Request, unit: float, like: Inverse | None = None
) -> Inverse:
    """The problem at a shift, factored on functions that were chosen; like one that was factored on the same."""
    here = finite.with_problem(pencil.at(shift))
    system = here.assemble(request.scaling, reuse=True)
    factored, _, _ = factor(request.method, system, in_place=True)
    return Inverse(pencil, shift, here, system.blocks, factored, unit, max(_SLACK, request.tol), like)
