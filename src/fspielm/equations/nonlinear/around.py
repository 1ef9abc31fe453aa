"""What an iterate makes of the slots of linearisations: known functions of points."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations.nonlinear.iterate import Iterate
from fspielm.geometry import Sites

if TYPE_CHECKING:
    from fspielm.equations.nonlinear.law import Law
    from fspielm.equations.problem import Problem

# Sets of points that are remembered: coefficients of one block of rows are asked for one after the other.
_REMEMBERED = 4
# That is put in the place of an iterate: one at which hardly any term is infinite.
_NUMBER = sp.GoldenRatio


@final
@dataclass(frozen=True, eq=False)
class Around:
    """A nonlinear problem and an iterate; what all slots of a law are at points is found together, and once.

    Attributes
    ----------
    problem : Problem
    iterate : Iterate
    share : float
        By which all slots are multiplied.
    """

    problem: Problem
    iterate: Iterate
    share: float = 1.0
    _known: OrderedDict[tuple[int, bytes], list[NumberArray]] = field(default_factory=OrderedDict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    def values(self, law: int, slot: int, sites: Sites) -> NumberArray:
        """The values ``(n,)`` of one slot of a law."""
        normals = b"" if sites.normals is None else sites.normals.tobytes()
        key = law, blake2b(sites.points.tobytes() + normals, digest_size=16).digest()
        with self._lock:
            found = self._known.get(key)
        if found is None:
            found = self._laws[law].slots(self.iterate, sites)
            if self.share != 1.0:
                found = [self.share * values for values in found]
            with self._lock:
                self._known[key] = found
                while len(self._known) > _REMEMBERED:
                    self._known.popitem(last=False)
        return found[slot]

    def outline(self, law: int, slot: int) -> sp.Expr:
        """What a slot of a law is made of besides the iterate: itself where that is a number, the same everywhere."""
        of = self._laws[law]
        return of.linear.slots[slot].expression.xreplace(dict.fromkeys(of.jet.symbols, _NUMBER))

    @property
    def _laws(self) -> Sequence[Law]:
        assert self.problem.nonlinear is not None
        return self.problem.nonlinear.laws

    def __reduce__(self) -> tuple[type[Around], tuple[Problem, Iterate, float]]:
        return Around, (self.problem, self.iterate, self.share)


@final
@dataclass(eq=False)
class Elsewhere:
    """What stands in the place of an `Around` where one linear problem serves many iterates, one after the other.

    Before the first one values mean nothing, so that what is zero around one of them is not taken to be zero always.
    """

    anything: Callable[[int, int], Anything]
    at: Around | None = None

    def values(self, law: int, slot: int, sites: Sites) -> NumberArray:
        """The values ``(n,)`` of one slot of a law, at the present iterate."""
        return self.anything(law, slot)(sites.points) if self.at is None else self.at.values(law, slot, sites)

    def outline(self, law: int, slot: int) -> sp.Expr:
        """See `Around.outline`."""
        assert self.at is not None
        return self.at.outline(law, slot)


@final
@dataclass(frozen=True, eq=False)
class AtPoints:
    """One slot as a function of points."""

    is_slot: ClassVar[bool] = True

    around: Around | Elsewhere
    law: int
    slot: int

    def __call__(self, points: FloatArray) -> NumberArray:
        """Values ``(n,)``."""
        return self.around.values(self.law, self.slot, Sites(points))

    @property
    def outline(self) -> sp.Expr:
        """See `Around.outline`."""
        return self.around.outline(self.law, self.slot)


@final
@dataclass(frozen=True, eq=False)
class AtSites:
    """One slot as a function of points and normals."""

    is_slot: ClassVar[bool] = True

    around: Around | Elsewhere
    law: int
    slot: int

    def __call__(self, points: FloatArray, normals: FloatArray) -> NumberArray:
        """Values ``(n,)``."""
        return self.around.values(self.law, self.slot, Sites(points, normals))

    @property
    def outline(self) -> sp.Expr:
        """See `Around.outline`."""
        return self.around.outline(self.law, self.slot)


@final
@dataclass(frozen=True, eq=False)
class Anything:
    """What stands in a slot before there is an iterate: values without any meaning that are not zero, nor all alike."""

    number: int
    is_complex: bool

    def __call__(self, points: FloatArray) -> NumberArray:
        """Values ``(n,)``."""
        phases = points @ np.sqrt(np.arange(2.0, 2.0 + points.shape[1])) + self.number
        return np.asarray(1.0 + 0.5 * np.exp(1j * phases) if self.is_complex else 1.0 + 0.5 * np.cos(phases))
