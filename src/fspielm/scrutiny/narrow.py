"""Something narrow in what a user wrote: where it is, how narrow, and points to look at it with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, final

from fspielm.arrays import FloatArray
from fspielm.geometry import Sites

Kind = Literal["narrow", "kink", "jump", "smooth"]


@final
@dataclass(frozen=True, eq=False)
class Narrow:
    """Where a datum or a coefficient changes over a short distance.

    Attributes
    ----------
    source : str
        Which of them: ``"the right-hand side"``, ``"the coefficient of u"``, ``"the value of 'dirichlet x-'"``.
    kind : {"narrow", "kink", "jump", "smooth"}
        A bump or a layer; a slope that jumps; a value that does; or where a callable bends most, but not sharply.
    lower, upper : (d,) array
        A box of the coordinates that holds it.
    width : float
        The shortest distance over which it changes by much; zero for a kink or a jump.
    sites : Sites
        Points within it, and close to it.
    shares : (n,) array
        Of all that the relation holds on, what each of these points stands for.
    """

    source: str
    kind: Kind
    lower: FloatArray
    upper: FloatArray
    width: float
    sites: Sites = field(repr=False)
    shares: FloatArray = field(repr=False)

    def __str__(self) -> str:
        center = ", ".join(f"{x:.4g}" for x in 0.5 * (self.lower + self.upper))
        extent = ", ".join(f"{x:.2g}" for x in self.upper - self.lower)
        change = f"changes within a distance of {self.width:.1e}"
        what = {"kink": "has a kink", "jump": "jumps"}.get(self.kind, change)
        return f"{self.source} {what}, about ({center}), in a box of ({extent})"
