"""Join the solutions of all windows, with an error estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from fspielm.arrays import FloatArray, safe_norm
from fspielm.cells.basis import CellBasis, stack_cells
from fspielm.collocation.system import BlockResidual
from fspielm.estimate.estimate import NO_DIGITS, ErrorEstimate, FieldEstimate, Verdict, together
from fspielm.geometry.time import Time
from fspielm.solution.report import Report, Window
from fspielm.solution.solution import Solution
from fspielm.solvers.driver import judged
from fspielm.solvers.request import Request


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
