"""``python -m fspielm.cli`` is the command line."""

from fspielm.cli import main

if __name__ == "__main__":
    main()
