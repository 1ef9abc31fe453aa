"""The memory a solve really takes, seen from outside: LAPACK's allocations are invisible to tracemalloc."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROWS, COLUMNS = 6000, 400
# buffers of BLAS threads and the allocator's slack
SLACK = 24 * 2**20

CASES = [
    (method, dtype, memory)
    for method, dtype in [("qr", "float64"), ("svd", "float64"), ("qr", "complex128")]
    for memory in ("copied", "in place")
]

# One process for each, for what one leaves behind would be there for the next; all of them forked from one that has
# imported everything.
PROBE = """
import json, os, sys
import numpy as np
import fspielm as fs


def status(key):
    for line in open("/proc/self/status"):
        if line.startswith(key):
            return 1024 * int(line.split()[1])


def measure(rows, columns, name, kind, memory):
    method = {"qr": fs.QR(), "svd": fs.TruncatedSVD()}[name]
    dtype, in_place = np.dtype(kind), memory == "in place"
    rng = np.random.default_rng(0)
    # warm up: BLAS takes its buffers once
    method.factor(np.asfortranarray(rng.normal(size=(300, 201)).astype(dtype)))
    augmented = rng.random((columns + 1, rows)).astype(dtype).T
    open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
    before = status("VmRSS")
    factored = method.factor(augmented, in_place=in_place)
    factored.coefficients
    if in_place:
        factored.diagonal
    promised = method.workspace(rows, columns, in_place=in_place, itemsize=dtype.itemsize)
    print(json.dumps([[name, kind, memory], [status("VmHWM") - before, promised]]), flush=True)


fs.QR, fs.TruncatedSVD
rows, columns, cases = json.loads(sys.argv[1])
for case in cases:
    child = os.fork()
    if child == 0:
        measure(rows, columns, *case)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, ...], tuple[int, int]]:
    """Bytes taken and bytes promised in every case."""
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("needs Linux's /proc")
    command = [sys.executable, "-W", "ignore", "-c", PROBE, json.dumps([ROWS, COLUMNS, CASES])]
    done = subprocess.run(command, capture_output=True, text=True)
    if "clear_refs" in done.stderr:
        pytest.skip("the peak cannot be reset here")
    assert done.returncode == 0, done.stderr
    return {tuple(case): tuple(found) for case, found in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("case", CASES, ids=" ".join)
@pytest.mark.slow
def test_workspace_is_what_the_solve_takes(
    case: tuple[str, str, str], measured: dict[tuple[str, ...], tuple[int, int]]
) -> None:
    taken, promised = measured[case]
    assert taken <= promised + SLACK
    assert taken >= promised - SLACK  # nor does it refuse what would have fitted
    # with the matrix itself at most 2.5 times the matrix
    matrix = np.dtype(case[1]).itemsize * ROWS * COLUMNS
    assert matrix + taken <= 2.5 * matrix + SLACK
