"""What the marks say."""

from __future__ import annotations

from fspielm.study.reports.analysis import LABELS, Cell, Spread
from fspielm.study.reports.markup import plain
from fspielm.wording import duration


def name(cell: Cell) -> str:
    """A method with its range of frequencies."""
    mu = cell.job.mu
    return LABELS[cell.job.method] + ("" if mu is None else f" [{mu[0]:g}, {mu[1]:g}]")


def tip(cell: Cell) -> str:
    """A cell in one line."""
    said = [f"{name(cell)}: {numbers(cell.error)}" if cell.error else f"{name(cell)}: {_nothing(cell)}"]
    if cell.seconds is not None:
        said.append(f"{duration(cell.seconds.mean)} each")
    if cell.error and cell.failed:
        said.append(f"{cell.failed} failed")
    if cell.error and cell.not_finite:
        said.append(f"{cell.not_finite} not finite")
    return "; ".join(said)


def numbers(error: Spread) -> str:
    """Errors in one line."""
    if error.count == 1:
        return f"{plain(error.best)} (one seed)"
    return (
        f"best {plain(error.best)}, mean {plain(error.mean)}, worst {plain(error.worst)}, "
        f"deviation {plain(error.std)} over {error.count} seeds"
    )


def _nothing(cell: Cell) -> str:
    if not cell.rows:
        return "not solved yet"
    if cell.not_finite:
        return "not finite"
    reason = next(row.outcome.message for row in cell.rows if not row.done)
    return f"failed: {reason}"
