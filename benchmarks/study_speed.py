"""Two workers against one on the same plan, and what a study adds to each of its solves.

    python benchmarks/study_speed.py [--repeat 3] [--neurons 800]

(a) 200 solves of poisson-1d and 40 of helmholtz-2d at a reduced size, one thread each, on one worker and on two, turn
by turn in the same run. The workers are started, and have solved something, before the clock is.

(b) The time that passes beyond the solves themselves, for each of them: planning, sending, storing. The solves of this
part are refused as soon as they begin, for lack of memory, so that next to nothing else is measured. With two workers
it is the time that each of them waits.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter

from fspielm import resources as blas
from fspielm.jobs import Engine, Plan, Processes, Store, Sweep
from fspielm.jobs.perform import perform
from fspielm.jobs.running import record_all, tasks_of

METHODS = ("tanh", "siren", "gff", "fs-l", "fs-g")


def main() -> None:
    """Measure and print one line per claim."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="of the comparison; 0 for the overheads alone")
    parser.add_argument("--neurons", type=int, default=800, help="of the helmholtz-2d solves")
    options = parser.parse_args()
    blas.set_threads(1)  # this process solves too, with as many as the workers
    light = Sweep(["poisson-1d"], METHODS, neurons=[300], seeds=range(40))
    heavy = Sweep(["helmholtz-2d"], METHODS, neurons=[options.neurons], seeds=range(8))
    empty = Plan("empty", [Sweep(["poisson-1d"], METHODS, seeds=range(40))], memory=1.0)
    with Processes(1, 1) as one, Processes(2, 1) as two:
        for engine in (one, two):
            timed(engine, Plan("warm", [Sweep(["poisson-1d", "helmholtz-2d"], METHODS, neurons=[300], seeds=[0])]))
        if options.repeat:
            compare(one, two, Plan("both", [light, heavy]), options.repeat)
        overheads({"one worker": (one, 1), "two workers": (two, 2)}, empty)


def compare(one: Engine, two: Engine, plan: Plan, repeat: int) -> None:
    """One worker and two, turn by turn."""
    ratios = []
    for _ in range(repeat):
        seconds = [timed(engine, plan) for engine in (one, two)]
        ratios.append(seconds[0] / seconds[1])
        print(f"{len(plan.jobs)} solves: one worker {seconds[0]:.1f} s, two {seconds[1]:.1f} s: {ratios[-1]:.2f}")
    print(f"two workers are {median(ratios):.2f} times faster than one (median of {repeat})", flush=True)


def overheads(engines: dict[str, tuple[Engine, int]], plan: Plan) -> None:
    """What each engine adds to a solve."""
    print(f"on the disk: {1e3 * storing(plan):.1f} ms for each outcome")
    inside = solving(plan)
    for name, (engine, workers) in engines.items():
        beyond = 1e3 * (workers * timed(engine, plan) - inside) / len(plan.jobs)
        wall = f"; {beyond / workers:.1f} ms of the run's time" if workers > 1 else ""
        print(f"{name}: {beyond:.1f} ms for each solve beyond the solve itself{wall}", flush=True)


def timed(engine: Engine, plan: Plan) -> float:
    """Seconds that a whole study takes, its store included."""
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "a.db", plan, plan.terms()) as store:
        begun = perf_counter()
        record_all(store, engine, tasks_of(store, plan))
        return perf_counter() - begun


def solving(plan: Plan) -> float:
    """Seconds inside the solves of a plan."""
    benches = {name: subject.open() for name, subject in plan.subjects.items()}
    begun = perf_counter()
    for job in plan.jobs:
        perform(job, benches[job.subject], plan.terms())
    return perf_counter() - begun


def storing(plan: Plan) -> float:
    """Seconds to put one outcome on the disk."""
    (bench,) = (subject.open() for subject in plan.subjects.values())
    outcome = perform(plan.jobs[0], bench, replace(plan.terms(), memory=1e9))
    assert outcome.error is not None
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "a.db", plan, plan.terms()) as store:
        begun = perf_counter()
        for job in plan.jobs:
            store.record(job, outcome, {"fspielm": "benchmark"})
        return (perf_counter() - begun) / len(plan.jobs)


if __name__ == "__main__":
    main()
