"""Functions as methods of a run: the program asks for fits and predictions through two pipes.

The functions run in a process of their own, a copy of this one (fork), which serves the whole
run. If it dies, the cell that it worked on fails, and it is started once more.
"""

import hashlib
import inspect
import json
import multiprocessing
import os
import pickle
import selectors
import signal
import sys
import threading
import traceback
import warnings
from pathlib import Path

import numpy as np

from ._errors import InputError

# Arrays beside logits and labels, by their files in the folder of a call.
_FILES = {"features.npy": "features", "logits_aug.npy": "augmented", "head_weight.npy": "head_weight", "head_bias.npy": "head_bias"}


def method(fit=None, *, name=None, label="", version="", needs=(), limit="", disk_mib=0):
    """Make a function that fits a method of a run. Its attribute ``apply`` decorates the
    function that predicts::

        @qats.method
        def shares(logits, labels):
            return np.bincount(labels, minlength=logits.shape[1]) / len(labels)

        @shares.apply
        def shares(model, logits):
            return np.tile(model, (len(logits), 1))

        qats.run("companion", methods=[shares])

    fit gets n x k float32 logits and n labels, and returns a model that pickle can store.
    apply gets the model and the logits of other rows, and returns their probabilities, n x k,
    rows that sum to one. A function that has a parameter ``seed`` gets a whole number that
    depends on the fit alone.

    name: of the method; the name of the function, with - for _, if it is None. needs: more
    arrays, as an external method names them ("features", "head", "ood", "augmented"); the
    functions get them by keyword. limit: time of one call, such as "10m". disk_mib: most that
    one call may write.

    A fit is stored under the source of both functions and version. Count version up where
    anything else changes the result, such as a function that they call. Functions without a
    source need a version.
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

    def apply(self, function):
        """Decorate the function that predicts: apply(model, logits) returns n x k probabilities."""
        self._apply = function
        return self

    def __call__(self, *arguments, **named):
        """Call the fit function, for a try."""
        return self._fit(*arguments, **named)

    def predict(self, model, *arguments, **named):
        """Call the apply function, for a try."""
        return self._apply(model, *arguments, **named)

    def __repr__(self):
        return f"<method {self.name}>"

    def described(self):
        """Return what the program is told."""
        if self._apply is None:
            raise InputError(f"{self.name} has no function that predicts", code="usage", where="methods", hint=f"decorate it by @{self._fit.__name__}.apply")
        source = ""
        try:
            if "<lambda>" not in (self._fit.__name__, self._apply.__name__):  # a line may have several
                text = "\0".join(inspect.getsource(f) for f in (self._fit, self._apply))
                source = hashlib.sha256(text.encode()).hexdigest()
        except (OSError, TypeError):
            pass
        if not source and not self.version:
            raise InputError(f"the source of {self.name} cannot be found", code="usage", where="methods",
                             hint="give version=, and count it up with every change")
        return {"name": self.name, "label": self.label, "source": source, "version": self.version, "needs": self.needs,
                "limit": self.limit, "disk_mib": self.disk_mib}

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
        p = np.asarray(_called(self._apply, (fitted, z), arrays, seed))
        if p.shape != z.shape:
            raise ValueError(f"{self._apply.__name__} returned shape {p.shape}, want {z.shape}")
        np.save(folder / "probs.npy", np.ascontiguousarray(p, np.float64))


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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the session decides
    while True:
        try:
            name, verb, folder, seed = pipe.recv()
        except EOFError:
            os._exit(0)
        try:
            methods[name].call(verb, folder, seed)
            answer = {}
        except Exception as e:
            place = next((f for f in reversed(traceback.extract_tb(e.__traceback__)) if f.filename != __file__), None)
            answer = {"error": f"{type(e).__name__}: {e}", "line": f"{os.path.basename(place.filename)}:{place.lineno}: {place.line}" if place else ""}
        pipe.send(answer)


class Server:
    """Serves methods to one run. ``words`` and ``fds`` are for the program's start; ``started``
    is to be called when it has started, and ``close`` when it has ended."""

    def __init__(self, methods):
        if os.name == "nt":
            raise InputError("functions as methods need fork, which Windows does not have", code="usage", where="methods",
                             hint="write a program, as docs/new-calibrator.md shows")
        self.methods = {m.name: m for m in methods}
        if len(self.methods) < len(methods):
            raise InputError("two methods have one name", code="usage", where="methods")
        self.described = [m.described() for m in methods]
        self.child_read, self.to = os.pipe()
        self.back, self.child_write = os.pipe()
        self.words = ["--serve", f"{self.child_read},{self.child_write}"]
        self.fds = (self.child_read, self.child_write)
        self.worker = self.pipe = self.thread = None
        self.stop_read, self.stop_write = os.pipe()

    def started(self, process):
        for fd in self.fds:
            os.close(fd)
        self.fds = ()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def close(self):
        for fd in self.fds:
            os.close(fd)
        os.close(self.stop_write)
        if self.thread is not None:
            self.thread.join()
        else:
            self._close()

    def _close(self):
        self._end_worker()
        for fd in (self.to, self.back, self.stop_read):
            os.close(fd)

    # In the thread.

    def _serve(self):
        try:
            self._send({"methods": self.described})
            self._loop()
        except (BrokenPipeError, EOFError):
            pass  # the program has ended
        finally:
            self._close()

    def _loop(self):
        lines, doing = b"", None
        while True:
            with selectors.DefaultSelector() as wait:
                wait.register(self.back, selectors.EVENT_READ)
                wait.register(self.stop_read, selectors.EVENT_READ)
                if doing is not None:
                    wait.register(self.pipe, selectors.EVENT_READ)
                ready = {key.fileobj for key, _ in wait.select()}
            if self.stop_read in ready:
                return
            if doing is not None and self.pipe in ready:
                try:
                    answer = self.pipe.recv()
                except (EOFError, OSError):
                    self.worker.join()
                    answer = {"error": f"the process of the method {_ended(self.worker.exitcode)}", "line": ""}
                    self._end_worker()
                self._send({"id": doing, **answer})
                doing = None
            if self.back in ready:
                got = os.read(self.back, 1 << 16)
                if not got:
                    return
                *whole, lines = (lines + got).split(b"\n")
                for line in whole:
                    request = json.loads(line)
                    if "cancel" in request:
                        if request["cancel"] == doing:
                            self._end_worker()
                            doing = None
                        continue
                    if self.worker is None:
                        self._start_worker()
                    doing = request["id"]
                    self.pipe.send((request["method"], request["call"], request["dir"], request["seed"]))

    def _send(self, value):
        text = json.dumps(value).encode() + b"\n"
        while text:
            text = text[os.write(self.to, text):]

    def _start_worker(self):
        context = multiprocessing.get_context("fork")
        self.pipe, other = context.Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.worker = context.Process(target=_alone, args=(self.methods, other, [self.to, self.back, self.stop_read, self.stop_write, self.pipe.fileno()]), daemon=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
            self.worker.start()
        other.close()

    def _end_worker(self):
        if self.worker is not None:
            self.worker.kill()
            self.worker.join()
            self.pipe.close()
            self.worker = self.pipe = None


def _alone(methods, pipe, inherited):
    """_work in a fork, without the session's ends of the pipes."""
    for fd in inherited:
        os.close(fd)
    _work(methods, pipe)


def _ended(status):
    return f"was killed by {signal.Signals(-status).name}" if status is not None and status < 0 else f"ended with status {status}"
