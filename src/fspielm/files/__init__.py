"""Problem files: a problem as text that people write, read and keep."""

from fspielm.files.conditions import describe_condition
from fspielm.files.problem_file import ProblemFile
from fspielm.files.read import read_problem, read_problem_file, read_statement
from fspielm.files.statement import Statement
from fspielm.files.write import example, write_problem

__all__ = [
    "ProblemFile",
    "Statement",
    "describe_condition",
    "example",
    "read_problem",
    "read_problem_file",
    "read_statement",
    "write_problem",
]
