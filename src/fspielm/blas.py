"""The threads of the linear algebra library, which has its own setting."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib import import_module
from typing import Any

import scipy

# As a C function takes them; the names that end in "_64_" are Fortran's and take pointers.
_NAMES = tuple(f"{prefix}openblas_{{}}_num_threads{suffix}" for prefix in ("scipy_", "") for suffix in ("", "64_"))


def library() -> str:
    """Name and version of the BLAS that SciPy, and with it every least-squares solve, uses."""
    try:
        blas: dict[str, Any] = scipy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    except (KeyError, TypeError):
        return "unknown"
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def threads() -> int | None:
    """How many threads it uses, if it says so."""
    functions = _find("get")
    return int(functions[0]()) if functions else None


def set_threads(count: int) -> bool:
    """Limit it to `count` threads; whether that was possible."""
    functions = _find("set")
    for function in functions:
        function(ctypes.c_int(count))
    return bool(functions)


def _find(verb: str) -> list[Callable[..., Any]]:
    """The functions of the OpenBLAS libraries, which SciPy and NumPy may each have their own of."""
    found: list[Callable[..., Any]] = []
    for module in ("scipy.linalg._flapack", "numpy.linalg._umath_linalg"):
        try:
            linked = ctypes.CDLL(str(import_module(module).__file__))
        except (ImportError, OSError):
            continue
        found += [getattr(linked, name.format(verb)) for name in _NAMES if hasattr(linked, name.format(verb))]
    return found
