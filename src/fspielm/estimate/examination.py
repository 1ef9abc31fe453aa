"""What the solutions of one system are checked with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray, safe_rms
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.system import BlockRows, Finite
from fspielm.estimate.estimate import (
    ILL_POSED,
    NO_DIGITS,
    CellErrors,
    ErrorEstimate,
    FieldEstimate,
    norm_in,
    relative_to,
    sizes_of,
    together,
)
from fspielm.estimate.residuals import ROUNDING, ByCell, Correction, Deviations, HeldOut, Misfit, Unfitted, by_cell
from fspielm.estimate.sensitivity import Sensitivity, Solved, beyond_basis, find_sensitivity, has_settled, probe
from fspielm.estimate.stability import hidden_of
from fspielm.problem.derived import leaves_constant_open
from fspielm.problem.interfaces import kinks
from fspielm.problem.problem import Problem

_HARDLY_A_DIGIT = 0.05
# Smooth functions that leave a larger share of the data beside an interface are no solution, which has a kink there.
_FITS = 1e-7
# On cells: amplifications of which so large ones, that would make so many times the solution of the data, are those of
# a resonance.
_AMPLIFIED, _RESONANT = 1e5, 1e6
_GROWS = (
    "how strongly the solution depends on its data still grows with more functions, as it does at a resonance, where "
    "there are other solutions or none; move the coefficients off the resonance, or allow more functions"
)


@final
@dataclass(frozen=True, eq=False)
class Examination:
    """Rows that were not fitted, and how strongly their residual shows; `examine` makes one.

    Serves for other data of the same problem as well: nothing in it depends on them.

    Attributes
    ----------
    discretisation : Finite
    blocks : sequence of BlockRows
        The blocks that were fitted, which say how much each counts.
    held_out : HeldOut
    sensitivity : Sensitivity
    correction : Correction or None
        What is known of the residual's effect, where functions are those of cells.
    factored : Factored or None
        What tells whether the sensitivity has settled; None where it has.
    """

    discretisation: Finite
    blocks: Sequence[BlockRows]
    held_out: HeldOut
    sensitivity: Sensitivity
    correction: Correction | None = None
    factored: Factored | None = None

    @cached_property
    def has_settled(self) -> bool:
        """Whether the sensitivity has settled; asked where an estimate would rest on it."""
        finite, factored = self.discretisation, self.factored
        return factored is None or has_settled(finite, self.blocks, factored, self.held_out, self.sensitivity)

    def estimate(
        self, coefficients: NumberArray, problem: Problem | None = None, *, by_itself: bool = False
    ) -> ErrorEstimate:
        """Estimate the error of `coefficients`, as a solution of `problem` where that has other data.

        A solution `by_itself` is a mode: its right-hand side is made of it, and says nothing of its size.

        If the true solution is the basis with coefficients ``beta + delta``, then ``H delta`` is the residual r, and
        the error ``Phi delta = (Phi R^-1) (Q^H r)`` is at most ``|Phi R^-1| |r|``. The norm is the sensitivity, the
        residual is measured at fresh points, and the rounding of the sum is added.
        """
        problem = problem or self.discretisation.problem
        misfit = self._unfitted.misfit(coefficients, problem)
        if by_itself:
            misfit = replace(misfit, told=[0.0] * len(misfit.told))
        sensitivity = self.sensitivity
        amplification = sensitivity.amplification
        null = sensitivity.values[int(np.argmax(sensitivity.each))] @ sensitivity.null
        if leaves_constant_open(problem):  # whether the basis holds a constant or not
            amplification, null = float("inf"), np.ones(len(null))
        # where nothing determines the solution, zero is only one of many, and a residual of zero says nothing; where
        # a condition is missing, the others may have frequencies that the basis does not
        blind = misfit.residual == 0.0 and amplification > ILL_POSED
        # smooth functions across a kink: what they miss is not a combination of others like them
        kinked = misfit.residual > _FITS * misfit.data and bool(kinks(problem, misfit.residuals))
        undetermined = bool(problem.missing) or blind or kinked or not np.isfinite(amplification)
        # of the problem that was factored: data are no part of what may hide
        solved = Solved(self.discretisation.basis, coefficients, amplification, misfit.residuals, self.held_out)
        beyond = beyond_basis(self.discretisation.problem, solved)
        left_out = self.discretisation.left_out(coefficients)
        deviations = None if self.correction is None else self.correction.deviations(coefficients, problem)
        cells = self._by_cell(coefficients, deviations, left_out)
        shown = self._shown(coefficients, misfit, deviations, left_out)
        if cells is not None:
            unresolved = self.discretisation.unresolved(coefficients)
            shown = [own + float(more) for own, more in zip(shown, cells.errors(unresolved), strict=True)]
        shown = [float("inf") if undetermined else own for own in shown]
        errors = [own + beyond.error for own in shown]
        fields = self._fields(coefficients, errors, misfit)
        whole = [together([fields[place] for place in problem.places(name)]) for name in problem.names]
        worst = max(whole, key=lambda field: field.relative)
        return ErrorEstimate(
            relative=worst.relative,
            largest=max(field.largest for field in whole),
            amplification=amplification,
            residual=misfit.residual,
            data=misfit.data,
            rounding=worst.rounding,
            scale=worst.scale,
            growth=max(field.growth for field in whole),
            residuals=misfit.residuals,
            null_function=null,
            null=sensitivity.null,
            beyond=beyond.reason if 2 * beyond.error >= max(shown) + beyond.error else "",
            unresolved=misfit.unresolved,
            fields=fields,
            cells=None if cells is None else cells.relative(np.array([field.scale for field in fields])),
            shares=misfit.shares,
        )

    @property
    def _unfitted(self) -> Unfitted:
        return Unfitted(self.discretisation, self.blocks, self.held_out)

    def with_remainder(self, estimate: ErrorEstimate, remainder: float) -> ErrorEstimate:
        """The estimate where rows leave out a remainder beside their residual, in the same norm.

        Such as the terms of higher order of an equation that was linearised.
        """
        problem = self.discretisation.problem
        each = zip(estimate.fields, self.sensitivity.each, strict=True)
        fields = tuple(field.with_error(own * remainder) for field, own in each)
        whole = [together([fields[place] for place in problem.places(name)]) for name in problem.names]
        worst = max(whole, key=lambda field: field.relative)
        largest = max(field.largest for field in whole)
        return replace(estimate, relative=worst.relative, largest=largest, scale=worst.scale, fields=fields)

    def settled(self, estimate: ErrorEstimate, tol: float) -> ErrorEstimate:
        """The estimate, or where it would meet `tol` by a sensitivity that still grows, one without a digit."""
        if not estimate.relative <= tol or self.has_settled:
            return estimate
        return replace(self.with_remainder(estimate, float("inf")), beyond=_GROWS, has_settled=False)

    def norm(self, deviations: Mapping[str, NumberArray]) -> float:
        """The norm of deviations at the sites that are held out, by block, weighted as residuals are."""
        return self._unfitted.norm(deviations)

    def by_cell(
        self, coefficients: NumberArray, estimate: ErrorEstimate, problem: Problem | None = None
    ) -> CellErrors | None:
        """How wrong a solution may be because of each cell, where functions are those of cells; see `estimate`."""
        if estimate.cells is not None or self.correction is None:
            return estimate.cells

        problem = problem or self.discretisation.problem
        left_out = self.discretisation.left_out(coefficients)
        found = by_cell(self.correction, self.correction.deviations(coefficients, problem), left_out)
        return found.relative(np.array([field.scale for field in estimate.fields]))

    def _by_cell(self, coefficients: NumberArray, deviations: Deviations | None, left_out: FloatArray) -> ByCell | None:
        """What cells amount to, where there are such that are not resolved.

        Finer rows would change little of what their functions cannot hold anyway, as beside a singular corner.
        """
        if self.correction is None or deviations is None or not self.discretisation.unresolved(coefficients).any():
            return None

        return by_cell(self.correction, deviations, left_out)

    def _shown(
        self, coefficients: NumberArray, misfit: Misfit, deviations: Deviations | None, left_out: FloatArray
    ) -> list[float]:
        """What the residual may amount to in each unknown."""
        at_most = [own * misfit.residual for own in self.sensitivity.each]
        if self.correction is None or deviations is None:
            return at_most
        # as long as the residual is about as large as the data, what it is made of is not known
        unknown = min(misfit.residual / misfit.data, 1.0) if misfit.data > 0 else 1.0
        if hidden_of(self.discretisation.problem).degenerate is not None:
            # rows of an equation that vanishes somewhere are small beside others, whatever they miss of its own terms
            unknown = 1.0
        shown = self.correction.errors(deviations)
        left = np.linalg.norm(left_out, axis=0)
        errors = []
        for own, out, most, each, Phi in zip(
            shown, left, at_most, self.sensitivity.each, self.sensitivity.values, strict=True
        ):
            # at a resonance there are other solutions, which data that do not excite it say nothing of
            size = safe_rms(Phi @ coefficients)
            resonant = each > self._amplified and each * misfit.data > _RESONANT * size
            errors.append(float("inf") if resonant else own + float(out) + unknown * most)
        return errors

    @property
    def _amplified(self) -> float:
        """More than this is a resonance; in time nothing resonates, and of a linearisation it is known what grows."""
        problem = self.discretisation.problem
        return ILL_POSED if problem.domain.time is not None and problem.is_linearisation else _AMPLIFIED

    def for_many(self, rng: np.random.Generator) -> Examination:
        """For many solutions on one basis: fresh rows, filled; as it is where functions are those of cells."""
        if self.correction is not None:
            return self
        fresh = HeldOut.draw(self.discretisation, rng)
        return replace(self, held_out=fresh.tabulated(self.discretisation))

    def _fields(self, coefficients: NumberArray, errors: Sequence[float], misfit: Misfit) -> tuple[FieldEstimate, ...]:
        """What can be said of each unknown, with these errors that the residual may hide."""
        values = [Phi @ coefficients for Phi in self.sensitivity.values]
        scales = [safe_rms(each) for each in values]
        sizes = sizes_of(self.discretisation.problem, scales, misfit.told)
        # what is not resolved is not in the amplification either; nor is what cells far too large leave out
        is_resolved = misfit.unresolved is None and not self.discretisation.basis.is_piecewise
        certain = NO_DIGITS if is_resolved else _HARDLY_A_DIGIT
        fields = []
        for Phi, own, scale, size, error in zip(self.sensitivity.values, values, scales, sizes, errors, strict=True):
            norm = norm_in(Phi, coefficients, len(errors) == 1 and not self.discretisation.basis.is_piecewise)
            rounding = ROUNDING * norm
            whole, natural = size
            # one that is small, but certainly not zero, is measured by itself
            by = whole if error + rounding < NO_DIGITS * whole else max(whole, natural)
            peak = max(float(np.abs(own).max(initial=0.0)), by if by > whole else 0.0)
            fields.append(
                FieldEstimate(
                    relative=relative_to(error + rounding, by, certain),
                    largest=relative_to(misfit.peak * error + rounding, peak),
                    rounding=relative_to(rounding, by),
                    scale=scale,
                    growth=norm / by if by > 0 else 0.0,
                    size=by,
                )
            )
        return tuple(fields)


def examine(
    discretisation: Finite, blocks: Sequence[BlockRows], factored: Factored, rng: np.random.Generator
) -> Examination:
    """Draw fresh rows, by the law of those that were fitted, and find how sensitive the system is.

    Parameters
    ----------
    discretisation : Finite
    blocks : sequence of BlockRows
        Of the system that was factored.
    factored : Factored
    rng : Generator
    """
    problem, basis, threads = discretisation.problem, discretisation.basis, discretisation.threads
    # in this order, in which they draw from one stream
    probed = probe(discretisation, blocks, factored, rng)
    held_out = HeldOut.draw(discretisation, rng)
    sensitivity = probed or find_sensitivity(problem, basis, factored, rng, threads)
    correction = None
    if basis.is_piecewise:
        correction = Correction(discretisation, held_out, blocks, factored, sensitivity.values)
    # of functions that satisfy the equation, others beside them have shown already that it has settled
    return Examination(discretisation, blocks, held_out, sensitivity, correction, None if probed else factored)
