"""Functions for open domains: they satisfy the equation everywhere outside of objects, and behave at infinity."""

from fspielm.features.outward.elastic import elastic_potentials
from fspielm.features.outward.family import Outward
from fspielm.features.outward.harmonic import HarmonicBasis
from fspielm.features.outward.incident import IncidentBasis
from fspielm.features.outward.multipoles import MultipoleBasis
from fspielm.features.outward.radiating import RadiatingBasis
from fspielm.features.outward.regional import RegionalBasis

__all__ = [
    "HarmonicBasis",
    "IncidentBasis",
    "MultipoleBasis",
    "Outward",
    "RadiatingBasis",
    "RegionalBasis",
    "elastic_potentials",
]
