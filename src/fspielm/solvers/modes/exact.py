"""Functions that satisfy the equations at a value: those that nearly satisfy the conditions too are modes, or close."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.collocation import BlockRows, Discretisation, allot_conditions, draw_features
from fspielm.equations import Operator, identity
from fspielm.errors import UnsuitableError
from fspielm.features import Characteristic
from fspielm.features.evaluation import tabulate
from fspielm.features.special import satisfies, special_columns
from fspielm.geometry import Quadrature, Sites
from fspielm.solvers.modes.pencil import Pencil
from fspielm.solvers.request import Request
from fspielm.solvers.stages.exact import ExactFeatures
from fspielm.solvers.stages.selection import select_stages
from fspielm.solvers.trial import FeatureTrial
from fspielm.spectrum import Bands

# Places inside, at least, and for each function.
_INSIDE, _EACH = 400, 1.2
# Functions that others make up to so much are left out.
_DEPENDENT = 1e-14
# And where values in conditions are fitted, of which few digits matter.
_ROUGH = 1e-10


@final
@dataclass(frozen=True, eq=False)
class Nearly:
    """Functions at one value, those first that are smallest in the conditions beside their size inside.

    Attributes
    ----------
    value : float
    finite : Discretisation
    coefficients : (M, k) array
    traces : (n, k) array
        What they leave in the rows of conditions.
    inside : (m, k) array
        Their values at places inside, orthonormal but for the traces.
    sizes : (k,) array
        Of the traces.
    rank : int
        How many functions do not depend on others.
    condition : float
        Of those.
    """

    value: float
    finite: Discretisation
    coefficients: NumberArray
    traces: NumberArray
    inside: NumberArray
    sizes: FloatArray
    rank: int
    condition: float


@final
@dataclass(frozen=True, eq=False)
class ExactFunctions:
    """Functions of one kind and number for all values, at the same places.

    Attributes
    ----------
    pencil : Pencil
    trial : FeatureTrial
    special : tuple of int
        Which of the functions for corners and holes satisfy the equations.
    first : Discretisation
        At a first value.
    clock : callable
        Says how many seconds are left.
    """

    pencil: Pencil
    trial: FeatureTrial
    special: tuple[int, ...]
    first: Discretisation
    clock: Callable[[], float] = lambda: np.inf

    def at(self, value: float, count: int) -> Nearly:
        """So many functions at a value.

        Raises
        ------
        UnsuitableError
            If there is no time for them.
        """
        if self.clock() <= 0:
            raise UnsuitableError("there is no time for functions that satisfy the equation")
        finite = self._discretised(value)
        conditions = finite.further_columns(finite.basis, self._scaled)
        unit = identity(finite.problem.dimension)
        unknowns = range(len(finite.problem.unknowns))
        inside = [tabulate(finite.basis, unit.on(place), self._inside, threads=finite.threads) for place in unknowns]
        rows = np.concatenate([conditions, *(self._weight * each for each in inside)])
        sizes = np.linalg.norm(rows, axis=0)
        U, S, Vh = np.linalg.svd(rows / sizes, full_matrices=False)
        keep = _DEPENDENT * S[0] < S
        U, S, Vh = U[:, keep], S[keep], Vh[keep]
        fitted = len(conditions)
        _, _, Yh = np.linalg.svd(np.linalg.qr(U[:fitted], mode="r"))
        Y = Yh.conj().T[:, ::-1][:, :count]
        own = U @ Y
        coefficients = (Vh.conj().T @ (Y / S[:, None])) / sizes[:, None]
        smallest = np.linalg.norm(own[:fitted], axis=0)
        return Nearly(
            value, finite, coefficients, own[:fitted], own[fitted:], smallest, int(keep.sum()), float(S[0] / S[-1])
        )

    def lifting(self, shift: float, left: Mapping[str, tuple[Sites, NumberArray]], rule: Quadrature) -> float:
        """Norm of the solution at a shift that has these values in the conditions, and no right-hand side.

        On functions that satisfy the equations at the shift. What they do not fit, which is rounding where they suit,
        counts as if it were what they amplify most.
        """
        finite, operators = self._discretised(shift), {each.name: each for each in self.first.problem.relations}
        unit, unknowns = identity(finite.problem.dimension), range(len(finite.problem.unknowns))

        def table(operator: Operator, sites: Sites) -> NumberArray:
            return np.asarray(tabulate(finite.basis, operator, sites, threads=finite.threads))

        conditions, values = [], []
        for block in self._scaled:
            sites, own = left[block.name]
            weight = block.scale * np.sqrt(block.count / len(own))
            pieces = operators[block.name].pieces(sites)
            conditions.append(weight * sum(table(*piece) for piece in pieces))
            values.append(weight * own)
        rows, given = np.concatenate(conditions), np.concatenate(values)
        sizes = np.linalg.norm(rows, axis=0)
        U, S, Vh = np.linalg.svd(rows / sizes, full_matrices=False)
        keep = _ROUGH * S[0] < S
        roots = np.sqrt(rule.weights)[:, None]
        inside = np.concatenate([roots * table(unit.on(place), rule.sites) for place in unknowns])
        images = (inside / sizes) @ (Vh[keep].conj().T / S[keep])
        shares = U[:, keep].conj().T @ given
        unfitted = float(np.linalg.norm(given - U[:, keep] @ shares))
        return float(np.linalg.norm(images @ shares)) + float(np.linalg.norm(images, 2)) * unfitted

    def _discretised(self, value: float) -> Discretisation:
        problem, first = self.pencil.at(value), self.first
        every = special_columns(problem, True)
        drawn = draw_features(problem, first.family, _features())
        columns = tuple(every[place] for place in self.special)
        return replace(first, problem=problem, drawn=drawn, columns=columns)

    @cached_property
    def _scaled(self) -> Sequence[BlockRows]:
        return self.first.assemble("rms").blocks

    @cached_property
    def _inside(self) -> Sites:
        count = max(_INSIDE, int(_EACH * self.first.basis.size))
        return Sites(self.first.problem.domain.sample(count, np.random.default_rng(0), "low-discrepancy"))

    @property
    def _weight(self) -> float:
        return 1.0 / float(np.sqrt(len(self._inside)))


def exact_functions(pencil: Pencil, request: Request, value: float, bands: Bands, enlarged: int) -> ExactFunctions:
    """The functions that satisfy the equations around a value, and those of corners; more of them when `enlarged`.

    Raises
    ------
    ProblemError, UnsuitableError
        If there are none.
    """
    problem = pencil.at(value)
    here = replace(request, problem=problem, approach="characteristic", singular=None)
    stage = select_stages(here, bands).steps[0].stage
    assert isinstance(stage, ExactFeatures)
    family: Characteristic = stage.families(enlarged)
    every = special_columns(problem, True)
    special = tuple(place for place, columns in enumerate(every) if satisfies(problem, columns))
    points = allot_conditions(problem, family.neurons + sum(every[place].size for place in special), family.reach)
    trial = FeatureTrial(family, points, (), "functions that satisfy the equation")
    drawn, sites = draw_features(problem, family, _features()), points.draw(problem, np.random.default_rng(0))
    columns = tuple(every[place] for place in special)
    first = Discretisation(problem, family, drawn, columns, points, sites, request.threads)
    return ExactFunctions(pencil, trial, special, first)


def _features() -> np.random.Generator:
    """The same random numbers at every value."""
    return np.random.default_rng(0)
