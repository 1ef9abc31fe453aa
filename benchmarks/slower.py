"""Whether these sources are slower than others: cases and problems solved by both in turn, in fresh processes.

    python benchmarks/slower.py OTHER_SRC             # such as the src folder of another checkout
    python benchmarks/slower.py OTHER_SRC --runs 7 --only heat wave-1d
    python benchmarks/slower.py OTHER_SRC --runs 3 --problems  # those of docs/problems.md

Printed are medians of the processor's seconds with one thread, the import left out, and their ratio: times of the clock
would say how busy the machine is.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from problems import EXAMPLES

import fspielm as fs

_HERE = Path(fs.__file__).resolve().parent.parent
_SOLVE = """
import sys, time, warnings
warnings.simplefilter("ignore")
import fspielm as fs
name, benchmarks = sys.argv[1:]
if name in fs.cases.names():
    problem = fs.cases.load(name).problem
else:
    sys.path.insert(0, benchmarks)
    from problems import EXAMPLES
    problem = EXAMPLES[name][1]().problem
fs.solve(fs.cases.load("poisson-1d").problem, rng=0, budget=fs.Budget(threads=1))  # loads what is loaded when used
began = time.process_time()
fs.solve(problem, rng=1, budget=fs.Budget(threads=1, seconds=None))
print(time.process_time() - began)
"""


def seconds(case: str, sources: Path) -> float:
    """Of the processor, for one solve of a case with the sources in a folder."""
    environment = os.environ | {"PYTHONPATH": str(sources), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _SOLVE, case, str(Path(__file__).parent)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Solve and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", nargs="+", default=fs.cases.names())
    parser.add_argument("--problems", action="store_true", help="those of docs/problems.md instead of the cases")
    given = parser.parse_args()
    print(f"{'case':<28}{'other':>9}{'here':>9}{'ratio':>8}")
    for case in EXAMPLES if given.problems else given.only:
        times = [(seconds(case, given.other.resolve()), seconds(case, _HERE)) for _ in range(given.runs)]
        other, here = (median(column) for column in zip(*times, strict=True))
        print(f"{case:<28}{other:>7.2f} s{here:>7.2f} s{here / other:>8.3f}", flush=True)


if __name__ == "__main__":
    main()
