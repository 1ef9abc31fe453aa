"""How much memory a solve will need, known before it is allocated."""

from __future__ import annotations

from fspielm.errors import MemoryBudgetError
from fspielm.wording import readable_bytes


def check_memory(rows: int, columns: int, workspace: int, limit: float, *, itemsize: int = 8) -> int:
    """Bytes for an ``(rows, columns)`` matrix and its solve; refused above `limit`."""
    needed = matrix_bytes(rows, columns, itemsize=itemsize) + workspace
    if needed > limit:
        raise MemoryBudgetError(
            f"{columns} functions with {rows} rows need {readable_bytes(needed)} of memory, above the budget of "
            f"{readable_bytes(limit)}; use fewer functions or points, or allow more with "
            "budget=fs.Budget(memory=...)"
        )
    return needed


def matrix_bytes(rows: int, columns: int, *, itemsize: int = 8) -> int:
    """Bytes of a system with its values, in numbers of `itemsize` bytes."""
    return itemsize * rows * (columns + 1)
