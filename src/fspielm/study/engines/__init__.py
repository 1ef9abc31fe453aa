"""Who solves: one process or several, or the workers of a Dask cluster."""

from fspielm.study.engines.cluster import Cluster
from fspielm.study.engines.engine import Ended, Engine, Task
from fspielm.study.engines.here import Here
from fspielm.study.engines.several import Several
from fspielm.study.engines.single import SingleProcess

__all__ = ["Cluster", "Ended", "Engine", "Here", "Several", "SingleProcess", "Task"]
