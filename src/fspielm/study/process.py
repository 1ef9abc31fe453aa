"""Processes that end with the one that started them, however that ends.

This file is also the first that such a process runs, by its path and not as a part of the package: it has to be tied to
its parent before the seconds that the imports of the package may take.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

_PR_SET_PDEATHSIG = 1


def start_module(module: str, *arguments: str, environment: Mapping[str, str], **streams: Any) -> subprocess.Popen[str]:
    """Run a module in a new Python that finds what this one finds.

    To be called in a thread that lives as long as the process: Linux ends the process with the thread that began it.
    """
    return subprocess.Popen(
        # -P: not the folder of this file, whose other files are named as modules elsewhere are
        [sys.executable, "-P", __file__, str(os.getpid()), module, *arguments],
        text=True,
        encoding="utf-8",
        # Python passes over what is no text in its path, which notebooks put paths into
        env=os.environ
        | dict(environment)
        | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if isinstance(entry, str))},
        # Ctrl-C is for the study to answer
        start_new_session=True,
        **streams,
    )


def _main() -> None:
    parent, module = int(sys.argv[1]), sys.argv[2]
    # on other systems than Linux a process has to notice by itself that its parent is gone
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit(1)
    sys.argv[:] = sys.argv[2:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
