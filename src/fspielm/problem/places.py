"""Where relations hold: the domain, pieces of its boundary, the start of time, points and curves inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sympy.logic.boolalg import Boolean

from fspielm.arrays import BoolArray, FloatArray, as_points
from fspielm.errors import ProblemError
from fspielm.expr.functions import compile_relation, describe
from fspielm.geometry.boundary import BoundaryPart, Mask, Sites, likely_parts, list_parts, namesakes
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Domain
from fspielm.geometry.time import extrude
from fspielm.numerics.sampling import Sampling, kronecker
from fspielm.numerics.tolerances import ROUNDED, ROUNDING, SAME
from fspielm.problem.setting import Setting, format_point

# Probes of a part; smaller pieces that conditions leave out or cover twice are not seen.
PART_PROBES = 2000
# Probes of a domain, to measure norms over it, and to see whether it is in pieces.
DOMAIN_PROBES = 4000
# Smaller shares of a border or of a domain are artefacts of sampling.
LEAST_SHARE = 0.005


class Sampler(Protocol):
    """Draws sites of a region."""

    def __call__(self, n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        """`n` sites; all of them if the region consists of points."""
        ...


@dataclass(frozen=True, eq=False)
class Region:
    """Where a relation holds.

    Attributes
    ----------
    kind : {"domain", "boundary", "start", "inside", "interface"}
        The whole domain, the boundary of space, the start of time, places in the domain, or where materials meet.
    label : str
        Its name in names of blocks: ``"x-"``.
    measure : float or None
        Length or area; None for a domain.
    sample : callable
        Draws sites.
    part : BoundaryPart or None
        The part of the boundary, or the curve inside, that contains it.
    mask : callable or None
        Limits it to a piece of the part.
    sharp : callable or None
        The mask without its margin for rounding.
    count : int or None
        The number of sites, if it consists of points.
    partner : BoundaryPart or None
        For a periodic pair, the part tied to this one.
    shift : (d,) array or None
        From a point of `part` to the point of `partner` tied to it.
    factor : number
        The unknowns on `partner` divided by those on `part`.
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
        """The parts of the boundary that contain it."""
        return tuple(p for p in (self.part, self.partner) if p is not None and self.kind == "boundary")

    @property
    def share(self) -> float:
        """The share of its part that it covers."""
        if self.part is None or self.mask is None or self.measure is None:
            return 1.0
        return self.measure / self.part.measure


def axes_across(part: BoundaryPart) -> list[int]:
    """The axes that the normals of a part point along somewhere."""
    return np.flatnonzero(np.any(np.abs(probe(part).outward) > ROUNDED, axis=0)).tolist()


def whole_domain(domain: Domain) -> Region:
    """All of a domain."""

    def sample(n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        return Sites(domain.sample(n, rng, sampling))

    return Region("domain", "", None, sample)


def whole_part(part: BoundaryPart) -> Region:
    """All of a part of the boundary."""
    return Region("boundary", part.name, part.measure, part.sample, part, count=None if part.parameters else 1)


def piece_of(part: BoundaryPart, mask: Mask, sharp: Mask | None) -> list[Region]:
    """The piece of a part where a mask holds, if there is one."""
    share = float(np.mean(mask(probe(part).points)))

    def sample(n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        return part.sample(n, rng, sampling, where=mask)

    found = replace(whole_part(part), measure=share * part.measure, sample=sample, mask=mask, sharp=sharp)
    return [found] if share > 0 else []


def probe(part: BoundaryPart, count: int = PART_PROBES) -> Sites:
    """Fixed sites spread evenly over a part, to see which conditions cover it.

    Their coordinates are irrational, so that none lies where ``x <= 1/2`` and ``x >= 1/2`` meet.
    """
    return part.at(kronecker(count if part.parameters else 1, part.parameters))


# ---- What `on` means


Where: TypeAlias = str | Sequence[str] | Boolean | Callable[[FloatArray], BoolArray]

# The value of `on` for everything that no other condition covers.
REST = "rest"


def boundary_regions(on: Where | None, who: str, setting: Setting) -> list[Region]:
    """The regions of the boundary that `on` means."""
    parts = setting.parts
    if not parts:
        start = setting.domain.bounding_box[0][-1]
        raise ProblemError(
            f"{who}: {setting.domain!r} by itself has no boundary for it; what holds at the start, "
            f"{setting.coordinates[-1]} = {start:g}, is said with fs.Initial(value) and fs.Initial(value, order=1), "
            "and what holds at other times with fs.Measured or fs.Condition(..., at=...)"
        )
    if on is None:
        return [whole_part(part) for part in parts]
    if isinstance(on, str | Sequence):
        if is_rest(on, setting):
            return _rest_regions(who, setting)
        names = [on] if isinstance(on, str) else on
        chosen = [piece for name in names for piece in _named_pieces(name, who, setting)]
        return [
            whole_part(part) if side == part.name else _region_of_side(part, side, setting)
            for part, side in dict.fromkeys(chosen)
        ]
    mask_on = _relation_masks(on, setting) if isinstance(on, Boolean) else lambda part: _checked_mask(on)
    sharp = compile_relation(_substitute(on, setting), setting.coordinates, 0.0) if isinstance(on, Boolean) else None
    regions = [piece for part in parts for piece in piece_of(part, mask_on(part), sharp)]
    if not regions:
        raise ProblemError(
            f"{who}: on={describe(on)} holds nowhere on the boundary, or on less than "
            f"1/{PART_PROBES} of any of its parts {[part.name for part in parts]}; for all of a part, write its name"
        )
    return regions


def is_rest(on: object, setting: Setting) -> bool:
    """Whether `on` means the rest of the boundary, and not a part of that name."""
    return isinstance(on, str) and on == REST and all(part.name != REST for part in setting.parts)


def _rest_regions(who: str, setting: Setting) -> list[Region]:
    """The parts and pieces of parts that no other condition covers."""
    regions = []
    for part in setting.parts:
        others = [region for region in setting.covered if any(one is part for one in region.parts)]
        masks = [region.mask for region in others if region.mask is not None]
        if not others:
            regions.append(whole_part(part))
        elif len(masks) == len(others):
            sharp = [region.sharp or region.mask for region in others]
            regions += piece_of(part, _outside_all(masks), _outside_all([mask for mask in sharp if mask is not None]))
    if not regions:
        raise ProblemError(
            f'{who}: on="rest" is what no other condition covers, but the others cover every part of the boundary, '
            f"{[part.name for part in setting.parts]}; limit one of them with on=, or name the parts"
        )
    return regions


def _outside_all(masks: Sequence[Mask]) -> Mask:
    """Where none of the masks holds."""

    def mask(points: FloatArray) -> BoolArray:
        held: BoolArray = ~np.logical_or.reduce([mask(points) for mask in masks])
        return held

    return mask


def _named_pieces(name: str, who: str, setting: Setting) -> list[tuple[BoundaryPart, str]]:
    """The parts that a name or a form with wildcards matches, or else the sides of parts; each with its name."""
    parts = setting.parts
    whole = [(part, part.name) for part in parts]
    names = [part.name for part in parts]
    is_form = name not in names and any(sign in name for sign in "*?[")
    if name == REST and REST not in names:
        raise ProblemError(f"{who}: 'rest' stands alone, as in on='rest', and not in a list of parts")
    sides = [] if name in names else [(part, side) for part in parts for side in part.side_names]
    for pieces in (whole, sides):
        if found := [piece for piece in pieces if piece[1] == name or (is_form and fnmatchcase(piece[1], name))]:
            return found
    if is_form:
        raise ProblemError(f"{who}: the boundary has no part of the form {name!r}; its parts are {list_parts(parts)}")
    return [(named_part(name, who, setting), name)]


def _region_of_side(part: BoundaryPart, name: str, setting: Setting) -> Region:
    """A side of a part: the pieces of it that lie on straight lines."""
    side = part.side(name)
    units = np.column_stack([side.breaks[:-1], np.nextafter(side.breaks[1:], 0.0)]).ravel()
    places = side.place(np.column_stack([units, np.full((len(units), part.parameters - 1), 0.5)])).points
    starts, ends = places[::2, :2], places[1::2, :2]

    def mask_with(room: float) -> Mask:
        def mask(points: FloatArray) -> BoolArray:
            held = np.zeros(len(points), dtype=np.bool_)
            for start, along in zip(starts, ends - starts, strict=True):
                way = points[:, :2] - start
                share = np.clip(way @ along / (along @ along), 0.0, 1.0)
                held |= np.linalg.norm(way - share[:, None] * along, axis=1) <= room
            return held

        return mask

    mask, sharp = mask_with(SAME * setting.size), mask_with(_coordinate_rounding(setting))
    return Region("boundary", name, side.measure, side.sample, part, mask, sharp)


def named_part(name: str, who: str, setting: Setting) -> BoundaryPart:
    """The part of the boundary with this name, or an error that lists them."""
    by_name = {part.name: part for part in setting.parts}
    if name in by_name:
        return by_name[name]
    names = list(by_name)
    if same := namesakes(name, names):
        raise ProblemError(
            f"{who}: the boundary has {len(same)} parts {name!r}, told apart as {same}: write one of these or a list "
            f"of them, or give the shapes names (Disk(..., name='hole') has the part 'hole.circle'); {name + '*'!r} "
            "means them all"
        )
    message = f"{who}: the boundary has no part {name!r}; its parts are {list_parts(setting.parts)}"
    if setting.domain.time is not None and name == f"{setting.coordinates[-1]}-":
        raise ProblemError(f"{message}; the start of time takes fs.Initial")
    if setting.domain.time is not None and name == f"{setting.coordinates[-1]}+":
        raise ProblemError(f"{message}; the end of time takes no condition")
    sides = [side for part in setting.parts for side in part.side_names]
    if name in sides:
        raise ProblemError(
            f"{who}: {name!r} is a side of a part, and a whole part is needed; name the sides, as in "
            "fs.Polygon(vertices, names=[...]), which makes each name a part"
        )
    raise ProblemError(message + likely_parts(name, names + sides))


def _relation_masks(on: Boolean, setting: Setting) -> Callable[[BoundaryPart], Mask]:
    """The mask of a relation on each part.

    Its threshold has a margin of `SAME`. If that covers a whole part, as for ``x < 1e-9`` and the face ``x = 0``,
    the margin is rounding alone.
    """
    relation, near = _substitute(on, setting), SAME * setting.size
    usual = compile_relation(relation, setting.coordinates, near)
    close = compile_relation(relation, setting.coordinates, near, _coordinate_rounding(setting))

    def mask_on(part: BoundaryPart) -> Mask:
        points = probe(part).points
        return usual if np.array_equal(usual(points), close(points)) else close

    return mask_on


def _coordinate_rounding(setting: Setting) -> float:
    return ROUNDING * max(setting.size, float(np.abs(setting.domain.bounding_box).max()))


def _substitute(on: Boolean, setting: Setting) -> Boolean:
    try:
        relation: Boolean = setting.givens.substitute(on)
    except TypeError as error:  # SymPy's error for comparing complex numbers
        raise ProblemError(f"on={on} must compare real numbers; with what is given: {error}") from None
    return relation


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


# ---- Regions inside a domain


# Points; or a plane curve, or a map from [0, 1] to points.
Points: TypeAlias = tuple[tuple[float, ...], ...]
At: TypeAlias = Points | PlaneCurve | Callable[[FloatArray], ArrayLike]


def check_points(points: Any, argument: str) -> Points:
    """Points as tuples; `points_region` checks their number of coordinates."""
    if np.iscomplexobj(points):
        raise ProblemError(f"{argument} must be real numbers; got {_shorten(points)}")
    try:
        array = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 2 or not array.size:
        raise ProblemError(
            f"{argument} must be points as the rows of an array (n, d), at least one; got {_shorten(points)}"
        )
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        point = ", ".join(f"{v:.6g}" for v in array[bad[0]])
        raise ProblemError(f"{argument} must be finite; the point number {bad[0]} is ({point})")
    return tuple(map(tuple, array.tolist()))


def points_region(points: Points, label: str, argument: str, setting: Setting) -> Region:
    """The region of given points, which must lie in the domain."""
    array = as_points(points, setting.dimension, argument=argument)
    _refuse_outside(array, argument, setting)
    sites = Sites(array)

    def sample(n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        return sites

    return Region("inside", label, 1.0, sample, count=len(sites))


def curve_region(curve: PlaneCurve | Callable[[FloatArray], ArrayLike], argument: str, setting: Setting) -> Region:
    """The region of a curve through the domain; with time, a plane curve holds at all times."""
    if isinstance(curve, PlaneCurve):
        part = curve.as_part("curve")
        if setting.domain.time is not None:
            part = extrude(part, setting.domain.time)
        got = part.parameters + 1
        if got != setting.dimension:
            raise ProblemError(
                f"{argument} is a plane curve, but the unknown {setting.symbols[0]} has {setting.dimension} "
                "coordinates; write a function from [0, 1] to points of the domain"
            )
    else:
        part = _from_callable(curve, argument, setting)
    _refuse_outside(probe(part).points, argument, setting)
    return Region("inside", "curve", part.measure, part.sample, part)


def _from_callable(curve: Callable[[FloatArray], ArrayLike], argument: str, setting: Setting) -> BoundaryPart:
    who = f"{argument}: {describe(curve)}"

    def place(unit: FloatArray) -> Sites:
        points = as_points(curve(unit[:, 0].copy()), setting.dimension, argument=f"{who} must return points, which")
        if len(points) != len(unit):
            raise ProblemError(
                f"{who} must return one point for each parameter; got {len(points)} points for {len(unit)} parameters"
            )
        return Sites(points)

    path = place(np.linspace(0.0, 1.0, PART_PROBES + 1)[:, None]).points  # its length only decides how many rows it has
    length = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    if not 0.0 < length < np.inf:
        raise ProblemError(f"{who} must be a curve of positive, finite length; got {length}")
    return BoundaryPart("curve", length, 1, place)


def _refuse_outside(points: FloatArray, argument: str, setting: Setting) -> None:
    outside = np.flatnonzero(~setting.domain.contains(points))
    if outside.size:
        place = format_point(setting.coordinates, points[outside[0]])
        raise ProblemError(
            f"{argument} must lie in the domain {setting.domain!r}; {place} does not "
            f"({outside.size} of {len(points)} points)"
        )


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
