"""Bases of open domains that hold others, into JSON and arrays, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fspielm.equations.lattice import Lattice
from fspielm.errors import ProblemError
from fspielm.features import Basis, CellBasis
from fspielm.features.outward import IncidentBasis, RadiatingBasis, RegionalBasis
from fspielm.features.outward.folded import FoldedBasis
from fspielm.features.outward.grating import GratingBasis
from fspielm.features.sums_on_cells import SumsOnCells
from fspielm.geometry import Domain
from fspielm.store.archive import Arrays
from fspielm.store.domains import domain_text, read_domain_text
from fspielm.store.incident import describe_bound, read_bound
from fspielm.store.values import decode, encode


def describe_outward(
    basis: Basis, arrays: Arrays, key: str, describe: Callable[[Basis, str], dict[str, Any]]
) -> dict[str, Any] | None:
    """The basis as JSON has it, with what it holds by `describe`; None of other kinds."""
    match basis:
        case IncidentBasis():
            fields = [describe_bound(field, arrays, f"{key}.{i}") for i, field in enumerate(basis.fields)]
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
            fields = [read_bound(field, arrays, f"{key}.{i}") for i, field in enumerate(content["fields"])]
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
