"""Evolutions window by window in time."""
