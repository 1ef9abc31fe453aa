"""Studies: many solves planned, stored, resumed, distributed and reported."""

from fspielm.study.builtin import builtin_plan, builtin_plans
from fspielm.study.job import Job
from fspielm.study.outcome import Outcome
from fspielm.study.plan import Plan
from fspielm.study.reports import write_report
from fspielm.study.rows import Row
from fspielm.study.running import run
from fspielm.study.store import Store
from fspielm.study.subject import Subject
from fspielm.study.sweep import Sweep

__all__ = [
    "Job",
    "Outcome",
    "Plan",
    "Row",
    "Store",
    "Subject",
    "Sweep",
    "builtin_plan",
    "builtin_plans",
    "run",
    "write_report",
]
