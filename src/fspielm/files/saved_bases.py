"""Bases into JSON and arrays, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fspielm.basis.basis import (
    TANH,
    Activation,
    Basis,
    ExponentialBasis,
    HyperbolicTangent,
    JoinedBasis,
    RidgeBasis,
    Sinusoid,
)
from fspielm.basis.exact.null_vectors import ModeBasis
from fspielm.basis.outgoing.family import IncidentBasis, RegionalBasis
from fspielm.basis.outgoing.grating import FoldedBasis, GratingBasis
from fspielm.basis.outgoing.multipoles import MultipoleBasis
from fspielm.basis.outgoing.radiating import HarmonicBasis, RadiatingBasis
from fspielm.basis.singular.angular import AngularBasis
from fspielm.basis.singular.outgoing import Outgoing, OutgoingDamped, SourceBasis
from fspielm.basis.singular.singular import Angle, CornerFunction, LogPower, Power, SingularBasis, Wave
from fspielm.basis.wrapping import ComplexPairs, Component, DerivedBasis
from fspielm.cells.basis import CellBasis, CornerTerms, SumsOnCells
from fspielm.cells.frames import Frames, MaterialFrames, Materials
from fspielm.cells.shared import AroundPoint, SharedFunctions, join_functions
from fspielm.cells.tree import grow_tree
from fspielm.errors import ProblemError
from fspielm.expr.parser import parse_expression
from fspielm.expr.printing import print_expression
from fspielm.expr.scope import Scope
from fspielm.files.archive import Arrays, decode, encode
from fspielm.files.saved_statement import domain_text, one_material, read_domain_text
from fspielm.geometry.domain import Domain
from fspielm.problem.operator import Operator, Term
from fspielm.problem.scattering.incident import Formula, Incident, PlaneWaves, PointSource

# A basis that is determined by its arguments needs only a line here: its class, and its arguments in the file's order.
_BY_ARGUMENTS: dict[str, tuple[type[Basis], tuple[str, ...]]] = {
    "angular": (AngularBasis, ("corner", "limits", "scale", "exponents", "values")),
    "complex": (ComplexPairs, ("parts",)),
    "component": (Component, ("unknown", "components", "scale", "basis")),
    "exponential": (ExponentialBasis, ("powers", "W", "b", "origin", "peaks", "along")),
    "folded": (FoldedBasis, ("basis", "lattice")),
    "grating": (GratingBasis, ("basis", "lattice", "bottom", "top")),
    "incident": (IncidentBasis, ("dimension", "fields")),
    "joined": (JoinedBasis, ("parts",)),
    "harmonic": (HarmonicBasis, ("centers", "orders", "scales", "charged", "constant")),
    "modes": (ModeBasis, ("is_real", "amplitudes", "waves")),
    "multipoles": (MultipoleBasis, ("centers", "orders", "wavenumber", "scales", "regular")),
    "radiating": (RadiatingBasis, ("centers", "orders", "wavenumber", "scales")),
    "regional": (RegionalBasis, ("parts", "shapes")),
    "ridge": (RidgeBasis, ("activation", "W", "b", "origin")),
    "singular": (SingularBasis, ("corner", "axis", "scale", "functions")),
    "sources": (SourceBasis, ("points", "ratio", "clearances")),
    "sums on cells": (SumsOnCells, ("fields", "cells")),
}
# Kinds whose inner basis the file calls "its" rather than by the name of the argument, and errors for a wrong one.
_CALLED_ITS = ("folded", "grating", "sums on cells")
_WRONG_INNER = {
    "grating": "a grating of functions that do not radiate",
    "modes": "modes that are not made of exponentials",
    "sums on cells": "sums on cells of what has none",
}
# Whole numbers that the file has among its text rather than as an array.
_LISTED = "powers"


def describe_basis(basis: Basis, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    """The basis as JSON has it; its arrays are put into `arrays`, under names that begin with `key`."""
    for kind, (made, names) in _BY_ARGUMENTS.items():
        if type(basis) is made:
            content: dict[str, Any] = {"kind": kind}
            for name in names:
                value = getattr(basis, name)
                if isinstance(value, Basis):
                    content[_name_of_inner(kind, name)] = describe_basis(value, arrays, _key_of_inner(kind, key))
                elif name == _LISTED:
                    content[name] = value.tolist()
                elif isinstance(value, np.ndarray):  # a file holds floats; the basis makes integers of them again
                    arrays[f"{key}.{name}"] = value.astype(np.float64) if value.dtype.kind in "biu" else value
                else:
                    content[name] = _describe(value, arrays, key)
            return content
    match basis:
        case DerivedBasis():
            operators = [[[list(t.orders), encode(t.coefficient)] for t in each.terms] for each in basis.operators]
            inner = describe_basis(basis.basis, arrays, f"{key}.its")
            return {"kind": "derived", "operators": operators, "basis": inner}
        case CellBasis():
            return {"kind": "cells", **describe_cells(basis, arrays, key)}
    raise ProblemError(
        f"a file has no word for a basis of type {type(basis).__name__}; it cannot be saved; pickle the solution, or "
        "export its values, as with solution.to_xarray()"
    )


def _describe(value: Any, arrays: Arrays, key: str) -> Any:
    """An argument of a basis as JSON has it."""
    match value:
        case tuple():
            return [_describe(item, arrays, f"{key}.{i}") for i, item in enumerate(value)]
        case Basis():
            return describe_basis(value, arrays, key)
        case Activation():
            return _describe_activation(value)
        case CornerFunction():
            return _describe_function(value)
        case Incident():
            return _describe_incident(value, arrays, key)
        case Domain():
            return _shape_text(value)
    return encode(value)


def read_basis(
    content: dict[str, Any], arrays: Arrays, key: str = "basis", materials: Materials = one_material
) -> Basis:
    """The basis that `describe_basis` has described; `materials` distinguishes the materials of points on cells."""
    match kind := content["kind"]:
        case "derived":
            inner = read_basis(content["basis"], arrays, f"{key}.its", materials)
            return DerivedBasis(inner, [_read_operator(terms, inner.dimension) for terms in content["operators"]])
        case "cells":
            return read_cells(content, arrays, key, materials)
    if kind not in _BY_ARGUMENTS:
        raise ValueError(f"a basis of the unknown kind {kind!r}")
    made, names = _BY_ARGUMENTS[kind]
    hints = get_type_hints(made.__init__)
    values: dict[str, Any] = {}
    for name in names:
        if isinstance(hints[name], type) and issubclass(hints[name], Basis):
            inner = content[_name_of_inner(kind, name)]
            values[name] = read_basis(inner, arrays, _key_of_inner(kind, key), materials)
            if not isinstance(values[name], hints[name]):
                raise ValueError(_WRONG_INNER[kind])
        elif name in content:
            hint = tuple[int, ...] if name == _LISTED else hints[name]
            values[name] = _read(hint, content[name], arrays, key, materials)
        else:
            values[name] = arrays[f"{key}.{name}"]
    return made(**values)


def _read(kind: Any, content: Any, arrays: Arrays, key: str, materials: Materials) -> Any:
    """The argument of this type that `_describe` has described."""
    if get_origin(kind) is Sequence:
        (inner,) = get_args(kind)
        return [_read(inner, item, arrays, f"{key}.{i}", materials) for i, item in enumerate(content)]
    if kind is Basis:
        return read_basis(content, arrays, key, materials)
    if kind is Incident:
        return _read_incident(content, arrays, key)
    readers: dict[Any, Callable[[Any], Any]] = {
        Activation: _read_activation,
        CornerFunction: _read_function,
        Domain: read_domain_text,
    }
    return readers[kind](content) if kind in readers else decode(kind, content)


def _name_of_inner(kind: str, argument: str) -> str:
    return "its" if kind in _CALLED_ITS else argument


def _key_of_inner(kind: str, key: str) -> str:
    return f"{key}.waves" if kind == "modes" else f"{key}.its"


def _read_operator(terms: list[Any], dimension: int) -> Operator:
    return Operator(
        dimension,
        tuple(
            Term(decode(complex if isinstance(number, list) else float, number), decode(tuple[int, ...], orders))
            for orders, number in terms
        ),
    )


def _describe_activation(activation: Activation) -> dict[str, Any]:
    if isinstance(activation, Sinusoid):
        return {"kind": "sinusoid", "phase": float(activation.phase)}
    if isinstance(activation, HyperbolicTangent):
        return {"kind": "tanh"}
    raise ProblemError(f"a file has no word for an activation of type {type(activation).__name__}; it cannot be saved")


def _read_activation(content: dict[str, Any]) -> Activation:
    if content["kind"] == "sinusoid":
        return Sinusoid(decode(float, content["phase"]))
    if content["kind"] == "tanh":
        return TANH
    raise ValueError(f"an activation of the unknown kind {content['kind']!r}")


# Kinds of corner functions by their names in files.
_FUNCTIONS: dict[str, type[CornerFunction]] = {
    "angle": Angle,
    "outgoing": Outgoing,
    "outgoing damped": OutgoingDamped,
    "power": Power,
    "power with logarithm": LogPower,
    "wave": Wave,
}


def _describe_function(function: CornerFunction) -> dict[str, Any]:
    for name, kind in _FUNCTIONS.items():
        if type(function) is kind:
            return {"kind": name, **encode(function)}
    raise ProblemError(
        f"a file has no word for a corner function of type {type(function).__name__}; it cannot be saved"
    )


def _read_function(content: dict[str, Any]) -> CornerFunction:
    arguments = dict(content)
    function: CornerFunction = decode(_FUNCTIONS[arguments.pop("kind")], arguments)
    return function


# ---- Polynomials on cells: their frames, and the cuts from which their tree grows again


# No solver comes near this degree. A file that asks for more is not ours and would take all memory.
_MOST_DEGREE = 200
# Fields of `CornerTerms`, the functions that cells share where materials meet.
_MEETING = ("cell", "column", "point", "power", "length", "turn", "factor")


def describe_cells(basis: CellBasis, arrays: Arrays, key: str) -> dict[str, Any]:
    """The basis as JSON has it; its arrays are put into `arrays`. Columns without values are not stored."""
    frames = basis.frames
    arrays[f"{key}.degrees"] = basis.degrees.astype(np.float64)
    content: dict[str, Any] = {"scales": list(basis.scales)}
    if basis.full.any():
        arrays[f"{key}.full"] = basis.full.astype(np.float64)
    for part in basis.meeting.parts:
        if isinstance(part, AroundPoint):
            corners = content.setdefault("corners", [])
            its = f"{key}.corner.{len(corners)}"
            arrays[its] = part.cells.astype(np.float64)
            corners.append(describe_basis(part.basis, arrays, its))
        elif isinstance(part, CornerTerms) and len(part):
            numbers = [getattr(part, name) for name in _MEETING]
            arrays[f"{key}.meeting"] = np.column_stack([own for each in numbers for own in (each.real, each.imag)])
    if isinstance(frames, Frames):
        return content | _describe_frames(frames, arrays, key)
    arrays[f"{key}.materials"] = frames.rows.astype(np.float64)
    return content | {
        "parts": [_describe_frames(part, arrays, f"{key}.{number}") for number, part in enumerate(frames.parts)]
    }


def read_cells(content: dict[str, Any], arrays: Arrays, key: str, materials: Materials) -> CellBasis:
    """The basis that `describe_cells` has described; `materials` distinguishes the materials of points."""
    degrees = _integers(arrays[f"{key}.degrees"])
    frames: Frames | MaterialFrames
    if "parts" in content:
        rows = _integers(arrays[f"{key}.materials"])
        parts = tuple(_read_frames(part, arrays, f"{key}.{number}") for number, part in enumerate(content["parts"]))
        if rows.ndim != 2 or len(rows) != len(parts) or not parts:
            raise ValueError(f"materials of shape {rows.shape} for {len(parts)} tilings")
        frames = MaterialFrames(parts, rows, materials)
    else:
        frames = _read_frames(content, arrays, key)
    if degrees.shape != frames.lower.shape or not np.all((degrees >= 0) & (degrees <= _MOST_DEGREE)):
        raise ValueError(f"degrees of shape {degrees.shape} for cells of shape {frames.lower.shape}")
    full = arrays.get(f"{key}.full", np.zeros(len(degrees))) > 0
    if full.shape != (len(degrees),):
        raise ValueError(f"full cells of shape {full.shape} for {len(degrees)} cells")
    scales = decode(tuple[float, ...], content["scales"])
    shared: list[SharedFunctions] = []
    if f"{key}.meeting" in arrays:
        shared.append(_read_meeting(arrays[f"{key}.meeting"], len(degrees)))
    for number, corner in enumerate(content.get("corners", [])):
        shared.append(_read_corner(corner, arrays, f"{key}.corner.{number}", len(degrees), len(scales)))
    return CellBasis(frames, degrees, scales, meeting=join_functions(shared), full=full)


def _read_corner(content: dict[str, Any], arrays: Arrays, key: str, count: int, unknowns: int) -> AroundPoint:
    """The functions that cells share at a corner."""
    if content["kind"] == "angular":
        shapes = arrays[f"{key}.exponents"].shape, arrays[f"{key}.values"].shape
        if shapes[1][:-1] != (2, *shapes[0], unknowns) or len(shapes[0]) != 1 or shapes[1][-1] < 2:
            raise ValueError(f"functions at a corner of shape {shapes[1]}, with powers of shape {shapes[0]}")
    basis, cells = read_basis(content, arrays, key), _integers(arrays[key])
    if not isinstance(basis, SingularBasis | AngularBasis):
        raise ValueError(f"functions at a corner that are a {content['kind']!r}")
    if cells.ndim != 1 or not len(cells) or np.any(np.diff(cells) <= 0) or cells[0] < 0 or cells[-1] >= count:
        raise ValueError(f"functions at a corner, in cells {cells.tolist()} of {count}")
    return AroundPoint(basis, cells)


def _read_meeting(numbers: NDArray[Any], cells: int) -> CornerTerms:
    """The functions that cells share where materials meet, from one row of numbers each."""
    if numbers.ndim != 2 or numbers.shape[1] != 2 * len(_MEETING) or not np.isfinite(numbers).all():
        raise ValueError(f"functions where materials meet of shape {numbers.shape}")
    cell, column, point, power, length, turn, factor = (numbers[:, 0::2] + 1j * numbers[:, 1::2]).T
    terms = CornerTerms(_integers(cell.real), _integers(column.real), point, power.real, length.real, turn, factor)
    if np.any(np.diff(terms.cell) < 0) or not np.all((terms.cell >= 0) & (terms.cell < cells)):
        raise ValueError(f"functions where materials meet, in cells {terms.cell.tolist()} of {cells}")
    if not np.array_equal(np.unique(terms.column), np.arange(terms.column.max() + 1)):
        raise ValueError("functions where materials meet whose numbers have gaps")
    return terms


def _describe_frames(frames: Frames, arrays: Arrays, key: str) -> dict[str, Any]:
    tree = frames.tree
    arrays |= {
        f"{key}.lower": frames.lower,
        f"{key}.upper": frames.upper,
        f"{key}.whole": frames.whole.astype(np.float64),
        f"{key}.owner": frames.owner.astype(np.float64),
        f"{key}.root": np.stack([tree.lower[0], tree.upper[0]]),
        f"{key}.cuts": tree.cuts,
    }
    return {"slack": frames.slack}


def _read_frames(content: dict[str, Any], arrays: Arrays, key: str) -> Frames:
    lower, upper = (arrays[f"{key}.{name}"] for name in ("lower", "upper"))
    whole, owner = (_integers(arrays[f"{key}.{name}"]) for name in ("whole", "owner"))
    first, last = arrays[f"{key}.root"]
    tree = grow_tree(first, last, arrays[f"{key}.cuts"])
    return Frames(lower, upper, whole.astype(np.bool_), tree, owner, decode(float, content["slack"]))


def _integers(array: NDArray[Any]) -> NDArray[np.int_]:
    found = array.astype(np.int_)
    if not np.array_equal(found, array):
        raise ValueError("numbers that are not whole")
    return found


# ---- Objects and incident fields of open domains


def _shape_text(shape: Domain) -> str:
    text = domain_text(shape)
    if text is None:
        raise ProblemError(f"a file has no word for the object {shape!r}; pickle the solution")
    return text


def _describe_incident(incident: Incident, arrays: Arrays, key: str) -> dict[str, Any]:
    if isinstance(incident, Formula):
        names = [str(symbol) for symbol in incident.coordinates]
        return {"field": "formula", "names": names, "text": print_expression(incident.expression, _scope(names))}
    if isinstance(incident, PointSource):
        return {"field": "source", "wavenumber": encode(complex(incident.wavenumber)), "at": list(incident.at)}
    if isinstance(incident, PlaneWaves):
        arrays |= {f"{key}.{name}": np.array(getattr(incident, name)) for name in ("directions", "amplitudes")}
        return {"field": "waves", "wavenumber": encode(complex(incident.wavenumber)), "origin": list(incident.origin)}
    raise ProblemError(f"a file has no word for an incident field of type {type(incident).__name__}; pickle it")


def _read_incident(content: dict[str, Any], arrays: Arrays, key: str) -> Incident:
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
