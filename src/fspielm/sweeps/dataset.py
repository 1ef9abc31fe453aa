"""The rows of a sweep for xarray."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.study.outcome import DONE, FAILED
from fspielm.study.rows import Row
from fspielm.sweeps.grid import Grid
from fspielm.sweeps.quantities import decode

if TYPE_CHECKING:
    import xarray


def of_one_shape(rows: Sequence[Row]) -> list[Row]:
    """The rows, with those as failed that measured an array of another shape than the first one did."""
    shapes: dict[str, list[int]] = {}
    found = []
    for row in rows:
        own = {name: encoded["shape"] for name, encoded in (row.outcome.measured if row.done else {}).items()}
        shapes = {**own, **shapes}
        odd = [name for name in own if own[name] != shapes[name]]
        if not odd:
            found.append(row)
            continue
        why = (
            f"measure gave {odd[0]} of shape {tuple(own[odd[0]])} where the first row has {tuple(shapes[odd[0]])}; "
            "arrays must have one shape in all rows"
        )
        found.append(replace(row, outcome=replace(row.outcome, status=FAILED, message=why)))
    return found


def as_dataset(grid: Grid, rows: Sequence[Row], tol: float, facts: Mapping[str, Any]) -> xarray.Dataset:
    """Quantities of one shape, estimates and verdicts over the parameters; NaN where a row failed or is missing."""
    import xarray

    shape = grid.shape
    places = {label: np.unravel_index(place, shape) for place, label in enumerate(grid.rows)}
    estimates = np.full(shape, np.nan)
    seconds = np.full(shape, np.nan)
    status = np.full(shape, "missing", dtype=object)
    message = np.full(shape, "", dtype=object)
    for row in rows:
        place = places[row.job.subject]
        outcome = row.outcome
        known = outcome.error_estimate
        # an estimate beyond all numbers is kept as none
        estimates[place] = np.nan if not row.done else np.inf if known is None else known
        seconds[place], status[place], message[place] = outcome.seconds, outcome.status, outcome.message
    found: dict[str, Any] = _quantities(grid, rows, places)
    over = tuple(grid.names)
    found |= {
        "error_estimate": (over, estimates, {"long_name": "estimate of the relative L2 error"}),
        "converged": (over, estimates <= tol),
        "status": (over, status.astype(str)),
        "message": (over, message.astype(str)),
        "seconds": (over, seconds, {"units": "s"}),
    }
    coordinates = {name: np.array(values) for name, values in zip(grid.names, grid.values, strict=True)}
    return xarray.Dataset(found, coordinates, dict(facts))


def _quantities(grid: Grid, rows: Sequence[Row], places: Mapping[str, Any]) -> dict[str, Any]:
    """Each quantity as an array over the parameters, with further axes where it is one itself."""
    done = [row for row in rows if row.outcome.status == DONE]
    found: dict[str, Any] = {}
    for name in dict.fromkeys(name for row in done for name in row.outcome.measured):
        values = {row.job.subject: decode(row.outcome.measured[name]) for row in done if name in row.outcome.measured}
        shape = next(iter(values.values())).shape
        kind = np.result_type(*values.values())
        array = np.full((*grid.shape, *shape), np.nan, dtype=kind)
        for label, value in values.items():
            array[places[label]] = value
        found[name] = ((*grid.names, *(f"{name}_{axis}" for axis in range(len(shape)))), array)
    return found
