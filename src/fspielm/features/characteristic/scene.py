"""What the laws of characteristic frequencies need to know about a domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.geometry import Domain, Time

# Points on the boundary: between them a function of a thousand e-foldings across grows by a few percent.
_OUTLINE = 1000


@final
@dataclass(frozen=True, eq=False)
class Scene:
    """Size and outline of a domain.

    Attributes
    ----------
    center : (d,) array
        The middle of the bounding box.
    outline : (n, d) array
        Points of the boundary relative to the center, all extreme ones among them, up to the spacing.
    """

    center: FloatArray
    outline: FloatArray

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self.center)

    def radius(self, axes: tuple[int, ...]) -> float:
        """The largest distance from the center, along some of the axes."""
        return float(np.linalg.norm(self.outline[:, axes], axis=1).max())

    def peaks(self, W: ComplexArray) -> FloatArray:
        """The largest ``log |exp(i w x)|`` on the domain, relative to its value in the center; shape ``(M,)``."""
        return np.asarray(np.max(-(W.imag @ self.outline.T), axis=1))


def scene_of(domain: Domain) -> Scene:
    """Look at a domain; with time, its lateral boundary at all times has every extreme point."""
    lower, upper = domain.bounding_box
    center = 0.5 * (lower + upper)
    rng = np.random.default_rng(0)  # only looks: the same for the same domain
    parts = domain.boundary()
    if isinstance(domain, Time):
        return Scene(center, np.stack([lower, upper]) - center)
    if domain.time is None:
        outline = [part.sample(_OUTLINE, rng, "clustered").points for part in parts]
        return Scene(center, np.concatenate(outline) - center)
    points = np.concatenate([part.sample(_OUTLINE, rng, "clustered").points for part in parts])
    ends = [np.column_stack([points[:, :-1], np.full(len(points), t)]) for t in (domain.time.start, domain.time.end)]
    return Scene(center, np.concatenate(ends) - center)
