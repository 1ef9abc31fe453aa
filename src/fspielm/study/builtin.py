"""The plans that come with the package."""

from __future__ import annotations

from fspielm import cases
from fspielm.cases import METHODS, SPACE_METHODS
from fspielm.errors import ProblemError
from fspielm.study.job import AUTOMATIC
from fspielm.study.plan import Plan
from fspielm.study.sweep import GRID, Sweep

_LIGHT = ("poisson-1d", "heat")
# Of the panda, where they still give some digits.
_QUICK_NEURONS = 1500


def builtin_plan(name: str) -> Plan:
    """The plan of that name: ``"paper"``, ``"tables"``, ``"light"`` or ``"quick"``."""
    if name not in _PLANS:
        raise ProblemError(f"there is no plan {name!r}; there are {', '.join(_PLANS)}")
    return Plan(name, _PLANS[name])


def builtin_plans() -> dict[str, str]:
    """The names of the plans, and what each is for."""
    return dict(_PURPOSES)


_ALL = tuple(cases.names())
_PLANS = {
    "paper": (Sweep(_ALL, METHODS, mu=GRID),),
    "tables": (Sweep(_ALL, METHODS),),
    "light": (Sweep(_LIGHT, METHODS, mu=GRID), Sweep(("heat",), SPACE_METHODS, mu=GRID)),
    "quick": (
        Sweep(("poisson-1d",), METHODS, mu=GRID, seeds=(0, 1)),
        Sweep(("heat",), (*METHODS, *SPACE_METHODS), seeds=(0, 1)),
        Sweep(("helmholtz-panda",), METHODS, neurons=(_QUICK_NEURONS,), seeds=(0,)),
        Sweep(_ALL, (AUTOMATIC,), seeds=(0,)),
    ),
}
_PURPOSES = {
    "paper": "all of the paper: seven cases, five methods, 36 ranges, five seeds",
    "tables": "the paper's tables: every method at its best range, five seeds",
    "light": "poisson-1d and heat in full, and heat with the shift along space",
    "quick": "a glance in minutes: poisson-1d in full, heat, a smaller panda, and the automatic solver on all cases",
}
