"""What pictures of domains share: matplotlib, colours, and where arrows stand."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.sites import Sites

# Okabe and Ito's colours, told apart by everyone, without the yellow that white paper swallows.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#666666")
INK = "#222222"
INTERIOR = "#e8eef4"
DOTS = "#5b6b7b"


def require_matplotlib() -> None:
    """Refuse, with the remedy, if matplotlib is not installed."""
    if not has_matplotlib():
        raise ProblemError('pictures need matplotlib: pip install "fspielm[plot]"')


def has_matplotlib() -> bool:
    """Whether it is installed."""
    return find_spec("matplotlib") is not None


def spread_sites(part: BoundaryPart, n: int) -> Sites:
    """About `n` sites of a part, evenly spread."""
    if part.parameters == 1:
        return part.at(((np.arange(n) + 0.5) / n)[:, None])
    return part.sample(n, np.random.default_rng(0), "low-discrepancy")
