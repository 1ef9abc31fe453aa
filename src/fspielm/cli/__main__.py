"""``python -m fspielm.cli`` is the command line."""

from __future__ import annotations

from fspielm.cli.entry import main

if __name__ == "__main__":
    main()
