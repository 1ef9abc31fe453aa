"""Every seed works, nothing hangs, a budget is a budget: the problems, their solves in child processes, the tables."""
