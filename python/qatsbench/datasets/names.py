"""Names of arrays and columns, as many people give them, and which arrays of a file make a set.

data/names.go of the program has the same lists and rules.
"""

import dataclasses
import re

from .errors import DatasetError, short

# The names of scores, with what they hold; those of an earlier line are preferred.
SCORES = [
    ("", ["logits", "logit"]),
    ("log-probs", ["log_probs", "logprobs", "log_prob", "logprob", "log_softmax", "log_proba"]),
    (
        "probs",
        [
            "probs",
            "prob",
            "probabilities",
            "probability",
            "proba",
            "probas",
            "y_prob",
            "y_probs",
            "y_proba",
            "y_pred_proba",
            "pred_proba",
            "predict_proba",
            "pred_prob",
            "pred_probs",
            "predicted_probs",
            "predicted_probabilities",
            "softmax",
            "softmaxes",
        ],
    ),
    (
        "",
        [
            "scores",
            "score",
            "y_score",
            "y_scores",
            "decision",
            "decisions",
            "decision_function",
            "outputs",
            "output",
            "predictions",
            "prediction",
            "preds",
            "pred",
            "y_pred",
            "y_hat",
        ],
    ),
]
LABELS = [
    "labels",
    "label",
    "targets",
    "target",
    "y",
    "y_true",
    "true",
    "true_labels",
    "true_label",
    "truth",
    "ground_truth",
    "gt",
    "y_gt",
    "label_id",
    "label_ids",
    "gold",
    "gold_label",
    "gold_labels",
    "obs",
    "observed",
]
CALS = ["cal", "calibration", "val", "valid", "validation"]

KNOWN = (
    "logits, log_probs, probs, scores or predictions, with labels, targets, y, y_true or ground_truth; "
    "of two sets with cal_ or val_ and test_ before or behind them"
)


def plain(name):
    """Returns a name in small letters, with _ between its words."""
    return "".join("_" if c in "-. " else c for c in name.lower())


def rank(name):
    """Returns the line of SCORES that has a name, or -1."""
    return next((i for i, (_, names) in enumerate(SCORES) if plain(name) in names), -1)


def role_of(name):
    """Returns the split that a name states, or "", and the rest of the name."""
    split, rest = "", []
    for word in plain(name).split("_"):
        if word == "oof":  # out of fold: one set
            continue
        if word == "test":
            split = "test"
        elif word in CALS:
            split = "cal"
        else:
            rest.append(word)
    return split, "_".join(rest)


@dataclasses.dataclass
class Chosen:
    """The names of the arrays of a set. kind is what the name of the scores states, or ""."""

    split: str
    scores: str
    labels: str
    kind: str


def _unnamed(name):
    return re.fullmatch(r"arr_\d+", name) is not None


def _classes(a):
    return a.dtype.kind in "iub" and (a.ndim == 1 or a.ndim == 2 and a.shape[1] == 1)


def _scores(a):
    return a.ndim in (1, 2) and not _classes(a)


def choose(arrays):
    """Returns the sets of arrays by name: one each of cal, test and no split at most.

    Type and shape decide first: floats n x k or n are scores, integers n are labels, and labels are never taken as
    scores. Then the names decide. Where they name no pair, the only scores and the only labels are one. Two arrays of
    which either could be meant are an error that lists them. An array without a name, as arr_0 of numpy.savez, is what
    its type and shape say.
    """
    sets, all_scores, all_labels = {s: ([], []) for s in ("cal", "test", "")}, [], []
    for name, a in arrays.items():
        split, role = role_of(name)
        scores, labels = sets[split]
        r = rank(role)
        if r >= 0 and _scores(a):
            if scores and r < rank(role_of(scores[0])[1]):
                del scores[:]
            if not scores or r == rank(role_of(scores[0])[1]):
                scores.append(name)
            all_scores.append(name)
        elif role in LABELS:
            labels.append(name)
            all_labels.append(name)
    found = []
    for split, (scores, labels) in sets.items():
        if scores and labels and not (split == "" and found):
            found.append(_pair(split, scores, labels, arrays))
    if found:
        for split in ("cal", "test"):
            scores, labels = sets[split]
            if len(found) < 2 and scores and not labels:
                raise DatasetError(f"{short(scores[0], 60)} has no labels")
        return found
    all_scores = all_scores or [n for n, a in arrays.items() if _scores(a) and a.dtype.kind == "f" and _unnamed(n)]
    all_labels = all_labels or [
        n for n, a in arrays.items() if _classes(a) and _unnamed(n) and (not all_scores or len(a) == len(arrays[all_scores[0]]))
    ]
    return [_pair("", all_scores, all_labels, arrays)] if all_scores and all_labels else []


def listed(arrays):
    """Returns names, shapes and types of arrays."""
    return short(", ".join(f"{short(n, 60)} ({'x'.join(map(str, a.shape))} {a.dtype})" for n, a in arrays.items()), 300)


def _pair(split, scores, labels, arrays):
    for what, names in (("scores", scores), ("labels", labels)):
        if len(names) > 1:
            raise DatasetError(f"several arrays can be the {what}: {listed({n: arrays[n] for n in names})}")
    kind = SCORES[rank(role_of(scores[0])[1])][0] if rank(role_of(scores[0])[1]) >= 0 else ""
    return Chosen(split, scores[0], labels[0], kind)


PER_CENT = " (every row is in [0, 100] and sums to 100: read as per cent)"


def in_per_cent(scores):
    """Reports whether every row of n x k looks like probabilities in per cent: numbers in [0, 100], one above 1, with the sum 100."""
    z = scores.reshape(len(scores), -1)
    if z.shape[1] == 1 or not len(z) or z.dtype.kind not in "fiu":
        return False
    z = z.astype("float64")
    off = min(10, max(0.5, z.shape[1] / 2))
    return bool(((z >= 0) & (z <= 100.01)).all() and (z > 1).any(1).all() and (abs(z.sum(1) - 100) <= off).all())


def kind_of(scores, stated=""):
    """Returns what scores n x k or n hold, and why where their values say it.

    Values that look like probabilities are probabilities, whatever their name says, and so are log-probabilities.
    stated is what the name says.
    """
    import numpy as np

    z = scores.reshape(len(scores), -1).astype(np.float64)
    k = z.shape[1]
    unit = bool(((z >= 0) & (z <= 1.01)).all())
    if k == 1:
        found, why = ("probs", "every number is in [0, 1]") if unit and stated != "logits" else ("logits", "some are not in [0, 1]")
        if stated == "probs":
            found = "probs"
    elif unit and bool((abs(z.sum(1) - 1) <= 0.1).all()):
        found, why = "probs", "every row is in [0, 1] and sums to 1"
    elif bool((z <= 0).all()) and bool((abs(np.exp(z).sum(1) - 1) <= max(1e-3, k * 2.0**-11)).all()):
        found, why = "log-probs", "the exponentials of every row sum to 1"
    elif stated == "probs":
        found, why = "probs", ""
    else:
        found, why = "logits", "the rows are not in [0, 1] with the sum 1"
    return found, "" if found == stated else f" ({why})"
