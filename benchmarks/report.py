"""How long the report of the paper's whole study takes: 6300 solves, with numbers made up.

    python benchmarks/report.py                # in a temporary folder
    python benchmarks/report.py --out DIR      # keeps the report

The plan is that of the paper by another name, so that nobody takes the numbers for results.
"""

from __future__ import annotations

import argparse
import math
import time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fspielm.jobs import Job, Outcome, Plan, Row, Store, builtin_plan
from fspielm.paper.cases import PaperSetting
from fspielm.paper.cases import catalogue as cases
from fspielm.paper.report.report import write_report

NAME = "paper, SYNTHETIC NUMBERS: nothing was solved"
ENVIRONMENTS = {"synthetic": {"synthetic": "all numbers were made up to time the report", "processor": "none"}}
ENDED = "2000-01-01T00:00:00+00:00"
FAILURES = 0.005
LIMIT_SECONDS = 60.0


@cache
def paper(name: str) -> PaperSetting:
    """The paper's numbers of a case."""
    return cases.load(name).paper


def made_up(job: Job, rng: np.random.Generator) -> Outcome:
    """Near the paper's error at the paper's best range, and worse the farther from it."""
    if rng.random() < FAILURES:
        return Outcome("failed", "synthetic: made to fail")
    best = paper(job.subject).results[job.method]
    assert job.mu is not None
    away = abs(math.log2(job.mu[1] / best.mu[1])) + 0.5 * abs(math.log2(job.mu[0] / best.mu[0]))
    error = best.mean * 10.0 ** (2 * away + 0.4 * rng.standard_normal())
    seconds = best.seconds * rng.uniform(0.9, 1.2)
    return Outcome("done", measure="exact", error=error, neurons=job.neurons, seconds=seconds)


def make_store(path: Path, plan: Plan) -> None:
    """A store as a finished run of a plan of benchmarks leaves it."""
    rng = np.random.default_rng(0)
    (environment,) = ENVIRONMENTS
    with Store.create(path, plan, plan.terms()) as store:
        store.record_all((Row(job, made_up(job, rng), ENDED, environment) for job in plan.jobs), ENVIRONMENTS)


def main() -> None:
    """Make the store and time its report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="where to keep the report")
    out: Path | None = parser.parse_args().out
    with TemporaryDirectory() as folder:
        store = Path(folder) / "synthetic.db"
        make_store(store, Plan(NAME, builtin_plan("paper").sweeps))
        begun, computed = time.perf_counter(), time.process_time()
        page = write_report(store, out or Path(folder) / "report")
        seconds, computed = time.perf_counter() - begun, time.process_time() - computed
        files = [path for path in page.parent.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files) / 2**20
        print(f"{seconds:.1f} s ({computed:.1f} s of computing): {len(files)} files, {size:.1f} MiB in all,")
        print(f"the page {page.stat().st_size / 2**20:.1f} MiB; the limit is {LIMIT_SECONDS:.0f} s")


if __name__ == "__main__":
    main()
