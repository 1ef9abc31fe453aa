"""Independent streams of random numbers from one seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from fspielm.errors import ProblemError


@final
@dataclass(frozen=True, eq=False)
class Streams:
    """Independent random numbers for features, for points, and for everything that only looks."""

    features: np.random.Generator
    points: np.random.Generator
    probes: np.random.Generator

    @classmethod
    def spawned(cls, rng: Any) -> tuple[Streams, int | None]:
        """The streams of a solve, and the seed that would give them again."""
        generators, seed = spawn(rng, 3)
        return cls(*generators), seed


def spawn(rng: Any, count: int) -> tuple[list[np.random.Generator], int | None]:
    """`count` independent generators, and the seed that would give them again.

    A seed gives the same generators every time; None draws a seed from the system; a `Generator` is spawned
    from, so that a second call with it gives others, and has no seed to report.
    """
    if isinstance(rng, np.random.Generator):
        return list(rng.spawn(count)), None
    if rng is None:
        rng = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if not isinstance(rng, int | np.integer) or isinstance(rng, bool) or rng < 0:
        raise ProblemError(f"rng must be a whole number >= 0, a numpy.random.Generator or None; got {rng!r}")
    children = np.random.SeedSequence(int(rng)).spawn(count)
    return [np.random.default_rng(child) for child in children], int(rng)
