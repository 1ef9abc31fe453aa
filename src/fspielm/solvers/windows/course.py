"""One window in time after the other, each from where the last one ended."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, final

import numpy as np

from fspielm.accuracy import Verdict
from fspielm.collocation import Finite
from fspielm.deadline import Deadline
from fspielm.errors import OutOfTime, ProblemError, SolveError
from fspielm.geometry import Time
from fspielm.solution import Solution
from fspielm.solvers.automatic import solve_automatically
from fspielm.solvers.request import Request
from fspielm.solvers.so_far import INTERRUPTED, offering
from fspielm.solvers.finish import finish, finish_quietly, warn_unless
from fspielm.solvers.windows.joined import Piece, join_pieces
from fspielm.solvers.windows.pace import first_length, next_length
from fspielm.solvers.windows.rest import held_until
from fspielm.solvers.windows.transfer import measure_transfer
from fspielm.solvers.windows.uncertain import Uncertain
from fspielm.solvers.windows.window import Held, check_windows, guess_at_start, order_in_time, problem_during
from fspielm.wording import OUT_OF_TIME

# What each window is to reach, of what all of them are to; where they miss it, by so much less than they do.
_SHARE, _LEAST_TOLERANCE, _FURTHER = 0.1, 1e-13, 4.0
# They then take so many times as long, at most; and so often they are tried.
_DEARER, _PASSES = 3.0, 3
# So many times a window is halved, if nothing is found on it.
_HALVINGS = 4
# More windows than this are taken by itself; fewer in time alone, where each is cheap.
_MANY, _MANY_ALONE = 5, 2
# Of the time given, a first window of which nothing is known.
_UNKNOWN = 1 / 8
# Windows that are as long as what is left, but for rounding.
_SLACK = 1e-9


def is_long(request: Request) -> bool:
    """Whether a nonlinear problem in time, in one dimension or none, is long enough to be solved in windows by itself.

    Waves are not: Newton's method seldom loses its way in them.
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

    All of them once more, to more digits, where errors have grown from window to window and there is time for it.
    """
    check_windows(request.problem)
    deadline, share = Deadline.within(request.budget.seconds), _SHARE
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
        if share * request.tol < _LEAST_TOLERANCE:
            break
        if windows.deadline.seconds_left < _DEARER * (before - windows.deadline.seconds_left):
            break
    assert best is not None  # there was one pass
    warn_unless(Verdict(best.converged, best.report.reason), stacklevel=5)
    return best


def _so_far(windows: _Windows, best: Solution | None, found: Solution | None) -> Solution | None:
    """What an earlier pass has found; or the windows that are solved, or what was found of the first one."""
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
        if windows.are_lost:
            windows.pieces = windows.held(windows.pieces, OUT_OF_TIME)
            break
        number = max(int(np.ceil(left / length - _SLACK)), 1)
        during = Time(start, time.end if number == 1 else start + left / number)
        try:
            solution, finite = windows.solve(during, guess)
        except SolveError:  # without any round in the time that was left
            if not windows.pieces or windows.deadline.seconds_left > 0:
                raise
            continue
        if not np.isfinite(solution.error_estimate) and halvings < _HALVINGS and windows.deadline.seconds_left > 0:
            length, halvings = during.duration / 2, halvings + 1
            continue
        windows.keep(during, solution, finite, began)
        start, length, halvings = during.end, next_length(problem, solution), 0
    return join_pieces(windows.request, windows.pieces)


@final
@dataclass(eq=False)
class _Windows:
    """Those that are solved, one after the other, and what is not certain of the last one."""

    request: Request
    deadline: Deadline
    share: float
    pieces: tuple[Piece, ...] = ()
    uncertain: Uncertain | None = None

    @property
    def are_lost(self) -> bool:
        """Whether there is no time for others, or nothing to begin them with."""
        if not self.pieces:
            return False
        return self.deadline.seconds_left <= 0 or not np.isfinite(self.pieces[-1].solution.error_estimate)

    def solve(self, during: Time, guess: Any) -> tuple[Solution, Finite]:
        """The problem on the next window; `guess` is for the first one."""
        request, budget = self.request, self.request.budget
        before = self.pieces[-1].solution if self.pieces else None
        problem = problem_during(request.problem, during, before)
        if budget.seconds is not None:
            budget = replace(budget, seconds=max(self.deadline.seconds_left, 1e-3))
        tol = max(self.share * request.tol, _LEAST_TOLERANCE)
        own = replace(request, problem=problem, tol=tol, approach="patches", budget=budget)
        with offering(partial(finish_quietly, own)):
            if problem.is_linear:
                course = solve_automatically(own)
            else:
                from fspielm.solvers.newton import solve_nonlinear  # which linear problems do not need

                if before is not None:
                    guess = Held(before, during.start, order_in_time(problem))
                elif guess is None:
                    guess = guess_at_start(problem) or None
                course = solve_nonlinear(own, guess, before)
        return finish(own, course, quietly=True), course.best.discretisation

    def held(self, pieces: tuple[Piece, ...], why: str) -> tuple[Piece, ...]:
        """Pieces, with what stands for windows after them that are not solved."""
        problem, last = self.request.problem, pieces[-1]
        assert problem.domain.time is not None
        if last.during.end >= problem.domain.time.end:
            return pieces
        rest = Time(last.during.end, problem.domain.time.end)
        return (*pieces, _uncertain(rest, held_until(problem, rest, last.solution, why)))

    def keep(self, during: Time, solution: Solution, finite: Finite, began: float) -> None:
        """One more, with what errors of those before make in it; it is told."""
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
