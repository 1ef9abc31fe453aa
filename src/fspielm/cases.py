"""The former place of `fspielm.paper.cases`."""

import warnings

from fspielm.paper.cases import *  # noqa: F403

warnings.warn("fspielm.cases is now fspielm.paper.cases; import from there", DeprecationWarning, stacklevel=2)
