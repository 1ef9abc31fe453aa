"""How long a step takes."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")


def timed(step: Callable[[], T]) -> tuple[T, float]:
    """The result of `step` and the seconds it took."""
    start = perf_counter()
    result = step()
    return result, perf_counter() - start
