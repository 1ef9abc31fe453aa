"""Importing fspielm loads what a solve needs and no more, is silent, and leaves the process as it was.

How long it takes is measured by ``benchmarks/import_time.py``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

import fspielm as fs

# Runs in a fresh interpreter. NumPy, SymPy and what is used of SciPy are imported first: what they change does not
# count against fspielm. The result goes to a file, so that anything printed is visible as such.
PROBE = """
import json, locale, logging, os, pathlib, random, signal, sys, threading, warnings

import mpmath, numpy, scipy, scipy.linalg, scipy.sparse, scipy.special, sympy


def state():
    return {
        "numpy.random state": repr(numpy.random.get_state(legacy=False)),
        "random state": random.getstate(),
        "numpy.geterr": numpy.geterr(),
        "numpy.geterrcall": numpy.geterrcall(),
        "numpy print options": numpy.get_printoptions(),
        "mpmath precision": mpmath.mp.prec,
        "warnings filters": list(warnings.filters),
        "warnings.showwarning": warnings.showwarning,
        "logging root": (list(logging.root.handlers), logging.root.level, logging.root.disabled),
        "signal handlers": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "sys hooks": (sys.excepthook, sys.displayhook, sys.stdout, sys.stderr),
        "recursion limit": sys.getrecursionlimit(),
        "environment": dict(os.environ),
        "working directory": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "threads": threading.active_count(),
    }


before, modules = state(), set(sys.modules)
import fspielm
at_first = sorted(set(sys.modules) - modules)
fspielm.solve
after, imported = state(), sorted(set(sys.modules) - modules)
listed = dir(fspielm)
from fspielm import cases, study

result = {
    "changed": [name for name in before if before[name] != after[name]],
    "at first": at_first,
    "imported": imported,
    "listed": [name for name in ("cases", "study", "solve") if name in listed],
    "touched": [cases is fspielm.cases is sys.modules["fspielm.paper.cases"], fspielm.study.__name__, study.__name__],
}
pathlib.Path(sys.argv[1]).write_text(json.dumps(result))
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an import did, and what it printed."""
    folder = tmp_path_factory.mktemp("import")
    target = folder / "result.json"
    done = subprocess.run([sys.executable, "-c", PROBE, str(target)], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return {**json.loads(target.read_text()), "printed": done.stdout + done.stderr}


def test_prints_nothing(run: dict[str, Any]) -> None:
    assert run["printed"] == ""


def test_changes_no_global_state(run: dict[str, Any]) -> None:
    assert run["changed"] == []


_NOT_ALWAYS_NEEDED = [
    "fspielm.cli",
    "fspielm.paper.report",
    "fspielm.study",
    "jinja2",
    "matplotlib",
    "typer",
    "rich",
    "xarray",
    "netCDF4",
    "pyvista",
    "shapely",
    "trimesh",
    "distributed",
    "finufft",
    "threadpoolctl",
    "urllib.request",
    "scipy.fft",
    "scipy.optimize",
    "scipy.stats",
]


@pytest.mark.parametrize("package", _NOT_ALWAYS_NEEDED)
def test_leaves_what_is_not_always_needed_alone(run: dict[str, Any], package: str) -> None:
    imported = [name for name in run["imported"] if name == package or name.startswith(f"{package}.")]
    assert imported == []


def test_nothing_but_the_version_is_loaded_before_a_name_is_touched(run: dict[str, Any]) -> None:
    assert [name for name in run["at first"] if name.startswith("fspielm")] == ["fspielm", "fspielm.version"]


def test_the_benchmarks_and_studies_load_when_they_are_touched(run: dict[str, Any]) -> None:
    assert run["listed"] == ["cases", "study", "solve"]
    assert run["touched"] == [True, "fspielm.study", "fspielm.study"]


def test_a_name_that_is_not_there_is_said_so() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        _ = fs.sovle
