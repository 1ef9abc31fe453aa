"""Who solves: processes of this machine, or the workers of a Dask cluster."""
