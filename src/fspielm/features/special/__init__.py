"""Functions beside the features: singular ones at corners and changes of conditions, multipoles in holes."""

from fspielm.features.special.columns import satisfies, special_columns, special_names
from fspielm.features.special.corners import (
    corner_exponents,
    free_axis,
    helmholtz_ratio,
    is_isotropic,
    is_plane,
    jump_places,
    leading_exponent,
    missed_jumps,
    open_conflicts,
    singular_corners,
)
from fspielm.features.special.holes import hole_columns, multipoles
from fspielm.features.special.singular import Choice, Singular, check_singular

__all__ = [
    "Choice",
    "Singular",
    "check_singular",
    "corner_exponents",
    "free_axis",
    "helmholtz_ratio",
    "hole_columns",
    "is_isotropic",
    "is_plane",
    "jump_places",
    "leading_exponent",
    "missed_jumps",
    "multipoles",
    "open_conflicts",
    "satisfies",
    "singular_corners",
    "special_columns",
    "special_names",
]
