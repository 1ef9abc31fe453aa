"""Solutions kept in files: saved, and loaded again to the last bit."""

from fspielm.store.files import SUFFIX, load, save
from fspielm.store.stored import Stored, read_stored, write_stored

__all__ = ["SUFFIX", "Stored", "load", "read_stored", "save", "write_stored"]
