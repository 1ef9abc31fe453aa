"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

# A deadline measures the machine, not the code; and what failed once must fail again for whoever looks at it.
settings.register_profile("fspielm", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("fspielm")
