"""What importing fspielm takes beyond the imports of NumPy, SciPy and SymPy.

``import fspielm`` alone loads next to nothing; the interface comes with the first name that is touched, which is
what is measured.
Each import happens in a fresh interpreter, the two in turn so that a busy machine is busy for both; printed are the
medians. The time of the processor is the one to compare where other programs are running.

Run with ``python benchmarks/import_time.py [--runs 10]``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from statistics import median

_CORE = "import numpy, scipy, sympy"
_WHOLE = "from fspielm import solve"
_PROBE = """
import json, time
wall, processor = time.perf_counter(), time.process_time()
{statement}
print(json.dumps([time.perf_counter() - wall, time.process_time() - processor]))
"""


def measure(statement: str, compiled: str) -> tuple[float, float]:
    """Seconds on the clock and of the processor that a statement takes in a new interpreter.

    Bytecode is kept in the folder `compiled`, as an installed package has it beside its sources.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", _PROBE.format(statement=statement)],
        env=environment | {"PYTHONPYCACHEPREFIX": compiled},
        capture_output=True,
        text=True,
        check=True,
    )
    wall, processor = json.loads(done.stdout)
    return wall, processor


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10, help="of each import")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as compiled:
        measure(_WHOLE, compiled)  # compiles
        pairs = [(measure(_CORE, compiled), measure(_WHOLE, compiled)) for _ in range(runs)]
    print(f"{'':28}{'clock':>10}{'processor':>12}")
    core = [median(pair[0][kind] for pair in pairs) for kind in (0, 1)]
    whole = [median(pair[1][kind] for pair in pairs) for kind in (0, 1)]
    for name, (wall, processor) in {
        "numpy, scipy, sympy": core,
        "fspielm": whole,
        "beyond": [b - a for a, b in zip(core, whole, strict=True)],
    }.items():
        print(f"{name:28}{wall:>8.3f} s{processor:>10.3f} s")


if __name__ == "__main__":
    main()
