"""Studies: many solves planned, stored, resumed, distributed and reported."""

from fspielm.study.builtin import builtin_plan, builtin_plans
from fspielm.study.job import Job
from fspielm.study.outcome import Outcome
from fspielm.study.plan import Plan
from fspielm.study.plan_file import example_plan, read_plan, write_plan
from fspielm.study.progress import Progress
from fspielm.study.reports import write_report
from fspielm.study.rows import Row
from fspielm.study.running import run
from fspielm.study.store import Store
from fspielm.study.subject import Subject
from fspielm.study.sweep import Sweep
from fspielm.study.table import export_csv, import_csv

__all__ = [
    "Job",
    "Outcome",
    "Plan",
    "Progress",
    "Row",
    "Store",
    "Subject",
    "Sweep",
    "builtin_plan",
    "builtin_plans",
    "example_plan",
    "export_csv",
    "import_csv",
    "read_plan",
    "run",
    "write_plan",
    "write_report",
]
