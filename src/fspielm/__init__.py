"""Partial differential equations with fast-oscillating solutions, without a mesh and without training."""

import logging as _logging
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from fspielm.version import __version__ as __version__

if _TYPE_CHECKING:
    from fspielm import cases as cases
    from fspielm import study as study
    from fspielm.cases.pacman import Pacman as Pacman
    from fspielm.cases.panda import Panda as Panda
    from fspielm.geometry.shapes import *  # noqa: F403
    from fspielm.public import *  # noqa: F403
    from fspielm.sweeps import plot_sweep as plot_sweep
    from fspielm.sweeps import sweep as sweep

# Silent, unless whoever uses the library wants to hear it.
_logging.getLogger(__name__).addHandler(_logging.NullHandler())

# Slow to import, and not needed for a solve.
_PACKAGES = ("cases", "study")
# For those who extend the library: importable from here too, but not among the names that a user is shown.
_EXTENSION_POINTS = (
    "Activation AnyCondition Bands Basis Bifurcation BoundaryPart BranchPoint Characteristic Discretisation "
    "Domain ErrorEstimate Factored Family Fold Forecast FoundMode Incident InterfaceLine Joined LeastSquares "
    "ModeCount ModeSearch Narrow NewtonStep Operator Place Prepared ProblemFile Relation Round RowBlock Scrutiny "
    "Singular Sites System Term Transmission Unknown Window draw_features examine infer_bands judge scrutinise"
)
# Names of a package that makes use of these.
_SWEEPS = ("plot_sweep", "sweep")


def __getattr__(name: str) -> _Any:
    """What is in `fspielm.public`, and the packages, loaded when they are first touched.

    So the command line is there to answer Ctrl-C before anything that takes long is imported.
    """
    if name in _PACKAGES:
        # the import makes it an attribute, so that this is asked once
        return _import_module(f"{__name__}.{name}")
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    public, shapes = _import_module(f"{__name__}.public"), _import_module(f"{__name__}.geometry").SHAPES
    globals().update({known: vars(public)[known] for known in public.__all__ if known in vars(public)})
    if name == "__all__":
        value: _Any = sorted({*public.__all__, *shapes, *_PACKAGES, *_SWEEPS})
    elif name in _SWEEPS:
        value = getattr(_import_module(f"{__name__}.sweeps"), name)
    elif name in public.__all__:
        value = getattr(public, name)
    elif name in shapes:  # some of them are in the packages
        value = shapes[name]
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # so that this is asked once
    return value


def __dir__() -> list[str]:
    special = (name for name in globals() if name.startswith("__"))
    return sorted({*special, *__getattr__("__all__")}.difference(_EXTENSION_POINTS.split()))
