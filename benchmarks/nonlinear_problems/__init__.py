"""The named problems that nonlinear equations are measured by, each with its solution."""

from nonlinear_problems import (  # each registers its own
    evolving,
    fastlsq_five,
    flow_cavity,
    flow_cylinder,
    flow_lid,
    flows,
    oscillating,
    patterns,
    physics,
)
from nonlinear_problems.example import NONLINEAR_PROBLEMS, NonlinearProblem

__all__ = [
    "NONLINEAR_PROBLEMS",
    "NonlinearProblem",
    "evolving",
    "fastlsq_five",
    "flow_cavity",
    "flow_cylinder",
    "flow_lid",
    "flows",
    "oscillating",
    "patterns",
    "physics",
]
