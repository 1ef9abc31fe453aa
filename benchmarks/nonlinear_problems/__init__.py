"""The named problems that nonlinear equations are measured by, each with its solution."""

from nonlinear_problems import evolving, fastlsq_five, flows, oscillating, patterns, physics  # each registers its own
from nonlinear_problems.example import NONLINEAR_PROBLEMS, NonlinearProblem

__all__ = [
    "NONLINEAR_PROBLEMS",
    "NonlinearProblem",
    "evolving",
    "fastlsq_five",
    "flows",
    "oscillating",
    "patterns",
    "physics",
]
