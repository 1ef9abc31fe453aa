"""The seven benchmarks of the FS-PIELM paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fspielm.errors import ProblemError
from fspielm.paper.cases.advection_diffusion_pacman import advection_diffusion_pacman
from fspielm.paper.cases.case import Case
from fspielm.paper.cases.heat import heat
from fspielm.paper.cases.helmholtz_2d import helmholtz_2d
from fspielm.paper.cases.helmholtz_panda import helmholtz_panda
from fspielm.paper.cases.klein_gordon import klein_gordon
from fspielm.paper.cases.poisson_1d import poisson_1d
from fspielm.paper.cases.wave_1d import wave_1d
from fspielm.wording import did_you_mean

_CASES: dict[str, Callable[..., Case]] = {
    "helmholtz-2d": helmholtz_2d,
    "wave-1d": wave_1d,
    "poisson-1d": poisson_1d,
    "klein-gordon": klein_gordon,
    "heat": heat,
    "advection-diffusion-pacman": advection_diffusion_pacman,
    "helmholtz-panda": helmholtz_panda,
}


def names() -> list[str]:
    """The names of the benchmarks, in the paper's order."""
    return list(_CASES)


def load(name: str, **parameters: Any) -> Case:
    """Build the benchmark called `name`; ``helmholtz-panda`` takes a `radius`."""
    if name not in _CASES:
        raise ProblemError(f"unknown case {name!r}; the cases are {', '.join(_CASES)}{did_you_mean(name, _CASES)}")
    return _CASES[name](**parameters)
