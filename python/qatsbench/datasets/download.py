"""Downloads published files to a cache, on pooch, and checks that they are the right ones.

A file lies under its key, which has the whole address, so two addresses with one base name are two
files. pooch checks the digest of what lies there, and moves a new file to its name only when its
digest is right; a finished file is not loaded again. The bytes on their way lie in .part, under the
digest of the key. A file that broke off is begun anew, three tries in all; one of more than 256 MB
goes on where it ended (Range), if the server named a version of it that If-Range can hold it to, and
if the answer names the same version and length. Else it is begun anew, too.

A server must send the next 64 KiB within two minutes, and all in all 4 KiB a second after these. A body
whose length nobody states may have 4 GiB, as many as the readers read.

Where a source states no digest, that of the first download is recorded in .records, a file for
each address, and every later download must have it.

Of a .npz with stated members only these are loaded, by range requests, where the server allows it.
"""

import concurrent.futures
import contextlib
import dataclasses
import hashlib
import io
import json
import os
import queue
import threading
import time
import zipfile
from urllib.parse import unquote, urlsplit

import numpy as np

from .._files import opened
from . import folder, forms
from .errors import ZIP_FAULTS, Cancelled, DatasetError, need, short
from .table import check_address

TRIES = 3
RESUME_FROM = 256 << 20  # bytes from which a file that broke off is continued
CHUNK = 1 << 16
TIMEOUT = (20, 60)  # seconds to connect, and without a byte
STALL = 120.0  # seconds for an answer, and for each CHUNK of it
SLOWEST = 4096  # bytes a second, after STALL
AT_ONCE = 8

pooch = need("pooch", "a download")
requests = need("requests", "a download")
pooch.get_logger().setLevel("ERROR")


class _Final(DatasetError):
    """An error that another try would have too."""


def default_folder():
    """Returns the folder of downloads: $QATS_CACHE, or the cache of the system."""
    return os.environ.get("QATS_CACHE") or str(pooch.os_cache("qatsbench"))


class Client:
    """Downloads files to a folder. progress(done bytes of all files) is called from several threads."""

    def __init__(self, dir, pause=1.0, progress=None, resume_from=RESUME_FROM, stall=STALL, slowest=SLOWEST):
        self.dir, self.pause, self.resume_from, self.stall, self.slowest = dir, pause, resume_from, stall, slowest
        self.progress = progress or (lambda n: None)
        self.cancel = threading.Event()
        self._local = threading.local()

    def path(self, file):
        """Returns where a file lies, or will lie."""
        return os.path.join(self.dir, *file.key.split("/"))

    def _hidden(self, kind, file):
        return os.path.join(self.dir, kind, hashlib.sha256(file.key.encode()).hexdigest())

    def _session(self):
        if not hasattr(self._local, "session"):
            self._local.session = requests.Session()
            self._local.session.headers["Accept-Encoding"] = "identity"  # lengths and ranges are of the file itself
        return self._local.session

    # Digests

    def record(self, file):
        """Returns what the first download of a file had: a dict with sha256 and bytes; {} if there was none."""
        path = self._hidden(".records", file)
        try:
            with open(path, encoding="utf-8") as f:
                r = json.load(f)
            if isinstance(r, dict) and r.get("key") == file.key:
                return r
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            pass
        raise DatasetError(f"{path}: not a record of {short(file.key, 200)}; remove it to accept the file anew")

    def known(self, file):
        """Returns the digest that a file must have, as pooch writes it; None if none is known."""
        if file.sha256:
            return "sha256:" + file.sha256
        if file.md5:
            return "md5:" + file.md5
        if not file.git and (r := self.record(file)):
            return "sha256:" + r["sha256"]
        return None

    def _check(self, file, path):
        """Checks a complete file, and records its digest where the source states none. Returns the record."""
        self._verify(file, path)
        r = {"key": file.key, "sha256": file.sha256 or pooch.file_hash(path), "bytes": os.path.getsize(path), "url": file.url}
        if not file.sha256 and not self.record(file):
            folder.write_atomic(self._hidden(".records", file), json.dumps(r).encode())
        return r

    # A file

    def fetch(self, file):
        """Makes sure that a file is there. Returns its path, its record and whether it was downloaded now."""
        try:
            return self._fetch(file)
        except OSError as e:
            raise DatasetError(f"{short(file.url, 300)}: {e.strerror or short(e, 200)}; nothing was kept") from None

    def _fetch(self, file):
        path = self.path(file)
        if file.members and not os.path.exists(path):
            if (some := self._members(file)) is not None:
                return some
        if os.path.exists(path):
            if not os.path.isfile(path):
                raise DatasetError(f"{path}: not a regular file; remove it")
            try:
                return path, self._check(file, path), False
            except _Final as e:
                raise DatasetError(f"{path}: {e}; remove the file to fetch it again") from None
        with folder.locked(self._hidden(".part", file) + ".lock"):
            if os.path.exists(path):  # another process has fetched it meanwhile
                return path, self._check(file, path), False
            try:
                self._load(file, path)
                record = self._check(file, path)
            except _Final as e:
                with contextlib.suppress(OSError):
                    os.remove(path)
                raise DatasetError(f"{short(file.url, 300)}: {e}; nothing was kept") from None
        with contextlib.suppress(OSError):
            os.remove(self._hidden(".part", file) + ".lock")
        return path, record, True

    def _load(self, file, path):
        """Downloads a file by pooch, which checks its digest and moves it to its name."""
        check_address(file.url)

        def downloader(url, output, _):
            part = self._hidden(".part", file)
            self._tries(file, part)
            try:
                self._verify(file, part)
                os.replace(part, output)
            finally:
                _remove(part)

        name = os.path.relpath(path, self.dir).replace(os.sep, "/")
        os.makedirs(os.path.dirname(path), exist_ok=True)  # pooch's own way fails if another thread is faster
        p = pooch.create(path=self.dir, base_url="", registry={name: self.known(file)}, urls={name: file.url}, allow_updates=True)
        p.fetch(name, downloader=downloader)

    def _verify(self, file, path):
        """Checks length and digest of a complete file. pooch's own message does not say what the digest is."""
        size = os.path.getsize(path)
        if file.bytes and size != file.bytes:
            raise _Final(f"{size} bytes; the source says {file.bytes}")
        known = self.known(file)
        if known and not pooch.hashes.hash_matches(path, known):
            algorithm, _, want = known.partition(":")
            says = "the source says" if file.sha256 or file.md5 else "at the first download it was"
            raise _Final(f"wrong digest: {algorithm} {pooch.file_hash(path, alg=algorithm)}; {says} {want}")
        if file.git and not file.sha256 and (got := git_blob(path)) != file.git:
            raise _Final(f"wrong digest: git {got}; the source says {file.git}")

    def _tries(self, file, part):
        os.makedirs(os.path.dirname(part), exist_ok=True)
        for left in range(TRIES - 1, -1, -1):
            try:
                if file.url.startswith("file:"):
                    self._copy(file, part)
                else:
                    self._request(file, part)
                return
            except (requests.RequestException, _Broken) as e:
                if self.cancel.is_set():
                    raise Cancelled from None
                if not left:
                    kept = os.path.getsize(part) if os.path.exists(part) else 0
                    if kept < self.resume_from:
                        _remove(part)
                        kept = 0
                    what = f"{kept} bytes are kept; run the command again to continue" if kept else "nothing was kept"
                    raise DatasetError(f"{short(file.url, 300)}: {_cause(e)} ({TRIES} tries; {what})") from None
                self.cancel.wait(self.pause * 2 ** (TRIES - 1 - left))
            except Cancelled:
                if not os.path.exists(part) or os.path.getsize(part) < self.resume_from:
                    _remove(part)
                raise
            except OSError as e:  # of this machine, such as a full disk
                _remove(part)
                raise _Final(e.strerror or short(e, 200)) from None
            except _Final:
                _remove(part)
                raise

    def _copy(self, file, part):
        try:
            f = opened(unquote(urlsplit(file.url).path))
        except OSError as e:
            raise _Final("no such file" if isinstance(e, FileNotFoundError) else e.strerror) from None
        with f, open(part, "wb") as to:
            self._receive(iter(lambda: f.read(CHUNK), b""), file, to, 0, os.fstat(f.fileno()).st_size)

    def _request(self, file, part):
        """Asks a server once for the bytes that are missing."""
        headers, have = {}, 0
        begun = _version(part)
        if os.path.exists(part):
            have = os.path.getsize(part)
            if have < self.resume_from or not begun or (file.bytes and have >= file.bytes):
                have = 0
        if have:
            headers = {"Range": f"bytes={have}-", "If-Range": begun["tag"] or begun["modified"]}
        with self._get(file.url, headers) as r:
            if r.status_code == 206 and have:
                if (why := _other(begun, r, have)) is not None:
                    _remove(part)
                    raise _Broken(why)
                mode, total = "ab", begun["total"]
            elif r.status_code == 200:
                mode, have, total = "wb", 0, _length(r)
                _remove(part)  # before its version: bytes of one file never lie beside the version of another
                _write(part + ".version", json.dumps(_named(r, total)))
            else:
                if r.status_code == 416:
                    _remove(part)
                raise _answer(r)
            with open(part, mode) as to:
                self._receive(r, file, to, have, total)

    def _get(self, url, headers):
        r = _Answer(self, self._session(), url, headers)
        if url.startswith("https:") and not r.url.startswith("https:"):
            r.close()
            raise _Final(f"a redirect from https to {short(r.url, 100)}")
        return r

    def _receive(self, chunks, file, to, have, total):
        """Appends the bytes of a file. total is its length, or None."""
        if file.bytes and total is not None and total != file.bytes:
            raise _Final(f"the server has {total} bytes; the source says {file.bytes}")
        stated = total if total is not None else file.bytes or None
        limit = forms.MOST_BYTES if stated is None else stated
        for chunk in chunks:
            if self.cancel.is_set():
                raise Cancelled
            have += len(chunk)
            if have > limit:
                raise _Final(
                    f"more than the {limit} bytes that "
                    + (
                        "it should have"
                        if stated is not None
                        else "a file may have whose length nobody states; download it by other means, and import it"
                    )
                )
            to.write(chunk)
            self.progress(len(chunk))
        to.flush()
        os.fsync(to.fileno())
        if stated is not None and have < stated:
            raise _Broken(f"the connection ended after {have} of {stated} bytes")

    # Members of a .npz

    def _members(self, file):
        """Loads members of a .npz by range requests. Returns None where the server allows none."""
        path = self.path(file) + ".members.npz"
        known = dataclass_key(file, "+" + "+".join(file.members))
        if os.path.exists(path):
            return path, self._check(known, path), False
        if file.url.startswith("file:"):
            return None
        check_address(file.url)
        with folder.locked(self._hidden(".part", known) + ".lock"):
            try:
                source = RangeFile(self, file.url)
                with zipfile.ZipFile(io.BufferedReader(source, 1 << 16)) as z:
                    out = io.BytesIO()
                    with zipfile.ZipFile(out, "w") as to:
                        for m in file.members:
                            info = z.getinfo(m + ".npy")
                            if info.file_size > 64 << 20:
                                raise _Final(f"member {m} has {info.file_size} bytes; want labels")
                            a = forms.npy(z.read(info))
                            b = io.BytesIO()
                            np.lib.format.write_array(b, a, version=(1, 0), allow_pickle=False)
                            to.writestr(zipfile.ZipInfo(m + ".npy"), b.getvalue())
            except (_NoRanges, _Broken, requests.RequestException):
                return None
            except _Final as e:
                raise DatasetError(f"{short(file.url, 300)}: {e}") from None
            except ZIP_FAULTS:
                return None
            folder.write_atomic(path, out.getvalue())
            self.progress(source.loaded)
        return path, self._check(known, path), True

    # All files

    def fetch_all(self, files, at_once=None):
        """Fetches files, several at once. Returns by key what fetch returns, or the error of a file."""
        self._clear()
        results = {}
        pool = concurrent.futures.ThreadPoolExecutor(max(1, min(at_once or AT_ONCE, AT_ONCE)))
        try:
            waiting = {pool.submit(self.fetch, f): f for f in files}
            for done in concurrent.futures.as_completed(waiting):
                try:
                    results[waiting[done].key] = done.result()
                except DatasetError as e:
                    results[waiting[done].key] = e
        except BaseException:  # an interrupt
            self.cancel.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        pool.shutdown()
        return results

    def _clear(self):
        """Removes the empty files that pooch leaves where its process was killed."""
        for d, dirs, names in os.walk(self.dir):
            dirs[:] = [x for x in dirs if not x.startswith(".")]
            for n in names:
                p = os.path.join(d, n)
                with contextlib.suppress(OSError):
                    if n.startswith("tmp") and "." not in n and os.path.getsize(p) == 0 and time.time() - os.path.getmtime(p) > 60:
                        os.remove(p)

    def size(self, file):
        """Returns the bytes that a file costs: as the table says, or as the server says; 0 if neither does."""
        if file.bytes:
            return file.bytes
        if file.url.startswith("file:"):
            path = unquote(urlsplit(file.url).path)
            return os.path.getsize(path) if os.path.isfile(path) else 0
        try:
            with _Answer(self, self._session(), file.url, {}, "HEAD") as r:
                return r.status_code == 200 and _length(r) or 0
        except (requests.RequestException, _Broken):
            return 0


class _Broken(DatasetError):
    """A connection that broke, or a server that is busy: it is worth another try."""


class _Answer:
    """The answer of a server: its head, and when iterated its body in pieces of CHUNK.

    A thread of its own waits for the server, since a server that sends one byte a minute keeps a socket's
    timeout from ending a wait. The thread ends with the process, if the server does not end it before.
    """

    def __init__(self, client, session, url, headers, method="GET"):
        self._client, self._pieces, self._given_up = client, queue.Queue(4), threading.Event()
        threading.Thread(target=self._listen, args=(session, method, url, headers), daemon=True).start()
        try:
            r = self._next(time.monotonic() + client.stall)
        except BaseException:
            self.close()
            raise
        self.status_code, self.headers, self.reason, self.url = r.status_code, r.headers, r.reason, r.url

    def _listen(self, session, method, url, headers):
        try:
            with session.request(method, url, headers=headers, stream=True, timeout=TIMEOUT) as r:
                self._put(r)
                for chunk in r.iter_content(CHUNK):
                    if not self._put(chunk):
                        return
            self._put(b"")
        except Exception as e:
            self._put(e)

    def _put(self, piece):
        """Hands a piece over. Returns False where nobody wants it any more."""
        while not self._given_up.is_set():
            with contextlib.suppress(queue.Full):
                self._pieces.put(piece, timeout=0.1)
                return True
        return False

    def _next(self, end):
        """Returns the next piece, for which it waits until a time."""
        while True:
            if self._client.cancel.is_set():
                raise Cancelled
            try:
                piece = self._pieces.get(timeout=max(0.0, min(0.1, end - time.monotonic())))
            except queue.Empty:
                if time.monotonic() < end:
                    continue
                self._client._local.__dict__.pop("session", None)  # its connection is still in use
                raise _Broken(
                    "the server is too slow: it sent less than "
                    f"{CHUNK >> 10} KiB in {self._client.stall:g} s, or less than {self._client.slowest} bytes a second"
                ) from None
            if isinstance(piece, Exception):
                raise piece
            return piece

    def __iter__(self):
        start, done = time.monotonic(), 0
        while True:
            now = time.monotonic()
            end = min(now + self._client.stall, start + self._client.stall + (done + CHUNK) / self._client.slowest)
            if not (piece := self._next(end)):
                return
            done += len(piece)
            yield piece

    def close(self):
        self._given_up.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class _NoRanges(DatasetError):
    """The server sends whole files only."""


class RangeFile(io.RawIOBase):
    """A file of a server, read by range requests. All answers must be of one version of it."""

    def __init__(self, client, url):
        self.client, self.url, self.position, self.version, self.loaded = client, url, 0, None, 0
        self.length = self._range(0, 1)[1]

    def _range(self, start, end):
        with self.client._get(self.url, {"Range": f"bytes={start}-{end - 1}"}) as r:
            if r.status_code == 200:
                raise _NoRanges("the server sends the whole file")
            if r.status_code != 206:
                raise _answer(r)
            first, total = content_range(r.headers.get("Content-Range", ""))
            if first != start or total is None:
                raise _NoRanges("the server sent another range than it was asked for")
            version = (r.headers.get("ETag"), r.headers.get("Last-Modified"), total)
            if self.version not in (None, version):
                raise _Final("the file changed while it was read; run the command again")
            self.version = version
            data = b""
            for chunk in r:
                data += chunk
                if len(data) > end - start:
                    raise _NoRanges("the server sent more than it was asked for")
            self.loaded += len(data)
            return data, total

    def seekable(self):
        return True

    def readable(self):
        return True

    def tell(self):
        return self.position

    def seek(self, offset, whence=io.SEEK_SET):
        self.position = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self.position, io.SEEK_END: self.length}[whence]
        return self.position

    def readinto(self, b):
        end = min(self.position + len(b), self.length)
        if end <= self.position:
            return 0
        data = self._range(self.position, end)[0]
        b[: len(data)] = data
        self.position += len(data)
        return len(data)


def dataclass_key(file, suffix):
    """Returns a file of other bytes under another key, without the digests of the whole."""
    return dataclasses.replace(file, key=file.key + suffix, bytes=0, sha256="", md5="", git="")


def content_range(text):
    """Reads "bytes 10-99/100": the first byte and the length, None where the server does not say."""
    unit, _, rest = text.strip().partition(" ")
    span, _, total = rest.partition("/")
    first = span.partition("-")[0]
    if unit != "bytes" or not (first.isdigit() and len(first) < 16):
        return None, None
    return int(first), int(total) if total.isdigit() and len(total) < 16 else None


def _length(r):
    """Returns the length of a whole body; None where the server does not say, or packs it on the way."""
    n = r.headers.get("Content-Length", "")
    return int(n) if n.isdigit() and len(n) < 16 and not _packed(r) else None


def _packed(r):
    return r.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity")


def _named(r, total):
    """Returns what the server says of the version of a file: a strong ETag, the date of the last change, the length.

    It is empty where If-Range could hold the server to nothing.
    """
    tag = r.headers.get("ETag", "")
    v = {"tag": "" if tag.startswith("W/") else tag[:500], "modified": r.headers.get("Last-Modified", "")[:100], "total": total}
    return v if (v["tag"] or v["modified"]) and total is not None else {}


def _version(part):
    """Returns what _named said when a part was begun; {} where it is not known."""
    try:
        v = json.loads(_read(part + ".version"))
    except ValueError:
        return {}
    keys = {"tag": str, "modified": str, "total": int}
    return v if isinstance(v, dict) and v.keys() == keys.keys() and all(type(v[k]) is t for k, t in keys.items()) else {}


def _other(begun, r, have):
    """Says why the answer to a range is no part of the file that was begun; None if it is.

    A server that named an ETag must name it again (RFC 9110, 15.3.7); it may leave out the date.
    """
    start, total = content_range(r.headers.get("Content-Range", ""))
    if start != have or _packed(r):
        return "the server sent another range than it was asked for"
    same = r.headers.get("ETag", "") == begun["tag"] if begun["tag"] else True
    date = r.headers.get("Last-Modified", begun["modified"]) == begun["modified"] or not begun["modified"]
    if not same or not date or total not in (None, begun["total"]):
        return "the file of the server changed meanwhile"
    return None


def git_blob(path):
    """Returns the id that git gives to a file."""
    h = hashlib.sha1(b"blob %d\0" % os.path.getsize(path))
    with opened(path) as f:
        for chunk in iter(lambda: f.read(CHUNK), b""):
            h.update(chunk)
    return h.hexdigest()


def _answer(r):
    what = f"the server answers {r.status_code} {short(r.reason or '', 60)}".rstrip()
    if r.status_code in (408, 416, 429) or r.status_code >= 500:
        return _Broken(what)
    if r.status_code in (404, 410):
        what += "; give the address of a mirror by --url"
    return _Final(what)


def _cause(e):
    """Returns an error of requests in a few words, without the address, which it would name twice."""
    if isinstance(e, DatasetError):
        return str(e)
    if isinstance(e, requests.Timeout):
        return "the server sent nothing for a minute"
    inner = e
    while inner.args and isinstance(inner.args[0], BaseException):
        inner = inner.args[0]
    if (broken := next((a for a in inner.args if hasattr(a, "partial")), None)) is not None:
        got = broken.partial if isinstance(broken.partial, int) else len(broken.partial)
        return f"the connection ended after {got} of {got + (broken.expected or 0)} bytes"
    reason = getattr(inner, "reason", inner)
    return short(getattr(reason, "strerror", None) or reason, 160)


def _read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read(2000)
    except (OSError, UnicodeDecodeError):
        return ""


def _write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def _remove(part):
    for p in (part, part + ".version"):
        with contextlib.suppress(OSError):
            os.remove(p)
