"""The functions that a solution is a sum of, and how such sums are evaluated."""

from fspielm.basis.basis import (
    COSINE,
    SINE,
    TANH,
    Activation,
    Basis,
    ExponentialBasis,
    JoinedBasis,
    RidgeBasis,
    Sinusoid,
    localise,
)
from fspielm.basis.evaluation.sums import evaluate
from fspielm.basis.exact.family import neurons_for_reach, neurons_needed, reach_for
from fspielm.basis.exact.null_vectors import ModeBasis
from fspielm.basis.random.families import Each, Family, Siren
from fspielm.basis.singular.columns import (
    free_axis,
    hole_columns,
    jump_places,
    open_conflicts,
    satisfies,
    singularities,
    special_columns,
    special_names,
)
from fspielm.basis.singular.outgoing import SourceBasis
from fspielm.basis.singular.singular import CornerFunction, Power, SingularBasis, Wave
from fspielm.basis.wrapping import ComplexPairs, Component, DerivedBasis

__all__ = [
    "COSINE",
    "SINE",
    "TANH",
    "Activation",
    "Basis",
    "ComplexPairs",
    "Component",
    "CornerFunction",
    "DerivedBasis",
    "Each",
    "ExponentialBasis",
    "Family",
    "JoinedBasis",
    "ModeBasis",
    "Power",
    "RidgeBasis",
    "SingularBasis",
    "Sinusoid",
    "Siren",
    "SourceBasis",
    "Wave",
    "evaluate",
    "free_axis",
    "hole_columns",
    "jump_places",
    "localise",
    "neurons_for_reach",
    "neurons_needed",
    "open_conflicts",
    "reach_for",
    "satisfies",
    "singularities",
    "special_columns",
    "special_names",
]
