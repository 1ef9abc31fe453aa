"""The memory a solve really takes, seen from outside: LAPACK's allocations are invisible to tracemalloc."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROWS, COLUMNS = 4000, 1000
# buffers of BLAS threads and the allocator's slack
SLACK = 24 * 2**20

PROBE = """
import sys
import numpy as np
import fspielm as fs


def status(key):
    for line in open("/proc/self/status"):
        if line.startswith(key):
            return 1024 * int(line.split()[1])


method = {"qr": fs.QR(), "svd": fs.TruncatedSVD()}[sys.argv[1]]
rows, columns, in_place = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "in place"
dtype = np.dtype(sys.argv[5])
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
print(status("VmHWM") - before, method.workspace(rows, columns, in_place=in_place, itemsize=dtype.itemsize))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("memory", ["copied", "in place"])
@pytest.mark.parametrize(("method", "dtype"), [("qr", "float64"), ("svd", "float64"), ("qr", "complex128")])
def test_workspace_is_what_the_solve_takes(method: str, memory: str, dtype: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, method, str(ROWS), str(COLUMNS), memory, dtype],
        capture_output=True,
        text=True,
        timeout=120,
    )
    if "clear_refs" in done.stderr:
        pytest.skip("the peak cannot be reset here")
    assert done.returncode == 0, done.stderr
    taken, promised = map(int, done.stdout.split())
    assert taken <= promised + SLACK
    assert taken >= promised - SLACK  # nor does it refuse what would have fitted
    # with the matrix itself at most 2.5 times the matrix
    matrix = np.dtype(dtype).itemsize * ROWS * COLUMNS
    assert matrix + taken <= 2.5 * matrix + SLACK
