"""Calls of the program: one process a call, arrays through pipes, nothing left behind."""

import collections
import contextlib
import contextvars
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import numpy as np

from . import _safetensors
from ._arrays import File
from ._errors import CalibrationWarning, Error, InputError, ProgramError
from ._version import __version__

COMMAND = "python -m qatsbench" if os.name == "nt" else "python3 -m qatsbench"  # the program's name for itself: what a shell surely has
PROTOCOL = 1  # of the program's JSON; the program prints its own in qats --version --json

_ENDING = ".exe" if os.name == "nt" else ""
_INSTALLED = "qatsbench" + _ENDING  # the command of a wheel; the command qats of PyPI is another project's
_BUILT = "qats" + _ENDING  # the program of a checkout and of go install
_PIPE = 1 << 20
_LAST_WORDS = 20  # lines of standard error that are kept
_PATIENCE = 10  # seconds for an interrupted run to save its finished cells

_checked: dict[str, tuple] = {}  # programs that were asked for their version, with the stamp of their file
_checking = threading.Lock()
_holding: contextvars.ContextVar = contextvars.ContextVar("holding", default=None)  # the list that keeps warnings, of this thread
_kept: set[int] = set()  # descriptors of pipes that this process alone holds


def _forked():
    """Make a fork whole: a thread that it has not may hold the lock, and the other end of a pipe
    waits for as long as any process holds this one."""
    global _checking
    _checking = threading.Lock()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in _kept:
        os.dup2(null, fd, inheritable=False)  # its number stays taken, for whoever closes it
    os.close(null)
    _kept.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def kept(*descriptors):
    """Keep descriptors of pipes from forks of this process, until they are closed by close."""
    _kept.update(descriptors)


def close(*descriptors):
    for fd in descriptors:
        _kept.discard(fd)
        os.close(fd)


def find():
    """Return the path of the program: that of $QATS_BIN, the one that came with the
    package, that of the checkout, or the first on the PATH."""
    named = os.environ.get("QATS_BIN")
    if named:
        if not os.path.isfile(named):
            raise ProgramError(f"QATS_BIN is {named}, which is no file", code="program", hint="name the program, or unset QATS_BIN")
        return named
    for path in _places():
        if path is not None and path.is_file():
            return os.path.normpath(path)
    found = shutil.which(_INSTALLED) or shutil.which(_BUILT)
    if found:
        return found
    raise ProgramError(
        "the program qats was not found",
        code="program",
        hint="install a wheel of qatsbench, which carries it; or build it by `go build -o bin/qats ./cmd/qats` and set QATS_BIN to its path",
    )


def _places():
    package = Path(__file__).resolve().parent
    # An installer writes the program among the scripts, and its path into RECORD.
    for record in sorted(package.parent.glob("qatsbench-*.dist-info/RECORD")):
        for line in record.read_text(encoding="utf-8").splitlines():
            path = line.rsplit(",", 2)[0].strip('"')
            if path.rsplit("/", 1)[-1] == _INSTALLED and "/" in path:
                yield package.parent / path
    yield package.parent / "bin" / _INSTALLED  # pip install --target
    checkout = package.parent.parent
    if (checkout / "cmd" / "qats" / "main.go").is_file():
        yield checkout / "bin" / _BUILT


def program():
    """Return the path of the program after a look at its version, once for each file."""
    path = find()
    try:
        status = os.stat(path)
    except OSError as e:
        raise ProgramError(f"{path}: {e.strerror}", code="program") from None
    stamp = (status.st_size, status.st_mtime_ns, status.st_ino)
    with _checking:
        if _checked.get(path) != stamp:
            _check(path)
            _checked[path] = stamp
    return path


def _check(path):
    """Raise ProgramError unless the program at path is the one that the package was made
    for. A package in a wheel knows the commit of its program."""
    p = None
    try:
        with _undisturbed():
            p = subprocess.Popen([path, "--version", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        said = p.communicate(timeout=60)[0].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        raise ProgramError(f"{path} does not say its version", code="program") from None
    except OSError as e:
        raise ProgramError(f"{path} cannot be run: {e.strerror}", code="program") from None
    finally:
        if p is not None:
            _end(p)
            p.stdout.close()
    try:
        it = json.loads(said)
        protocol, version, commit = it["protocol"], it["version"], it["commit"]
    except (ValueError, KeyError, TypeError):
        raise ProgramError(
            f"{path} is older than this package ({__version__}), or is another program", code="version", hint=_remedy(path)
        ) from None
    if protocol != PROTOCOL:
        raise ProgramError(
            f"{path} is version {version} with protocol {protocol}; this package ({__version__}) has protocol {PROTOCOL}",
            code="version",
            hint=_remedy(path),
        )
    made_for = _carried()
    if made_for and commit and made_for["commit"] and made_for["commit"] != commit:
        raise ProgramError(
            f"{path} is version {version}, of commit {commit[:12]}; this package is {__version__}, of commit {made_for['commit'][:12]}",
            code="version",
            hint=_remedy(path),
        )


def _remedy(path):
    return f"use the program of the same version{', or unset QATS_BIN' if os.environ.get('QATS_BIN') == path else ''}"


def _carried():
    """Return {"commit": ...} of the program that the wheel carries, or None in a checkout."""
    try:
        return json.loads((Path(__file__).parent / "_carried.json").read_text())
    except OSError:
        return None


def argument(name, array):
    """Return the value of a flag for an array: its file, or the array of this name in the stream."""
    return array.path if isinstance(array, File) else f"-#{name}"


def streamed(arrays):
    """Return those arrays that go through standard input."""
    return {name: a for name, a in arrays.items() if not isinstance(a, File)}


def file_argument(value):
    """Return the name of a file as an argument: one that begins with a dash is no flag."""
    text = os.fspath(value)
    return f"./{text}" if isinstance(text, str) and text.startswith("-") else text


@contextlib.contextmanager
def private(text, suffix):
    """Write the bytes to a file that this user alone can read, and give its name for the program
    and the descriptors that the program needs for it. The file has no name of its own where the
    system has such files, so that not even the kill of this process leaves it behind; else it
    is removed."""
    fd = None
    try:
        if sys.platform == "linux" and os.path.isdir("/dev/fd"):
            fd = os.memfd_create("qats" + suffix)
            os.fchmod(fd, 0o600)
            named = None
        else:
            named = os.path.join(tempfile.gettempdir(), f"qats-{os.getpid()}-{os.urandom(8).hex()}{suffix}")
            fd = os.open(named, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            if sys.platform == "darwin":
                os.unlink(named)
                named = None
        left = memoryview(text)
        while left:
            left = left[os.write(fd, left) :]
        os.lseek(fd, 0, os.SEEK_SET)
        if named is not None:
            os.close(fd)
            fd = None
    except OSError as e:
        _remove(fd, named)
        raise Error(
            f"the model cannot be written for the program: {e.strerror}",
            code="machine",
            where=named or "memory",
            hint="TMPDIR names a folder with room" if named else "",
        ) from None
    except BaseException:
        _remove(fd, named)
        raise
    try:
        yield (named, ()) if fd is None else (f"/dev/fd/{fd}", (fd,))
    finally:
        _remove(fd, named)


def _remove(fd, named):
    if fd is not None:
        os.close(fd)
    if named is not None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(named)


def read_text(pipe):
    return pipe.read().decode("utf-8")


def read_array(pipe):
    """Read a .npy into the array that is returned. Without a copy of its bytes."""
    version = np.lib.format.read_magic(pipe)
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
    shape, fortran, dtype = read_header(pipe)
    a = np.empty(shape, dtype, order="F" if fortran else "C")
    view = memoryview(a.reshape(-1, order="A").view(np.uint8))
    at = 0
    while at < len(view):
        n = pipe.readinto(view[at : at + _PIPE])
        if not n:
            raise EOFError
        at += n
    return a


def call(words, arrays=None, *, read=read_text, progress=None, gentle=False, env=None, pass_fds=(), serve=None, despite=None):
    """Run the program with these words and return what read makes of its standard output.

    arrays are streamed to its standard input. serve(output, input) answers its requests, in place of
    read. An error of the program is raised as Error, unless
    despite(result) is true: the result is whole, and the error says what it is worth. The
    program's warnings are given as CalibrationWarning. Whatever happens, the process has ended
    when call returns. gentle: interrupted, it may first save what is finished.
    """
    process, stderr, writer = None, None, None
    path, words = program(), [COMMAND, "--errors", "json", *words]
    pipes = ()
    try:
        with _undisturbed():
            process = subprocess.Popen(
                words,
                executable=path,
                stdin=subprocess.PIPE if arrays or serve else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=-1,
                pipesize=_PIPE if sys.platform == "linux" else -1,
                env=env,
                pass_fds=pass_fds,
            )
        pipes = [p for p in (process.stdin, process.stdout, process.stderr) if p is not None]
        kept(*(p.fileno() for p in pipes))
        stderr = _Words(process.stderr, progress)
        if arrays:
            writer = _Writer(process.stdin, arrays)
        result, broken = None, None
        try:
            result = read(process.stdout) if serve is None else serve(process.stdout, process.stdin)
        except (EOFError, ValueError) as e:  # what the program prints ends early; its status says why
            broken = e
        status = process.wait()
    except BaseException:
        if process is not None:
            _end(process, gentle)
        raise
    finally:
        if process is not None:
            _free(process.stdout)  # a writer or a reader that waits is woken up by the end of the process
            for thread in (stderr, writer):
                if thread is not None:
                    thread.join(5)
            _free(process.stderr)
            if process.stdin is not None and writer is None:
                _free(process.stdin)
    if status != 0 and (broken is not None or despite is None or not despite(result)):
        raise _failure(status, stderr, arrays or ())
    if writer is not None and writer.error is not None:
        raise writer.error
    if broken is not None:
        raise ProgramError(f"the program's output was cut short: {stderr.last()}", code="program")
    warn(stderr.warnings)
    return result


class held:
    """Keeps the warnings of a block in a list, and gives them after it, also if it raises. Inside of another such block it gives none."""

    def __enter__(self):
        self.outer, self.found = _holding.get(), []
        self.token = _holding.set(self.found)
        return self.found

    def __exit__(self, *_):
        _holding.reset(self.token)
        if self.outer is None:
            warn(self.found)


def warn(found):
    """Give warnings of the program, each text once, as CalibrationWarning: first those of a score that a fit made worse. How whole
    weights were counted is none."""
    holder = _holding.get()
    if holder is not None:
        holder.extend(found)
        return
    found = sorted(found, key=lambda w: w.get("kind") != "worse")
    for w in {w.get("text", ""): w for w in found if w.get("kind") != "weights"}.values():
        warnings.warn(CalibrationWarning(stated(w.get("text") or str(w), w), kind=w.get("kind", ""), value=w), stacklevel=_caller())


def _free(pipe):
    """Close a pipe that no fork of this process has."""
    if not pipe.closed:
        _kept.discard(pipe.fileno())
        with contextlib.suppress(BrokenPipeError):  # of a writer that was cut short
            pipe.close()


@contextlib.contextmanager
def _undisturbed():
    """Hold signals back whose handlers raise, such as that of Ctrl-C, until the block has ended.
    Raised between the start of a process and the return of its number, an exception would leave
    a process that nobody ends or waits for."""
    handlers, held = {}, []
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                if callable(signal.getsignal(number)):
                    handlers[number] = signal.getsignal(number)
                    signal.signal(number, lambda *taken: held.append(taken))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in held:
            handlers[number](number, frame)


def _caller():
    """Return the stacklevel of the caller of this package."""
    level, frame = 1, sys._getframe(1)
    here = os.path.dirname(__file__)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == here:
        level, frame = level + 1, frame.f_back
    return level


def _end(process, gentle=False):
    if process.poll() is None and gentle:
        process.send_signal(signal.CTRL_C_EVENT if os.name == "nt" else signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(_PATIENCE)
    with _undisturbed():
        if process.poll() is None:
            process.kill()
        process.wait()


def _failure(status, stderr, names):
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        out_of_memory = " (out of memory?)" if name == "SIGKILL" else ""
        return ProgramError(f"the program was killed by {name}{out_of_memory}; its last words: {stderr.last()}", code="killed")
    e = stderr.error
    if e is None:
        return ProgramError(f"the program ended with status {status}; its last words: {stderr.last()}", code="program")
    where = _argument(e.get("where", ""))
    kind = Error if e.get("code") in ("failed", "machine", "interrupted") else InputError
    hint = stated(e.get("hint", ""), e)
    return kind(_in_python(e.get("what", "")), code=e.get("code", "failed"), where=where, hint=hint)


_KINDS = 'give kind="probs" if they are probabilities, or kind="logits" if they are logits, which are better'


def stated(text, it):
    """Write what the program says in the words of the package. it has the argument that mends an error or a warning, its value, and the
    words of the text that say so for a shell."""
    if it.get("words"):
        argument, value = it.get("argument"), it.get("value", "")
        if argument == "ignore":
            remedy = f"give ignore=[{value.replace(',', ', ')}]" if "," in value else f"give ignore={value}"
        else:
            remedy = f'give {argument}="{value}"' if value else _KINDS
        text = text.replace(it["words"], remedy)
    return _in_python(text)


def _argument(where):
    """Name arrays of the stream, and the model, as the arguments that they came from. The place of
    an option in a flag says nothing here."""
    where = re.sub(r"^-p:.*|(?:\bstandard input|(?<!\S)-)#", "", re.sub(r"^/dev/fd/\d+", "model", where))
    return where.removeprefix("--") if re.fullmatch(r"--[a-z-]+", where) else where


_FLAGS = {
    "kind": str,
    "ignore": int,
    "interval": str,
    "by": str,
    "methods": str,
    "features": None,
    "augmented": None,
    "head-weight": None,
    "head-bias": None,
    "ood-logits": None,
    "target-logits": None,
    "logits": None,
    "labels": None,
    "probs": None,
    "uncal": None,
}


def _in_python(text):
    """Write the flags of the program, with their values, as the arguments of the package."""

    def argument(match):
        name, value = match["name"].replace("-", "_"), match["value"]
        kind = _FLAGS[match["name"]]
        if kind is None or not value:
            return name + (match["rest"] or "")
        return f'{name}="{value}"' if kind is str else f"{name}={value}" if "," not in value else f"{name}=[{value}]"

    text = re.sub(r"(?:\bstandard input|(?<!\S)-)#(?=\w)", "", text)  # arrays of the stream
    text = re.sub(r"^--metric\b", "metrics", text)
    return re.sub(rf"(?<!\S)--(?P<name>{'|'.join(_FLAGS)})\b(?P<rest>[ =](?P<value>-?[\w@][\w@,+.-]*\w|-?\w))?", argument, text)


class _Words(threading.Thread):
    """Reads standard error: JSON lines of progress, warnings and the error, and other text."""

    def __init__(self, pipe, progress):
        super().__init__(daemon=True)
        self.pipe, self.progress = pipe, progress
        self.warnings, self.error, self.text = [], None, collections.deque(maxlen=_LAST_WORDS)
        self.start()

    def run(self):
        with contextlib.suppress(ValueError, OSError):  # the pipe was closed
            for line in self.pipe:
                self.take(line.decode("utf-8", "replace").rstrip())

    def take(self, line):
        if not line:
            return
        it = None
        if line.startswith("{"):
            with contextlib.suppress(ValueError):
                it = json.loads(line)
        match it:
            case {"progress": dict(p)}:
                if self.progress is not None:
                    self.progress(p)
            case {"warning": dict(w)}:
                self.warnings.append(w)
            case {"error": dict(e)}:
                self.error = e
            case _:
                self.text.append(line)

    def last(self):
        return "\n".join(self.text) or "none"


class _Writer(threading.Thread):
    """Writes arrays to standard input."""

    def __init__(self, pipe, arrays):
        super().__init__(daemon=True)
        self.pipe, self.arrays, self.error = pipe, arrays, None
        self.start()

    def run(self):
        try:
            try:
                for part in _safetensors.stream(self.arrays):
                    self.pipe.write(part)
            finally:
                _kept.discard(self.pipe.fileno())
                self.pipe.close()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the program has ended, and says why
        except OSError as e:
            if os.name != "nt":  # there, the end of a pipe's reader is EINVAL
                self.error = e
        except BaseException as e:
            self.error = e
