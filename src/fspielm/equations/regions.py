"""Where on a boundary a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import TypeAlias

import numpy as np
import sympy as sp
from sympy.logic.boolalg import Boolean

from fspielm.arrays import BoolArray, FloatArray
from fspielm.equations.conditions import BoundaryCondition
from fspielm.equations.givens import Givens
from fspielm.errors import ProblemError
from fspielm.expressions import compile_relation, describe
from fspielm.geometry import BoundaryPart, Domain, Mask, Sites, kronecker, namesakes

# A part of the boundary, the mask of a piece of it, and the share of the part that the piece has.
Region: TypeAlias = tuple[BoundaryPart, Mask | None, float]

# Enough to see a piece of the boundary that relations leave out or cover twice; finer ones stay unseen.
_PROBES = 2000

# How far a point may be off, relative to the domain's size, and still satisfy an equality.
_SAME_PLACE = 1e-9


def find_regions(
    condition: BoundaryCondition,
    domain: Domain,
    parts: tuple[BoundaryPart, ...],
    coordinates: tuple[sp.Symbol, ...],
    givens: Givens,
) -> list[Region]:
    """The parts a condition holds on, each with its mask and the share of the part that it covers."""
    on = condition.on
    if on is None:
        return [(part, None, 1.0) for part in parts]
    if isinstance(on, Boolean):
        lower, upper = domain.bounding_box
        tolerance = _SAME_PLACE * float(np.linalg.norm(upper - lower))
        mask = compile_relation(givens.substitute(on), coordinates, tolerance)
    elif callable(on):
        mask = _checked_mask(on)
    else:
        chosen = [on] if isinstance(on, str) else on
        by_name = {part.name: part for part in parts}
        for name in chosen:
            if name not in by_name:
                who = type(condition).__name__
                raise ProblemError(_no_such_part(name, list(by_name), who, str(coordinates[-1]), domain))
        return [(by_name[name], None, 1.0) for name in dict.fromkeys(chosen)]
    shares = [float(np.mean(mask(probe(part).points))) for part in parts]
    regions: list[Region] = [(part, mask, share) for part, share in zip(parts, shares, strict=True) if share > 0]
    if not regions:
        raise ProblemError(
            f"{type(condition).__name__}: on={describe(on)} holds nowhere on the boundary, or on less than "
            f"1/{_PROBES} of any of its parts {[part.name for part in parts]}"
        )
    return regions


def _no_such_part(name: str, names: list[str], who: str, last: str, domain: Domain) -> str:
    if same := namesakes(name, names):
        return (
            f"{who}: the boundary has {len(same)} parts {name!r}, told apart as {same}: write one of these or a list "
            f"of them, or give the shapes names (Disk(..., name='hole') has the part 'hole.circle')"
        )
    message = f"{who}: the boundary has no part {name!r}; its parts are {names}"
    if domain.time is not None and name == f"{last}-":
        return f"{message}; the start of time takes fs.Initial"
    if domain.time is not None and name == f"{last}+":
        return f"{message}; the end of time takes no condition"
    near = get_close_matches(name.strip().lower(), [n.lower() for n in names], 1)
    return message + "".join(f"; did you mean {n!r}?" for n in names if n.lower() in near)


def probe(part: BoundaryPart) -> Sites:
    """Fixed sites spread over a part, to see which conditions cover it.

    Evenly spread, and with irrational coordinates, so that no site lies where ``x <= 1/2`` and ``x >= 1/2`` meet.
    """
    return part.at(kronecker(_PROBES if part.parameters else 1, part.parameters))


def _checked_mask(on: Callable[[FloatArray], BoolArray]) -> Mask:
    def mask(points: FloatArray) -> BoolArray:
        result = np.asarray(on(points.copy()))
        if result.shape != (len(points),) or result.dtype != np.bool_:
            raise ProblemError(
                f"on: {describe(on)} must return one boolean per point, shape ({len(points)},); "
                f"got {result.dtype} of shape {result.shape}"
            )
        return result

    return mask
