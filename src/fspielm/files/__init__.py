"""Problem files: a problem as text that people write, read and keep."""

from fspielm.files.conditions import describe_condition
from fspielm.files.draft import ProblemDraft
from fspielm.files.problem_file import ProblemFile
from fspielm.files.read import read_draft, read_problem, read_problem_file
from fspielm.files.write import EXAMPLES, example, write_problem

__all__ = [
    "EXAMPLES",
    "ProblemDraft",
    "ProblemFile",
    "describe_condition",
    "example",
    "read_draft",
    "read_problem",
    "read_problem_file",
    "write_problem",
]
