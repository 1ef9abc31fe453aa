"""Partial differential equations with fast-oscillating solutions, without a mesh and without training."""

import logging as _logging
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any
from warnings import warn as _warn

from fspielm.version import __version__ as __version__

if _TYPE_CHECKING:
    from fspielm import study as study
    from fspielm.paper import cases as cases
    from fspielm.public import *  # noqa: F403

# Silent, unless whoever uses the library wants to hear it.
_logging.getLogger(__name__).addHandler(_logging.NullHandler())

# Packages of names, under the names that users know them by.
_PACKAGES = {"cases": "fspielm.paper.cases", "study": "fspielm.study"}
# Names of former versions.
_FORMER = {"scrutinise": "find_narrow", "Scrutiny": "NarrowPlaces"}
# For those who extend the library: importable from here too, but not among the names that a user is shown.
_EXTENSION_POINTS = (
    "Activation AnyCondition Bands Basis Bifurcation BoundaryPart BranchPoint Characteristic Discretisation "
    "Domain ErrorEstimate Factored Family Fold Forecast FoundMode Incident InterfaceLine Joined LeastSquares "
    "ModeCount ModeSearch Narrow NewtonStep Operator Place Prepared ProblemFile Relation Round RowBlock NarrowPlaces "
    "Singular Sites System Term Transmission Unknown Window draw_features examine infer_bands judge find_narrow"
)


def __getattr__(name: str) -> _Any:
    """What is in `fspielm.public`, and the packages, loaded when they are first touched.

    So the command line is there to answer Ctrl-C before anything that takes long is imported.
    """
    if name in _PACKAGES:
        value: _Any = _import_module(_PACKAGES[name])
        globals()[name] = value  # so that this is asked once
        return value
    if name in _FORMER:
        _warn(f"fspielm.{name} is now fspielm.{_FORMER[name]}", DeprecationWarning, stacklevel=2)
        return __getattr__(_FORMER[name])
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    public = _import_module(f"{__name__}.public")
    globals().update({known: getattr(public, known) for known in public.__all__})
    globals()["__all__"] = sorted({*public.__all__, *_PACKAGES})
    if name not in globals():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]


def __dir__() -> list[str]:
    special = (name for name in globals() if name.startswith("__"))
    return sorted({*special, *__getattr__("__all__")}.difference(_EXTENSION_POINTS.split()))
