"""The answer: a function that can be evaluated anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, final

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray, NumberArray, as_finite_points
from fspielm.basis.basis import Basis
from fspielm.basis.evaluation.direct import transform_rounding
from fspielm.basis.evaluation.sums import Method, evaluate_each
from fspielm.errors import ProblemError
from fspielm.estimate.estimate import ErrorEstimate, together
from fspielm.geometry.boundary import Sites
from fspielm.problem.operator import Operator, identity
from fspielm.problem.problem import Problem
from fspielm.resources import available_threads
from fspielm.solution.evaluation import Outside, at_points, sums_of, with_conjugates
from fspielm.solution.export.arrays import to_csv, to_netcdf, to_npz, to_numpy, to_xarray
from fspielm.solution.export.vtk import to_vtk
from fspielm.solution.fields import (
    Derived,
    apply,
    contains,
    derive,
    diff,
    flux,
    gradient,
    grid,
    integrate,
    laplacian,
    residual,
)
from fspielm.solution.open_space import at_infinity, cross_sections, far_field, orders, scattered, total
from fspielm.solution.plot.card import solution_card
from fspielm.solution.plot.errors import plot_convergence, plot_error, plot_residual
from fspielm.solution.plot.far_field import plot_far_field
from fspielm.solution.plot.isosurface import plot_isosurface
from fspielm.solution.plot.plot import plot
from fspielm.solution.plot.spectrum import plot_spectrum, spectrum
from fspielm.solution.report import Report

if TYPE_CHECKING:
    from fspielm.solvers.request import Budget, Progress


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
    caption : str
        The title of its pictures, where it is a part of a solution; empty otherwise.
    """

    problem: Problem
    basis: Basis
    coefficients: NumberArray
    report: Report
    _estimator: ErrorEstimate | Callable[[], ErrorEstimate] = field(repr=False)
    caption: str = ""
    # The request and its rounds: for `refine`, in this process.
    _origin: Any = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_origin": None}

    @cached_property
    def estimate(self) -> ErrorEstimate:
        """How wrong the solution may be, and the evidence.

        An automatic solve has it at hand; after a solve by hand with another method than `QR`, the first access
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

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its values: ``float64`` or ``complex128``."""
        basis, coefficients = self.shown
        return np.result_type(basis.dtype, coefficients.dtype)

    @property
    def real(self) -> Derived:
        """The real part, as a function of points: of each unknown, where there are several."""
        return self._each(sp.re)

    @property
    def imag(self) -> Derived:
        """The imaginary part, as a function of points: of each unknown, where there are several."""
        return self._each(sp.im)

    @property
    def abs(self) -> Derived:
        """The modulus, as a function of points: of each unknown, where there are several."""
        return self._each(sp.Abs)

    def _each(self, function: Callable[[sp.Expr], sp.Expr]) -> Derived:
        parts = [function(unknown.symbol) for unknown in self.problem.stated.unknowns]
        return derive(self, parts[0] if len(parts) == 1 else parts)

    def __getitem__(self, unknown: Any) -> Solution:
        """The solution of one unknown, given as a function or by name."""
        problem, estimator = self.problem, self._estimator
        places, place = problem.places(unknown), problem.stated.place(unknown)
        if len(problem.unknowns) == 1:
            return self
        basis, coefficients = self.sums[place]
        own = partial(_estimate_of, estimator, places) if callable(estimator) else _estimate_of(estimator, places)
        report = self.report.of_field(problem.names[place])
        return Solution(problem.field(unknown), basis, coefficients[0], report, own, self.caption)

    @cached_property
    def sums(self) -> tuple[tuple[Basis, NumberArray], ...]:
        """Each unknown as a sum of real functions of its own: a basis, and coefficients ``(1, M)``."""
        return sums_of(self.problem, self.basis, self.coefficients)

    @cached_property
    def shown(self) -> tuple[Basis, NumberArray]:
        """The functions and coefficients that operators on the unknowns as written apply to.

        Conjugates, where they occur, are further unknowns after all others.
        """
        if self.problem.whole is None:
            return self.basis, self.coefficients
        return with_conjugates(self.sums)

    def __call__(self, points: ArrayLike, *more: Any, outside: Outside = "nan") -> NumberArray:
        """Values at `points` ``(n, d)``, columns in the order of the unknown's arguments; shape ``(n,)``.

        For several unknowns the shape is ``(n, U)``, in the order of `names`. Many points are evaluated by expansions
        or fast transforms, with no more memory than points and values take. Clearly outside of the domain (not on its
        boundary, up to rounding) values are nan, with an `OutsideWarning`; ``outside="extend"`` evaluates the
        functions of the solution there, whose values mean nothing.
        """
        if more:
            point, numbers = ", ".join(map(str, (points, *more))), all(np.ndim(each) == 0 for each in (points, *more))
            write = f"solution([[{point}]]) for one point" if numbers else "solution(np.column_stack([x, y, ...]))"
            raise ProblemError(
                f"a solution takes an array of points (n, {self.problem.dimension}), one in each row; got "
                f"{f'solution({point})' if numbers else 'several arrays'}: write {write}"
            )
        return at_points(self._values, self.problem.domain, points, outside)

    def _values(self, points: FloatArray) -> NumberArray:
        value, number = identity(self.problem.dimension), len(self.problem.names)
        if number == 1:
            return self.evaluate(value, points)
        return np.stack([self.evaluate(value.on(place), points) for place in range(number)], axis=1)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the unknowns, in the order of the columns of ``solution(points)``."""
        return self.problem.names

    def evaluate(self, operator: Operator, points: ArrayLike) -> NumberArray:
        """The operator on the solution, at `points` ``(n, d)``, outside of the domain too; shape ``(n,)``."""
        sites = Sites(as_finite_points(points, self.problem.dimension))
        return np.asarray(self.evaluate_each([operator], sites)[0])

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> NumberArray:
        """Each of T operators on the solution, at sites; shape ``(T, n)``."""
        return evaluate_each(*self.shown, operators, sites, threads=available_threads(), method=self.summation)

    @cached_property
    def summation(self) -> Method:
        """How features are summed at many points: by the cheapest method (``"auto"``), or by expansions on ``"tiles"``.

        A fast transform rounds some twenty times more than a direct sum, and is used where that is a fraction of the
        estimated error. Expansions round as a direct sum does.
        """
        for name, (basis, coefficients) in zip(self.problem.names, self.sums, strict=True):
            its = self.report.of_field(name)
            if its.error_estimate is None or its.scale is None:
                return "tiles"
            rounding = transform_rounding(basis, coefficients, self.problem.domain)
            if not rounding <= _SHARE_OF_ERROR * its.error_estimate * its.scale:
                return "tiles"
        return "auto"

    @property
    def total(self) -> Solution:
        """On an open domain, the sum of incident and scattered field: the solution itself."""
        return total(self)

    @property
    def scattered(self) -> Solution:
        """On an open domain, what the objects add to the incident field."""
        return scattered(self)

    @property
    def at_infinity(self) -> float | complex:
        """On an open domain, the value far away of what the objects add to a harmonic field."""
        return at_infinity(self)

    far_field = far_field
    cross_sections = cross_sections
    orders = orders
    contains = contains
    grid = grid
    diff = diff
    gradient = gradient
    laplacian = laplacian
    apply = apply
    residual = residual
    integrate = integrate
    flux = flux
    spectrum = spectrum
    to_numpy = to_numpy
    to_npz = to_npz
    to_csv = to_csv
    to_xarray = to_xarray
    to_netcdf = to_netcdf
    to_vtk = to_vtk

    plot = plot
    plot_isosurface = plot_isosurface
    plot_error = plot_error
    plot_residual = plot_residual
    plot_spectrum = plot_spectrum
    plot_convergence = plot_convergence
    plot_far_field = plot_far_field
    _repr_html_ = solution_card

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the solution to one file, from which `fspielm.load` gives it back to the last bit.

        The file appears complete or not at all, and replaces an older one. It holds the statement, frequencies,
        coefficients, report, seed and versions, and no code.

        Parameters
        ----------
        path : path
            Its name must end in ``.fspielm``.

        Warns
        -----
        StorageWarning
            If the statement holds something that a file cannot, such as a callable: the loaded solution can be
            evaluated, but not solved again.
        """
        from fspielm.files.saved import save

        save(self, path, stacklevel=3)

    def refine(self, tol: float, *, budget: Budget | None = None, progress: Progress | bool | None = None) -> Solution:
        """Solve the same problem to more digits, starting from this solution.

        Bands, cells and the kind of functions are kept; where the problem is not linear, Newton's method begins with
        the solution. A loaded solution keeps its cells and values; the rest is found anew.

        Parameters
        ----------
        tol : float
            Relative L2 error to reach, measured by the estimate.
        budget : Budget, optional
            The budget of the solve by default, all of it again.
        progress : bool or callable, optional
            As for `solve`.

        Returns
        -------
        Solution
            No worse than this one; itself, with another verdict, where it meets the tolerance. Its report includes the
            earlier rounds.

        Raises
        ------
        ProblemError
            If the functions were chosen by hand; of a mode, of one of several unknowns, and where a file could not hold
            the statement.
        SolveInterrupted
            After Ctrl-C; its `solution` is the best so far, this one at least.
        """
        from fspielm.solvers.solve import refine

        return refine(self, tol, budget=budget, progress=progress)

    def __repr__(self) -> str:
        error = "" if (known := self.report.error_estimate) is None else f", estimated error {known:.1e}"
        names = ", ".join(str(unknown.symbol) for unknown in self.problem.stated.unknowns)
        return f"Solution({f'{self.caption} {names}'.strip()}, {self.report.size}{error})"


def _estimate_of(estimate: ErrorEstimate | Callable[[], ErrorEstimate], places: Sequence[int]) -> ErrorEstimate:
    """The estimate for one unknown, whose real and imaginary parts may have two places."""
    estimate = estimate() if callable(estimate) else estimate
    own = together([estimate.fields[place] for place in places])
    names = ("relative", "largest", "rounding", "scale", "growth")
    return replace(estimate, fields=(own,), **{name: getattr(own, name) for name in names})
