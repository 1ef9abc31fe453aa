"""Opposite faces that are one and the same place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.equations.conditions.base import AnyCondition, check_weight, vanishing
from fspielm.equations.regions import SAME_PLACE, Region, whole_part
from fspielm.equations.setting import Rule, Setting
from fspielm.equations.where import named_part
from fspielm.equations.written_numbers import number_in
from fspielm.errors import ProblemError
from fspielm.expressions import Value
from fspielm.geometry import BoundaryPart, Sites

_PLACES = 64


@final
@dataclass(frozen=True)
class Periodic(AnyCondition):
    """The unknown goes on beyond one face where it comes in at the opposite one, as it is or times a factor.

    The values on both agree and, for an equation of order m across them, so do the normal derivatives below m: for
    advection the values alone, for diffusion and waves the first derivatives too. An ordinary differential equation may
    have a further condition at an end where this leaves something open, as a constant may be added to any solution of
    ``u.diff(x, 2) = f``.

    Parameters
    ----------
    faces : str or pair of str
        A coordinate, ``"x"`` for the faces ``"x-"`` and ``"x+"`` of a box, or the names of two boundary parts, one
        of which is the other moved.
    weight : float
        As for `Dirichlet`.
    factor : number or Expr
        What the unknown is at the second face, in units of what it is at the first, and so for derivatives:
        ``exp(i k a)`` for Bloch's waves in a crystal of period a. One by default.
    """

    faces: str | tuple[str, str]
    weight: float = 1.0
    factor: Value = 1.0
    kind: ClassVar[str] = "periodic"

    def __post_init__(self) -> None:
        check_weight(self.weight, "Periodic")
        faces: Any = self.faces
        if isinstance(faces, Sequence) and not isinstance(faces, str):
            faces = tuple(faces)
            if len(faces) == 2 and all(isinstance(face, str) for face in faces) and faces[0] != faces[1]:
                object.__setattr__(self, "faces", faces)
                return
        if not isinstance(faces, str) or not faces:
            raise ProblemError(
                'Periodic: faces must be a coordinate such as "x", or the names of two opposite parts such as '
                f'("x-", "x+"); got {self.faces!r}'
            )

    @property
    def expressions(self) -> tuple[Any, ...]:
        """The factor; faces are names."""
        return (self.factor,)

    def regions(self, setting: Setting) -> list[Region]:
        """The pair of faces."""
        names = (f"{self.faces}-", f"{self.faces}+") if isinstance(self.faces, str) else self.faces
        is_round = setting.parts and not any(part.name.endswith(("-", "+")) for part in setting.parts)
        if isinstance(self.faces, str) and is_round:
            raise ProblemError(
                f"Periodic: {self.faces!r} needs two opposite faces, {names[0]!r} and {names[1]!r}, one of which is "
                "the other one moved, as those of fs.Box are; the boundary has the parts "
                f"{[part.name for part in setting.parts]}"
            )
        here, there = (named_part(name, "Periodic", setting) for name in names)
        shift = _translation(here, there, setting)
        if shift is None:
            raise ProblemError(
                f"Periodic: the part {there.name!r} is not the part {here.name!r} moved to the opposite side, with its "
                "normals turned; only such a pair can be tied together"
            )
        factor = number_in(self.factor, setting.givens, "Periodic: factor")
        if factor == 0:
            raise ProblemError("Periodic: factor must not be zero; write fs.Dirichlet(0) for a face without values")
        return [replace(whole_part(here), label=self._label(names), partner=there, shift=shift, factor=factor)]

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The value and the normal derivatives below the order of the equation."""
        return vanishing(setting, [range(max(order, 1)) for order in across])

    @staticmethod
    def _label(names: tuple[str, str]) -> str:
        first, second = names
        return first[:-1] if first[:-1] == second[:-1] and {first[-1], second[-1]} == {"-", "+"} else "/".join(names)


def _translation(here: BoundaryPart, there: BoundaryPart, setting: Setting) -> FloatArray | None:
    """The way from one part to the other, None where they differ by more than that."""
    if here.parameters != there.parameters:
        return None
    lower, upper = setting.domain.bounding_box
    near = SAME_PLACE * float(np.linalg.norm(upper - lower))
    unit = np.random.default_rng(0).random((_PLACES, here.parameters))
    # boundaries of plane shapes run around them, so that opposite edges run in opposite directions
    turned = unit.copy()
    turned[:, :1] = 1.0 - turned[:, :1]
    start = here.place(unit)
    for end in (there.place(unit), there.place(turned)):
        shift: FloatArray = np.mean(end.points - start.points, axis=0)
        same_shape = np.abs(end.points - start.points - shift).max() <= near
        if same_shape and _opposite(start, end) and np.array_equal(_kept(here, start), _kept(there, end)):
            return shift
    return None


def _kept(part: BoundaryPart, sites: Sites) -> BoolArray:
    return np.ones(len(sites), dtype=np.bool_) if part.keep is None else part.keep(sites.points)


def _opposite(start: Sites, end: Sites) -> bool:
    assert start.normals is not None  # both lie on a boundary
    assert end.normals is not None
    return bool(np.abs(start.normals + end.normals).max() <= 1e-9)
