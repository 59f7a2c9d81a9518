"""Metrics of probabilities and labels, as ``qats score`` computes them."""

import json

from . import _arrays, _program
from ._calibrator import KINDS
from ._errors import InputError

_INTERVALS = ("standard", "percentile", "bc", "population")


def metrics(
    p, y, metrics=("accuracy", "ece", "aece", "nll", "brier"), *, kind="probs", classes=None, uncal=None, interval=None, ignore=None
):
    """Return metrics of n x k probabilities p for the labels y.

    metrics: a name, a list of names, or a group such as "@binned"; ``qats doc metrics`` lists
    them. A name of one number gives that number; anything else gives a dict of numbers by
    name, in fractions and nats. A metric that is undefined is None.

    kind: what p is, "probs", "logits" or "log-probs". n numbers are of class 1 of two. A
    probability of exactly 0 was rounded away and counts as 2^-126; a CalibrationWarning says
    how many there are. uncal: the logits of the uncalibrated
    network, for metrics that compare with it. interval: "standard", "percentile", "bc" or
    "population" adds the ends of 95 % intervals as NAME_lo and NAME_hi. ignore: a label, or a
    list of labels, of rows that have no class and are left out.
    """
    if kind not in KINDS:
        raise InputError(f"{kind!r}, want one of {', '.join(KINDS)}", code="usage", where="kind")
    a = _arrays.table(p, "p", kind=kind, labels=y, labels_name="y")
    y, _ = _arrays.labels(y, _arrays.rows(a), _arrays.columns(a, kind), classes, name="y", ignore=ignore)
    flag = "probs" if kind == "probs" else "logits"
    rows = {flag: a}
    if uncal is not None:
        rows["uncal"] = _arrays.table(uncal, "uncal", kind=kind if flag == "logits" else "logits")
    return score(rows, y, metrics, interval, kind, _arrays.ignored(ignore, y, classes), {flag: "p", "labels": "y"})


def ece(p, y, **options):
    """Return the expected calibration error of the top class, with 15 bins of equal width;
    the options are those of ``metrics``."""
    return metrics(p, y, "ece", **options)


def score(rows, y, metrics, interval=None, kind="probs", ignored=(), called=None):
    """Return metrics of rows, which are probs or logits, or class and conf of a top-label method.
    called gives arrays the names that the caller knows."""
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{metrics!r}, want a name or a list of names", code="usage", where="metrics")
    called = called or {}
    arrays = {called.get(name, name): a for name, a in {**rows, "labels": y}.items()}
    words = ["score", "--json", "--metric", ",".join(names), "--labels", _program.argument(called.get("labels", "labels"), y), *ignored]
    for flag in ("probs", "logits", "uncal"):
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
    scores = _program.call(words, _program.streamed(arrays), read=_read_json)
    scores.pop("n", None)
    if isinstance(metrics, str) and len(scores) == 1:
        return next(iter(scores.values()))
    return scores


def _read_json(pipe):
    return json.loads(pipe.read())
