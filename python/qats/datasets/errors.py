"""The error of this package, and those of the libraries that a damaged file leads to."""

import struct
import zipfile
import zlib

# What zipfile raises for archives that are damaged, encrypted, or packed in a way that it does not know.
ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, RuntimeError, ValueError, IndexError, KeyError, OverflowError)


class DatasetError(Exception):
    """Says in one line which file is wrong, where, and what to do."""


def short(text, most=300):
    """Returns a text from outside as one printable line of at most `most` characters."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(str(text)[: 4 * most].split()))
    return line if len(line) <= most else line[: most - 3] + "..."
