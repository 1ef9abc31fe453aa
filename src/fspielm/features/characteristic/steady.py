"""Zeros of a symbol for a problem without evolution: waves in all directions, and exponentials along them.

With ``w = q tangent + z direction`` the symbol is solved for z. At q = 0 real roots are plane waves (Helmholtz),
others exponentials without oscillation (the modified equation). At higher q the roots are functions that oscillate
along the tangent and fall off across it: all there is for Laplace's equation, and evanescent waves for Helmholtz'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.features.characteristic.directions import half_sphere, tangents
from fspielm.features.characteristic.frequencies import Frequencies, join
from fspielm.features.characteristic.sheets import Sheet, ranks_of, sheets_of
from fspielm.features.characteristic.symbol import Symbol
from fspielm.features.characteristic.zeros import solve_along

_PROBES = 24
# Rings of exponentials: e-foldings from the center to the boundary of the first, and the ratio from one to the next.
_FIRST_RING = 0.6
_RING_RATIO = 1.7
_MOST_RINGS = 24
# Directions of a ring, grown with the reach of the last.
_DENSITY = 3.0
# How finely that reach is searched for.
_STEP = 1.05


@final
@dataclass(frozen=True, eq=False)
class Space:
    """The axes along which directions are taken, and what the frequencies are along the others.

    Attributes
    ----------
    axes : tuple of int
    base : (d,) array
        Zero along `axes`.
    radius : float
        Largest distance from the center of the domain along `axes`.
    """

    axes: tuple[int, ...]
    base: FloatArray
    radius: float

    def embed(self, vectors: FloatArray) -> FloatArray:
        """Vectors along the axes ``(n, len(axes))`` in all coordinates."""
        whole = np.zeros((len(vectors), len(self.base)))
        whole[:, self.axes] = vectors
        return whole

    @property
    def signs(self) -> tuple[float, ...]:
        """Both signs of a tangential frequency count where another frequency is fixed, which the conjugate turns."""
        return (1.0, -1.0) if self.base.any() else (1.0,)


def directions_needed(reach: float, dimension: int, beyond: float = 0.0) -> int:
    """How many plane waves of wavenumber k hold all solutions in a ball of radius R; `reach` is k R.

    In a disk, angular orders up to k R are of full size, the higher ones fall off within a width of about the
    cube root of k R; each order is two functions. In a ball, orders up to n are (n + 1)^2 functions. Orders `beyond`
    are those of other functions to be counted with them.
    """
    orders = reach + 6.0 * np.cbrt(reach) + 10.0 + beyond
    return int(np.ceil({1: 2.0, 2: 2.0 * orders}.get(dimension, orders ** (dimension - 1))))


def find_sheets(symbol: Symbol, space: Space) -> list[Sheet]:
    """The kinds of waves among the zeros, those of the smallest wavenumbers first."""
    found = zeros_in_directions(symbol, space, _PROBES, 0.0, np.random.default_rng(0))  # only looks
    return sheets_of(found.select(found.are_waves), space.axes)


def waves_needed(sheets: Sequence[Sheet], space: Space, beyond: float = 0.0) -> list[int]:
    """How many waves of each kind hold all solutions; see `directions_needed`.

    A symbol that has no other real zero than zero is met by a constant there.
    """
    return [
        sheet.multiplicity * directions_needed(sheet.wavenumber * space.radius, len(space.axes), beyond)
        if sheet.wavenumber > 0
        else 1
        for sheet in sheets
    ]


def steady_frequencies(
    symbol: Symbol, space: Space, neurons: int, rng: np.random.Generator, *, waves: bool = True
) -> Frequencies:
    """Zeros that make at most `neurons` real functions: waves as far as they are needed, then rings of exponentials.

    Without `waves`, only the latter.
    """
    if len(space.axes) == 1:
        found = zeros_in_directions(symbol, space, 1, 0.0, rng).distinct()
        return (found if waves else found.select(~found.are_real)).first(neurons)
    probes = zeros_in_directions(symbol, space, _PROBES, 0.0, rng)
    sheets = sheets_of(probes.select(probes.are_waves), space.axes)
    parts = _running(symbol, space, sheets, neurons, rng) if waves else []
    left = neurons - sum(part.total for part in parts)
    for ring, directions in _rings(symbol, space, sheets, left, rng):
        found = zeros_in_directions(symbol, space, directions, ring.frequency, rng)
        # the waves that are left out decay, where coefficients are complex
        parts.append(found.select(~found.are_waves if waves else ~found.are_real))
    return join(parts, symbol.dimension, symbol.is_real).distinct().first(neurons)


def _running(
    symbol: Symbol, space: Space, sheets: Sequence[Sheet], neurons: int, rng: np.random.Generator
) -> list[Frequencies]:
    """Waves of each kind, as many as are needed, or as there may be."""
    wanted = waves_needed(sheets, space)
    share = min(neurons / max(sum(wanted), 1), 1.0)
    parts = []
    for rank, (sheet, number) in enumerate(zip(sheets, wanted, strict=True)):
        allowed = min(number, neurons) if len(sheets) == 1 else int(number * share)
        found = zeros_in_directions(symbol, space, _share(allowed, sheet.waves), 0.0, rng)
        found = found.select(found.are_waves)
        if len(sheets) > 1:
            found = found.select(ranks_of(found, space.axes) == rank)
        parts.append(found.distinct())
    return parts


def highest_ring(symbol: Symbol, space: Space, neurons: int) -> float:
    """The tangential frequency of the last ring of exponentials among so many functions; zero without any."""
    rng = np.random.default_rng(0)  # only looks
    sheets = find_sheets(symbol, space)
    waves = sum(waves_needed(sheets, space)) if sheets else 1
    rings = _rings(symbol, space, sheets, neurons - waves, rng)
    return max((ring.frequency for ring, _ in rings), default=0.0)


@final
@dataclass(frozen=True)
class _Ring:
    """Exponentials of one tangential frequency.

    Attributes
    ----------
    frequency : float
    growth : float
        Their e-foldings from the center of the domain to its boundary.
    functions : float
        How many real ones each direction makes.
    """

    frequency: float
    growth: float
    functions: float


def _rings(
    symbol: Symbol, space: Space, sheets: Sequence[Sheet], neurons: int, rng: np.random.Generator
) -> list[tuple[_Ring, int]]:
    """As many rings as `neurons` allow, each with its number of directions."""
    steps = [0.0, *(_FIRST_RING * _RING_RATIO ** np.arange(_MOST_RINGS)).tolist()]
    wavenumbers = [sheet.wavenumber for sheet in sheets] or [0.0]
    rings: list[_Ring] = []
    probed = 0
    best: list[tuple[_Ring, int]] = []
    reach = _FIRST_RING
    while reach < steps[-1]:
        while steps[probed] <= reach:
            frequencies = _frequencies_of(steps[probed] / space.radius, wavenumbers)
            rings += [_probe_ring(symbol, space, frequency, rng) for frequency in frequencies]
            probed += 1
        chosen = [(ring, _directions_of(ring, reach, len(space.axes))) for ring in rings if ring.functions > 0]
        if sum(ring.functions * directions for ring, directions in chosen) > neurons:
            # the innermost alone, where not even the first few fit
            best = best or [(ring, 1) for ring, _ in chosen[:1]]
            break
        best = chosen
        reach *= _STEP
    # the next ring would have been too many: what is left makes these denser
    spare = neurons / max(sum(ring.functions * directions for ring, directions in best), 1.0)
    return [(ring, int(directions * spare)) for ring, directions in best]


def _frequencies_of(step: float, wavenumbers: Sequence[float]) -> list[float]:
    """Tangential frequencies a step beyond each kind of waves, unless the next kind is reached with it."""
    if not step:
        return [0.0]
    above = (*wavenumbers[1:], np.inf)
    each = (float(np.hypot(wavenumber, step)) for wavenumber in wavenumbers)
    return [frequency for frequency, next_kind in zip(each, above, strict=True) if frequency < next_kind]


def _probe_ring(symbol: Symbol, space: Space, frequency: float, rng: np.random.Generator) -> _Ring:
    found = zeros_in_directions(symbol, space, _PROBES, frequency, rng)
    found = found.select(~found.are_waves).distinct()
    growth = space.radius * float(np.linalg.norm(found.W.imag, axis=1).max(initial=0.0))
    return _Ring(frequency, growth, found.total / _PROBES)


def _directions_of(ring: _Ring, reach: float, dimension: int) -> int:
    """How many directions a ring needs beside others up to `reach`: its functions are as narrow as a square root."""
    across = _DENSITY * np.cbrt(0.2 * reach) * np.sqrt(0.2 * ring.growth) + 3.0
    return int(np.ceil(0.5 * across ** (dimension - 1)))


def _share(wanted: int, probes: Frequencies) -> int:
    """How many directions make so many functions."""
    return max(int(wanted * _PROBES / probes.distinct().total), 1)


def zeros_in_directions(
    symbol: Symbol, space: Space, n: int, frequency: float, rng: np.random.Generator
) -> Frequencies:
    """All zeros along `n` directions of a half sphere, with a tangential frequency."""
    directions = half_sphere(n, len(space.axes), rng)
    along = space.embed(directions)
    across = space.embed(tangents(directions, rng)) if frequency else np.zeros_like(along)
    found = []
    signs = space.signs if symbol.is_real else (1.0, -1.0)
    for sign in signs if frequency else (1.0,):
        base = (space.base + sign * frequency * across).astype(np.complex128)
        found.append(solve_along(symbol, base, along, 1 / space.radius))
    return join(found, symbol.dimension, symbol.is_real)
