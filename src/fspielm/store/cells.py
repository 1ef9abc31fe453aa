"""Polynomials on cells into arrays, and back: the frames as they are, and the cuts that grow their tree again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fspielm.errors import SolveError
from fspielm.features import CellBasis
from fspielm.geometry.cells import Frames
from fspielm.geometry.cells.tree import grow_tree
from fspielm.store.archive import Arrays
from fspielm.store.values import decode

# No solver goes near it; a file that asks for more is none of ours, and would take all memory.
_MOST_DEGREE = 200
_ENDS = ("lower", "upper")


def describe_cells(basis: CellBasis, arrays: Arrays, key: str) -> dict[str, Any]:
    """The numbers of a basis on cells, those in arrays put there; columns without values are not stored."""
    frames = basis.frames
    if not isinstance(frames, Frames):
        raise SolveError("solutions on cells of several materials cannot be saved yet")
    tree = frames.tree
    whole_numbers = {"degrees": basis.degrees, "whole": frames.whole, "owner": frames.owner}
    numbers = {
        **{end: getattr(frames, end) for end in _ENDS},
        **{name: array.astype(np.float64) for name, array in whole_numbers.items()},
        "root": np.stack([tree.lower[0], tree.upper[0]]),
        "cuts": tree.cuts,
    }
    arrays |= {f"{key}.{name}": array for name, array in numbers.items()}
    return {"scales": list(basis.scales), "slack": frames.slack}


def read_cells(content: dict[str, Any], arrays: Arrays, key: str) -> CellBasis:
    """The basis that `describe_cells` has described."""
    lower, upper = (arrays[f"{key}.{end}"] for end in _ENDS)
    degrees, whole, owner = (_integers(arrays[f"{key}.{name}"]) for name in ("degrees", "whole", "owner"))
    first, last = arrays[f"{key}.root"]
    tree = grow_tree(first, last, arrays[f"{key}.cuts"])
    frames = Frames(lower, upper, whole.astype(np.bool_), tree, owner, decode(float, content["slack"]))
    if degrees.shape != lower.shape or not np.all((degrees >= 0) & (degrees <= _MOST_DEGREE)):
        raise ValueError(f"degrees of shape {degrees.shape} for cells of shape {lower.shape}")
    return CellBasis(frames, degrees, decode(tuple[float, ...], content["scales"]))


def _integers(array: NDArray[Any]) -> NDArray[np.int_]:
    found = array.astype(np.int_)
    if not np.array_equal(found, array):
        raise ValueError("numbers that are not whole")
    return found
