"""Modes.plot(): the first modes with their values and errors."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import numpy as np

from fspielm.errors import ProblemError
from fspielm.solution.pictures import check_picture_path, plot_modes, save_picture
from fspielm.solution.pictures.modes import MOST_DRAWN
from fspielm.wording import known_digits

if TYPE_CHECKING:
    from fspielm.solution.pictures import Figure
    from fspielm.solvers.modes.modes import Mode, Modes

_CAPTION_DIGITS = 10


def plot(
    modes: Modes, path: str | os.PathLike[str] | None = None, *, count: int = MOST_DRAWN, title: str | None = None
) -> Figure:
    """Draw the first modes, each with its value and how far the true value may be away.

    Of complex fields the real part is shown, of several unknowns the length of the vector that they are.

    Parameters
    ----------
    modes : Modes
    path : str or path, optional
        Where to save the picture: ``.png``, ``.pdf``, ``.svg`` or ``.jpg``.
    count : int
        How many to draw, at most.
    title : str, optional
        Above the picture, as plain text; it also says if only some of the modes are drawn.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    check_picture_path(path)
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ProblemError(f"count must be a whole number, 1 or more; got {count!r}")
    if not len(modes):
        raise ProblemError("there are no modes to plot: the search found none")
    drawn = modes[:count]
    if len(drawn) < len(modes):
        some = f"the first {len(drawn)} of {len(modes)} modes"
        title = some if title is None else f"{title}: {some}"
    figure = plot_modes([mode.field for mode in drawn], [caption(n, mode) for n, mode in enumerate(drawn, 1)], title)
    return save_picture(figure, path)


def caption(number: int, mode: Mode) -> str:
    """The value as far as it is known, and below it how far the true one may be away."""
    many = f", {mode.multiplicity}-fold" if mode.multiplicity > 1 else ""
    if mode.value == 0 and mode.bound == 0:  # that of the constants
        return f"{number}:  0\nexact{many}"
    return f"{number}:  {known_digits(mode.value, mode.estimate, _CAPTION_DIGITS)}\n{_error(mode)}{many}"


def _error(mode: Mode) -> str:
    """How far the true value may be away, where anything is known of that."""
    if not math.isfinite(mode.estimate):
        return "error unknown"
    return f"error about {mode.estimate:.1e}" if mode.bound is None else f"\N{PLUS-MINUS SIGN} {mode.bound:.1e}"
