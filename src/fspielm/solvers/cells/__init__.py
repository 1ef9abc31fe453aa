"""Cells for the automatic solver: the first ones, and how they are refined."""
