"""Functions of open domains: they satisfy the equation and behave at infinity."""
