"""Metrics of probabilities and labels, as ``qats score`` computes them."""

import json

import numpy as np

from . import _arrays, _beside, _confidence, _program
from ._calibrator import KINDS
from ._errors import InputError

_STRATEGIES = ("uniform", "quantile")
_NORMS = ("l1", "l2", "max")
_MOST_BINS = 10000
_OF_KIND = "of logits, give their softmax; of per cent, divide them by 100"
_INTERVALS = ("standard", "percentile", "bc", "population")


def metrics(
    p=None,
    y=None,
    metrics=None,
    *,
    confidence=None,
    correct=None,
    predicted=None,
    kind=None,
    classes=None,
    uncal=None,
    interval=None,
    ignore=None,
    positive=None,
    sample_weight=None,
    groups=None,
    by=None,
):
    """Return metrics of n x k probabilities p for the labels y.

    confidence, in the place of p: the confidence of each prediction, n numbers, with correct, 1
    where the prediction is right, or with predicted and y, the predicted and the true classes.

    metrics: a name, a list of names, or a group such as "@binned"; ``qats doc metrics`` lists
    them; without it accuracy, ECE, AECE, NLL and Brier score, of confidences without logits those of "the
    prediction is right", and of two classes those of the positive class too: its ECE, observed / expected,
    calibration slope and intercept. A name of one number gives that number; anything else gives a dict of numbers by
    name, in fractions and nats. A metric that is undefined is None.

    kind: what p is, "probs", "logits" or "log-probs". Without it rows with numbers below 0 are logits, with a warning, and
    others probabilities. n numbers are of class 1 of two. A
    probability of exactly 0 was rounded away and counts as 2^-126; a CalibrationWarning says
    how many there are. uncal: the logits of the uncalibrated
    network, for metrics that compare with it. interval: "standard", "percentile", "bc" or
    "population" adds the ends of 95 % intervals as NAME_lo and NAME_hi. ignore: a label, or a
    list of labels, of rows that have no class and are left out. positive: of two classes, the value of
    the positive one, whose probability ece_positive, oe, slope and intercept are of; the second without it.
    sample_weight: n frequencies: 2 is the row twice, 0 is the row left out. groups: a value for each row, such as its patient:
    rows with the same one are drawn together by intervals.
    by: a value for each row, such as its site. The result is then a ByGroup: a table with a row for each value, with 95 %
    intervals ("standard" without interval), and one with the largest difference of each metric between two values.
    """
    if by is not None:
        interval = interval or "standard"
        metrics = [metrics] if isinstance(metrics, str) else metrics
    if confidence is not None or correct is not None or predicted is not None:
        if p is not None or uncal is not None or classes is not None or ignore is not None or positive is not None:
            raise InputError("confidences without logits have no p, uncal, classes, ignore or positive", code="usage", where="confidence")
        rows = _confidence.pair(confidence, correct, predicted, y)
        n = None if isinstance(rows["correct"], _arrays.File) else len(rows["correct"])
        names = ("accuracy", "ece", "aece", "nll_top", "brier_top") if metrics is None else metrics
        beside = _beside.arrays(n, sample_weight, groups, labels=confidence)
        if by is not None:
            _in_memory(rows)
            of = lambda m: score({k: a[m] for k, a in rows.items()}, rows["correct"][m], names, interval, beside=_taken(beside, m))  # noqa: E731
            return _by_group()(by, n, of, confidence)
        return score(rows, rows["correct"], names, interval, beside=beside)
    if p is None or y is None:
        raise InputError("want p and y, or confidence and correct", code="usage", where="p")
    owner = y
    a, y, values, kind = _pair(p, y, kind, classes, ignore)
    flag = "probs" if kind == "probs" else "logits"
    rows = {flag: a}
    if uncal is not None:
        rows["uncal"] = _arrays.table(uncal, "uncal", kind=kind if flag == "logits" else "logits")
    called = {flag: "p", "labels": "y"}
    beside = _beside.arrays(_arrays.rows(a), sample_weight, groups, labels=owner)

    def of(rows, y, beside):
        ignored = _arrays.ignored(ignore, y, classes)
        return score(rows, y, metrics, interval, kind, ignored, called, positive=place(positive, values), beside=beside)

    if by is not None:
        _in_memory({**rows, "labels": y})
        return _by_group()(by, len(y), lambda m: of({k: x[m] for k, x in rows.items()}, y[m], _taken(beside, m)), owner)
    return of(rows, y, beside)


def _by_group():
    from ._bygroup import scored

    return scored


def _in_memory(arrays):
    for name, a in arrays.items():
        if isinstance(a, _arrays.File):
            raise InputError("a file; by needs arrays in memory", code="usage", where=name, hint="load it by np.load")


def _taken(beside, mask):
    return {name: a[mask] for name, a in beside.items()}


def ece(
    p,
    y,
    n_bins=15,
    strategy="uniform",
    norm="l1",
    *,
    positive=None,
    kind=None,
    classes=None,
    ignore=None,
    interval=None,
    sample_weight=None,
    groups=None,
    bins=None,
):
    """Return the expected calibration error of n x k probabilities p for the labels y.

    n_bins, strategy: bins of equal width ("uniform", right-closed) or of equal mass ("quantile")
    of the largest probability of each row. norm: "l1", the mean of the gaps of accuracy and confidence,
    weighted by rows; "l2", the root of their mean square; "max", the largest.
    positive: a class, a value of classes; the error is then that of its probability, as for two
    classes is usual: the rows of a bin have a share of that class, and a mean probability of it.
    kind, classes, ignore, interval, sample_weight and groups are those of ``metrics``; with interval, a dict.
    """
    more = {"interval": interval, "sample_weight": sample_weight, "groups": groups}
    return _score_pairs(p, y, _metric(bins_of(n_bins, bins), strategy, norm), positive, kind, classes, ignore, **more)


def bins_of(n_bins, bins):
    """Return the number of bins: specs and the shell call n_bins bins."""
    if bins is not None and n_bins not in (15, bins):
        raise InputError(f"{bins!r}, and n_bins is {n_bins!r}", code="usage", where="bins", hint="give n_bins alone")
    return n_bins if bins is None else bins


def _metric(n_bins, strategy, norm):
    """Return the name of the ECE with these options."""
    if isinstance(n_bins, bool) or not isinstance(n_bins, (int, np.integer)) or not 1 <= n_bins <= _MOST_BINS:
        raise InputError(f"{n_bins!r}, want an integer from 1 to {_MOST_BINS}", code="usage", where="n_bins")
    if strategy not in _STRATEGIES:
        raise InputError(f"{strategy!r}, want one of {', '.join(_STRATEGIES)}", code="usage", where="strategy")
    if norm not in _NORMS:
        raise InputError(f"{norm!r}, want one of {', '.join(_NORMS)}", code="usage", where="norm")
    return "ece" if (n_bins, strategy, norm) == (15, "uniform", "l1") else f"ece_{n_bins}_{strategy}_{norm}"


def _pair(p, y, kind, classes, ignore, name="p"):
    """Return p as an array, the labels from 0, the values of the classes, and what p is. p is the argument of this name."""
    if kind is not None and kind not in KINDS:
        raise InputError(f"{kind!r}, want one of {', '.join(KINDS)}", code="usage", where="kind")
    a = _arrays.table(p, name, kind=kind or "probs", labels=y, labels_name="y", classes=classes)
    if kind is None:
        kind = _arrays.seen_kind(a)
        if kind == "logits":
            _program.warn([{"kind": "kind", "text": f'{name}: numbers below 0, so they are taken as logits; kind="logits" says so'}])
    one = not isinstance(a, _arrays.File) and a.shape[1] == 1
    return a, *_arrays.labels(y, _arrays.rows(a), _arrays.columns(a, kind), classes, name="y", ignore=ignore, one=one), kind


def _score_pairs(p, y, metrics, positive, kind, classes, ignore, name="p", sample_weight=None, groups=None, **more):
    """Return metrics of the largest probability of each row or, with positive, of that of one class. p is the
    argument of this name."""
    beside = {"sample_weight": sample_weight, "groups": groups, "labels": y}
    a, y, values, kind = _pair(p, y, kind, classes, ignore, name)
    ignored = _arrays.ignored(ignore, y, classes)
    more["beside"] = _beside.arrays(_arrays.rows(a), **beside)
    if positive is None:
        flag = "probs" if kind == "probs" else "logits"
        return score({flag: a}, y, metrics, kind=kind, ignored=ignored, called={flag: name, "labels": "y"}, **more)
    if kind != "probs" or isinstance(a, _arrays.File) or isinstance(y, _arrays.File):
        raise InputError(
            "needs p and y as arrays, with probabilities", code="usage", where="positive", hint="load the file, or give softmax(p)"
        )
    at = [place(positive, values)]
    conf = np.asarray(a[:, 0] if a.shape[1] == 1 and at[0] == 1 else 1 - a[:, 0] if a.shape[1] == 1 else a[:, at[0]], np.float64)
    wrong = np.flatnonzero(~((conf >= 0) & (conf <= 1)))
    if len(wrong):
        raise InputError(f"{conf[wrong[0]]:g} is not a probability", code="input", where=f"{name}: row {wrong[0]}", hint=_OF_KIND)
    rows = {"class": np.full(len(conf), at[0], np.int32), "conf": conf}
    return score(rows, y, metrics, ignored=ignored, called={"labels": "y"}, **more)


def place(positive, values):
    """Return the place of the positive class among the values of the classes; None where none is named."""
    if positive is None:
        return None
    at = np.flatnonzero(np.asarray(values) == positive)
    if len(at) != 1:
        raise InputError(
            f"{positive!r} is no class", code="usage", where="positive", hint=f"the classes are {_few(np.asarray(values).tolist())}"
        )
    return int(at[0])


def _few(values):
    return ", ".join(map(repr, values[:5])) + (", ..." if len(values) > 5 else "")


def score(rows, y, metrics, interval=None, kind="probs", ignored=(), called=None, bins=None, positive=None, beside=None):
    """Return metrics of rows, which are probs or logits, or class and conf of a top-label method; None for
    those that the program gives without being asked. positive: the place of the positive class.
    called gives arrays the names that the caller knows. bins: number and strategy of bins that the dict
    shall have too. beside: weights and groups."""
    names = [metrics] if isinstance(metrics, str) else [] if metrics is None else list(metrics)
    if metrics is not None and not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{metrics!r}, want a name or a list of names", code="usage", where="metrics")
    called = called or {}
    labels = "correct" if "confidence" in rows else "labels"
    arrays = {called.get(name, name): a for name, a in {**rows, labels: y, **(beside or {})}.items()}
    words = [
        "score",
        "--json",
        *(["--metric", ",".join(names)] if names else []),
        "--" + labels,
        _program.argument(called.get(labels, labels), y),
        *ignored,
        *_beside.words(beside or {}, ""),
    ]
    for flag in ("probs", "logits", "uncal", "confidence"):
        if flag in rows:
            words += ["--" + flag, _program.argument(called.get(flag, flag), rows[flag])]
    if "logits" in rows:
        words += ["--kind", kind]
    elif "uncal" in rows and _arrays.columns(rows["uncal"]) == 1:
        words += ["--kind", "logits"]
    if "class" in rows:
        words += ["--top", "-"]
    if interval is not None:
        if interval not in _INTERVALS:
            raise InputError(f"{interval!r}, want one of {', '.join(_INTERVALS)}", code="usage", where="interval")
        words += ["--interval=" + interval]
    if positive is not None:
        words += ["--positive", str(positive)]
    if bins is not None:
        words += ["--bins", str(bins[0]), "--strategy", bins[1]]
    scores = _program.call(words, _program.streamed(arrays), read=_read_json)
    if bins is None:
        scores.pop("n", None)
        scores.pop("groups", None)
    if isinstance(metrics, str) and len(scores) == 1:
        return next(iter(scores.values()))
    return scores


def _read_json(pipe):
    return json.loads(pipe.read())
