"""Names of boundary parts, numbered where several would have the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBERED = re.compile(r" \((\d+)\)$")


def unnumbered(name: str) -> str:
    """A name without the number that `tell_apart` gave it."""
    return _NUMBERED.sub("", name)


def namesakes(name: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that are `name` with a number, as `tell_apart` gives it."""
    return [other for other in names if other != name and unnumbered(other) == name]


def likely_parts(name: str, names: Iterable[str]) -> str:
    """The end of a message about a part that is none of `names`: those of the shape of this name, or the nearest."""
    from difflib import get_close_matches  # for messages alone

    names = list(names)
    if own := [other for other in names if other.startswith(f"{name}.")]:
        return f"; did you mean {own[0]!r}?" if len(own) == 1 else f"; did you mean all of that shape's, {own}?"
    near = get_close_matches(name.strip().lower(), [other.lower() for other in names], 1)
    return "".join(f"; did you mean {other!r}?" for other in names if other.lower() in near)


def tell_apart(parts: Iterable[tuple[int, str]]) -> dict[tuple[int, str], str]:
    """Names for parts given by their operand and the name they have there, numbered where they would be the same.

    Numbers that parts have from an earlier combination are given anew, so that three circles are 1, 2, 3.
    """
    by_name: dict[str, list[tuple[int, int, str]]] = {}
    for operand, name in dict.fromkeys(parts):
        number = _NUMBERED.search(name)
        by_name.setdefault(unnumbered(name), []).append((operand, int(number[1]) if number else 0, name))
    return {
        (operand, old): name if len(same) == 1 else f"{name} ({count})"
        for name, same in by_name.items()
        for count, (operand, _, old) in enumerate(sorted(same), 1)
    }
