"""Sweeps and studies: many solves planned, stored, resumed and distributed."""

from fspielm.jobs.engines.cluster import Cluster
from fspielm.jobs.engines.engine import Ended, Engine, Here, Processes, Task
from fspielm.jobs.job import Job, Outcome, Row
from fspielm.jobs.plan import Plan, Sweep, builtin_plan, builtin_plans
from fspielm.jobs.plan_file import example_plan, read_plan, write_plan
from fspielm.jobs.progress import Progress
from fspielm.jobs.running import run
from fspielm.jobs.store import Store
from fspielm.jobs.subject import Subject
from fspielm.jobs.sweep_picture import plot_sweep
from fspielm.jobs.sweeping import sweep
from fspielm.jobs.table import export_csv, import_csv

__all__ = [
    "Cluster",
    "Ended",
    "Engine",
    "Here",
    "Job",
    "Outcome",
    "Plan",
    "Processes",
    "Progress",
    "Row",
    "Store",
    "Subject",
    "Sweep",
    "Task",
    "builtin_plan",
    "builtin_plans",
    "example_plan",
    "export_csv",
    "import_csv",
    "plot_sweep",
    "read_plan",
    "run",
    "sweep",
    "write_plan",
]
