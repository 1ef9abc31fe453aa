"""Data by region: numbers, expressions or callables, one for each region of a domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expressions import Field, Value, check_value, make_field
from fspielm.geometry import Domain, regions_in

if TYPE_CHECKING:
    from fspielm.geometry import Regions


@final
@dataclass(frozen=True, init=False, repr=False)
class ByRegion:
    """A datum that each region of a domain has its own of.

    Parameters
    ----------
    **values : number, Expr or callable ``(n, d) -> (n,)``
        By the names of the regions, one for each of them.

    Examples
    --------
    >>> ByRegion(core=10.0, shell=1.0)
    ByRegion(core=10.0, shell=1.0)
    """

    items: tuple[tuple[str, Any], ...]

    def __init__(self, **values: Value) -> None:
        if not values:
            raise ProblemError("ByRegion: name a value for each region, as in fs.ByRegion(core=10.0, shell=1.0)")
        for name, value in values.items():
            check_value(value, f"ByRegion: {name}")
            if isinstance(value, sp.Expr) and value.has(sp.Piecewise):
                raise ProblemError(f"ByRegion: {name} is a Piecewise; make each of its pieces a region of its own")
        object.__setattr__(self, "items", tuple(values.items()))

    def __repr__(self) -> str:
        return f"ByRegion({', '.join(f'{name}={value!r}' for name, value in self.items)})"

    @property
    def values(self) -> dict[str, Any]:
        """The data by the names of regions."""
        return dict(self.items)

    @property
    def expressions(self) -> Iterator[sp.Expr]:
        """What of it was written with SymPy."""
        return (value for _, value in self.items if isinstance(value, sp.Expr))

    def substituted(self, substitute: Callable[[sp.Expr], sp.Expr]) -> ByRegion:
        """The same with something put into its expressions."""
        return ByRegion(**{n: substitute(v) if isinstance(v, sp.Expr) else v for n, v in self.items})

    def placed(self, domain: Domain, coordinates: tuple[sp.Symbol, ...], what: str) -> Placed:
        """The datum as a function of the points of a domain; refused where its regions are others."""
        regions = regions_in(domain)
        if regions is None:
            raise ProblemError(
                f"{what} is {self!r}, but domain={domain!r} has no regions; write domain=fs.Regions("
                f"{', '.join(f'{name}=...' for name, _ in self.items)})"
            )
        for name, _ in self.items:
            if name not in regions.names:
                raise ProblemError(f"{what} names the region {name!r}; the regions are {', '.join(regions.names)}")
        for name in regions.names:
            if name not in self.values:
                missing = ", ".join(f"{each}=..." for each in regions.names if each not in self.values)
                raise ProblemError(
                    f"{what} has nothing for the region {name!r}; got {self!r}: add {missing}, a number, an expression "
                    f"or a callable for each of the {len(regions.names)} regions"
                )
        return Placed({name: self.values[name] for name in regions.names}, regions, coordinates, what)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Placed:
    """Data by region as a function of points; where regions meet, it is that of the first of them."""

    values: Mapping[str, Any]
    regions: Regions
    coordinates: tuple[sp.Symbol, ...]
    what: str

    def __call__(self, points: FloatArray) -> NumberArray:
        """Values at `points`; NaN outside of all regions."""
        which = self.regions.region_of(points[:, : self.regions.dimension])
        values: NumberArray = np.full(len(points), np.nan)
        for index, name in enumerate(self.values):
            here = np.flatnonzero(which == index)
            own = self.field(name)(points[here])
            if np.iscomplexobj(own) and not np.iscomplexobj(values):
                values = values.astype(np.complex128)
            values[here] = own
        return values

    def __repr__(self) -> str:
        return f"ByRegion({', '.join(f'{name}={value!r}' for name, value in self.values.items())})"

    def field(self, name: str) -> Field:
        """What a region has, as a function of points anywhere."""
        return make_field(self.values[name], self.coordinates, what=f"{self.what}, in {name!r},")

    def diff(self, derivative: sp.Derivative) -> Placed:
        """Its derivative, region by region; a callable's must be given."""
        for name, value in self.values.items():
            if callable(value) and not isinstance(value, sp.Basic):
                each = ", ".join(f"{region}=..." for region in self.values)
                raise ProblemError(
                    f"the equation needs {derivative}, but {self.what} is a callable in {name!r}; supply its "
                    f"derivative, as in given={{{derivative}: fs.ByRegion({each})}}"
                )
        own = {name: sp.sympify(value).diff(*derivative.variable_count) for name, value in self.values.items()}
        return Placed(own, self.regions, self.coordinates, f"{derivative}")
