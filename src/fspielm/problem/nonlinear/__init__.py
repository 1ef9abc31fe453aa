"""Equations that are not linear in the unknowns, and their linearisations."""
