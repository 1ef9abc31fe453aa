"""The former place of `fspielm.geometry.boundary`."""

import sys
import warnings

import fspielm.geometry.boundary as _present

warnings.warn(
    "fspielm.geometry.inputs is now fspielm.geometry.boundary; import from there", DeprecationWarning, stacklevel=2
)
sys.modules[__name__] = _present
