"""Predictions with a confidence alone: their arrays, as the program takes them."""

import os

import numpy as np

from . import _arrays
from ._errors import InputError


def pair(confidence, correct=None, predicted=None, labels=None, name=""):
    """Return the arrays of a set: confidence, n numbers in [0, 1], and correct, n of 0 and 1, with name before
    their names. Of predicted and labels, n classes each, the agreement is taken."""
    if confidence is None:
        raise InputError("want the confidence of each prediction", code="usage", where=name + "confidence")
    if (correct is None) == (predicted is None or labels is None):
        raise InputError("want correct, or predicted and labels", code="usage", where=name + "correct")
    c = _arrays.table(confidence, name + "confidence", "n")
    for other, what in ((correct, "correct"), (predicted, "predicted"), (labels, "labels")):
        _arrays.same_order(confidence, other, name + "confidence", name + what)
    n = None if isinstance(c, _arrays.File) else len(c)
    if correct is None:
        a, b = np.asarray(predicted), np.asarray(labels)
        if a.ndim != 1 or a.shape != b.shape:
            raise InputError(f"shapes {a.shape} and {b.shape}, want n classes each", code="input", where=name + "predicted")
        correct = np.asarray(a == b)
        if correct.ndim != 1 or a.dtype.kind != b.dtype.kind and not correct.any():
            raise InputError(
                f"{a.dtype} beside labels of {b.dtype}, and none is equal",
                code="input",
                where=name + "predicted",
                hint="write classes in one way in both",
            )
    elif isinstance(correct, (str, os.PathLike)):
        return {name + "confidence": c, name + "correct": _arrays.table(correct, name + "correct", "n")}
    y = np.asarray(correct)
    if y.ndim != 1:
        raise InputError(f"{y.ndim} dimensions, want one number of each confidence", code="input", where=name + "correct")
    if n is not None and len(y) != n:
        raise InputError(f"{len(y)} numbers for {n} confidences", code="input", where=name + "correct")
    wrong = np.flatnonzero((y != 0) & (y != 1))
    if y.dtype.kind not in "biuf" or len(wrong):
        raise InputError("want 1 where the prediction is right and 0 where it is wrong", code="input", where=name + "correct")
    return {name + "confidence": c, name + "correct": y.astype(np.uint8)}


def number(n_classes):
    """Return the flag of the number of classes."""
    if n_classes is None:
        return []
    if isinstance(n_classes, bool) or not isinstance(n_classes, (int, np.integer)) or n_classes < 2:
        raise InputError(f"{n_classes!r}, want an integer from 2 on", code="usage", where="n_classes")
    return ["--classes", str(int(n_classes))]
