"""What a solve costs."""

from __future__ import annotations


def work(rows: int, columns: int) -> float:
    """Floating-point operations of a QR factorisation, and of filling its matrix at some hundred an entry."""
    return 2.0 * rows * columns**2 + 200.0 * rows * columns
