"""Where a relation holds: in the domain, on pieces of its boundary, at the start of time, at places inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry import BoundaryPart, Domain, Mask, Sampling, Sites, kronecker

# Enough to see a piece of the boundary that conditions leave out or cover twice; finer ones stay unseen.
PROBES = 2000

# How far a point may be off, relative to the domain's size, and still be where it should be.
SAME_PLACE = 1e-9


class Sampler(Protocol):
    """Draws sites of a region."""

    def __call__(self, n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        """`n` sites (as many as there are, where the region is made of points)."""
        ...


@dataclass(frozen=True, eq=False)
class Region:
    """A place where a relation holds.

    Attributes
    ----------
    kind : {"domain", "boundary", "start", "inside", "interface"}
        All over the domain, on the boundary of space, at the start of time, at some places in the domain, or where
        materials meet.
    label : str
        What block names call it: ``"x-"``.
    measure : float or None
        Length or area; None for a domain, the measure of which is its own to know.
    sample : callable
        Draws sites.
    part : BoundaryPart or None
        The part of the boundary, or the curve inside, that it is all or a piece of.
    mask : callable or None
        Limits it to a piece of the part.
    sharp : callable or None
        The mask without the room that it leaves for rounding, where there is one: a border is there to the last bit.
    count : int or None
        How many sites it has, where it is made of points.
    partner : BoundaryPart or None
        The part that is tied to this one, where it is a pair.
    shift : (d,) array or None
        The way from a point of `part` to the one of `partner` that it is tied to.
    factor : number
        What unknowns are there, in units of what they are here.
    """

    kind: Literal["domain", "boundary", "start", "inside", "interface"]
    label: str
    measure: float | None
    sample: Sampler
    part: BoundaryPart | None = None
    mask: Mask | None = None
    sharp: Mask | None = None
    count: int | None = None
    partner: BoundaryPart | None = None
    shift: FloatArray | None = None
    factor: complex = 1.0

    @property
    def parts(self) -> tuple[BoundaryPart, ...]:
        """The parts of the boundary that it belongs to."""
        return tuple(p for p in (self.part, self.partner) if p is not None and self.kind == "boundary")

    @property
    def share(self) -> float:
        """How much of its part it is."""
        if self.part is None or self.mask is None or self.measure is None:
            return 1.0
        return self.measure / self.part.measure


def whole_domain(domain: Domain) -> Region:
    """All of a domain."""

    def sample(n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        return Sites(domain.sample(n, rng, sampling))

    return Region("domain", "", None, sample)


def whole_part(part: BoundaryPart) -> Region:
    """All of a part of the boundary."""
    return Region("boundary", part.name, part.measure, part.sample, part, count=_count(part))


def piece_of(part: BoundaryPart, mask: Mask, sharp: Mask | None) -> list[Region]:
    """The piece of a part that a mask leaves, if there is one."""
    share = float(np.mean(mask(probe(part).points)))

    def sample(n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        return part.sample(n, rng, sampling, where=mask)

    found = Region("boundary", part.name, share * part.measure, sample, part, mask, sharp, _count(part))
    return [found] if share > 0 else []


def _count(part: BoundaryPart) -> int | None:
    return 1 if part.parameters == 0 else None


def probe(part: BoundaryPart, count: int = PROBES) -> Sites:
    """Fixed sites spread over a part, to see which conditions cover it.

    Evenly spread, and with irrational coordinates, so that no site lies where ``x <= 1/2`` and ``x >= 1/2`` meet.
    """
    return part.at(kronecker(count if part.parameters else 1, part.parameters))
