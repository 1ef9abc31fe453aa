"""The regions of a domain that may have time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fspielm.geometry.domain import Domain
from fspielm.geometry.time import SpaceTime, extrude

if TYPE_CHECKING:
    from fspielm.geometry.region_shapes import RegionBorder
    from fspielm.geometry.regions import Regions


def regions_in(domain: Domain) -> Regions | None:
    """The regions of a domain, or of its space where it has time; None where it is one shape."""
    space = domain.space if isinstance(domain, SpaceTime) else domain
    return space._regions


def borders_in(domain: Domain) -> tuple[RegionBorder, ...]:
    """Where the regions of a domain meet, at all times where it has time."""
    regions, time = regions_in(domain), domain.time
    if regions is None or time is None:
        return () if regions is None else regions.interfaces
    return tuple(replace(border, part=extrude(border.part, time)) for border in regions.interfaces)
