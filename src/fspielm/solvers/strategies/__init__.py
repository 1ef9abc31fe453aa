"""The kinds of functions that the automatic solver knows."""
