"""The door for files that a user or another file names: only regular files are opened."""

import errno
import os
import stat

NOT_REGULAR = "not a regular file; a pipe or a device cannot be read, copy it to a file first"


def opened(path):
    """Open a regular file for reading bytes. Others are an OSError at once: opening a pipe waits
    for a writer, and a device has no end. A file of the kernel, such as /proc/self/mem, says that
    it is regular and has 0 bytes, and yet has some, or cannot be read."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # before opening, which may act on a device
        raise _refused(path)
    f = os.fdopen(
        os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)), "rb"
    )
    try:
        info = os.fstat(f.fileno())  # it may be another file by now
        if not stat.S_ISREG(info.st_mode) or info.st_size == 0 and _has_some(f):
            raise _refused(path)
    except BaseException:
        f.close()
        raise
    return f


def _has_some(f):
    try:
        return os.read(f.fileno(), 1) != b""
    except OSError:
        return True


def _refused(path):
    if os.path.isdir(path):
        return IsADirectoryError(errno.EISDIR, "is a directory", os.fspath(path))
    return OSError(errno.EINVAL, NOT_REGULAR, os.fspath(path))
