"""Who solves: one process, or the workers of a Dask cluster."""

from fspielm.study.engines.cluster import Cluster
from fspielm.study.engines.engine import Ended, Engine, Task
from fspielm.study.engines.single import SingleProcess

__all__ = ["Cluster", "Ended", "Engine", "SingleProcess", "Task"]
