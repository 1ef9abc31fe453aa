"""Where a study was run: what its digits and its seconds depend on."""

from __future__ import annotations

import hashlib
import json
import platform
from pathlib import Path

from fspielm import blas
from fspielm.machine import available_threads, physical_memory
from fspielm.version import versions

# What decides the last bits of a result: the key, and its value where the library does not tell.
THREADS, UNKNOWN = "blas threads", "unknown"


def environment() -> dict[str, str]:
    """Versions, processor, memory, and the threads of the linear algebra of this process; no names of machines."""
    threads = blas.threads()
    return versions() | {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(available_threads()),
        "memory": f"{physical_memory() / 2**30:.1f} GiB",
        "blas": blas.library(),
        THREADS: UNKNOWN if threads is None else str(threads),
    }


def digest(content: dict[str, str]) -> str:
    """A short name of an environment; the same for the same content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]


def _processor() -> str:
    """The processor's name; the standard library knows it on few systems."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or UNKNOWN
