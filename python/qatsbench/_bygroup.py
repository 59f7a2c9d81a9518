"""Metrics of groups of rows, and the largest differences between groups."""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _frames
from ._errors import InputError

# Metrics that are means of one number a row: a difference between groups has a standard error, and no bias that depends on the
# number of rows, as a calibration error has.
_MEANS = ("accuracy", "nll", "brier", "nll_top", "brier_top")
_Z = 1.959963984540054  # of a 95 % interval


class ByGroup(NamedTuple):
    """Metrics of groups. groups has a row for each group in ascending order: its value, n, and each metric with the ends of its
    95 % interval. differences has a row for each metric: the groups with its largest and its smallest value, the difference, and
    for means of one number a row p of the hypothesis that these two groups have the same mean. p is by Holm's correction for all
    pairs of groups and all such metrics; for other metrics it is None, since a calibration error depends on the number of rows."""

    groups: Any
    differences: Any


def scored(by, n, one, labels=None):
    """Return the ByGroup of n rows. one gives the metrics, with intervals, of the rows of a mask. labels are the owner's, whose index
    says the order of the rows."""
    _arrays.same_order(labels, by, "labels", "by")
    values = _arrays.array(by, "by", words=True)
    if values.shape != (n,):
        raise InputError(f"shape {values.shape}, want one value for each of {n} rows", code="input", where="by")
    missing = [i for i, v in enumerate(values.tolist()) if v is None or v != v]
    if missing:
        raise InputError("a row without a value", code="input", where=f"by: row {missing[0]}", hint="give each row one")
    try:
        groups = np.unique(values)
    except TypeError:
        raise InputError("values of several types", code="input", where="by") from None
    if len(groups) < 2:
        raise InputError("one group, want two or more", code="input", where="by")
    found = [one(values == g) for g in groups]
    names = [name for name in found[0] if name + "_lo" in found[0]] or [name for name in found[0] if not name.endswith(("_lo", "_hi"))]
    rows = [
        {"group": g} | {"n": int((values == g).sum())} | {k: v for k, v in scores.items() if k != "n"}
        for g, scores in zip(groups.tolist(), found)
    ]
    tests = {}
    for name in names:
        for i, j in itertools.combinations(range(len(groups)), 2) if name in _MEANS else ():
            a, b = found[i], found[j]
            if None in (a[name], b[name], a[name + "_lo"], b[name + "_lo"]):
                continue
            error = math.hypot(a[name + "_hi"] - a[name + "_lo"], b[name + "_hi"] - b[name + "_lo"]) / (2 * _Z)
            tests[name, i, j] = math.erfc(abs(a[name] - b[name]) / error / math.sqrt(2)) if error > 0 else float(a[name] == b[name])
    corrected = _holm(tests)
    differences = []
    for name in names:
        known = [i for i, scores in enumerate(found) if scores[name] is not None]
        if len(known) < 2:
            continue
        high, low = (f(known, key=lambda i: found[i][name]) for f in (max, min))
        p = corrected.get((name, min(high, low), max(high, low)))
        at = groups.tolist()
        differences.append(
            {"metric": name, "largest": at[high], "smallest": at[low], "difference": found[high][name] - found[low][name], "p": p}
        )
    return ByGroup(_frames.frame(rows, list(rows[0])), _frames.frame(differences, ["metric", "largest", "smallest", "difference", "p"]))


def _holm(tests):
    """Return p of tests by Holm's correction."""
    out, least = {}, 0.0
    for rank, key in enumerate(sorted(tests, key=tests.__getitem__)):
        least = max(least, min(1.0, tests[key] * (len(tests) - rank)))
        out[key] = least
    return out
