"""Solutions along a parameter: around folds, and from branch to branch."""
