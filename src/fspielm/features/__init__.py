"""With what: activations, families of random features, and the bases drawn from them."""

from fspielm.features.activations import COSINE, SINE, TANH, Activation
from fspielm.features.band import Band
from fspielm.features.basis import Basis, JoinedBasis, RidgeBasis
from fspielm.features.families import GFF, Family, FrequencyShift, Siren, Tanh, magnitudes
from fspielm.features.local import LocalOperator, localise

__all__ = [
    "COSINE",
    "GFF",
    "SINE",
    "TANH",
    "Activation",
    "Band",
    "Basis",
    "Family",
    "FrequencyShift",
    "JoinedBasis",
    "LocalOperator",
    "RidgeBasis",
    "Siren",
    "Tanh",
    "localise",
    "magnitudes",
]
