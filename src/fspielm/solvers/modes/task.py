"""What a search around one shift is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from fspielm.solvers.modes.pencil import Pencil
from fspielm.solvers.modes.window import Window
from fspielm.solvers.request import Request


@final
@dataclass(frozen=True, eq=False)
class Task:
    """Modes of a window, and how well they are to be known.

    Attributes
    ----------
    pencil : Pencil
    request : Request
        For the problem at the shift of the window.
    window : Window
    unit : float
        In which distances from the shift are measured.
    roughly : bool
        Whether the sum of all modes is checked, and none by itself.
    owed : float
        Seconds that are still needed for what other searches have found.
    """

    pencil: Pencil
    request: Request
    window: Window
    unit: float
    roughly: bool = False
    owed: float = 0.0
