"""What users write for ``incident=``: waves by their names, expressions, or both by unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, SupportsFloat

import numpy as np
import sympy as sp

from fspielm.equations.incident import Beam, ByUnknown, Formula, Incident, PlaneWaves, PointSource
from fspielm.equations.written_numbers import as_written
from fspielm.errors import ProblemError
from fspielm.expressions import describe
from fspielm.geometry.inputs import as_plane_point, as_positive, as_vector

# What the length of a direction may differ from one by, to be one.
_OF_LENGTH_ONE = 1e-15


def plane_wave(k: Any, direction: Iterable[SupportsFloat]) -> PlaneWaves:
    """The plane wave ``exp(i k direction x)``, for ``incident=``.

    Parameters
    ----------
    k : number or Expr
        The wavenumber of the equation around the objects.
    direction : (number, number) or (number, number, number)
        Where it goes; of any length.
    """
    return PlaneWaves(_wavenumber(k, "plane_wave"), (_direction(direction, "plane_wave"),))


def point_source(k: Any, place: Iterable[SupportsFloat]) -> PointSource:
    """The field of a point source, for ``incident=``.

    In the plane it is ``i/4 H(0, k r)``, in space ``exp(i k r) / (4 pi r)``.

    Parameters
    ----------
    k : number or Expr
        The wavenumber of the equation around the objects.
    place : (number, number) or (number, number, number)
        Outside of all objects.
    """
    at = as_vector(place, "point_source: place")
    if len(at) not in (2, 3):
        raise ProblemError(f"point_source: place must have two coordinates, or three; got {len(at)}: {at}")
    return PointSource(_wavenumber(k, "point_source"), at)


def beam(k: Any, direction: Iterable[SupportsFloat], focus: Iterable[SupportsFloat], waist: SupportsFloat) -> Beam:
    """A beam in the plane, for ``incident=``: plane waves of a Gaussian spread of directions, of size one in its focus.

    Parameters
    ----------
    k : number or Expr
        The wavenumber of the equation around the objects.
    direction : (number, number)
        Where it goes, of any length.
    focus : (number, number)
    waist : number
        At this distance across from the focus, it has fallen to 1 / e; some wavelengths at least for a beam that
        hardly widens.
    """
    along = _direction(direction, "beam")
    if len(along) != 2:
        raise ProblemError("beam: beams are those of the plane; in space take fs.plane_wave, or an expression")
    return Beam(_wavenumber(k, "beam"), along, as_plane_point(focus, "beam: focus"), as_positive(waist, "beam: waist"))


def as_incident(value: Any) -> Incident | None:
    """What was given as ``incident=``, checked."""
    if value is None or isinstance(value, Incident):
        return value
    if isinstance(value, Mapping):
        return ByUnknown(tuple((unknown, _as_field(field, unknown)) for unknown, field in value.items()))
    if isinstance(value, sp.Expr):
        return Formula(value)
    raise ProblemError(
        "incident must be fs.plane_wave(k, direction), fs.point_source(k, place), fs.beam(...) or a SymPy expression "
        f"in the coordinates, or a dictionary of such by unknown; got {value!r}"
    )


def as_typed(incident: Incident) -> str:
    """The same as users write it."""
    if isinstance(incident, PlaneWaves) and len(incident.directions) == 1:
        return f"plane_wave({incident.wavenumber}, {incident.directions[0]})"
    if isinstance(incident, PointSource):
        return f"point_source({incident.wavenumber}, {incident.at})"
    if isinstance(incident, Beam):
        return f"beam({incident.wavenumber}, {incident.direction}, {incident.focus}, {incident.waist})"
    if isinstance(incident, Formula):
        return describe(incident.expression)
    if isinstance(incident, ByUnknown):
        return "{" + ", ".join(f"{unknown}: {as_typed(field)}" for unknown, field in incident.fields) + "}"
    return repr(incident)


def _as_field(value: Any, unknown: Any) -> Incident:
    field = as_incident(sp.sympify(value) if isinstance(value, int | float | complex) else value)
    if field is None or isinstance(field, ByUnknown):
        raise ProblemError(f"incident: what comes in of {unknown} must be an expression or a wave; got {value!r}")
    return field


def _wavenumber(k: Any, who: str) -> Any:
    as_written(k, f"{who}: k")  # which says what is wrong
    return k


def _direction(value: Iterable[SupportsFloat], who: str) -> tuple[float, ...]:
    entries = as_vector(value, f"{who}: direction")
    length = float(np.linalg.norm(entries))
    if len(entries) not in (2, 3) or length == 0.0:
        raise ProblemError(f"{who}: direction must have two entries, or three in space, not all zero; got {entries}")
    # one that has been made so stays as it is, to the last bit
    return tuple(entry if abs(length - 1) < _OF_LENGTH_ONE else entry / length for entry in entries)
