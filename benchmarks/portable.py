"""Run the computing tests as other processors would: other kernels of OpenBLAS, NumPy without its widest instructions.

usage: python benchmarks/portable.py [pytest arguments; the computing tests without any]

Prints one line a kind, and the names of the tests that fail there. Results, not bits, have to hold everywhere. Kinds
that this processor cannot run are named and skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import monotonic

# What computes: factorisations, functions, estimates, solutions, and all that solves.
COMPUTING = (
    "tests/collocation",
    "tests/basis",
    "tests/estimate",
    "tests/cells",
    "tests/eigen",
    "tests/solution",
    "tests/solvers",
)
AVX2, AVX512 = "avx2", "avx512f"
# What each kind needs, and its environment.
KINDS = {
    "Haswell": (AVX2, {"OPENBLAS_CORETYPE": "Haswell"}),
    "Sandybridge": ("avx", {"OPENBLAS_CORETYPE": "Sandybridge"}),
    "SkylakeX": (AVX512, {"OPENBLAS_CORETYPE": "SkylakeX"}),
    "Zen, NumPy without AVX-512": (AVX2, {"OPENBLAS_CORETYPE": "Zen"}),
}
_WIDEST = "NPY_DISABLE_CPU_FEATURES"


def flags() -> set[str]:
    """What this processor can do; nothing is known where there is no /proc/cpuinfo."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return set(next((line.partition(":")[2] for line in lines if line.startswith("flags")), "").split())


def widest() -> str:
    """Names of the widest instructions that NumPy uses here and can do without, as it calls them."""
    import numpy._core._multiarray_umath as umath

    wide = [name for name in umath.__cpu_dispatch__ if "AVX512" in name or name == "X86_V4"]
    return " ".join(name for name in wide if umath.__cpu_features__.get(name))


def environments() -> dict[str, dict[str, str] | str]:
    """By kind what to set; or why it is skipped."""
    known = flags()
    found: dict[str, dict[str, str] | str] = {}
    for name, (needs, settings) in KINDS.items():
        off = {_WIDEST: widest()} if "without" in name and widest() else {}
        found[name] = {**settings, **off} if needs in known else f"this processor has no {needs}"
    return found


def run(arguments: list[str], settings: dict[str, str]) -> tuple[bool, float, list[str]]:
    """Whether the tests pass, the seconds that they take, and the lines that name those that fail."""
    began = monotonic()
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "SYMPY_CACHE_SIZE": "20000", **settings}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    named = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    if done.returncode and not named:  # pytest itself could not run
        named = (done.stdout + done.stderr).splitlines()[-5:]
    return done.returncode == 0, monotonic() - began, named


def main(arguments: list[str]) -> int:
    """One kind after the other; 1 if a test fails in any."""
    failed = False
    for name, settings in environments().items():
        if isinstance(settings, str):
            print(f"{name}: skipped, {settings}", flush=True)
            continue
        passed, seconds, named = run(arguments or list(COMPUTING), settings)
        failed = failed or not passed
        print(f"{name}: {'passed' if passed else 'FAILED'} in {seconds:.0f} s", *named, sep="\n", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
