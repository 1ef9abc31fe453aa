"""The former place of what is in `fspielm.geometry.points`."""

import warnings

from fspielm.geometry.points import *  # noqa: F403

warnings.warn(
    "fspielm.geometry.inputs is now fspielm.geometry.points; import from there", DeprecationWarning, stacklevel=2
)
