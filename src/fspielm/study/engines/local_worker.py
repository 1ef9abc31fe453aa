"""A Dask worker on this machine, as ``dask worker`` starts it, that ends with the study it was started for."""

from __future__ import annotations

import sys

from fspielm.study.process import end_with_parent


def main() -> None:
    """Work for the scheduler at the address given."""
    parent, address = sys.argv[1:]
    end_with_parent(int(parent))
    from distributed.cli.dask_worker import main as dask_worker

    # memory is looked after by the study, which knows what a solve needs before it begins
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0", "--death-timeout", "60"]
    dask_worker([address, *options])


if __name__ == "__main__":
    main()
