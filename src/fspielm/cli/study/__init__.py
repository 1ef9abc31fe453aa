"""``fspielm study``: parameter studies, one file a command."""

from fspielm.cli.study.app import study_app

__all__ = ["study_app"]
