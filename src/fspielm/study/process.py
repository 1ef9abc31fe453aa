"""Processes that end with the one that started them, however that ends."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

_PR_SET_PDEATHSIG = 1


def start_module(module: str, *arguments: str, environment: Mapping[str, str], **streams: Any) -> subprocess.Popen[str]:
    """Run a module of ours in a new Python that finds what this one finds.

    The module must call `end_with_parent` with its first argument. To be called in a thread that lives as long as the
    process: Linux ends the process with the thread that began it.
    """
    return subprocess.Popen(
        # not the working directory, where a file may be named as a module is
        [sys.executable, "-P", "-m", module, str(os.getpid()), *arguments],
        text=True,
        encoding="utf-8",
        env=os.environ | dict(environment) | {"PYTHONPATH": os.pathsep.join(sys.path)},
        # Ctrl-C is for the study to answer
        start_new_session=True,
        **streams,
    )


def end_with_parent(parent: int) -> None:
    """Have this process killed when its parent ends; on other systems than Linux it has to notice by itself."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            # it ended before the line above
            sys.exit(1)
