"""Functions as methods of a run: the program asks for fits and predictions by lines of JSON on its
standard input and output, as docs/calibrator.md has them.

The functions run in a process of their own, which serves the whole run: a copy of this one (fork)
or, on Windows, a new one that imports them. If it dies, the cell that it worked on fails, and it is
started once more.
"""

import contextlib
import importlib
import inspect
import json
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

from . import _arrays, _digest
from ._errors import InputError

# Arrays beside logits and labels, by their files in the folder of a call.
_FILES = {"features.npy": "features", "logits_aug.npy": "augmented", "head_weight.npy": "head_weight", "head_bias.npy": "head_bias"}

_START = "spawn" if os.name == "nt" else "fork"  # how the process of the functions begins
_PATIENCE = 10  # seconds for a worker that has closed its pipe to end
_LOOK = 1  # seconds between two looks whether the session lives


def method(fit=None, *, name=None, label="", version="", needs=(), limit="", disk_mib=0):
    """Make a function that fits a method of a run. Its attribute ``apply`` decorates the
    function that predicts::

        @qatsbench.method
        def shares(logits, labels):
            return np.bincount(labels, minlength=logits.shape[1]) / len(labels)

        @shares.apply
        def shares(model, logits):
            return np.tile(model, (len(logits), 1))

        qatsbench.run("companion", methods=[shares])

    fit gets n x k float32 logits and n labels, and returns a model that pickle can store.
    apply gets the model and the logits of other rows, and returns their probabilities, n x k,
    rows that sum to one. A function that has a parameter ``seed`` gets a whole number that
    depends on the fit alone.

    name: of the method; the name of the function, with - for _, if it is None. needs: more
    arrays, as an external method names them ("features", "head", "ood", "augmented"); the
    functions get them by keyword. limit: time of one call, such as "10m". disk_mib: most that
    one call may write.

    A fit is stored under version and a digest of both functions: their code as it runs, default
    arguments, the values that they enclose, and the globals that they name, with the functions
    among them. A function without a source, such as a lambda, and a value without a stable
    representation, such as a generator of random numbers, need a version. Count it up where
    anything else changes the result.
    """

    def make(function):
        return Method(function, name=name, label=label, version=str(version), needs=needs, limit=limit, disk_mib=disk_mib)

    return make if fit is None else make(fit)


class Method:
    """A method of a run that two functions make: see ``method``."""

    def __init__(self, fit, *, name=None, label="", version="", needs=(), limit="", disk_mib=0):
        if not callable(fit):
            raise InputError(f"{fit!r} is no function", code="usage", where="method")
        self.name = name or getattr(fit, "__name__", "").replace("_", "-").strip("-")
        if not self.name or self.name == "<lambda>":
            raise InputError("a function without a name", code="usage", where="method", hint="give name=")
        self.label, self.version, self.limit, self.disk_mib = label, version, limit, disk_mib
        self.needs = [needs] if isinstance(needs, str) else list(needs)
        self._fit, self._apply = fit, None
        self._sourced = _digest.has_source(fit)  # later the file may be another one

    def apply(self, function):
        """Decorate the function that predicts: apply(model, logits) returns n x k probabilities."""
        self._apply = function
        self._sourced = self._sourced and _digest.has_source(function)
        return self

    def __call__(self, *arguments, **named):
        """Call the fit function, for a try."""
        return self._fit(*arguments, **named)

    def predict(self, model, *arguments, **named):
        """Call the apply function, for a try."""
        return self._apply(model, *arguments, **named)

    def __repr__(self):
        return f"<method {self.name}>"

    def __reduce__(self):
        """Name the method, for a process that imports it."""
        module, name = self._fit.__module__, self._fit.__qualname__
        if _found(module, name) is not self:
            raise pickle.PicklingError(f"{name} is not at the top level of the module {module}")
        return _found, (module, name)

    def described(self):
        """Return what the program is told."""
        if self._apply is None:
            raise InputError(
                f"{self.name} has no function that predicts",
                code="usage",
                where="methods",
                hint=f"decorate it by @{self._fit.__name__}.apply",
            )
        source, problem = _digest.digest((self._fit, self._apply))
        if not self.version:
            hint = "give version=, and count it up with every change"
            if not self._sourced:
                raise InputError(f"the source of {self.name} cannot be found", code="usage", where="methods", hint=hint)
            if problem:
                raise InputError(
                    f"{self.name} depends on a value without a stable representation: {problem}", code="usage", where="methods", hint=hint
                )
        return {
            "name": self.name,
            "label": self.label,
            "source": source,
            "version": self.version,
            "needs": self.needs,
            "limit": self.limit,
            "disk_mib": self.disk_mib,
        }

    # Calls, in the other process.

    def call(self, verb, folder, seed):
        """Do one request in a folder."""
        folder, model = Path(folder), Path(folder) / "model" / "model.pickle"
        if verb == "fit":
            arrays = _read(folder, "cal")
            fitted = _called(self._fit, (arrays.pop("logits"), arrays.pop("labels")), arrays, seed)
            model.write_bytes(pickle.dumps(fitted, protocol=pickle.HIGHEST_PROTOCOL))
            return
        arrays = _read(folder, "test")
        z = arrays.pop("logits")
        fitted = pickle.loads(model.read_bytes())  # the bytes that this function wrote
        name = getattr(self._apply, "__name__", self.name)
        p = _arrays.array(_called(self._apply, (fitted, z), arrays, seed), f"what {name} returned")
        if p.dtype.kind not in "fiub":
            raise ValueError(f"{name} returned numbers of the type {p.dtype}, want floating-point numbers")
        if p.shape != z.shape:
            raise ValueError(f"{name} returned shape {p.shape}, want {z.shape}")
        np.save(folder / "probs.npy", np.ascontiguousarray(p, np.float64))


def _found(module, name):
    """Return what a module has under a name, or None."""
    return getattr(sys.modules[module] if module in sys.modules else importlib.import_module(module), name, None)


def _read(folder, part):
    arrays = {}
    for place in (folder / part, folder):
        for path in sorted(place.glob("*.npy")) if place.is_dir() else ():
            name = _FILES.get(path.name, path.stem)
            if path.name != "probs.npy" and name not in arrays:
                arrays[name] = np.load(path, allow_pickle=False)
    for path in sorted((folder / "ood").glob("*.npy")):
        arrays["ood_" + path.stem] = np.load(path, allow_pickle=False)
    return arrays


def _called(function, arguments, named, seed):
    if "seed" in inspect.signature(function).parameters:
        named = {**named, "seed": seed}
    return function(*arguments, **named)


def _work(methods, pipe):
    """Do the requests that come through pipe until it is closed."""
    while True:
        try:
            name, verb, folder, seed = pipe.recv()
        except EOFError:
            _end_group()
        try:
            methods[name].call(verb, folder, seed)
            answer = {}
        except Exception as e:
            place = next((f for f in reversed(traceback.extract_tb(e.__traceback__)) if f.filename != __file__), None)
            answer = {
                "error": f"{type(e).__name__}: {e}",
                "line": f"{os.path.basename(place.filename)}:{place.lineno}: {place.line}" if place else "",
            }
        pipe.send(answer)


class Server:
    """Serves methods to one run of the program, which was started with --serve and pipes. ``serve``
    returns when the program has closed its standard output, and ``close`` ends what is left."""

    def __init__(self, methods):
        self.methods = {m.name: m for m in methods}
        if len(self.methods) < len(methods):
            raise InputError("two methods have one name", code="usage", where="methods")
        self.described = [m.described() for m in methods]
        if _START == "spawn":
            try:
                pickle.dumps(self.methods)
            except pickle.PicklingError as e:
                raise InputError(
                    f"{e}, and this system has no fork",
                    code="usage",
                    where="methods",
                    hint="put the function into a file, not into another function or a notebook",
                ) from None
        self.lock = threading.RLock()  # of worker, pipe and doing
        self.worker = self.pipe = self.doing = None
        self.to = None

    def serve(self, requests, answers):
        """Answer the program's requests."""
        self.to = answers
        call = None
        with contextlib.suppress(BrokenPipeError):  # the program has ended, and says why
            self._send({"methods": self.described})
            for line in requests:
                request = json.loads(line)
                if "cancel" in request:
                    self._cancel(request["cancel"])
                    continue
                if call is not None:
                    call.join()  # it has sent its answer, or was cancelled
                call = threading.Thread(target=self._call, args=(request,), daemon=True)
                call.start()
        self.close()
        if call is not None:
            call.join()

    def close(self):
        self._cancel()

    def _cancel(self, number=None):
        """End the call of a number, or any, with its worker."""
        with self.lock:
            if number is None or number == self.doing:
                self.doing = None
                self._end_worker()

    # In the thread of a call.

    def _call(self, request):
        number = request["id"]
        with self.lock:
            if self.worker is not None and _has_ended(self.worker):
                self._end_worker()
            if self.worker is None:
                self._start_worker()
            self.doing, worker, pipe = number, self.worker, self.pipe
        answer = None
        with contextlib.suppress(EOFError, OSError):
            pipe.send((request["method"], request["call"], request["dir"], request["seed"]))
            while not pipe.poll(_LOOK):  # what the worker has left may keep the pipe open
                if _has_ended(worker):
                    raise EOFError
            answer = pipe.recv()
        with self.lock:
            if self.doing != number:  # it was cancelled
                return
            self.doing = None
            if answer is None:
                answer = {"error": f"the process of the method {_ended(self._end_worker(patience=_PATIENCE))}", "line": ""}
        with contextlib.suppress(BrokenPipeError, ValueError):  # the program has ended, and its pipe may be closed
            self._send({"id": number, **answer})

    def _send(self, value):
        self.to.write(json.dumps(value).encode() + b"\n")
        self.to.flush()

    def _start_worker(self):
        context = multiprocessing.get_context(_START)
        self.pipe, other = context.Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.worker = context.Process(
            target=_alone, args=(self.methods, other, self.pipe if _START == "fork" else None, os.getpid()), daemon=True
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
            self.worker.start()
        if hasattr(os, "setpgid"):
            with contextlib.suppress(OSError):  # it does so itself; whoever comes first
                os.setpgid(self.worker.pid, self.worker.pid)
        other.close()

    def _end_worker(self, patience=0):
        """End the worker and what it has started, and return its exit status. It has patience
        seconds to end by itself."""
        if self.worker is None:
            return None
        worker, pipe = self.worker, self.pipe
        self.worker = self.pipe = None
        until = time.monotonic() + patience
        while not _has_ended(worker) and time.monotonic() < until:
            time.sleep(0.01)
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):  # before it is joined: until then its number is its own
                os.killpg(worker.pid, signal.SIGKILL)
        else:
            worker.kill()
        worker.join()
        pipe.close()
        return worker.exitcode


def _has_ended(worker):
    """Report whether a worker has ended, and leave it unjoined, so that its number stays its own."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return not worker.is_alive()
    try:
        return os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    except ChildProcessError:  # another thread has joined it
        return True


def _alone(methods, pipe, other, session):
    """_work in a process of its own, in a group of its own. A fork closes the session's end of the
    pipe. Where the session is killed, the group ends too."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the session decides
    if other is not None:
        other.close()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=pipe.close)  # else a fork that outlives this process keeps the pipe open
    threading.Thread(target=_watch, args=(session,), daemon=True).start()
    _work(methods, pipe)


def _watch(session):
    if os.name == "nt":
        multiprocessing.parent_process().join()
    while os.name != "nt" and os.getppid() == session:
        time.sleep(_LOOK)
    _end_group()


def _end_group():
    """End this process and those that it has started."""
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _ended(status):
    return f"was killed by {signal.Signals(-status).name}" if status is not None and status < 0 else f"ended with status {status}"
