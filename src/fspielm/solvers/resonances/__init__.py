"""Resonances of open domains: complex values of a symbol at which waves leave without anything coming in."""

from fspielm.solvers.resonances.find import resonances

__all__ = ["resonances"]
