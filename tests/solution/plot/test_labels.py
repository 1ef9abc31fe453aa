"""Labels and titles of pictures."""

from __future__ import annotations

from fspielm.solution.plot.style import wrapped


def test_titles_are_broken_between_words_and_never_within_mathematics() -> None:
    title = r"relative $L^2$ error $1.2 \times 10^{-3}$, at all times"
    assert wrapped(title, 80) == title
    lines = wrapped(title, 16).split("\n")
    assert " ".join(lines) == title
    assert len(lines) > 2
    assert all(line.count("$") % 2 == 0 for line in lines)
