"""Running the benchmarks: measured runs, the demonstration, and the page that shows it."""

from fspielm.demo.background import run_interruptibly
from fspielm.demo.demo import run_demo
from fspielm.demo.run import CaseRun, FileRun, draw_run, paper_best, run_case, run_file

__all__ = [
    "CaseRun",
    "FileRun",
    "draw_run",
    "paper_best",
    "run_case",
    "run_demo",
    "run_file",
    "run_interruptibly",
]
