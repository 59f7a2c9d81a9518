"""The estimators' common part: scikit-learn's conventions over fit, apply and score."""

import inspect
import json
import os
from pathlib import Path
from typing import Any, Self

import numpy as np

from . import _arrays, _beside, _confidence, _program
from ._errors import Error, InputError
from ._files import opened
from ._version import __version__

_ROWS = 1 << 14  # rows that are put into another order at a time
KINDS = ("logits", "log-probs", "probs")
TAKEN_AS_PROBS = '{}: every row is in [0, 1] and sums to 1, so they are taken as probabilities; kind="probs" says so, and logits are better'

# Arrays beside logits and labels: the flag of the program, their axes, and what they are.
MORE = {
    "features": ("--features", "n x d", "n x d features of the rows"),
    "augmented": ("--augmented", "v x n x k", "v x n x k logits of augmented views of the rows"),
    "head_weight": ("--head-weight", "k x d", "k x d weights of the network's last layer"),
    "head_bias": ("--head-bias", "k", "its k offsets"),
    "ood_logits": ("--ood-logits", "m x k", "m x k logits of out-of-distribution rows"),
    "target_logits": ("--target-logits", "m x k", "m x k logits of unlabelled rows of the set that will be predicted"),
}


class Calibrator:
    """A method of qats. The classes of the methods are made at import from what ``qats doc methods --json`` says.

    It follows scikit-learn's conventions: the parameters of the constructor are stored
    unchanged, ``fit`` returns the estimator, and what was fitted ends with an underscore.
    Features are logits, n x k, before the softmax, and the target is their labels.

    Classes are in two orders: ``columns_`` is that of the columns of the logits, which the
    model's file, ``qats apply`` and ``to_torch`` keep. ``classes_`` is ascending, and so are the
    columns of ``predict_proba``, as scikit-learn expects. They are equal unless ``classes=``
    named the columns in another order.

    Every class has the parameter ``kind``: what the rows are, "logits", "log-probs" or
    "probs" (read as their logarithms). With None, rows in [0, 1] that sum to 1 are taken as probabilities, with a warning,
    and all others as logits. It can be given to ``fit`` as well.
    """

    _name = ""  # of the method
    _version = 0  # of the method, as this package knows it
    _options: dict[str, str] = {}  # parameters of the constructor by their names in the program
    _cal: tuple[str, ...] = ()  # arrays of MORE that fit takes
    _test: tuple[str, ...] = ()  # arrays of MORE that predict_proba takes
    _top_label = False  # gives the predicted class alone a new confidence
    _true_logits = False  # reads more of the logits than their differences

    # Parameters.

    @classmethod
    def _parameter_names(cls):
        return [p for p in inspect.signature(cls.__init__).parameters if p != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the constructor. deep changes nothing."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the constructor, and return the estimator."""
        known = self._parameter_names()
        for name, value in params.items():
            if name not in known:
                raise InputError(f"{name!r} is no parameter of {type(self).__name__}, which has {', '.join(known)}", code="usage")
            setattr(self, name, value)
        return self

    def __repr__(self):
        given = inspect.signature(type(self).__init__).parameters
        words = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not given[name].default and value != given[name].default
        ]
        return f"{type(self).__name__}({', '.join(words)})"

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier", target_tags=TargetTags(required=True), classifier_tags=ClassifierTags(), input_tags=InputTags()
        )

    # Fit and predict.

    def fit(
        self,
        logits: Any,
        labels: Any,
        *,
        classes: Any = None,
        ignore: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        folds: Any = None,
        kind: str | None = None,
    ) -> Self:
        """Fit the method.

        logits: the n x k logits of the calibration rows; of two classes also n x 1 or n numbers,
        the probability or the log odds of class 1, as kind says. labels: n integers from 0, or
        booleans, or values of classes, the names of the k columns in their order; a class
        may have no row. ignore: a label, or a list of labels, whose rows have no class and
        are left out; without it 255, if no class has that number.
        Arrays may be names of files, FILE.npy or FILE.npz#MEMBER.
        sample_weight: n frequencies: 2 is the row twice, 0 is the row left out. Other numbers than whole ones get a common
        unit, which methods take whose fit does not change if all rows are repeated. groups: a value for each row; rows with the same one
        are drawn together by what is tested of the fit. folds: a value for each row, in the place of five folds of these tests.
        kind: what the rows are, as in the constructor.
        What the fit says about itself is a CalibrationWarning. Returns the estimator.
        """
        return self._fit(logits, labels, classes, ignore, {}, sample_weight, groups, folds, kind)

    def predict_proba(self, logits: Any, *, dtype: Any = np.float64, shares: Any = None) -> np.ndarray:
        """Return the probabilities of the rows of logits, n x k, in the order of ``classes_``;
        dtype is float64 or float32.

        shares: the shares of the classes among the rows that are predicted, k numbers in the order of
        ``classes_``, if they are known and not those of the calibration rows. Each probability is
        multiplied by the new share over the old one (Saerens et al. 2002). An InputError says why a model
        has no such probabilities: its mean probabilities are not the shares of its calibration rows."""
        return self._apply(logits, {}, dtype, shares)

    def predict(self, logits: Any) -> np.ndarray:
        """Return the predicted class of every row, a value of ``classes_``."""
        return self._predicted(logits, {})

    def temperature(self, logits: Any) -> np.ndarray:
        """Return the temperature of every row. An error for a method that has none."""
        return self._temperature(logits, {})

    def score(
        self,
        logits: Any,
        labels: Any,
        metrics: Any = None,
        *,
        interval: str | None = None,
        ignore: Any = None,
        positive: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> Any:
        """Return metrics of the calibrated rows.

        metrics: a name, a list of names, or a group such as "@binned" (qats doc metrics lists
        them). One name gives a number, more give a dict. Without it the accuracy is
        returned, as scikit-learn expects. interval adds the ends of 95 % intervals: see
        qatsbench.metrics. A top-label method is scored by its pairs of class and confidence.
        ignore: labels of rows that have no class, as in fit. positive: of two classes, the value of the positive
        one, for ece_positive, oe, slope and intercept; the second without it.
        sample_weight and groups are those of fit.
        """
        return self._score(logits, labels, {}, metrics, interval, ignore, positive, sample_weight, groups)

    # What these share.

    def _fit(self, logits, labels, classes, ignore, more, sample_weight=None, groups=None, folds=None, kind=None):
        self._take_kind(kind)
        arrays = {"logits": _arrays.table(logits, "logits", kind=self.kind, labels=labels, classes=classes)}
        if self.kind is None and _arrays.are_probabilities(arrays["logits"]):
            self.kind, self._seen = "probs", True
            _program.warn([{"kind": "kind", "text": TAKEN_AS_PROBS.format("logits")}])
        n, k = _arrays.rows(arrays["logits"]), _arrays.columns(arrays["logits"], self.kind)
        arrays["labels"], names = _arrays.labels(labels, n, k, classes, ignore=ignore)
        arrays |= _beside.arrays(n, sample_weight, groups, folds, labels=labels)
        self._take(more, arrays, n, k)
        return self._fitted(arrays, names, *self._kind_words(), *_arrays.ignored(ignore, arrays["labels"], classes))

    def _fitted(self, arrays, names, *flags):
        """Fit the method on arrays of the stream, whose columns have names."""
        words = ["fit", self._name, "-o", "-", "--json", *flags]
        for name, parameter in self._options.items():
            value = getattr(self, parameter)
            if value is not None:
                words += ["-p", f"{name}={_text(value, parameter)}"]
        summary = _program.call(words + self._array_words(arrays), _program.streamed(arrays), read=_read_json)
        if summary["version"] != self._version:
            raise Error(
                f"the program has version {summary['version']} of {self._name}, this package knows version {self._version}",
                code="version",
                hint="use the program and the package of one version",
            )
        _program.warn(summary["warnings"])
        return self._keep(summary.pop("model"), names, summary)

    def _keep(self, model, names, summary):
        self.model_ = _model_text(model)
        k = model["classes"] or (len(names) if names is not None else 0)
        self.columns_ = np.arange(k) if names is None else names
        self._order = _arrays.ascending(self.columns_)
        self.classes_ = self.columns_ if self._order is None else self.columns_[self._order]
        self.n_features_in_ = k
        self.summary_ = summary
        self.parameters_ = {p["name"]: p["value"] for p in summary.get("parameters") or ()}
        return self

    # Pickles.

    def __getstate__(self):
        return {**{name: v for name, v in vars(self).items() if name != "_map"}, "_package": __version__}

    def __setstate__(self, state):
        known = dict(state)
        package = known.pop("_package", None)
        vars(self).update(known)
        fitted = "model_" in known
        try:
            usable = set(self._parameter_names()) <= set(known) and (not fitted or {"columns_", "_order", "classes_"} <= set(known))
            usable = usable and (not fitted or json.loads(self.model_)["version"] == self._version)
        except (ValueError, KeyError, TypeError):
            usable = False
        if not usable:
            by = f"qatsbench {package}" if package else "an earlier version of qatsbench"
            raise InputError(
                f"this {type(self).__name__} was pickled by {by}, and this is {__version__}",
                code="version",
                hint="fit it again; files of save() and load() say what they are",
            )

    def _take(self, more, arrays, n, k):
        """Check the arrays of MORE and add them to arrays."""
        for name, value in more.items():
            if value is None:
                continue
            a = _arrays.table(value, name, MORE[name][1], self.kind)
            if name == "features" and n is not None and _arrays.rows(a) not in (None, n):
                raise InputError(f"{_arrays.rows(a)} rows, and logits have {n}", code="input", where=name)
            if name.endswith("_logits") and k is not None and _arrays.columns(a, self.kind) not in (None, k):
                raise InputError(f"{_arrays.columns(a, self.kind)} classes, and logits have {k}", code="input", where=name)
            arrays[name] = a

    def _take_kind(self, kind):
        """Take the kind that fit was given, which the constructor must not contradict. What an earlier fit saw is forgotten."""
        if vars(self).pop("_seen", False):
            self.kind = None
        if kind is None:
            return
        if kind not in KINDS:
            raise InputError(f"{kind!r}, want one of {', '.join(KINDS)}", code="usage", where="kind")
        if self.kind not in (None, kind):
            raise InputError(f"{kind!r}, and the constructor has {self.kind!r}", code="usage", where="kind", hint="give it once")
        self.kind = kind

    def _kind_words(self):
        if self.kind is None:
            return []
        if self.kind not in KINDS:
            raise InputError(f"{self.kind!r}, want one of {', '.join(KINDS)}", code="usage", where="kind")
        return ["--kind", self.kind]

    @staticmethod
    def _array_words(arrays):
        words = []
        for name, a in arrays.items():
            flag = MORE[name][0] if name in MORE else "--" + name
            words += [flag, _program.argument(name, a)]
        return words

    def _rows(self, logits, more):
        """Return the arrays of rows to apply the model to."""
        self._need_model()
        arrays = {"logits": _arrays.table(logits, "logits", kind=self.kind, k=self.n_features_in_)}
        n, k = _arrays.rows(arrays["logits"]), _arrays.columns(arrays["logits"], self.kind)
        if k is not None and self.n_features_in_ and k != self.n_features_in_:
            raise InputError(f"{k} columns, and the model is of {self.n_features_in_} classes", code="input", where="logits")
        self._take(more, arrays, n, k)
        return arrays

    def _need_model(self):
        if not hasattr(self, "model_"):
            try:
                from sklearn.exceptions import NotFittedError
            except ImportError:
                raise Error(f"this {type(self).__name__} is not fitted", code="usage", hint="call fit first") from None
            raise NotFittedError(f"this {type(self).__name__} is not fitted; call fit first")

    def _applied(self, arrays, *words):
        with _program.private(self.model_, ".json") as (model, descriptors):
            return _program.call(
                ["apply", model, "-o", "-", *words, *self._kind_words(), *self._array_words(arrays)],
                _program.streamed(arrays),
                read=_program.read_array,
                pass_fds=descriptors,
            )

    def _apply(self, logits, more, dtype=np.float64, shares=None):
        """Return the probabilities in the order of classes_."""
        p = self._apply_columns(logits, more, dtype, self._shares(shares))
        if self._order is not None:
            for lo in range(0, len(p), _ROWS):  # without a second array of this size
                p[lo : lo + _ROWS] = p[lo : lo + _ROWS, self._order]
        return p

    def _shares(self, shares):
        """Return the words of shares in the order of the columns."""
        if shares is None:
            return ()
        try:
            given = np.asarray(shares, float)
        except (TypeError, ValueError):
            given = np.zeros(0)
        if given.ndim != 1 or not len(given) or not np.isfinite(given).all():
            raise InputError(f"{shares!r}, want a number for each class, in the order of classes_", code="usage", where="shares")
        if self._order is not None and len(given) == len(self._order):
            given[self._order] = given.copy()
        return ("--shares", ",".join(repr(float(x)) for x in given))

    def _apply_columns(self, logits, more, dtype=np.float64, words=()):
        """Return the probabilities in the order of the columns of the logits."""
        try:
            wanted = np.dtype(dtype)
        except TypeError:
            wanted = None
        if wanted not in (np.float64, np.float32):
            raise InputError(f"{wanted or repr(dtype)}, want float64 or float32", code="usage", where="dtype")
        arrays = self._rows(logits, more)
        p = None if words else self._in_numpy(arrays, wanted, "probabilities")
        return self._applied(arrays, "--dtype", wanted.name, *words) if p is None else p

    def _temperature(self, logits, more):
        arrays = self._rows(logits, more)
        t = self._in_numpy(arrays, np.dtype(np.float64), "temperature")
        return self._applied(arrays, "--temperature") if t is None else t

    def _in_numpy(self, arrays, dtype, what):
        """Return what the map gives for rows; None if it has no closed form, or the program has more to say of the array."""
        from . import _predict

        self._kind_words()
        a = arrays["logits"]
        if len(arrays) > 1 or isinstance(a, _arrays.File):
            return None
        if getattr(self, "_map", None) is None or self._map.text is not self.model_:
            self._map = _predict.Map(self.model_)
        return _predict.predict(self._map, a, self.kind, self._true_logits, dtype, what)

    def _predicted(self, logits, more):
        if self._top_label:  # keeps the prediction, the first of the largest logits
            arrays = self._rows(logits, more)
            z = arrays["logits"]
            if not isinstance(z, _arrays.File):
                return self._named(_arrays.top(z, self.kind))
        return self._named(np.argmax(self._apply_columns(logits, more), axis=1))

    def _named(self, index):
        return self.columns_[index] if len(self.columns_) else index

    def _score(self, logits, labels, more, metrics, interval, ignore=None, positive=None, sample_weight=None, groups=None):
        from ._metrics import place, score

        arrays = self._rows(logits, more)
        p = self._apply_columns(logits, more)
        classes = self._named_classes()
        y, _ = _arrays.labels(labels, len(p), p.shape[1], classes, ignore=ignore)
        rows = {"probs": p}
        beside = _beside.arrays(len(p), sample_weight, groups, labels=labels)
        if self._top_label:
            z = arrays["logits"]
            top = np.argmax(p, axis=1) if isinstance(z, _arrays.File) else _arrays.top(z, self.kind)
            rows = {"class": top.astype(np.int32), "conf": p[np.arange(len(p)), top]}
        at = place(positive, self.columns_ if classes is None else classes)
        metrics = "accuracy" if metrics is None else metrics
        return score(rows, y, metrics, interval, ignored=_arrays.ignored(ignore, y, classes), positive=at, beside=beside)

    def _named_classes(self):
        """Return columns_ where labels have other values than their index."""
        c = self.columns_
        return None if len(c) == 0 or c.dtype.kind in "ib" and np.array_equal(c, np.arange(len(c))) else c

    # Files.

    def save(self, path: str | os.PathLike) -> None:
        """Write the model as JSON, as ``qats fit -o`` does. Names of classes are not in it; its
        classes are in the order of the logits' columns, ``columns_``."""
        self._need_model()
        Path(path).write_bytes(self.model_)

    def to_numpy(self) -> str:
        """Return the source of a module with a function ``predict`` from n x k logits to probabilities, which needs numpy alone. Its
        columns are those of the logits, ``columns_``. NotImplementedError says why for methods that have none."""
        from ._maps import exported
        from ._table import numpy_source

        self._need_model()
        return numpy_source(exported(self, "source")[0])

    def to_torch(self):
        """Return the fitted map as a torch.nn.Module from logits to probabilities, which
        needs no program. Its columns are those of the logits, ``columns_``.
        NotImplementedError says why for methods that have none."""
        from ._torch import module

        self._need_model()
        return module(self)

    def to_onnx(self):
        """Return the fitted map as an onnx.ModelProto, from logits to probabilities in float32. Its columns are those of the
        logits, ``columns_``. NotImplementedError says why for methods that have none."""
        from ._onnx import model

        self._need_model()
        return model(self)

    def to_c(self, name: str = "qats") -> str:
        """Return the text of a header of C99 and C++ with a function NAME_probabilities from a row of logits to probabilities. Its
        columns are those of the logits, ``columns_``. NotImplementedError says why for methods that have none."""
        from ._c import header

        self._need_model()
        return header(self, name)


class TopCalibrator(Calibrator):
    """A method that gives the confidence of the prediction a new value, and reads nothing else of the logits: it
    takes confidences without logits too."""

    def fit(
        self,
        logits: Any = None,
        labels: Any = None,
        *,
        confidence: Any = None,
        correct: Any = None,
        predicted: Any = None,
        n_classes: int | None = None,
        classes: Any = None,
        ignore: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        folds: Any = None,
        kind: str | None = None,
    ) -> Self:
        """Fit the method, as Calibrator.fit says, or on confidences without logits.

        confidence: in the place of logits, the confidence of each prediction, n numbers in
        [0, 1]. correct: 1 or True where the prediction is right; or predicted and labels, the
        predicted and the true classes. n_classes: the number of classes, which ts-top and qats-top
        read; without it they take two.
        """
        if confidence is None and correct is None and predicted is None and n_classes is None:
            for name, value in {"logits": logits, "labels": labels}.items():
                if value is None:
                    raise InputError(f"fit needs {name}, or confidence and correct", code="usage", where=name)
            return self._fit(logits, labels, classes, ignore, {}, sample_weight, groups, folds, kind)
        if logits is not None or classes is not None or ignore is not None or kind is not None:
            raise InputError("confidences without logits have no logits, kind, classes or ignore", code="usage", where="confidence")
        arrays = _confidence.pair(confidence, correct, predicted, labels)
        n = None if isinstance(arrays["confidence"], _arrays.File) else len(arrays["confidence"])
        return self._fitted(
            arrays | _beside.arrays(n, sample_weight, groups, folds, labels=confidence), None, *_confidence.number(n_classes)
        )

    def predict_confidence(self, confidence: Any) -> np.ndarray:
        """Return the new confidences, n numbers, of confidences without logits."""
        self._need_model()
        arrays = {"confidence": _arrays.table(confidence, "confidence", "n")}
        with _program.private(self.model_, ".json") as (model, descriptors):
            return _program.call(
                ["apply", model, "-o", "-", *self._array_words(arrays)],
                _program.streamed(arrays),
                read=_program.read_array,
                pass_fds=descriptors,
            )


def load(path: str | os.PathLike, *, classes: Any = None) -> Calibrator:
    """Return the estimator of a model that ``save`` or ``qats fit -o`` wrote. classes names
    the columns, as in ``fit``."""
    from ._methods import CLASSES

    where = os.fspath(path)
    try:
        with opened(path) as f:
            model = json.load(f)
        name, version, options, k = model["method"], model["version"], model["options"] or {}, model["classes"]
        model["params"], model["report"]
        right = isinstance(name, str) and type(version) is int and type(k) is int and k >= 0 and isinstance(options, dict)
    except (ValueError, KeyError, TypeError, RecursionError):
        right = False
    if not right:
        hint = "CalibratedClassifier.load reads a calibrated classifier" if _is_pickle(path) else ""
        raise InputError("no model that qats saved", code="model", where=where, hint=hint)
    if name not in CLASSES:
        raise InputError(f"a model of {name!r}, which this package does not know", code="model", where=where)
    kind = CLASSES[name]
    if version != kind._version:
        raise InputError(
            f"fitted by version {version} of {name}, and this is version {kind._version}", code="model", where=where, hint="fit it again"
        )
    parameters = {kind._options[o]: value for o, value in options.items() if o in kind._options}
    names = None if classes is None else _arrays.names(classes, k or None)
    return kind(**parameters)._keep(model, names, {"parameters": []})


def _is_pickle(path):
    with opened(path) as f:
        return f.read(1) == b"\x80"


def calibrator(method: str, **parameters: Any) -> Calibrator:
    """Return the estimator of a method by its name, as ``qats doc methods`` lists it."""
    from ._methods import ALIASES, CLASSES

    if isinstance(method, type) and issubclass(method, Calibrator):
        raise InputError(
            f"{method.__name__} is a class, want an estimator", code="usage", where="method", hint=f"write {method.__name__}()"
        )
    name = ALIASES.get(method, method) if isinstance(method, str) else method
    if not isinstance(name, str) or name not in CLASSES:
        import difflib

        spelt = {kind.__name__.lower(): name for name, kind in CLASSES.items()} | {name: name for name in [*CLASSES, *ALIASES]}
        if isinstance(method, Calibrator):
            near = [getattr(method, "_name", "")]
        else:
            near = [spelt[s] for s in difflib.get_close_matches(str(method).lower(), spelt, 1)]
        raise InputError(
            f"unknown method {method!r}",
            code="method",
            where="method",
            hint=f"did you mean {near[0]!r}?" if near and near[0] else "qatsbench.METHODS lists them",
        )
    return CLASSES[name](**parameters)


def _read_json(pipe):
    return json.loads(pipe.read())


def _text(value, parameter):
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, str, np.integer, np.floating)):
        raise InputError(f"{value!r} is neither a number nor a word", code="usage", where=parameter)
    return value if isinstance(value, str) else repr(value.item() if isinstance(value, np.generic) else value)


def _model_text(model):
    """Return the bytes of model.json: one line for each key."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}" for key, value in model.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
