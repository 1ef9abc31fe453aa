"""``fspielm info``."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from fspielm.version import __version__
from fspielm import blas
from fspielm.machine import available_threads, physical_memory

_PACKAGES = ("numpy", "scipy", "sympy", "typer", "rich", "matplotlib")


def show_info() -> None:
    """Print the versions and the machine, for reports of problems."""
    threads = blas.threads()
    lines = {
        "fspielm": __version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        **{name: _version(name) for name in _PACKAGES},
        "blas": blas.library() + (f", {threads} threads" if threads is not None else ""),
        "cores": str(available_threads()),
        "memory": f"{physical_memory() / 2**30:.1f} GiB",
    }
    width = max(map(len, lines))
    for name, value in lines.items():
        print(f"{name:<{width}}  {value}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
