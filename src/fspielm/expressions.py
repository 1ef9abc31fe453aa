"""The former place of `fspielm.expr`."""

import warnings

from fspielm.expr import *  # noqa: F403

warnings.warn("fspielm.expressions is now fspielm.expr; import from there", DeprecationWarning, stacklevel=2)
