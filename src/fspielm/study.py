"""``fs.study``: many solves planned, stored, resumed, distributed and reported."""

from fspielm.jobs.job import Job, Outcome, Row
from fspielm.jobs.plan import Plan, Sweep, builtin_plan, builtin_plans
from fspielm.jobs.plan_file import example_plan, read_plan, write_plan
from fspielm.jobs.progress import Progress
from fspielm.jobs.running import run
from fspielm.jobs.store import Store
from fspielm.jobs.subject import Subject
from fspielm.jobs.table import export_csv, import_csv
from fspielm.paper import theory as theory
from fspielm.paper.report.report import write_report

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
