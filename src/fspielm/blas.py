"""The threads of the linear algebra libraries, which have their own setting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import scipy


def library() -> str:
    """Name and version of the BLAS that SciPy, and with it every least-squares solve, uses."""
    try:
        blas: dict[str, Any] = scipy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    except (KeyError, TypeError):
        return "unknown"
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def threads() -> int | None:
    """How many threads they use, the most of any; None where none of them says so."""
    return max((int(loaded["num_threads"]) for loaded in _controller().info()), default=None)


def set_threads(count: int) -> bool:
    """Limit them to `count` threads from now on; whether there was one that could be."""
    controller = _controller()
    controller.limit(limits=count)
    return bool(controller.lib_controllers)


@contextmanager
def limited(count: int) -> Iterator[None]:
    """At most `count` threads within, as few as before at most: where work is spread over threads of its own."""
    controller = _controller()
    before = threads()
    with controller.limit(limits=count if before is None else min(count, before)):
        yield


@cache
def _controller() -> Any:
    """What speaks to every BLAS that is loaded; NumPy and SciPy may each have their own."""
    # imported here: it looks through all libraries of the process, and few processes ask
    from threadpoolctl import ThreadpoolController

    scipy.linalg.get_lapack_funcs  # noqa: B018 (SciPy loads its library when it is first touched)
    return ThreadpoolController().select(user_api="blas")
