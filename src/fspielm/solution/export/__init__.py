"""Solutions for other programs."""
