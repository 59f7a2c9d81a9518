"""The arrays of the project's specs: data/bundle of its repository, as one file of a release.

It is unpacked to the folder in which the program looks for it, too (LoadedBundles in experiments/sources.go): bundle@VERSION
in $QATS_CACHE, or else in qatsbench in the cache of the system. VARIABLE names another address; the digest is here alone, so
no server and no setting decides what is loaded. This module needs Python's standard library alone.
"""

import hashlib
import http.client
import os
import shutil
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request

from .errors import DatasetError, short

NAME = "bundle"  # as fetch is asked for it
TITLE = "the networks and trees that the project's specs run, such as companion"
VERSION = "v0.1.0"  # that of the program, experiments.BundleVersion; another digest needs another version
SHA256 = "187bb885845183d3470844a6c543012521f4a11bd24caaf754529e831130e12f"
BYTES = 52930560
LICENCE = "of each data set in LICENSE; most state none, CamVid is non-commercial"
ADDRESS = f"https://github.com/qats-bench/qats/releases/download/data%2Fbundle%2F{VERSION}/qats-bundle.tar"
VARIABLE = "QATS_BUNDLE_URL"

TOP = "bundle"  # the folder in the archive
TIMEOUT = 60  # seconds without a byte
CHUNK = 1 << 18
STAGE = ".bundle-"  # folders of a fetch under way
FORGOTTEN = 24 * 3600  # seconds after which such a folder is of a process that was killed


def folder():
    """Returns the folder of the bundle, whether it is there or not."""
    own = os.environ.get("QATS_CACHE")
    if not own:
        own = os.path.join(_cache(), "qatsbench")
    return os.path.join(own, f"bundle@{VERSION}")


def _cache():
    """Returns the folder for caches as Go's os.UserCacheDir has it."""
    home = os.environ.get("HOME", "")
    if os.name == "nt":
        found = os.environ.get("LocalAppData", "")
    elif sys.platform == "darwin":
        found = home and os.path.join(home, "Library", "Caches")
    else:
        found = os.environ.get("XDG_CACHE_HOME") or (home and os.path.join(home, ".cache"))
    if not os.path.isabs(found):
        raise DatasetError("the system names no folder for caches; set QATS_CACHE to a folder")
    return found


def address():
    """Returns where the archive is loaded from."""
    return os.environ.get(VARIABLE) or ADDRESS


def fetch(progress=lambda n: None):
    """Loads the bundle, unless it is there. Returns its folder, and whether it was loaded now.

    The folder appears under its name when it is complete: after a wrong digest, a lost connection, a full disk or a kill
    there is none.
    """
    at = folder()
    if os.path.isdir(at):
        return at, False
    try:
        os.makedirs(os.path.dirname(at), exist_ok=True)
        _sweep(os.path.dirname(at))
        with tempfile.TemporaryDirectory(prefix=STAGE, dir=os.path.dirname(at), ignore_cleanup_errors=True) as stage:
            archive = os.path.join(stage, "archive.tar")
            _download(address(), archive, progress)
            _unpack(archive, stage)
            if hasattr(os, "sync"):
                os.sync()  # its files are on the disk before its name is
            _place(os.path.join(stage, TOP), at)
    except OSError as e:
        raise DatasetError(f"{e.filename or at}: {e.strerror or e}; nothing was kept") from None
    return at, True


def _download(url, path, progress):
    """Writes the file of an address, whose length and digest must be those of the archive."""
    if not url.lower().startswith(("https://", "http://", "file:///")):
        raise DatasetError(f"{VARIABLE} is {short(url, 200)}; want an address that begins with https://, http:// or file:///")
    digest, size = hashlib.sha256(), 0
    with open(path, "wb") as f:
        for chunk in _chunks(url):
            size += len(chunk)
            if size > BYTES:
                break
            f.write(chunk)
            digest.update(chunk)
            progress(len(chunk))
    if size != BYTES:
        what = (
            f"the connection ended after {size:,} of {BYTES:,} bytes; run the command again"
            if size < BYTES
            else f"has more than {BYTES:,} bytes"
        )
        raise DatasetError(f"{short(url, 200)}: {what}")
    if digest.hexdigest() != SHA256:
        raise DatasetError(f"{short(url, 200)}: SHA-256 {digest.hexdigest()}; the bundle {VERSION} has {SHA256}. Nothing was kept")


def _chunks(url):
    """Yields the file of an address. What the network does is an error that names the address."""
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as r:
            while chunk := r.read(CHUNK):
                yield chunk
    except urllib.error.HTTPError as e:
        raise DatasetError(
            f"{short(url, 200)}: the server answers {e.code} {short(e.reason or '', 60)}; {VARIABLE} names another address"
        ) from None
    except http.client.IncompleteRead as e:
        yield e.partial  # what is missing is said by the length
    except (OSError, http.client.HTTPException, ValueError) as e:
        cause = getattr(e, "reason", e)
        raise DatasetError(
            f"{short(url, 200)}: {short(getattr(cause, 'strerror', None) or cause or type(cause).__name__, 160)}; {VARIABLE} names another address"
        ) from None


def _unpack(archive, to):
    """Unpacks an archive whose digest is known."""
    with tarfile.open(archive, "r:") as t:
        for member in t:
            path = os.path.join(to, *member.name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with t.extractfile(member) as source, open(path, "wb") as f:
                shutil.copyfileobj(source, f)


def _place(unpacked, at):
    """Gives the folder its name. Another process may have been first: its files are the same."""
    try:
        os.rename(unpacked, at)
    except OSError:
        if not os.path.isdir(at):
            raise


def _sweep(parent):
    """Removes what killed processes left."""
    for entry in os.scandir(parent):
        if entry.name.startswith(STAGE) and time.time() - entry.stat(follow_symlinks=False).st_mtime > FORGOTTEN:
            shutil.rmtree(entry.path, ignore_errors=True)
