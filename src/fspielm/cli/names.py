"""Names typed by people: the right one, or the nearest ones."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from fspielm.errors import ProblemError


def choose(kind: str, name: str, choices: Sequence[str]) -> str:
    """`name` if it is one of `choices`; otherwise an error with the nearest of them, or all."""
    if name in choices:
        return name
    near = nearest(name, choices)
    remedy = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(choices)}"
    raise ProblemError(f"unknown {kind} {name!r}; {remedy}")


def nearest(name: str, choices: Sequence[str], most: int = 3) -> list[str]:
    """The choices that contain `name`, or else those spelled like it; nearest first."""
    wanted = name.strip().lower()
    containing = [choice for choice in choices if wanted and (wanted in choice or choice in wanted)]
    return containing[:most] or get_close_matches(wanted, choices, most, 0.5)
