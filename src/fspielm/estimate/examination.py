"""Error estimates for the solutions of one system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray, safe_rms
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.nested import NestedQR
from fspielm.collocation.system import BlockRows, Finite, HeldOut
from fspielm.estimate.amounts import FEW_DIGITS
from fspielm.estimate.estimate import (
    ILL_POSED,
    NO_DIGITS,
    CellErrors,
    ErrorEstimate,
    FieldEstimate,
    relative_to,
    together,
    unknown_norm,
    unknown_sizes,
)
from fspielm.estimate.residuals import (
    ROUNDING_OF_SUMS,
    Correction,
    Deviations,
    Misfit,
    Unfitted,
    by_cell,
)
from fspielm.estimate.sensitivity import Sensitivity, Solved, beyond_basis, find_sensitivity, has_settled, probe
from fspielm.estimate.stability import find_hidden
from fspielm.numerics.tolerances import CLOSE, HALF
from fspielm.problem.derived import leaves_constant_open
from fspielm.problem.interfaces import kinks
from fspielm.problem.problem import Problem

# The largest reliable relative error where the basis does not resolve the solution.
_UNRESOLVED = 0.05
_GROWS = (
    "how strongly the solution depends on its data still grows with more functions, as it does at a resonance, where "
    "there are other solutions or none; move the coefficients off the resonance, or allow more functions"
)


@final
@dataclass(frozen=True, eq=False)
class Examination:
    """Held-out rows, and how strongly their residual shows in the solution; `examine` makes one.

    It does not depend on the data of the problem, and serves for other data as well.

    Attributes
    ----------
    discretisation : Finite
    blocks : sequence of BlockRows
        The fitted blocks, with their weights.
    held_out : HeldOut
    sensitivity : Sensitivity
    correction : Correction or None
        The effect of the residual on solutions in cells.
    factored : Factored or None
        Tells whether the sensitivity has settled; None if it has.
    """

    discretisation: Finite
    blocks: Sequence[BlockRows]
    held_out: HeldOut
    sensitivity: Sensitivity
    correction: Correction | None = None
    factored: Factored | None = None

    @cached_property
    def has_settled(self) -> bool:
        """Whether the sensitivity has settled; computed where an estimate relies on it."""
        finite, factored = self.discretisation, self.factored
        return factored is None or has_settled(finite, self.blocks, factored, self.held_out, self.sensitivity)

    def estimate(
        self, coefficients: NumberArray, problem: Problem | None = None, *, by_itself: bool = False
    ) -> ErrorEstimate:
        """Estimate the error of `coefficients`, as a solution of `problem` where that has other data.

        A solution `by_itself` is a mode: its right-hand side depends on it, and says nothing about its size.

        If the true solution is the basis with coefficients ``beta + delta``, then ``H delta`` is the residual r, and
        the error ``Phi delta = (Phi R^-1) (Q^H r)`` is at most ``|Phi R^-1| |r|``. The norm is the sensitivity, the
        residual is measured at fresh points, and the rounding of the sum is added.
        """
        problem = problem or self.discretisation.problem
        misfit = self._unfitted.misfit(coefficients, problem)
        if by_itself:
            misfit = replace(misfit, data_sizes=[0.0] * len(misfit.data_sizes), ignored=0 * misfit.ignored)
        sensitivity = self.sensitivity
        amplification = sensitivity.amplification
        null = sensitivity.values[int(np.argmax(sensitivity.each))] @ sensitivity.null
        if leaves_constant_open(problem):  # whether the basis holds a constant or not
            amplification, null = float("inf"), np.ones(len(null))
        # where nothing determines the solution, zero is only one of many, and a residual of zero says nothing; where
        # a condition is missing, the others may have frequencies that the basis does not
        is_one_of_many = misfit.residual == 0.0 and amplification > ILL_POSED
        # the error of smooth functions across a kink is not a sum of smooth functions
        is_kinked = misfit.residual > HALF * misfit.data and bool(kinks(problem, misfit.residuals))
        undetermined = bool(problem.missing) or is_one_of_many or is_kinked or not np.isfinite(amplification)
        # this depends on the factored problem, not on its data
        solved = Solved(self.discretisation.basis, coefficients, amplification, misfit.residuals, self.held_out)
        beyond = beyond_basis(self.discretisation.problem, solved)
        left_out = self.discretisation.left_out(coefficients)
        deviations = None if self.correction is None else self.correction.deviations(coefficients, problem)
        shown = self._residual_errors(coefficients, misfit, deviations, left_out)
        cells = None
        if self.correction is not None and deviations is not None:
            # finer rows would hardly change what functions of such cells cannot represent, as beside a singular corner
            unresolved = self.discretisation.unresolved(coefficients)
            if unresolved.any():
                cells = by_cell(self.correction, deviations, left_out)
                shown = [own + float(more) for own, more in zip(shown, cells.errors(unresolved), strict=True)]
        # where the residual is the right-hand side, its functions may be all that the sensitivity knows of
        shown = [
            float("inf") if undetermined else max(own, out) for own, out in zip(shown, misfit.ignored, strict=True)
        ]
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
        """The estimate with a further remainder of the rows, in the norm of residuals.

        For example, the terms of higher order of an equation that was linearised.
        """
        return estimate.with_errors(self.discretisation.problem, [own * remainder for own in self.sensitivity.each])

    def settled(self, estimate: ErrorEstimate, tol: float) -> ErrorEstimate:
        """The estimate; without a reliable digit where it would meet `tol` but the sensitivity has not settled."""
        if not estimate.relative <= tol or self.has_settled:
            return estimate
        return replace(self.with_remainder(estimate, float("inf")), beyond=_GROWS, has_settled=False)

    def norm(self, deviations: Mapping[str, NumberArray]) -> float:
        """The norm of deviations at the held-out sites, by block, weighted as residuals are."""
        return self._unfitted.norm(deviations)

    def by_cell(
        self, coefficients: NumberArray, estimate: ErrorEstimate, problem: Problem | None = None
    ) -> CellErrors | None:
        """How wrong a solution may be because of each cell, if there are cells; see `estimate`."""
        if estimate.cells is not None or self.correction is None:
            return estimate.cells
        problem = problem or self.discretisation.problem
        left_out = self.discretisation.left_out(coefficients)
        found = by_cell(self.correction, self.correction.deviations(coefficients, problem), left_out)
        return found.relative(np.array([field.scale for field in estimate.fields]))

    def _residual_errors(
        self, coefficients: NumberArray, misfit: Misfit, deviations: Deviations | None, left_out: FloatArray
    ) -> list[float]:
        """The error in each unknown that the residual may cause."""
        at_most = [own * misfit.residual for own in self.sensitivity.each]
        if self.correction is None or deviations is None:
            return at_most
        # a residual about as large as the data may consist of anything
        unknown = min(misfit.residual / misfit.data, 1.0) if misfit.data > 0 else 1.0
        if find_hidden(self.discretisation.problem).degenerate is not None:
            # where an equation vanishes its rows are small, however much they miss of its own terms
            unknown = 1.0
        # linearisations in time have no resonances, and their growth is known
        problem = self.discretisation.problem
        has_none = problem.domain.time is not None and problem.is_linearisation
        resonant_amplification = ILL_POSED if has_none else 1 / FEW_DIGITS
        shown = self.correction.errors(deviations)
        left = np.linalg.norm(left_out, axis=0)
        errors = []
        for own, out, most, each, Phi in zip(
            shown, left, at_most, self.sensitivity.each, self.sensitivity.values, strict=True
        ):
            # at a resonance there are other solutions, which data that do not excite it do not show; a small change of
            # the data may change the whole solution
            size = safe_rms(Phi @ coefficients)
            resonant = each > resonant_amplification and CLOSE * each * misfit.data > size
            errors.append(float("inf") if resonant else own + float(out) + unknown * most)
        return errors

    def for_many(self, rng: np.random.Generator) -> Examination:
        """The examination for many solutions on one basis: with fresh, tabulated rows unless the basis is on cells."""
        if self.correction is not None:
            return self
        fresh = self.discretisation.hold_out(rng)
        return replace(self, held_out=fresh.tabulated(self.discretisation))

    def _fields(self, coefficients: NumberArray, errors: Sequence[float], misfit: Misfit) -> tuple[FieldEstimate, ...]:
        """The estimate for each unknown, with these errors from the residual."""
        values = [Phi @ coefficients for Phi in self.sensitivity.values]
        scales = [safe_rms(each) for each in values]
        sizes = unknown_sizes(self.discretisation.problem, scales, misfit.data_sizes)
        # the amplification does not include unresolved functions, nor what cells that are too large leave out
        is_resolved = misfit.unresolved is None and not self.discretisation.basis.is_piecewise
        certain = NO_DIGITS if is_resolved else _UNRESOLVED
        fields = []
        for Phi, own, scale, size, error in zip(self.sensitivity.values, values, scales, sizes, errors, strict=True):
            norm = unknown_norm(Phi, coefficients, len(errors) == 1 and not self.discretisation.basis.is_piecewise)
            rounding = ROUNDING_OF_SUMS * norm
            whole, natural = size
            # an unknown that is small, but certainly not zero, is measured by itself
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
    """Draw fresh rows, by the law of the fitted ones, and find how sensitive the factored system is."""
    problem, basis, threads = discretisation.problem, discretisation.basis, discretisation.threads
    # the order matters: both draw from one stream
    probed = probe(discretisation, blocks, factored, rng)
    held_out = discretisation.hold_out(rng)
    sensitivity = probed or find_sensitivity(problem, basis, factored, rng, threads)
    correction = None
    if isinstance(factored, NestedQR):
        correction = Correction(discretisation, held_out, blocks, factored, sensitivity.values)
    # for Trefftz functions, the probe with further functions has shown already that it has settled
    return Examination(discretisation, blocks, held_out, sensitivity, correction, None if probed else factored)
