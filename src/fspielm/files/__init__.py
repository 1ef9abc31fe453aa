"""Problem files: a problem as text that people write, read and keep."""

from fspielm.files.problem_file import ProblemFile
from fspielm.files.read import read_problem, read_problem_file
from fspielm.files.write import write_problem

__all__ = ["ProblemFile", "read_problem", "read_problem_file", "write_problem"]
