"""The sinusoids of a basis, and what they become under operators: complex exponentials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray, safe_norm
from fspielm.features.activations import Sinusoid
from fspielm.features.basis import Basis
from fspielm.features.evaluation.parts import Part, split_leaves
from fspielm.features.ridge import RidgeBasis
from fspielm.geometry import Domain

# Of a transform, in units of the norm of the coefficients; 3e-14 to 6e-14 were seen.
_MEASURED_ROUNDING = 5e-14


@final
@dataclass(frozen=True, eq=False)
class Waves:
    """Sums ``sum_j fields[f, j] cos(W_j (x - origin) + phase_j)``, one for each field f.

    Attributes
    ----------
    W : (M, d) array
    phase : (M,) array
    origin : (d,) array
    fields : (F, M) array
        Coefficients.
    """

    W: FloatArray
    phase: FloatArray
    origin: FloatArray
    fields: FloatArray

    def strengths(self, orders: NDArray[np.int_], coefficients: FloatArray) -> ComplexArray:
        """Factors ``(F, M)`` of ``exp(i W (x - origin))``, of which the real part of the sum has the operator's values.

        Each factor is the symbol ``sum_t coefficients[t] (i W)^orders[t]`` times the wave's own amplitude and phase.
        """
        symbol = np.prod((1j * self.W[:, None, :]) ** orders, axis=2) @ coefficients
        return np.asarray(self.fields * (symbol * np.exp(1j * self.phase)))


def split_waves(basis: Basis, fields: FloatArray) -> tuple[list[Waves], list[Part]]:
    """The sinusoids of `basis`, joined where they share an origin, and the other bases with their coefficients."""
    groups: dict[tuple[float, ...], list[tuple[RidgeBasis, FloatArray, float]]] = {}
    others: list[Part] = []
    for leaf, part in split_leaves(basis, fields):
        if not leaf.size:  # an unknown of a system that is zero
            continue
        if isinstance(leaf, RidgeBasis) and isinstance(leaf.activation, Sinusoid):
            groups.setdefault(tuple(leaf.origin), []).append((leaf, part, leaf.activation.phase))
        else:
            others.append((leaf, part))
    waves = [
        Waves(
            np.concatenate([leaf.W for leaf, _, _ in group]),
            np.concatenate([leaf.b + phase for leaf, _, phase in group]),
            np.array(origin),
            np.concatenate([part for _, part, _ in group], axis=1),
        )
        for origin, group in groups.items()
    ]
    return waves, others


def transform_rounding(basis: Basis, coefficients: FloatArray, domain: Domain) -> float:
    """How far values by a transform may be off the direct sum: see `evaluate_each`."""
    waves, _ = split_waves(basis, np.atleast_2d(np.abs(coefficients)))
    if not waves:
        return 0.0
    lower, upper = domain.bounding_box
    phase = max(float(np.abs(group.W).max(axis=0) @ (upper - lower)) for group in waves)
    norm = max(safe_norm(group.fields) for group in waves)
    return _MEASURED_ROUNDING * max(1.0, phase / 100) * norm
