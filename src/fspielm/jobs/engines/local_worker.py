"""A Dask worker on this machine, as ``dask worker`` starts one."""

from __future__ import annotations

import sys

from distributed.cli.dask_worker import main as dask_worker


def main() -> None:
    """Work for the scheduler at the address given."""
    (address,) = sys.argv[1:]
    # the study itself keeps to the memory: it knows in advance what a solve needs
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0", "--death-timeout", "60"]
    dask_worker([address, *options])


if __name__ == "__main__":
    main()
