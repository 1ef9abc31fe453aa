"""Sums of functions at many points."""
