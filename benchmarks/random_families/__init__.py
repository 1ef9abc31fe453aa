"""Random problems with a known solution: three families of them, and what became of each problem."""

from random_families.problem import RandomProblem
from random_families.smooth import make_smooth
from random_families.stages import make_stages

# How many problems each family has.
FAMILIES = {"calibration": 100, "test": 200, "stages": 200}


def make_problem(seed: int, family: str = "test") -> RandomProblem:
    """The problem of a seed; the same seed always gives the same problem."""
    return make_stages(seed) if family == "stages" else make_smooth(seed, family)
