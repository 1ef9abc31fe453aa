"""Features that satisfy an equation: zeros of its symbol, the functions they make, and the family of those."""

from fspielm.features.characteristic.family import Characteristic, realise
from fspielm.features.characteristic.frequencies import Frequencies
from fspielm.features.characteristic.needed import (
    fields_of_one_kind,
    neurons_for_rings,
    neurons_needed,
    steady_neurons,
    wavenumber_of,
)
from fspielm.features.characteristic.null_vectors import null_amplitudes
from fspielm.features.characteristic.prediction import evolves, neurons_for_reach, reach_for
from fspielm.features.characteristic.scene import Scene, scene_of
from fspielm.features.characteristic.steady import directions_needed
from fspielm.features.characteristic.symbol import (
    Symbol,
    check_homogeneous,
    homogeneous_symbol,
    problem_symbol,
    symbol_of,
)
from fspielm.features.characteristic.zeros import roots_of, solve_along
from fspielm.features.characteristic.zeros_needed import characteristic_frequencies

__all__ = [
    "Characteristic",
    "Frequencies",
    "Scene",
    "Symbol",
    "characteristic_frequencies",
    "check_homogeneous",
    "directions_needed",
    "evolves",
    "fields_of_one_kind",
    "homogeneous_symbol",
    "neurons_for_reach",
    "neurons_for_rings",
    "neurons_needed",
    "null_amplitudes",
    "problem_symbol",
    "reach_for",
    "realise",
    "roots_of",
    "scene_of",
    "solve_along",
    "steady_neurons",
    "symbol_of",
    "wavenumber_of",
]
