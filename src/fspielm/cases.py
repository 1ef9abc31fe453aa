"""The former place of `fspielm.paper.cases`."""

import sys
import warnings

import fspielm.paper.cases as _present

warnings.warn("fspielm.cases is now fspielm.paper.cases; import from there", DeprecationWarning, stacklevel=2)
sys.modules[__name__] = _present
