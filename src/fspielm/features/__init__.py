"""With what: activations, families of random features, and the bases drawn from them."""

from typing import TYPE_CHECKING

from fspielm.features.activations import COSINE, SINE, TANH, Activation, Sinusoid
from fspielm.features.band import Band, widths_of
from fspielm.features.basis import Basis, JoinedBasis
from fspielm.features.characteristic import (
    Characteristic,
    Symbol,
    check_homogeneous,
    evolves,
    fields_of_one_kind,
    homogeneous_symbol,
    neurons_for_reach,
    neurons_for_rings,
    neurons_needed,
    reach_for,
    steady_neurons,
    symbol_of,
    wavenumber_of,
)
from fspielm.features.component import Component
from fspielm.features.each import Each, for_unknowns
from fspielm.features.exponential import ExponentialBasis
from fspielm.features.families import GFF, Family, FrequencyShift, Place, Siren, Tanh, check_count, magnitudes
from fspielm.features.joined import Joined
from fspielm.features.local import LocalOperator, localise
from fspielm.features.modes import ModeBasis
from fspielm.features.ridge import RidgeBasis
from fspielm.features.singular import Angle, CornerFunction, Power, SingularBasis, Wave

from fspielm.features.cells import CellBasis
from fspielm.features.complex_pairs import ComplexPairs
from fspielm.features.derived import DerivedBasis
from fspielm.features.log_power import LogPower
from fspielm.features.outgoing import Outgoing
from fspielm.features.outgoing_damped import OutgoingDamped
from fspielm.features.rows_in_cells import RowsInCells
from fspielm.features.sources import SourceBasis
from fspielm.features.tabulated import with_tables
__all__ = [
    "COSINE",
    "GFF",
    "SINE",
    "TANH",
    "Activation",
    "Angle",
    "Band",
    "Basis",
    "CellBasis",
    "Characteristic",
    "ComplexPairs",
    "Component",
    "CornerFunction",
    "DerivedBasis",
    "Each",
    "ExponentialBasis",
    "Family",
    "FrequencyShift",
    "Joined",
    "JoinedBasis",
    "LocalOperator",
    "LogPower",
    "ModeBasis",
    "Outgoing",
    "OutgoingDamped",
    "Place",
    "Power",
    "RidgeBasis",
    "RowsInCells",
    "SingularBasis",
    "Sinusoid",
    "Siren",
    "SourceBasis",
    "Symbol",
    "Tanh",
    "Wave",
    "check_count",
    "check_homogeneous",
    "evolves",
    "fields_of_one_kind",
    "for_unknowns",
    "homogeneous_symbol",
    "localise",
    "magnitudes",
    "neurons_for_reach",
    "neurons_for_rings",
    "neurons_needed",
    "reach_for",
    "steady_neurons",
    "symbol_of",
    "wavenumber_of",
    "widths_of",
    "with_tables",
]
