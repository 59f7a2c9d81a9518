"""The error of this package, and those of the libraries that a damaged file leads to."""

import importlib
import re
import struct
import zipfile
import zlib

# What zipfile raises for archives that are damaged, encrypted, or packed in a way that it does not know.
ZIP_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    EOFError,
    RuntimeError,
    ValueError,
    IndexError,
    KeyError,
    OverflowError,
)


class DatasetError(Exception):
    """Says in one line which file is wrong, where, and what to do."""


class Cancelled(Exception):
    """The user has interrupted."""


# What is installed for a module, where it has another name.
_PACKAGES = {"yaml": "PyYAML"}


def need(module, what):
    """Returns a module that what needs. One that is not installed is an error in one line, which names it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = _PACKAGES.get(module, module.split(".")[0])
        raise DatasetError(f"{what} needs {name}, which is not installed: pip install {name.lower()}") from None


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
