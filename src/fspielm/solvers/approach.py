"""What the kinds of features are called."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from fspielm.errors import ProblemError

Approach: TypeAlias = Literal["characteristic", "thin", "band", "patches", "windows"]

APPROACHES: tuple[Approach, ...] = get_args(Approach)


def check_approach(approach: Any) -> None:
    """Refuse an unknown approach by name."""
    if approach is not None and approach not in APPROACHES:
        raise ProblemError(
            f"approach must be one of {list(APPROACHES)}, or None for the cheapest that is good enough; "
            f"got {approach!r}"
        )
