"""``fspielm study``: parameter studies."""

from fspielm.cli.study.app import study_app

__all__ = ["study_app"]
