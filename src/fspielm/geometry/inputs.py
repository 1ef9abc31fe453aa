"""The former place of what is in `fspielm.geometry.boundary`."""

import warnings

from fspielm.geometry.boundary import *  # noqa: F403

warnings.warn(
    "fspielm.geometry.inputs is now fspielm.geometry.boundary; import from there", DeprecationWarning, stacklevel=2
)
