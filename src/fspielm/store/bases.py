"""Bases into JSON and arrays, and back: every kind of column."""

from __future__ import annotations

from functools import singledispatch
from typing import Any, get_type_hints

import numpy as np

from fspielm.equations import Operator, Term
from fspielm.errors import ProblemError
from fspielm.features import (
    Basis,
    CellBasis,
    ComplexPairs,
    Component,
    DerivedBasis,
    ExponentialBasis,
    JoinedBasis,
    LogPower,
    ModeBasis,
    OutgoingDamped,
    RidgeBasis,
    SourceBasis,
)
from fspielm.features.activations import TANH, Activation, HyperbolicTangent, Sinusoid
from fspielm.features.outgoing import Outgoing
from fspielm.features.outward import HarmonicBasis, MultipoleBasis, RadiatingBasis
from fspielm.features.singular import Angle, CornerFunction, Power, SingularBasis, Wave
from fspielm.geometry.cells.runs import Materials
from fspielm.store.archive import Arrays
from fspielm.store.cells import describe_cells, read_cells
from fspielm.store.materials import one_material
from fspielm.store.outward import describe_outward, read_outward
from fspielm.store.values import decode, encode

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
