"""Random problems with a known solution: families of them, and what became of each problem."""

from collections.abc import Callable

from random_families.complexes import make_complex
from random_families.modes import RandomModes, make_modes
from random_families.nonlinear import make_nonlinear
from random_families.opened import make_open
from random_families.patches import make_patches
from random_families.problem import RandomProblem
from random_families.smooth import make_smooth
from random_families.stages import make_stages
from random_families.systems import make_systems

# How many problems each family has.
FAMILIES = {
    "calibration": 100,
    "test": 200,
    "stages": 200,
    "systems": 100,
    "complex": 100,
    "patches": 200,
    "nonlinear": 200,
    "open": 100,
    "modes": 100,
}


def make_problem(seed: int, family: str = "test") -> RandomProblem | RandomModes:
    """The problem of a seed; the same seed always gives the same problem."""
    makers: dict[str, Callable[[int], RandomProblem | RandomModes]] = {
        "stages": make_stages,
        "systems": make_systems,
        "complex": make_complex,
        "patches": make_patches,
        "nonlinear": make_nonlinear,
        "open": make_open,
        "modes": make_modes,
    }
    return makers[family](seed) if family in makers else make_smooth(seed, family)
