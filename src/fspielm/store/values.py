"""Dataclasses of plain values into JSON and back, told by their annotations: a new field needs no line here."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np


def encode(value: Any) -> Any:
    """A value as JSON has it; a float that is not finite, which JSON has no word for, as text; a complex as a pair."""
    if is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, complex):
        return [encode(value.real), encode(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"cannot store {value!r}")


def decode(kind: Any, value: Any) -> Any:
    """The value of type `kind` that was encoded; a TypeError or ValueError if it is something else."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{name: decode(hints[name], item) for name, item in value.items()})  # type: ignore[operator]
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        (kind,) = (choice for choice in inner if choice is not type(None))
        return decode(kind, value)
    if origin is Mapping:
        return {key: decode(inner[1], item) for key, item in value.items()}
    if origin is tuple:
        return tuple(decode(inner[0], item) for item in value)
    if kind is complex:
        real, imaginary = (decode(float, part) for part in value)
        return complex(real, imaginary)
    if kind is float and isinstance(value, str):
        return float(value)
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or (kind is not bool and isinstance(value, bool)):
        raise TypeError(f"{value!r} is not of type {kind.__name__}")
    return float(value) if kind is float else value
