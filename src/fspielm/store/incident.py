"""Fields that come in from outside, with all numbers known, into JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from fspielm.equations.incident import Formula, Incident, PlaneWaves, PointSource
from fspielm.errors import ProblemError
from fspielm.expressions import Scope, parse_expression, print_expression
from fspielm.store.archive import Arrays
from fspielm.store.values import decode, encode


def describe_bound(incident: Incident, arrays: Arrays, key: str) -> dict[str, Any]:
    """The field as JSON has it; its arrays are put into `arrays`, under names that begin with `key`."""
    if isinstance(incident, Formula):
        names = [str(symbol) for symbol in incident.coordinates]
        return {"field": "formula", "names": names, "text": print_expression(incident.expression, _scope(names))}
    if isinstance(incident, PointSource):
        return {"field": "source", "wavenumber": encode(complex(incident.wavenumber)), "at": list(incident.at)}
    if isinstance(incident, PlaneWaves):
        arrays |= {f"{key}.{name}": np.array(getattr(incident, name)) for name in ("directions", "amplitudes")}
        return {"field": "waves", "wavenumber": encode(complex(incident.wavenumber)), "origin": list(incident.origin)}
    raise ProblemError(f"a file has no word for an incident field of type {type(incident).__name__}; pickle it")


def read_bound(content: dict[str, Any], arrays: Arrays, key: str) -> Incident:
    """The field that `describe_bound` has described."""
    if content["field"] == "formula":
        scope = _scope([decode(str, name) for name in content["names"]])
        return Formula(parse_expression(decode(str, content["text"]), scope), scope.coordinates)
    number = decode(complex, content["wavenumber"])
    k = number if number.imag else number.real
    if content["field"] == "source":
        return PointSource(k, decode(tuple[float, ...], content["at"]))
    directions, amplitudes = (arrays[f"{key}.{name}"].tolist() for name in ("directions", "amplitudes"))
    origin = decode(tuple[float, ...], content["origin"])
    return PlaneWaves(k, tuple(tuple(each) for each in directions), tuple(amplitudes), origin)


def _scope(names: list[str]) -> Scope:
    return Scope(tuple(sp.Symbol(name) for name in names))
