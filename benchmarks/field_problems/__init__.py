"""Rows of docs/problems.md with several unknowns or complex values."""

from field_problems import bodies, coupled, flows, light_and_sound, rooms  # each registers its own
from field_problems.example import FIELD_EXAMPLES, FieldExample

__all__ = ["FIELD_EXAMPLES", "FieldExample", "bodies", "coupled", "flows", "light_and_sound", "rooms"]
