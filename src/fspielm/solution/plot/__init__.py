"""Pictures of a solution."""
