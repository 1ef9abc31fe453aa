"""The former place of `fspielm.expr`."""

import sys
import warnings

import fspielm.expr as _present

warnings.warn("fspielm.expressions is now fspielm.expr; import from there", DeprecationWarning, stacklevel=2)
sys.modules[__name__] = _present
