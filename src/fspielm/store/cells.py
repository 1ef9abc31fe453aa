"""Polynomials on cells into arrays, and back: the frames as they are, and the cuts that grow their tree again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fspielm.features import CellBasis
from fspielm.features.corner_terms import CornerTerms
from fspielm.geometry.cells import Frames, MaterialFrames
from fspielm.geometry.cells.runs import Materials
from fspielm.geometry.cells.tree import grow_tree
from fspielm.store.archive import Arrays
from fspielm.store.values import decode

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
