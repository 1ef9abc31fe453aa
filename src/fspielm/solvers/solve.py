"""solve(), prepare() and refine(): from a problem to a solution, once, for other data, and to more digits."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, final

import numpy as np

from fspielm.arrays import NumberArray, safe_norm
from fspielm.basis.random.families import Family
from fspielm.basis.singular.columns import Choice, check_singular, missed_jumps
from fspielm.cells.basis import CellBasis
from fspielm.cells.frames import Frames
from fspielm.cells.patchwork import Patchwork
from fspielm.cells.tiling import tile_as
from fspielm.collocation.least_squares import QR, Factored, LeastSquares
from fspielm.collocation.points import Points
from fspielm.collocation.system import Scaling, check_scaling
from fspielm.errors import AccuracyWarning, ProblemError, SolveError
from fspielm.estimate.estimate import judge
from fspielm.estimate.examination import Examination
from fspielm.estimate.narrow import find_narrow
from fspielm.expr.functions import Value
from fspielm.problem.derived import with_data
from fspielm.problem.nonlinear.iterate import as_iterate
from fspielm.problem.parameters import need_values
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import transmission_problem
from fspielm.problem.scattering.media import has_media
from fspielm.problem.scattering.open_domain import incident_of
from fspielm.solution.solution import Solution
from fspielm.solvers.by_hand import solve_by_hand
from fspielm.solvers.driver import History, finish, finish_quietly, judged, solve_automatically, warn_unless
from fspielm.solvers.newton.rounds import solve_nonlinear
from fspielm.solvers.request import (
    INTERRUPTED,
    Approach,
    Budget,
    Progress,
    Request,
    Streams,
    check_approach,
    offering,
    reporter,
    timed,
)
from fspielm.solvers.round import Record, RoundResult
from fspielm.solvers.strategies.cells import Cells
from fspielm.solvers.time.windows import is_long, solve_in_windows


@offering(lambda solution: solution, "solution")
def solve(
    problem: Problem,
    *,
    tol: float = 1e-8,
    budget: Budget | None = None,
    rng: int | np.random.Generator | None = None,
    progress: bool | Progress | None = None,
    features: Family | None = None,
    points: Points | None = None,
    least_squares: LeastSquares | None = None,
    scaling: Scaling = "rms",
    singular: Choice = None,
    approach: Approach | None = None,
    guess: Any = None,
) -> Solution:
    """Solve a problem, with an estimate of the error.

    Everything is chosen from the equation and its data: the kind of features, their frequencies and number, the
    points, the scaling of rows. Rounds with more of them follow until the estimate meets `tol`.

    Parameters
    ----------
    problem : Problem
    tol : float
        Relative L2 error to reach, measured by the estimate.
    budget : Budget, optional
        Limits on neurons, seconds, memory and threads.
    rng : int, Generator or None
        Seed of features and points.
    progress : bool or callable, optional
        True writes a line to standard error after each round, and before one of more than two seconds; a callable
        receives these as a `Round` and a `Forecast`.
    features : Family, optional
        Fixes the features, and with them a single round; for instance one of the paper's families.
    points : Points, optional
        Fixes the collocation points.
    least_squares : LeastSquares, optional
        `QR` by default; the paper's is ``TruncatedSVD(1e-12)``.
    scaling : {"rms", "none"}
        Whether every block of rows is divided by its root-mean-square entry; the paper's is ``"none"``.
    singular : bool, Singular or sequence of Singular, optional
        Singular functions at corners of a plane domain: at all (True), at none (False), or at those named. By
        default they are added where the solution turns out not to be smooth.
    approach : {"characteristic", "thin", "band", "patches", "windows"}, optional
        The kind of features: functions that satisfy the equation; those and cosines around the few frequencies of
        the right-hand side; cosines that fill a band of frequencies; or polynomials in cells joined by their traces, in
        one and two dimensions, all at once or in one window of time after the other. By default the one that should
        be cheapest, and others where it is not good enough.
    guess : number, Expr, callable, Solution, or mapping of such by unknown, optional
        What Newton's method begins with where the problem is not linear; zero by default. Of several solutions, it
        decides which one is found.

    Returns
    -------
    Solution
        Its `converged` tells whether the estimate meets `tol`; if not, an `AccuracyWarning` says why.

    Raises
    ------
    ProblemError
        If an argument is wrong or the data have no band, before any long computation.
    MemoryBudgetError
        If not even a hundred functions would fit; by hand, if those asked for would not.
    SolveError
        If the least-squares method cannot solve the system, with any kind of features.
    SolveInterrupted
        After Ctrl-C; its `solution` is the best so far.
    """
    check_arguments(problem, tol, budget, features, points, least_squares)
    check_scaling(scaling)
    check_singular(singular)
    check_approach(approach)
    if approach in ("patches", "windows"):
        _check_for_cells(approach, points, least_squares, scaling, singular)
    if features is not None and approach is not None:
        raise ProblemError("give features or approach, not both: an approach chooses the functions")
    if problem.domain.is_unbounded:
        _check_for_open(features, points, singular)
        problem = transmission_problem(problem)
    _check_for_newton(problem, features, guess)
    request = Request.of(
        problem,
        tol,
        budget,
        rng,
        progress,
        points=points,
        method=least_squares or QR(),
        scaling=scaling,
        singular=singular,
        approach=approach,
    )
    with offering(partial(finish_quietly, request)):
        if approach == "windows" or (not problem.is_linear and is_long(request)):
            return solve_in_windows(request, guess)
        solved: RoundResult | History
        if not problem.is_linear:
            solved = solve_nonlinear(request, guess)
        elif features is not None:
            solved = solve_by_hand(request, features)
        else:
            solved = solve_automatically(request)
        return finish(request, solved)


def _check_for_cells(approach: str, points: Any, least_squares: Any, scaling: str, singular: Choice) -> None:
    """Refuse settings that cells ignore."""
    _refuse_ignored(
        f'with approach="{approach}": cells have points, scales and a QR factorisation of their own, and are halved '
        "toward corners instead; leave it out, or take another approach",
        points=points is not None,
        least_squares=least_squares is not None and not isinstance(least_squares, QR),
        scaling=scaling != "rms",
        singular=bool(singular),
    )


def _check_for_open(features: Any, points: Any, singular: Choice) -> None:
    """Refuse settings that functions of open domains ignore."""
    _refuse_ignored(
        "on an open domain: functions that radiate, and the points that suit them, follow from its objects; leave it "
        "out",
        features=features is not None,
        points=points is not None,
        singular=bool(singular),
    )


def _refuse_ignored(why: str, **given: bool) -> None:
    ignored = [name for name, is_given in given.items() if is_given]
    if ignored:
        raise ProblemError(f"{' and '.join(ignored)} cannot be chosen {why}")


def _check_for_newton(problem: Problem, features: Any, guess: Any) -> None:
    """Refuse a guess for a linear problem, and features chosen by hand for a nonlinear one."""
    if problem.is_linear:
        if guess is not None:
            raise ProblemError(
                "guess is where Newton's method begins; this problem is linear and needs none: leave it out"
            )
        return
    if features is not None:
        raise ProblemError(
            "functions chosen by hand are for linear problems; leave them out, or solve problem.linearised(iterate) "
            "with them, step by step"
        )
    as_iterate(problem, guess)  # which says what is wrong with it


def check_arguments(
    problem: Any, tol: Any, budget: Any, features: Any = None, points: Any = None, least_squares: Any = None
) -> None:
    """Refuse arguments of the wrong kind, each by name and with an example."""
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be an fs.Problem; got {problem!r}")
    if problem.open_symbols:
        raise ProblemError(need_values(problem, problem.open_symbols))
    check_settings(tol, budget, features, points, least_squares)


def check_settings(tol: Any, budget: Any, features: Any = None, points: Any = None, least_squares: Any = None) -> None:
    """Refuse settings of the wrong kind, whatever the problem is."""
    least = np.finfo(float).resolution
    if isinstance(tol, bool) or not isinstance(tol, int | float | np.number) or not least <= tol < 1:
        raise ProblemError(f"tol must be a number from {least:g} to 1; got {tol!r}")
    for name, value, kind, example in (
        ("features", features, Family, "fs.FrequencyShift(2000, mu=(5, 100))"),
        ("points", points, Points, "fs.Points(interior=4000, boundary=400)"),
        ("least_squares", least_squares, LeastSquares, "fs.QR()"),
        ("budget", budget, Budget, "fs.Budget(seconds=60)"),
    ):
        if value is not None and not isinstance(value, kind):
            raise ProblemError(f"{name} must be an object such as {example}; got {value!r}")


# ---- Many similar problems, one after the other


@final
class Series:
    """Solves as `solve` does, but begins each problem with the functions that solved the one before.

    Most problems then need a single round. Each has its own rows, error estimate and verdict; where the first functions
    are not good enough, others are tried as in any solve. The seed of features and points is the same for every
    problem.
    """

    def __init__(self, tol: float, budget: Budget, seed: int) -> None:
        self._tol, self._budget, self._seed = tol, budget, seed
        self._before: History | None = None

    def solve(self, problem: Problem) -> Solution:
        """The solution of the next problem; an `AccuracyWarning` says why its estimate does not meet the tolerance."""
        # the last solution would decide which one of a nonlinear problem is found; media add unknowns
        if not problem.is_linear or has_media(problem):
            return solve(problem, tol=self._tol, budget=self._budget, rng=self._seed)
        check_arguments(problem, self._tol, self._budget)
        request = Request.of(problem, self._tol, self._budget, self._seed)
        self._before = solve_automatically(request, self._before)
        return finish(request, self._before)


# ---- prepare(): factor once, then solve for many right-hand sides


@final
@dataclass(frozen=True, eq=False, repr=False)
class Prepared:
    """A solved problem whose factorisation serves for other data.

    Attributes
    ----------
    problem : Problem
    solution : Solution
        For the data it was prepared with; their band decided the features.
    """

    problem: Problem
    solution: Solution
    _factored: Factored
    _examination: Examination
    _budget: Budget
    _singular: Choice = None
    _progress: bool | Progress | None = None
    _with_source: list[Prepared] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"Prepared({self.solution!r})"

    def solve(
        self, right_hand_side: Value | Sequence[Value] | None = None, values: Mapping[str, Any] | None = None
    ) -> Solution:
        """Solve with other data, at a small fraction of the cost.

        Parameters
        ----------
        right_hand_side : number, Expr or callable, optional
            The right-hand side f of the equation read as ``operator(u) = f``; for a system a list of them, one for
            each equation. Unchanged by default. If the problem was prepared without one, the first costs another
            preparation, as features that satisfy the equation without it do not serve.
        values : mapping, optional
            New values of conditions, by block name (``"dirichlet x-"``, or ``"dirichlet x- u"`` with several unknowns)
            or kind (``"dirichlet"``): numbers, expressions or callables; for ``"measured"`` an array too. With several
            unknowns also mappings from those that get new ones: ``{"dirichlet": {u: 1}}``.

        Returns
        -------
        Solution
            With its own error estimate: data of a higher band than those it was prepared with are noticed,
            with an `AccuracyWarning`.
        """
        return self._solve_each([with_data(self.problem, right_hand_side, values)])[0]

    def solve_many(self, data: Sequence[Mapping[str, Any]]) -> list[Solution]:
        """Solve with several sets of other data, which go through the factors together.

        If the problem was prepared without a right-hand side, those with one go through those of another preparation.

        Parameters
        ----------
        data : sequence of mappings
            The arguments of `solve` for each: ``[{"right_hand_side": f}, {"values": {"dirichlet": g}}]``.

        Returns
        -------
        list of Solution
        """
        known = {"right_hand_side", "values"}
        for number, each in enumerate(data):
            if not isinstance(each, Mapping) or not known.issuperset(each):
                example = '{"right_hand_side": f, "values": {"dirichlet": g}}'
                raise ProblemError(f"data[{number}] must be a mapping such as {example}; got {each!r}")
        return self._solve_each([with_data(self.problem, **each) for each in data])

    def _solve_each(self, problems: Sequence[Problem], stacklevel: int = 5) -> list[Solution]:
        """The solutions; a warning about one is for the caller of so many functions above."""
        finite, blocks = self._examination.discretisation, self._examination.blocks
        lacks = [finite.satisfies_equation and not problem.is_homogeneous for problem in problems]
        held, others = (
            [each for each, own in zip(problems, lacks, strict=True) if own is way] for way in (False, True)
        )
        found, further = [], list[Solution]()
        if held:
            values = np.stack([finite.with_problem(problem).values(blocks) for problem in held], axis=1)
            coefficients, seconds = timed(lambda: self._factored.solve(values))
            for problem, own in zip(held, np.ascontiguousarray(coefficients.T), strict=True):
                found.append(self._judged(problem, own, seconds / len(held), stacklevel))
        if others:
            further = self._prepared_with_source(others[0])._solve_each(others, stacklevel + 1)
        return [further.pop(0) if lack else found.pop(0) for lack in lacks]

    def _prepared_with_source(self, problem: Problem) -> Prepared:
        """What serves right-hand sides, which the functions do not hold: another preparation, once."""
        if not self._with_source:
            tol, rng = self.solution.report.tol, self.solution.report.rng
            settings: dict[str, Any] = {"budget": self._budget, "progress": self._progress, "singular": self._singular}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", AccuracyWarning)  # the solve that follows warns
                self._with_source.append(prepare(problem, tol=tol, rng=rng, **settings))
        return self._with_source[0]

    def _judged(self, problem: Problem, coefficients: NumberArray, solving: float, stacklevel: int) -> Solution:
        """The solution with these coefficients, with its estimate and verdict."""
        tol, examination = self.solution.report.tol, self._examination
        discretisation = examination.discretisation
        estimate, estimating = timed(lambda: examination.settled(examination.estimate(coefficients, problem), tol))
        ending = "these data need another band than those that were prepared for; solve them by themselves"
        constraints = zip(problem.constraints, self.problem.constraints, strict=True)
        is_renewed = any(one.value is not other.value for one, other in constraints)
        missed = missed_jumps(problem if is_renewed else self.problem, discretisation.basis)
        if missed:
            (x, y), estimate = missed[0], replace(estimate, relative=math.inf, largest=math.inf, unresolved=None)
            where = f"values jump at ({x:.6g}, {y:.6g}), where those that were prepared for do not"
            ending = f"{where}; solve them by themselves"
        verdict = judge(problem, estimate, tol, ending)
        report = replace(
            judged(self.solution.report, problem, estimate, verdict),
            residuals=dict(estimate.residuals),
            coefficient_norm=safe_norm(coefficients),
            seconds={"solve": solving, "estimate": estimating},
            bands={},
            rounds=(),
            sampled=tuple(str(look) for look in find_narrow(problem).looks),
        )
        warn_unless(verdict, stacklevel=stacklevel)
        return Solution(problem, discretisation.basis, coefficients, report, estimate)


def prepare(
    problem: Problem,
    *,
    tol: float = 1e-8,
    budget: Budget | None = None,
    rng: int | np.random.Generator | None = None,
    progress: bool | Progress | None = None,
    singular: Choice = None,
    approach: Approach | None = None,
) -> Prepared:
    """Solve a problem automatically and keep its factorisation for further right-hand sides and data.

    The band of the data given here decides the features: prepare with the most oscillating of the data to come.

    Parameters
    ----------
    problem, tol, budget, rng, progress, singular, approach
        As for `solve`.

    Returns
    -------
    Prepared
    """
    check_arguments(problem, tol, budget)
    check_singular(singular)
    check_approach(approach)
    if problem.domain.is_unbounded:
        raise ProblemError("prepare is for bounded domains; solve an open one again for other data, fs.solve(problem)")
    request = Request.of(problem, tol, budget, rng, progress, singular=singular, approach=approach, reuse=True)
    history = solve_automatically(request)
    kept = history.best.reusable
    if kept is None:
        raise SolveError("the factorisation was not kept")
    solution = finish(request, history)
    examination = kept.examination.for_many(request.streams.probes)
    return Prepared(problem, solution, kept.factored, examination, request.budget, singular, progress)


# ---- Solution.refine(): the same problem to more digits, from where a solve has ended

# Attributes of requests that are also arguments of `solve`.
_SETTINGS = ("tol", "budget", "progress", "points", "scaling", "singular", "approach")


def refine(
    solution: Solution, tol: float, *, budget: Budget | None = None, progress: Progress | bool | None = None
) -> Solution:
    """The function behind `Solution.refine`."""
    check_settings(tol, budget)
    _check_refinable(solution)
    if solution.error_estimate <= tol:
        why = judge(solution.problem, solution.estimate, tol, "").reason
        return replace(solution, report=replace(solution.report, tol=tol, converged=True, reason=why))
    request, record = solution._origin or _origin_of_loaded(solution)
    streams = deepcopy(record.streams) or request.streams  # as a solve with this tolerance would begin with
    own = replace(request, tol=tol, budget=budget or request.budget, streams=streams, progress=reporter(progress))
    with offering(partial(_better_one, solution, tol), "solution"):
        found = _better_one(solution, tol, _refined(solution, own, record))
    if not found.converged:
        warnings.warn(f"not converged: {found.report.reason}", AccuracyWarning, stacklevel=3)
    return found


def _refined(solution: Solution, request: Request, record: Record) -> Solution:
    """Go on with the rounds of a linear problem; or solve again, with the solution as the guess if nonlinear."""
    if record.strategy is not None:
        with offering(partial(finish_quietly, request)):
            return finish(request, solve_automatically(request, coarser=record), quietly=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)  # the caller warns
        settings: dict[str, Any] = {name: getattr(request, name) for name in _SETTINGS}
        guess = None if solution.problem.is_linear else solution
        return solve(solution.problem, rng=request.seed, least_squares=request.method, guess=guess, **settings)


def _better_one(solution: Solution, tol: float, found: Solution | None) -> Solution:
    """The better one of both solutions; the old one with the verdict for the new tolerance, which it misses."""
    if found is not None and found.error_estimate < solution.error_estimate:
        return found
    cut = f"the error estimate {solution.error_estimate:.1e} misses the tolerance {tol:.0e}: {INTERRUPTED}"
    why = cut if found is None else found.report.reason
    return replace(solution, report=replace(solution.report, tol=tol, converged=False, reason=why))


def _origin_of_loaded(solution: Solution) -> tuple[Request, Record]:
    """Where to go on from a solution that was loaded: with its cells, for a linear problem of one material."""
    problem, basis, report = solution.problem, solution.basis, solution.report
    streams, seed = Streams.spawned(report.rng)
    request = Request(problem, report.tol, Budget(), streams, seed, approach="windows" if report.windows else None)
    record = Record(request.budget)
    is_whole = problem.is_linear and not report.windows
    if is_whole and isinstance(basis, CellBasis) and isinstance(basis.frames, Frames):
        tiling = tile_as(problem.domain, basis.frames)
        patchwork = Patchwork(problem, tiling, basis.degrees, basis.scales, request.threads)
        record.strategy = Cells(request, patchwork)
    return request, record


def _check_refinable(solution: Solution) -> None:
    """Refuse solutions that another solve would not reproduce."""
    problem, report = solution.problem, solution.report
    why = ""
    if solution.caption or (problem.is_linear and not problem.relations):
        why = "it is a part of a solution; refine the whole one, and take the part of that"
    elif not report.rounds:
        why = "its functions were chosen by hand, and say nothing of others; solve again, without them or with more"
    elif problem.is_linear and problem.constraints and not _has_data(problem):
        why = "it is a mode, or zero: the problem has no data; call fs.eigenmodes with a smaller tol"
    if why:
        raise ProblemError(f"this solution cannot be refined: {why}")


def _has_data(problem: Problem) -> bool:
    rng = np.random.default_rng(0)  # only looks
    sampled = (each.values(each.sample(50, rng, "low-discrepancy")) for each in problem.relations)
    return (problem.domain.is_unbounded and bool(incident_of(problem))) or any(map(np.any, sampled))
