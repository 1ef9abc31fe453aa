"""Bases of open domains that hold others, into JSON and arrays, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from fspielm.equations.incident import Formula, Incident, PlaneWaves, PointSource
from fspielm.equations.lattice import Lattice
from fspielm.errors import ProblemError
from fspielm.expressions import Scope, parse_expression, print_expression
from fspielm.features import Basis, CellBasis
from fspielm.features.outward import IncidentBasis, RadiatingBasis, RegionalBasis
from fspielm.features.outward.folded import FoldedBasis
from fspielm.features.outward.grating import GratingBasis
from fspielm.features.sums_on_cells import SumsOnCells
from fspielm.geometry import Domain
from fspielm.store.archive import Arrays
from fspielm.store.domains import domain_text, read_domain_text
from fspielm.store.values import decode, encode


def describe_outward(
    basis: Basis, arrays: Arrays, key: str, describe: Callable[[Basis, str], dict[str, Any]]
) -> dict[str, Any] | None:
    """The basis as JSON has it, with what it holds by `describe`; None of other kinds."""
    match basis:
        case IncidentBasis():
            fields = [_describe_bound(field, arrays, f"{key}.{i}") for i, field in enumerate(basis.fields)]
            return {"kind": "incident", "dimension": basis.dimension, "fields": fields}
        case RegionalBasis():
            parts = [describe(part, f"{key}.{i}") for i, part in enumerate(basis.parts)]
            return {"kind": "regional", "parts": parts, "shapes": [_shape_text(shape) for shape in basis.shapes]}
        case SumsOnCells():
            arrays[f"{key}.fields"] = basis.fields
            return {"kind": "sums on cells", "its": describe(basis.cells, f"{key}.its")}
        case FoldedBasis():
            return {"kind": "folded", "its": describe(basis.basis, f"{key}.its"), "lattice": encode(basis.lattice)}
        case GratingBasis():
            ends = {"bottom": basis.bottom, "top": basis.top}
            its = describe(basis.alone, f"{key}.its")
            return {"kind": "grating", "its": its, "lattice": encode(basis.lattice), **ends}
    return None


def read_outward(
    content: dict[str, Any], arrays: Arrays, key: str, read: Callable[[dict[str, Any], str], Basis]
) -> Basis | None:
    """The basis that `describe_outward` has described, with what it holds by `read`; None of other kinds."""
    match content["kind"]:
        case "incident":
            fields = [_read_bound(field, arrays, f"{key}.{i}") for i, field in enumerate(content["fields"])]
            return IncidentBasis(fields, decode(int, content["dimension"]))
        case "regional":
            outside, *inside = (read(part, f"{key}.{i}") for i, part in enumerate(content["parts"]))
            return RegionalBasis(outside, inside, [read_domain_text(shape) for shape in content["shapes"]])
        case "sums on cells":
            cells = read(content["its"], f"{key}.its")
            if not isinstance(cells, CellBasis):
                raise ValueError("sums on cells of what has none")
            return SumsOnCells(cells, arrays[f"{key}.fields"])
        case "folded":
            return FoldedBasis(read(content["its"], f"{key}.its"), decode(Lattice, content["lattice"]))
        case "grating":
            alone = read(content["its"], f"{key}.its")
            if not isinstance(alone, RadiatingBasis):
                raise ValueError("a grating of functions that do not radiate")
            ends = (decode(float, content[end]) for end in ("bottom", "top"))
            return GratingBasis(alone, decode(Lattice, content["lattice"]), *ends)
    return None


def _shape_text(shape: Domain) -> str:
    text = domain_text(shape)
    if text is None:
        raise ProblemError(f"a file has no word for the object {shape!r}; pickle the solution")
    return text


def _describe_bound(incident: Incident, arrays: Arrays, key: str) -> dict[str, Any]:
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


def _read_bound(content: dict[str, Any], arrays: Arrays, key: str) -> Incident:
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
