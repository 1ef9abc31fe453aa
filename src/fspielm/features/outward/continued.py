"""The functions of an open domain at other wavenumbers: around the same places, of the same orders."""

from __future__ import annotations

from collections.abc import Sequence

from fspielm.errors import UnsuitableError
from fspielm.features.basis import Basis, JoinedBasis
from fspielm.features.component import Component
from fspielm.features.outward.layers import LayerBasis
from fspielm.features.outward.multipoles import MultipoleBasis
from fspielm.features.outward.radiating import RadiatingBasis


def at_wavenumbers(basis: Basis, wavenumbers: Sequence[complex], unknown: int = 0) -> Basis:
    """Functions of these wavenumbers, one for each unknown, where others were.

    Beside their sizes, which are those at a distance, they are analytic in the wavenumbers.

    Raises
    ------
    UnsuitableError
        Of functions that are not those of one wavenumber.
    """
    k = wavenumbers[unknown]
    match basis:
        case JoinedBasis():
            return JoinedBasis([at_wavenumbers(part, wavenumbers, unknown) for part in basis.parts])
        case Component():
            own = at_wavenumbers(basis.basis, wavenumbers, basis.unknown)
            return Component(own, basis.unknown, basis.components, basis.scale)
        case RadiatingBasis():
            return RadiatingBasis(basis.centers, basis.orders, k, basis.scales)
        case LayerBasis():
            sources = at_wavenumbers(basis.basis, wavenumbers, unknown)
            assert isinstance(sources, MultipoleBasis)  # as they were
            return LayerBasis(sources, basis.layers, basis.sizes)
        case MultipoleBasis():
            return MultipoleBasis(basis.centers, basis.orders, k, basis.scales, regular=basis.regular)
        case _:
            raise UnsuitableError(f"{type(basis).__name__} has functions of no wavenumber of their own")
