"""Bases into JSON and arrays, and back."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any, get_type_hints

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
from fspielm.basis.singular.outgoing import Outgoing, OutgoingDamped, SourceBasis
from fspielm.basis.singular.singular import Angle, CornerFunction, LogPower, Power, SingularBasis, Wave
from fspielm.basis.wrapping import ComplexPairs, Component, DerivedBasis
from fspielm.cells.basis import CellBasis, CornerTerms, SumsOnCells
from fspielm.cells.frames import Frames, MaterialFrames, Materials
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
from fspielm.problem.scattering.open_domain import Lattice

# ---- Polynomials on cells into arrays, and back: the frames as they are, and the cuts that grow their tree again


# No solver goes near it; a file that asks for more is none of ours, and would take all memory.
_MOST_DEGREE = 200
_ENDS = ("lower", "upper")
_MEETING = ("cell", "column", "point", "power", "length", "turn", "factor")


def describe_cells(basis: CellBasis, arrays: Arrays, key: str) -> dict[str, Any]:
    """The numbers of a basis on cells, those in arrays put there; columns without values are not stored."""
    frames = basis.frames
    arrays[f"{key}.degrees"] = basis.degrees.astype(np.float64)
    content = {"scales": list(basis.scales)}
    if len(basis.meeting):
        numbers = [getattr(basis.meeting, name) for name in _MEETING]
        arrays[f"{key}.meeting"] = np.column_stack([part for each in numbers for part in (each.real, each.imag)])
    if isinstance(frames, Frames):
        return content | _describe_frames(frames, arrays, key)
    arrays[f"{key}.materials"] = frames.rows.astype(np.float64)
    return content | {
        "parts": [_describe_frames(part, arrays, f"{key}.{number}") for number, part in enumerate(frames.parts)]
    }


def read_cells(content: dict[str, Any], arrays: Arrays, key: str, materials: Materials) -> CellBasis:
    """The basis that `describe_cells` has described; `materials` tells those of points apart."""
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
    scales = decode(tuple[float, ...], content["scales"])
    meeting = _read_meeting(arrays[f"{key}.meeting"], len(degrees)) if f"{key}.meeting" in arrays else None
    return CellBasis(frames, degrees, scales, meeting=meeting)


def _read_meeting(numbers: NDArray[Any], cells: int) -> CornerTerms:
    """Functions that cells share where materials meet, from a row of numbers for each."""
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
    numbers = {
        **{end: getattr(frames, end) for end in _ENDS},
        **{name: array.astype(np.float64) for name, array in (("whole", frames.whole), ("owner", frames.owner))},
        "root": np.stack([tree.lower[0], tree.upper[0]]),
        "cuts": tree.cuts,
    }
    arrays |= {f"{key}.{name}": array for name, array in numbers.items()}
    return {"slack": frames.slack}


def _read_frames(content: dict[str, Any], arrays: Arrays, key: str) -> Frames:
    lower, upper = (arrays[f"{key}.{end}"] for end in _ENDS)
    whole, owner = (_integers(arrays[f"{key}.{name}"]) for name in ("whole", "owner"))
    first, last = arrays[f"{key}.root"]
    tree = grow_tree(first, last, arrays[f"{key}.cuts"])
    return Frames(lower, upper, whole.astype(np.bool_), tree, owner, decode(float, content["slack"]))


def _integers(array: NDArray[Any]) -> NDArray[np.int_]:
    found = array.astype(np.int_)
    if not np.array_equal(found, array):
        raise ValueError("numbers that are not whole")
    return found


# ---- Bases of open domains that hold others, into JSON and arrays, and back


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


# ---- Bases into JSON and arrays, and back: every kind of column


# A new corner function is its name here.
_FUNCTIONS: dict[str, type[CornerFunction]] = {
    "angle": Angle,
    "outgoing": Outgoing,
    "outgoing damped": OutgoingDamped,
    "power": Power,
    "power with logarithm": LogPower,
    "wave": Wave,
}
# Bases that have all arguments they are made of under their names: a new one is its name here.
_PLAIN: dict[str, type[Basis]] = {
    "harmonic": HarmonicBasis,
    "multipoles": MultipoleBasis,
    "radiating": RadiatingBasis,
    "sources": SourceBasis,
}
# The arrays of a basis of exponentials, by the names of its arguments.
_EXPONENTIAL = ("W", "b", "origin", "peaks", "along")


@singledispatch
def describe_basis(basis: Basis, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    """The basis as JSON has it; its arrays are put into `arrays`, under names that begin with `key`."""
    for kind, plain in _PLAIN.items():
        if type(basis) is plain:
            return {"kind": kind, **_describe_arguments(basis, arrays, key)}
    outward = describe_outward(basis, arrays, key, lambda part, its: describe_basis(part, arrays, its))
    if outward is not None:
        return outward
    raise ProblemError(
        f"a file has no word for a basis of type {type(basis).__name__}; it cannot be saved; pickle the solution, or "
        "export its values, as with solution.to_xarray()"
    )


@describe_basis.register
def _(basis: RidgeBasis, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    arrays |= {f"{key}.W": basis.W, f"{key}.b": basis.b, f"{key}.origin": basis.origin}
    return {"kind": "ridge", "activation": _describe_activation(basis.activation)}


@describe_basis.register
def _(basis: ExponentialBasis, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    arrays |= {f"{key}.{name}": getattr(basis, name) for name in _EXPONENTIAL}
    return {"kind": "exponential", "powers": basis.powers.tolist()}


@describe_basis.register
def _(basis: JoinedBasis, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    return {
        "kind": "joined",
        "parts": [describe_basis(part, arrays, f"{key}.{i}") for i, part in enumerate(basis.parts)],
    }


@describe_basis.register
def _(basis: SingularBasis, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    place = {"corner": list(basis.corner), "axis": basis.axis, "scale": basis.scale}
    return {"kind": "singular", **place, "functions": [_describe_function(f) for f in basis.functions]}


@describe_basis.register
def _(basis: Component, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    place = {"unknown": basis.unknown, "components": basis.components, "scale": basis.scale}
    return {"kind": "component", **place, "basis": describe_basis(basis.basis, arrays, f"{key}.its")}


@describe_basis.register
def _(basis: ModeBasis, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    arrays[f"{key}.amplitudes"] = basis.amplitudes
    return {"kind": "modes", "is_real": basis.is_real, "waves": describe_basis(basis.waves, arrays, f"{key}.waves")}


@describe_basis.register
def _(basis: DerivedBasis, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    operators = [[[list(t.orders), encode(t.coefficient)] for t in operator.terms] for operator in basis.operators]
    return {"kind": "derived", "operators": operators, "basis": describe_basis(basis.basis, arrays, f"{key}.its")}


@describe_basis.register
def _(basis: ComplexPairs, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    return {"kind": "complex", "parts": describe_basis(basis.parts, arrays, f"{key}.its")}


@describe_basis.register
def _(basis: CellBasis, arrays: Arrays, key: str = "basis") -> dict[str, Any]:
    return {"kind": "cells", **describe_cells(basis, arrays, key)}


def read_basis(
    content: dict[str, Any], arrays: Arrays, key: str = "basis", materials: Materials = one_material
) -> Basis:
    """The basis that `describe_basis` has described; `materials` tells those of points apart, where there are cells."""
    kind = content["kind"]
    if kind == "ridge":
        W, b, origin = (arrays[f"{key}.{name}"] for name in ("W", "b", "origin"))
        if origin.shape != W.shape[1:]:
            raise ValueError(f"an origin of shape {origin.shape} for frequencies of shape {W.shape}")
        return RidgeBasis(W, b, _read_activation(content["activation"]), origin)
    if kind == "exponential":
        powers = decode(tuple[int, ...], content["powers"])
        return ExponentialBasis(**{name: arrays[f"{key}.{name}"] for name in _EXPONENTIAL}, powers=powers)
    if kind == "joined":
        return JoinedBasis(
            [read_basis(part, arrays, f"{key}.{i}", materials) for i, part in enumerate(content["parts"])]
        )
    if kind == "singular":
        x, y = decode(tuple[float, ...], content["corner"])
        functions = [_read_function(f) for f in content["functions"]]
        return SingularBasis((x, y), decode(float, content["axis"]), decode(float, content["scale"]), functions)
    if kind in _PLAIN:
        return _PLAIN[kind](**_read_arguments(_PLAIN[kind], content, arrays, key))
    if kind == "component":
        place = {name: decode(int, content[name]) for name in ("unknown", "components")}
        return Component(
            read_basis(content["basis"], arrays, f"{key}.its", materials),
            **place,
            scale=decode(float, content["scale"]),
        )
    if kind == "modes":
        waves = read_basis(content["waves"], arrays, f"{key}.waves", materials)
        if not isinstance(waves, ExponentialBasis):
            raise ValueError("modes that are not made of exponentials")
        return ModeBasis(waves, arrays[f"{key}.amplitudes"], is_real=decode(bool, content["is_real"]))
    if kind == "derived":
        made_of = read_basis(content["basis"], arrays, f"{key}.its", materials)
        return DerivedBasis(made_of, [_read_operator(terms, made_of.dimension) for terms in content["operators"]])
    if kind == "complex":
        return ComplexPairs(read_basis(content["parts"], arrays, f"{key}.its", materials))
    if kind == "cells":
        return read_cells(content, arrays, key, materials)
    outward = read_outward(content, arrays, key, lambda part, its: read_basis(part, arrays, its, materials))
    if outward is None:
        raise ValueError(f"a basis of the unknown kind {kind!r}")
    return outward


def _describe_arguments(basis: Basis, arrays: Arrays, key: str) -> dict[str, Any]:
    values = {name: getattr(basis, name) for name in _arguments(type(basis))}
    # a file holds floats; whole numbers and yes or no are made of them again by the basis itself
    arrays |= {f"{key}.{name}": value * 1.0 for name, value in values.items() if isinstance(value, np.ndarray)}
    return {name: encode(value) for name, value in values.items() if not isinstance(value, np.ndarray)}


def _read_arguments(kind: type[Basis], content: dict[str, Any], arrays: Arrays, key: str) -> dict[str, Any]:
    return {
        name: decode(hint, content[name]) if name in content else arrays[f"{key}.{name}"]
        for name, hint in _arguments(kind).items()
    }


def _arguments(kind: type[Basis]) -> dict[str, Any]:
    hints = get_type_hints(kind.__init__)
    return {name: hint for name, hint in hints.items() if name != "return"}


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
