"""Problem files and saved solutions."""

from fspielm.files.conditions import describe_condition
from fspielm.files.draft import ProblemDraft, ProblemFile
from fspielm.files.read import read_draft, read_problem, read_problem_file
from fspielm.files.saved import SUFFIX, Stored, load, read_stored, save, write_stored
from fspielm.files.write import EXAMPLES, example, write_problem

__all__ = [
    "EXAMPLES",
    "SUFFIX",
    "ProblemDraft",
    "ProblemFile",
    "Stored",
    "describe_condition",
    "example",
    "load",
    "read_draft",
    "read_problem",
    "read_problem_file",
    "read_stored",
    "save",
    "write_problem",
    "write_stored",
]
