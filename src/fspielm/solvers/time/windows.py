"""One window in time after the other: their lengths and problems, and their solutions joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import factorial
from time import perf_counter
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray, safe_norm, safe_rms
from fspielm.basis.evaluation.sums import evaluate_each
from fspielm.cells.basis import CellBasis, stack_cells
from fspielm.cells.tiling import tile
from fspielm.collocation.system import BlockResidual, Finite
from fspielm.errors import OutOfTime, ProblemError, SolveError
from fspielm.estimate.estimate import NO_DIGITS, ErrorEstimate, FieldEstimate, Verdict, together
from fspielm.geometry.boundary import Sites
from fspielm.geometry.time import SpaceTime, Time
from fspielm.numerics.tolerances import HALVINGS, ROUNDING, SAME
from fspielm.problem.further_conditions import Measured
from fspielm.problem.nonlinear.iterate import Iterate, as_iterate
from fspielm.problem.operator import Operator, derivative
from fspielm.problem.problem import Problem, compile_statement
from fspielm.problem.statement import Initial, Relation
from fspielm.resources import Deadline
from fspielm.solution.report import Report, Window
from fspielm.solution.solution import Solution
from fspielm.solvers.cells.refine import MOST_DEGREE
from fspielm.solvers.driver import finish, finish_quietly, judged, solve_automatically, warn_unless
from fspielm.solvers.newton.iteration import probes_in, values_of
from fspielm.solvers.newton.rounds import solve_nonlinear
from fspielm.solvers.request import FINER, INTERRUPTED, Request, offering, with_seconds
from fspielm.solvers.time.errors import Uncertain, measure_transfer
from fspielm.wording import OUT_OF_TIME

# ---- Join the solutions of all windows, with an error estimate


@final
@dataclass(frozen=True, eq=False)
class Piece:
    """A window that is solved.

    The `errors` are root mean squares for each unknown, with those from earlier windows; infinite if nothing is
    certain. The `growth` is the largest one of an error from the start to the end.
    """

    during: Time
    solution: Solution
    errors: FloatArray
    growth: float
    seconds: float

    @property
    def relative(self) -> float:
        """The error relative to the solution during the window."""
        fields = self.solution.estimate.fields
        each = [_with(field, error) for field, error in zip(fields, self.errors, strict=True)]
        problem = self.solution.problem
        return max(together([each[place] for place in problem.places(name)]).relative for name in problem.names)

    def told(self, number: int) -> Window:
        """The entry of the report."""
        return Window(number, self.during.start, self.during.end, self.relative, self.growth, self.seconds)


def _with(field: FieldEstimate, error: float) -> FieldEstimate:
    """The estimate with another root mean square error."""
    relative = error / (field.size - error) if error < NO_DIGITS * field.size else np.inf
    if not np.isfinite(relative):
        return replace(field, relative=np.inf, largest=np.inf)
    more = relative / field.relative if field.relative > 0 else 1.0
    return replace(field, relative=relative, largest=field.largest * more)


def join_pieces(request: Request, pieces: Sequence[Piece]) -> Solution:
    """One solution, with an estimate that includes errors from earlier windows."""
    cells = []
    for piece in pieces:
        assert isinstance(piece.solution.basis, CellBasis)  # each window has them
        cells.append((piece.solution.basis, piece.solution.coefficients))
    basis, coefficients = stack_cells(cells)
    estimate = _estimate(request, pieces, basis)
    verdict = _verdict(request, pieces, estimate)
    report = replace(_report(request, pieces, basis, verdict, estimate), coefficient_norm=safe_norm(coefficients))
    return Solution(request.problem, basis, coefficients, report, estimate)


def _estimate(request: Request, pieces: Sequence[Piece], basis: CellBasis) -> ErrorEstimate:
    problem, estimates = request.problem, [piece.solution.estimate for piece in pieces]
    shares = np.array([piece.during.duration for piece in pieces])
    shares = shares / shares.sum()
    fields = tuple(
        _field([each.fields[place] for each in estimates], np.array([piece.errors[place] for piece in pieces]), shares)
        for place in range(len(problem.unknowns))
    )
    whole = [together([fields[place] for place in problem.places(name)]) for name in problem.names]
    worst = max(whole, key=lambda field: field.relative)
    last = max(estimates, key=lambda each: each.amplification)
    return replace(
        last,
        relative=worst.relative,
        largest=max(field.largest for field in whole),
        residual=max(each.residual for each in estimates),
        data=max(each.data for each in estimates),
        rounding=worst.rounding,
        scale=worst.scale,
        growth=max(field.growth for field in whole),
        residuals=_largest(each.residuals for each in estimates),
        null=np.zeros(basis.size),
        fields=fields,
        cells=None,
    )


def _field(each: Sequence[FieldEstimate], errors: FloatArray, shares: FloatArray) -> FieldEstimate:
    """The estimate of an unknown from those of all windows."""

    def mean(numbers: Iterable[float]) -> float:
        return float(np.sqrt(np.sum(shares * np.array(list(numbers)) ** 2)))

    peaks = [_with(field, error) for field, error in zip(each, errors, strict=True)]
    whole = FieldEstimate(
        relative=1.0,
        largest=max(peak.largest for peak in peaks),
        rounding=max(field.rounding for field in each),
        scale=mean(field.scale for field in each),
        growth=max(field.growth for field in each),
        size=mean(field.size for field in each),
    )
    return replace(_with(whole, mean(errors)), largest=whole.largest)


def _largest(each: Iterable[Any]) -> dict[str, BlockResidual]:
    found: dict[str, BlockResidual] = {}
    for name, own in (block for residuals in each for block in residuals.items()):
        known = found.get(name, own)
        found[name] = BlockResidual(max(own.rms, known.rms), max(own.largest, known.largest))
    return found


def _verdict(request: Request, pieces: Sequence[Piece], estimate: ErrorEstimate) -> Verdict:
    tol, error = request.tol, estimate.relative
    if error <= tol:
        return Verdict(True, f"the error estimate {error:.1e} meets the tolerance {tol:.0e}")
    finding = f"the error estimate {error:.1e} misses" if np.isfinite(error) else "no digits are reliable; this misses"
    missed = next((piece for piece in pieces if not piece.relative <= tol), pieces[-1])
    until = f"the tolerance holds until {request.problem.coordinates[-1]} = {missed.during.start:.4g}"
    own = missed.solution.estimate.relative
    if own <= tol and np.isinf(missed.growth):  # errors are unknown from there on; the last window says why
        missed, own = pieces[-1], pieces[-1].solution.estimate.relative
    if not own <= tol:
        cause = f"of the window that follows, {missed.solution.report.reason}"
    else:
        cause = (
            "errors grow from window to window, and with them the last digits of each; ask for less time, or for fewer "
            "digits"
        )
    return Verdict(False, f"{finding} the tolerance {tol:.0e}: {until}; {cause}")


def _report(
    request: Request, pieces: Sequence[Piece], basis: CellBasis, verdict: Verdict, estimate: ErrorEstimate
) -> Report:
    reports = [piece.solution.report for piece in pieces]
    first = reports[0]

    def total(of: Callable[[Report], Any]) -> Any:
        return {name: sum(of(r).get(name, 0) for r in reports) for name in {n: 0 for r in reports for n in of(r)}}

    return replace(
        judged(first, request.problem, estimate, verdict),
        features=f"polynomials in cells, in {len(pieces)} windows in time",
        neurons=basis.size,
        rows=sum(report.rows for report in reports),
        points=total(lambda report: report.points),
        residuals=dict(estimate.residuals),
        rank=sum(report.rank for report in reports),
        condition=max(report.condition for report in reports),
        seconds=total(lambda report: report.seconds)
        | {"windows": sum(piece.seconds for piece in pieces) - sum(sum(r.seconds.values()) for r in reports)},
        tol=request.tol,
        rounds=tuple(done for report in reports for done in report.rounds),
        cells=len(basis.frames),
        tiling=basis.in_words,
        newton=tuple(step for report in reports for step in report.newton),
        windows=tuple(piece.told(number) for number, piece in enumerate(pieces, 1)),
    )


# ---- The problem of one window


def check_windows(problem: Problem) -> None:
    """Refuse problems that cannot be solved in windows, each with cells."""
    domain, statement = problem.domain, problem.statement
    reason = ""
    if domain.time is None:
        reason = "the domain has no time; write domain=space * fs.Time(start, end)"
    elif domain.dimension > 2:
        reason = f"each is solved with cells, which are for one dimension and time; this one has {domain.dimension}"
    elif problem.interfaces:
        reason = "they do not know materials yet"
    elif any(isinstance(condition, Measured) for condition in statement.conditions):
        reason = "measured values belong to one window or another; solve it as a whole"
    elif not any(isinstance(condition, Initial) for condition in statement.conditions):
        reason = "there is no fs.Initial to begin with"
    elif statement.origin is not None:
        reason = "the problem was made of another one; solve that"
    if reason:
        raise ProblemError(f'approach="windows" solves one window in time after the other: {reason}')


def problem_during(problem: Problem, during: Time, before: Solution | None) -> Problem:
    """The problem on a part of its time, which begins with the end of the solution before."""
    statement = problem.statement
    whole = statement.domain
    domain = whole.space * during if isinstance(whole, SpaceTime) else during
    conditions = statement.conditions
    if before is not None:
        conditions = tuple(_continued(before, one) if isinstance(one, Initial) else one for one in conditions)
    return compile_statement(replace(statement, domain=domain, conditions=conditions))


def _continued(before: Solution, condition: Initial) -> Initial:
    """The initial condition with the values at the end of a solution."""
    stated = before.problem.stated
    names = list(condition.value) if isinstance(condition.value, Mapping) else [stated.unknowns[0].symbol]
    orders = (0,) * (stated.dimension - 1) + (int(condition.order),)
    values = {stated.unknowns[stated.place(name)].symbol: stated.place(name) for name in names}
    carried = {symbol: partial(before.evaluate, derivative(orders).on(place)) for symbol, place in values.items()}
    return replace(condition, value=carried)


@final
@dataclass(frozen=True, eq=False)
class TaylorGuess:
    """A guess: the Taylor polynomial in time of a state, with time derivatives below an `order`, `at` a time."""

    state: Iterate
    at: float
    order: int

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> NumberArray:
        """T operators at n sites; shape ``(T, n)``."""
        points = sites.points.copy()
        points[:, -1] = self.at
        later, there = sites.points[:, -1] - self.at, replace(sites, points=points)
        needed = {(term.unknown, term.orders) for operator in operators for term in operator.terms}
        known = {}
        for unknown, orders in sorted(needed):
            total: NumberArray = np.zeros(len(sites))
            for order in range(orders[-1], self.order):
                power = order - orders[-1]
                own = derivative((*orders[:-1], order)).on(unknown)
                total = total + later**power / factorial(power) * self.state.evaluate_each([own], there)[0]
            known[unknown, orders] = total
        rows = [
            sum((term.at(sites) * known[term.unknown, term.orders] for term in operator.terms), np.zeros(len(sites)))
            for operator in operators
        ]
        return np.array(rows).reshape(len(operators), len(sites))


def guess_at_start(problem: Problem) -> dict[Any, Any]:
    """Taylor polynomials in time of the initial data, by unknown; callables without terms in time."""
    assert problem.domain.time is not None
    begin, now = problem.domain.time.start, problem.coordinates[-1]
    stated = problem.stated
    found: dict[Any, Any] = {}
    given = [condition for condition in problem.statement.conditions if isinstance(condition, Initial)]
    for condition in sorted(given, key=lambda one: one.order):
        value, power = condition.value, int(condition.order)
        each = value if isinstance(value, Mapping) else {stated.unknowns[0].symbol: value}
        for name, own in each.items():
            symbol = stated.unknowns[stated.place(name)].symbol
            before = found.get(symbol, 0)
            if callable(own) and not power:
                found[symbol] = own
            elif not callable(own) and not callable(before):
                later = (now - begin) ** power / factorial(power)
                found[symbol] = before + later * sp.sympify(own).subs(now, begin)
    return found


def order_in_time(problem: Problem) -> int:
    """The number of initial data: one more than the highest order of an initial condition."""
    return 1 + max(int(one.order) for one in problem.statement.conditions if isinstance(one, Initial))


# ---- The length of a window

# A window lasts so many times the time in which a solution changes: Newton's method starts from a constant state.
_CHANGES = 2.0
# The least varying part of a solution, relative to its size; the rest is constant in space.
_VARIES = 0.1
# The shortest window, relative to all of the time.
_SHORTEST = 1e-4


def first_length(problem: Problem, varies: float = _VARIES) -> float | None:
    """The length of the first window, from the residual of the initial data; None if these say nothing.

    At least a share `varies` of the data counts as varying.
    """
    time, stated = problem.domain.time, problem.stated
    assert time is not None
    try:
        guess = as_iterate(problem, guess_at_start(problem) or None)
        points = probes_in(problem).points
        points[:, -1] = time.start
        values = guess.evaluate_each(values_of(stated), Sites(points))
        left = problem.residual(guess, points).reshape(len(points), -1)
    except ProblemError:  # something has no value at the start
        return None
    equations = [relation for relation in stated.pattern if relation.region.kind == "domain"]
    changes = [_size_over_rate(values, own, varies) for own in left.T]
    times = [_time_of_change(own, each, points) for own, each in zip(equations, changes, strict=True)]
    known = [each for each in times if each is not None]
    return _window_length(min(known), time.duration) if known and np.any(values) else None


def next_length(problem: Problem, before: Solution) -> float:
    """The length of a window after one that is solved."""
    time, stated = problem.domain.time, problem.stated
    assert time is not None
    later = derivative((0,) * (problem.dimension - 1) + (1,))
    values = values_of(stated)
    rates = [later.on(place) for place in range(len(values))]
    found = before.evaluate_each([*values, *rates], probes_in(before.problem))
    change = min(_size_over_rate(found[: len(values)], own, _VARIES) for own in found[len(values) :])
    return _window_length(change, time.duration) if np.isfinite(change) else time.duration


def _time_of_change(equation: Relation, change: float, points: NumberArray) -> float | None:
    """The time in which a solution changes by its own size; `change` is that size over the residual of an equation."""
    terms = [term for term in equation.operator.terms if term.orders[-1] == term.order > 0]
    if not terms:
        return None
    highest = max(term.order for term in terms)
    leading = sum(safe_rms(np.abs(term.at(Sites(points)))) for term in terms if term.order == highest)
    return float((leading * change) ** (1 / highest)) if np.isfinite(change) else None


def _size_over_rate(values: NumberArray, rates: NumberArray, varies: float) -> float:
    """The size of unknowns ``(U, n)`` over that of rates ``(n,)``, infinite if nothing changes.

    Constant parts are compared separately: a large constant does not slow down a small pulse.
    """
    size = max(safe_rms(own) for own in values)
    varying = max(varies * size, *(safe_rms(own - own.mean()) for own in values))
    each = (size, safe_rms(rates)), (varying, safe_rms(rates - rates.mean()))
    return min((whole / rate for whole, rate in each if rate > 0), default=np.inf)


def _window_length(change: float, duration: float) -> float:
    return float(np.clip(_CHANGES * change, _SHORTEST * duration, duration))


# ---- Time that no window was solved for


def held_constant(problem: Problem, during: Time, before: Solution, why: str) -> Solution:
    """The state at the end of a solution, held constant, without an error estimate; and why."""
    rest = problem_during(problem, during, before)
    degrees = np.array([[MOST_DEGREE] * (problem.dimension - 1) + [0]])
    frames = tile(rest.domain, (1,) * problem.dimension).frames
    unit = np.cos(np.pi * (np.arange(MOST_DEGREE + 1) + 0.5) / (MOST_DEGREE + 1))
    points = np.full((len(unit) if problem.dimension > 1 else 1, problem.dimension), during.start)
    if problem.dimension > 1:
        points[:, 0] = 0.5 * ((1 - unit) * frames.lower[0, 0] + (1 + unit) * frames.upper[0, 0])
    values = evaluate_each(before.basis, before.coefficients, values_of(rest), Sites(points), threads=1)
    if problem.dimension > 1:
        values = np.stack([np.polynomial.chebyshev.chebfit(unit, own, MOST_DEGREE) for own in values])
    fields = tuple(replace(field, relative=np.inf, largest=np.inf) for field in before.estimate.fields)
    estimate = replace(before.estimate, relative=np.inf, largest=np.inf, fields=fields)
    report = replace(before.report, reason=why, rounds=(), newton=(), seconds={}, rows=0, points={}, rank=0)
    basis = CellBasis(frames, degrees, (1.0,) * len(rest.unknowns))
    return Solution(rest, basis, values.ravel(), report, estimate)


# ---- One window after the other

# If all windows together miss the tolerance by a factor, the next pass reduces theirs by so many times that factor.
_FURTHER = 4.0
# Another pass takes at most so many times as long; and the number of passes.
_DEARER, _PASSES = 3.0, 3
# Windows are chosen automatically if there are more than this, or, for problems in time alone, more than the second.
_MANY, _MANY_ALONE = 5, 2
# The first window, relative to all of the time, if nothing is known.
_UNKNOWN = 1 / 8


def is_long(request: Request) -> bool:
    """Whether to solve a nonlinear problem in time, in at most one space dimension, in windows without being asked.

    Wave equations are not, since Newton's method seldom fails for them.
    """
    problem = request.problem
    if problem.dimension > 2 or problem.domain.time is None or request.approach is not None:
        return False
    try:
        check_windows(problem)
    except ProblemError:
        return False
    if order_in_time(problem) > 1:
        return False
    length, many = first_length(problem, varies=1.0), _MANY if problem.dimension == 2 else _MANY_ALONE
    return length is not None and problem.domain.time.duration > many * length


def solve_in_windows(request: Request, guess: Any = None) -> Solution:
    """Solve window by window; `guess` is for the first one.

    Where errors have grown from window to window, all of them are solved again to more digits, if there is time.
    """
    check_windows(request.problem)
    deadline, share = Deadline.within(request.budget.seconds), FINER
    best = None
    for _ in range(_PASSES):
        windows = _Windows(request, deadline, share)
        before = windows.deadline.seconds_left
        try:
            with offering(partial(_so_far, windows, best)):
                done = _pass_through(windows, guess)
        except SolveError:
            if best is None:
                raise
            break
        missed = done.error_estimate / request.tol
        if best is None or missed * request.tol < best.error_estimate:
            best = done
        if missed <= 1 or not np.isfinite(missed):
            break
        share /= _FURTHER * missed
        if share * request.tol < ROUNDING:
            break
        if windows.deadline.seconds_left < _DEARER * (before - windows.deadline.seconds_left):
            break
    assert best is not None  # there was one pass
    warn_unless(Verdict(best.converged, best.report.reason), stacklevel=5)
    return best


def _so_far(windows: _Windows, best: Solution | None, found: Solution | None) -> Solution | None:
    """The result of an earlier pass; or the windows that are solved, or the first one as far as it is."""
    pieces = windows.pieces
    if not pieces and found is not None and found.problem.domain.time is not None:
        pieces = (_uncertain(found.problem.domain.time, found),)
    return best if best is not None or not pieces else join_pieces(windows.request, windows.held(pieces, INTERRUPTED))


def _uncertain(during: Time, solution: Solution) -> Piece:
    return Piece(during, solution, np.full(len(solution.estimate.fields), np.inf), np.inf, 0.0)


def _pass_through(windows: _Windows, guess: Any) -> Solution:
    """One window after the other."""
    problem, time = windows.request.problem, windows.request.problem.domain.time
    assert time is not None
    start, length, halvings = time.start, first_length(problem) or _UNKNOWN * time.duration, 0
    while start < time.end:
        began, left = perf_counter(), time.end - start
        if windows.must_end:
            windows.pieces = windows.held(windows.pieces, OUT_OF_TIME)
            break
        number = max(int(np.ceil(left / length - SAME)), 1)
        during = Time(start, time.end if number == 1 else start + left / number)
        try:
            solution, finite = windows.solve(during, guess)
        except SolveError:  # without any round in the time that was left
            if not windows.pieces or windows.deadline.seconds_left > 0:
                raise
            continue
        if not np.isfinite(solution.error_estimate) and halvings < HALVINGS and windows.deadline.seconds_left > 0:
            length, halvings = during.duration / 2, halvings + 1
            continue
        windows.keep(during, solution, finite, began)
        start, length, halvings = during.end, next_length(problem, solution), 0
    return join_pieces(windows.request, windows.pieces)


@final
@dataclass(eq=False)
class _Windows:
    """The windows that are solved, and the uncertainty of the last one."""

    request: Request
    deadline: Deadline
    share: float
    pieces: tuple[Piece, ...] = ()
    uncertain: Uncertain | None = None

    @property
    def must_end(self) -> bool:
        """Whether there is no time for further windows, or nothing to begin them with."""
        if not self.pieces:
            return False
        return self.deadline.seconds_left <= 0 or not np.isfinite(self.pieces[-1].solution.error_estimate)

    def solve(self, during: Time, guess: Any) -> tuple[Solution, Finite]:
        """The problem on the next window; `guess` is for the first one."""
        request, before = self.request, self.pieces[-1].solution if self.pieces else None
        problem = problem_during(request.problem, during, before)
        budget = with_seconds(request.budget, self.deadline.seconds_left)
        tol = max(self.share * request.tol, ROUNDING)
        own = replace(request, problem=problem, tol=tol, approach="patches", budget=budget)
        with offering(partial(finish_quietly, own)):
            if problem.is_linear:
                history = solve_automatically(own)
            else:
                if before is not None:
                    guess = TaylorGuess(before, during.start, order_in_time(problem))
                elif guess is None:
                    guess = guess_at_start(problem) or None
                history = solve_nonlinear(own, guess, before)
        return finish(own, history, quietly=True), history.best.discretisation

    def held(self, pieces: tuple[Piece, ...], why: str) -> tuple[Piece, ...]:
        """Pieces, and a constant state for the time after them."""
        problem, last = self.request.problem, pieces[-1]
        assert problem.domain.time is not None
        if last.during.end >= problem.domain.time.end:
            return pieces
        rest = Time(last.during.end, problem.domain.time.end)
        return (*pieces, _uncertain(rest, held_constant(problem, rest, last.solution, why)))

    def keep(self, during: Time, solution: Solution, finite: Finite, began: float) -> None:
        """Add a solved window, with the errors from those before, and report it."""
        known = self.uncertain if self.pieces else None
        transfer = None
        if (known is not None or not self.pieces) and np.isfinite(solution.error_estimate):
            with suppress(OutOfTime), self.deadline.enforced():
                transfer = measure_transfer(finite, solution.coefficients, self.request.method)
        if transfer is None:
            self.uncertain, growth = None, np.inf  # and so is all that follows
            errors = np.full(len(solution.estimate.fields), np.inf)
        else:
            first = Uncertain.first(transfer, solution)
            self.uncertain = first if known is None else known.followed(transfer, solution)
            errors, growth = self.uncertain.errors, transfer.growth
        piece = Piece(during, solution, errors, growth, perf_counter() - began)
        self.pieces += (piece,)
        self.request.progress(piece.told(len(self.pieces)))
