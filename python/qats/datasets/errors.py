"""The error of this package, and those of the libraries that a damaged file leads to."""

import re
import struct
import zipfile
import zlib

# What zipfile raises for archives that are damaged, encrypted, or packed in a way that it does not know.
ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, RuntimeError, ValueError, IndexError, KeyError, OverflowError)


class DatasetError(Exception):
    """Says in one line which file is wrong, where, and what to do."""


def base(path):
    """Returns the last element of the name of a file."""
    return re.split(r"[/\\]", path)[-1]


def at(file, call, *arguments):
    """Calls a function, and puts the name of the file in front of its error."""
    try:
        return call(*arguments)
    except DatasetError as e:
        raise DatasetError(f"{short(file, 200)}: {e}") from None


def short(text, most=300):
    """Returns a text from outside as one printable line of at most `most` characters."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(str(text)[: 4 * most].split()))
    return line if len(line) <= most else line[: most - 3] + "..."
