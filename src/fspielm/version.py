"""The version of the package, in a place that every module may look at."""

from __future__ import annotations

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """Versions of everything that has a part in the digits of a solution."""
    # imported here: the version itself is to be had at once
    import platform

    import numpy as np
    import scipy

    python = platform.python_version()
    return {"fspielm": __version__, "python": python, "numpy": np.__version__, "scipy": scipy.__version__}
