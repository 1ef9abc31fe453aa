"""The answer: a function that can be evaluated anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.accuracy import ErrorEstimate, together
from fspielm.arrays import NumberArray, as_finite_points
from fspielm.equations import Operator, Problem, identity
from fspielm.features import Basis, JoinedBasis
from fspielm.features.evaluation import Method, evaluate, transform_rounding
from fspielm.geometry import Sites
from fspielm.machine import available_threads
from fspielm.solution import calculus, export, pictures
from fspielm.solution.report import Report
from fspielm.solution.spectrum import spectrum

_SHARE_OF_ERROR = 0.2


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """A solved problem.

    Attributes
    ----------
    problem : Problem
    basis : Basis
    coefficients : (M,) array
    report : Report
        What was chosen and why, how long it took, the verdict, and the residual of every block.
    """

    problem: Problem
    basis: Basis
    coefficients: NumberArray
    report: Report
    _estimator: ErrorEstimate | Callable[[], ErrorEstimate] = field(repr=False)

    @cached_property
    def estimate(self) -> ErrorEstimate:
        """How wrong the solution may be, and what that rests on.

        An automatic solve has it at hand; after a solve by hand with another method than `QR`, the first look
        costs a factorisation.
        """
        return self._estimator() if callable(self._estimator) else self._estimator

    @property
    def error_estimate(self) -> float:
        """Relative L2 error over the whole domain, time included: an upper bound in practice."""
        return self.estimate.relative

    @property
    def max_error_estimate(self) -> float:
        """Largest error relative to the largest value of the solution: an upper bound in practice."""
        return self.estimate.largest

    @property
    def converged(self) -> bool:
        """Whether the error estimate meets the tolerance."""
        return self.error_estimate <= self.report.tol

    def __getitem__(self, unknown: Any) -> Solution:
        """One unknown, by itself or by name: all that a solution of a single unknown can."""
        places = self.problem.places(unknown)
        if len(self.problem.unknowns) == 1:
            return self
        basis, coefficients = self.basis.field(places[0], self.coefficients)
        if len(places) > 1:  # a real and an imaginary part
            other, imaginary = self.basis.field(places[1], self.coefficients)
            basis, coefficients = JoinedBasis([basis, other]), np.concatenate([coefficients, 1j * imaginary])
        report, estimator = self.report, self._estimator
        if not callable(estimator):
            own = together([estimator.fields[place] for place in places])
            estimator = replace(estimator, relative=own.relative, largest=own.largest, scale=own.scale, fields=(own,))
            report = replace(report, error_estimate=own.relative, max_error_estimate=own.largest, scale=own.scale)
        return Solution(self.problem.field(unknown), basis, coefficients, report, estimator)

    def __call__(self, points: ArrayLike) -> NumberArray:
        """Values at `points` ``(n, d)``, columns in the order of the unknown's arguments; shape ``(n,)``.

        Of several unknowns ``(n, U)``, in the order of ``problem.unknowns``. Any number of points, also outside of the
        domain, where values mean nothing (see `contains`): many of them by expansions or fast transforms, in memory
        that does not grow beyond that of points and values.
        """
        value = identity(self.problem.dimension)
        if self.problem.whole is not None:
            shown = [self[unknown.symbol](points) for unknown in self.problem.whole.unknowns]
            return shown[0] if len(shown) == 1 else np.stack(shown, axis=1)
        if len(self.problem.unknowns) == 1:
            return self.evaluate(value, points)
        return np.stack([self.evaluate(value.on(place), points) for place in range(len(self.problem.unknowns))], axis=1)

    def evaluate(self, operator: Operator, points: ArrayLike) -> NumberArray:
        """The operator on the solution, at `points` ``(n, d)``; shape ``(n,)``."""
        sites = Sites(as_finite_points(points, self.problem.dimension))
        threads = available_threads()
        return evaluate(self.basis, self.coefficients, operator, sites, threads=threads, method=self.summation)

    @cached_property
    def summation(self) -> Method:
        """How features are summed at many points: as is cheapest (``"auto"``), or by expansions on ``"tiles"``.

        A fast transform rounds some twenty times more than a direct sum. It is used where that is a fraction of the
        estimated error, so that no digit is lost to it. Expansions round as a direct sum does.
        """
        known, scale = self.report.error_estimate, self.report.scale
        if known is None or scale is None:
            return "tiles"
        rounding = transform_rounding(self.basis, self.coefficients, self.problem.domain)
        return "auto" if rounding <= _SHARE_OF_ERROR * known * scale else "tiles"

    contains = calculus.contains
    grid = calculus.grid
    diff = calculus.diff
    gradient = calculus.gradient
    laplacian = calculus.laplacian
    apply = calculus.apply
    residual = calculus.residual
    integrate = calculus.integrate
    flux = calculus.flux
    spectrum = spectrum
    to_numpy = export.to_numpy
    to_npz = export.to_npz
    to_csv = export.to_csv
    to_xarray = export.to_xarray
    to_netcdf = export.to_netcdf
    to_vtk = export.to_vtk
    save = export.save

    plot = pictures.plot
    plot_isosurface = pictures.plot_isosurface
    plot_error = pictures.plot_error
    plot_residual = pictures.plot_residual
    plot_spectrum = pictures.plot_spectrum
    plot_convergence = pictures.plot_convergence
    _repr_html_ = pictures.solution_card

    def __repr__(self) -> str:
        known = self.report.error_estimate
        error = "" if known is None else f", estimated error {known:.1e}"
        names = ", ".join(str(unknown.symbol) for unknown in self.problem.unknowns)
        return f"Solution({names}, {self.report.neurons} neurons{error})"
