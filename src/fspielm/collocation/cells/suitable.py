"""Which problems cells are for."""

from __future__ import annotations

import numpy as np

from fspielm.equations import Problem
from fspielm.errors import UnsuitableError
from fspielm.geometry import regions_in

# Thickness of a domain that cells are made for, relative to its extent.
_THINNEST = 1e-6


def check_suitable(problem: Problem) -> None:
    """Refuse what cells do not know.

    Raises
    ------
    UnsuitableError
    """
    if problem.dimension > 2:
        raise UnsuitableError(f"cells are for one and two dimensions; this problem has {problem.dimension}")
    _refuse_thin(problem)
    if problem.interfaces and problem.whole is not None:
        raise UnsuitableError("cells do not know materials beside unknowns whose conjugates occur")


def _refuse_thin(problem: Problem) -> None:
    """Refuse domains, and regions, that are far thinner than long: no cell would be as thin and nearly as long."""
    if problem.dimension != 2 or problem.domain.time is not None:
        return
    lower, upper = problem.domain.bounding_box
    extent = float(np.max(upper - lower))
    shapes, regions = {"the domain": problem.domain}, regions_in(problem.domain)
    if regions is not None:
        shapes |= {repr(name): shape for name, shape in regions.shapes.items()}
    for name, shape in shapes.items():
        thickness = 2 * shape.measure / sum(part.measure for part in shape.boundary())
        if thickness < _THINNEST * extent:
            raise UnsuitableError(
                f"{name} is about {thickness:.1e} thin beside an extent of {extent:.3g}, and cells are no thinner than "
                f"{_THINNEST:.0e} of it; leave out what varies across, in a problem of one dimension, or for a region "
                "with fs.Interface(jump=..., flux_jump=...) in its place"
            )
