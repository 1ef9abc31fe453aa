"""Functions beside a family: at corners, in holes, around sources."""
