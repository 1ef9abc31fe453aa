"""What regions of a domain are made of, and where two of them meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Domain
from fspielm.geometry.plane import Edge, PlaneShape, edges_of


@final
@dataclass(frozen=True, eq=False)
class RegionBorder:
    """Where two regions of a domain meet.

    Attributes
    ----------
    name : str
        ``"core | shell"``; numbered where they meet at several points of a line.
    sides : (str, str)
        Names of the two, in the order of the domain.
    part : BoundaryPart
        Its normals point out of the first region, into the second.
    curves : tuple of PlaneCurve
        The pieces it is made of in the plane, with the first region on their left; in space, where there is time.
    """

    name: str
    sides: tuple[str, str]
    part: BoundaryPart
    curves: tuple[PlaneCurve, ...] = ()


@final
@dataclass(frozen=True, eq=False)
class Outline(PlaneShape):
    """The plane shape with given edges."""

    outer: tuple[Edge, ...]

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        return self.outer


def check_shapes(shapes: Mapping[str, Any]) -> None:
    """Refuse what is not two or more intervals or plane shapes."""
    example = "as in fs.Regions(core=fs.Disk((0, 0), 1), shell=fs.Disk((0, 0), 2) - fs.Disk((0, 0), 1))"
    if len(shapes) < 2:
        raise ProblemError(f"Regions: there must be two or more, by their names, {example}; got {len(shapes)}")
    for name, shape in shapes.items():
        if not isinstance(shape, Domain):
            raise ProblemError(f"Regions: {name} must be a shape, {example}; got {shape!r}")
        if shape.time is not None:
            raise ProblemError(
                f"Regions: {name}={shape!r} has its time already; multiply the whole, as in "
                "fs.Regions(...) * fs.Time(0, 1)"
            )
    dimensions = {name: shape.dimension for name, shape in shapes.items()}
    if len(set(dimensions.values())) > 1:
        told = ", ".join(f"{name} has {dimension}" for name, dimension in dimensions.items())
        raise ProblemError(f"Regions: all must have the same dimension; {told}")
    for name, shape in shapes.items():
        if shape.dimension > 1 and edges_of(shape) is None:
            raise ProblemError(f"Regions: they are intervals or plane shapes; {name}={shape!r} is neither")
