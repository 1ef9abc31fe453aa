"""Families of random frequencies."""
