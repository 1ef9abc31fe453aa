"""What was done, how long it took, and how well the rows are met."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fspielm.collocation import BlockResidual


@dataclass(frozen=True)
class Report:
    """A printable account of one solve.

    Attributes
    ----------
    features, least_squares, scaling : str
        The settings, as they would be typed.
    neurons, rows : int
        Columns and rows of the system.
    points : mapping
        Rows of each block, by name.
    residuals : mapping
        Residual of each block, by name.
    rank : int
    condition : float
    coefficient_norm : float
    seconds : mapping
        Time of each phase.
    seed : int or None
        Gives the same features and points again; None if the caller's own generator was used.
    """

    features: str
    least_squares: str
    scaling: str
    neurons: int
    rows: int
    points: Mapping[str, int]
    residuals: Mapping[str, BlockResidual]
    rank: int
    condition: float
    coefficient_norm: float
    seconds: Mapping[str, float]
    seed: int | None

    def as_dict(self) -> dict[str, Any]:
        """The report in plain numbers, strings and dictionaries, as JSON takes them.

        The residuals are root mean squares; a condition number beyond all numbers is None.
        """
        content = dict(vars(self))
        content["condition"] = self.condition if math.isfinite(self.condition) else None
        content["points"] = dict(self.points)
        content["residuals"] = {name: residual.rms for name, residual in self.residuals.items()}
        content["seconds"] = dict(self.seconds)
        return content

    def __str__(self) -> str:
        width = max(len(name) for name in self.residuals)
        blocks = "\n".join(
            f"  {name:<{width}}  {self.points[name]:>7} rows   "
            f"residual {r.rms:.2e} rms, {r.largest:.2e} largest"
            for name, r in self.residuals.items()
        )
        phases = ", ".join(f"{phase} {seconds:.2f} s" for phase, seconds in self.seconds.items())
        return (
            f"features       {self.features}\n"
            f"least squares  {self.least_squares}, row scaling {self.scaling}\n"
            f"system         {self.rows} rows x {self.neurons} neurons, rank {self.rank}, "
            f"condition {self.condition:.1e}\n"
            f"coefficients   norm {self.coefficient_norm:.2e}\n"
            f"time           {phases}\n"
            f"seed           {self.seed}\n"
            f"{blocks}"
        )
