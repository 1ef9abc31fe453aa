"""Tables and numbers in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 0) -> str:
    """A table with a line of headings; its first `words` columns are words, the others numbers."""
    rule = [":---" if column < words else "---:" for column in range(len(columns))]
    lines = [columns, rule, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def signed_percent(value: float) -> str:
    """A relative deviation in percent, with its sign unless it rounds to nothing."""
    text = f"{value:+.2%}"
    return "0.00%" if text in ("+0.00%", "-0.00%") else text


def significant(value: float) -> str:
    """A positive number with three digits or more, but never without those before the point."""
    for decimals, limit in ((3, 1.0), (2, 10.0), (1, 100.0)):
        if value < limit:
            return f"{value:.{decimals}f}"
    return f"{value:.0f}"
