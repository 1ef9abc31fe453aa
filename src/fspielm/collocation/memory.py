"""How much memory a solve will need, known before it is allocated."""

from __future__ import annotations

from fspielm.errors import MemoryBudgetError


def check_memory(rows: int, columns: int, workspace: int, limit: float) -> int:
    """Bytes for an ``(rows, columns)`` matrix and its solve; refused above `limit`."""
    needed = 8 * rows * columns + workspace
    if needed > limit:
        raise MemoryBudgetError(
            f"{columns} neurons with {rows} rows need {_readable(needed)} of memory, above the budget of "
            f"{_readable(limit)}; use fewer neurons or points, or allow more with "
            "budget=fs.Budget(memory=...), in bytes"
        )
    return needed


def _readable(size: float) -> str:
    return f"{size / 2**30:.2f} GiB" if size >= 2**30 / 10 else f"{size / 2**20:.1f} MiB"
