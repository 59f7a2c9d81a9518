"""Reliability diagrams of any probabilities: the bins of ``qats score --bins`` as rows and as a figure."""

import numpy as np

from . import _confidence
from ._errors import InputError
from ._frames import frame
from ._metrics import _metric, _score_pairs, bins_of, score

_FEW = 30  # rows of a bin; bins with fewer are pale, as in the program's figures
_COLUMNS = ("name", "lo", "hi", "n", "conf", "acc", "acc_lo", "acc_hi", "gap")
_WORDS = ("confidence", "accuracy")  # of the axes
_ACCURACY, _OVER, _UNDER, _DARK = "#c4c8cf", "#f3b48c", "#8cbfe8", "#3a4352"


def reliability(
    p=None,
    y=None,
    after=None,
    *,
    confidence=None,
    correct=None,
    predicted=None,
    n_bins=15,
    strategy="uniform",
    positive=None,
    kind=None,
    classes=None,
    ignore=None,
    bins=None,
):
    """Return the Reliability of n x k probabilities p for the labels y.

    confidence, in the place of p: the confidence of each prediction, n numbers, with correct, 1 where the prediction is
    right, or with predicted and y, the predicted and the true classes.

    after: probabilities of the same rows, to be shown beside p, which is then called before. p may
    be a dict of several, by name. The other arguments are those of ``ece``; positive gives
    the curve of the probability of one class.
    """
    n_bins = bins_of(n_bins, bins)
    if confidence is not None or correct is not None or predicted is not None:
        if any(v is not None for v in (p, after, positive, kind, classes, ignore)):
            raise InputError(
                "confidences without logits have no p, after, positive, kind, classes or ignore", code="usage", where="confidence"
            )
        metric = _metric(n_bins, strategy, "l1")
        rows = _confidence.pair(confidence, correct, predicted, y)
        return Reliability({"": score(rows, rows["correct"], [metric], bins=(n_bins, strategy))}, metric)
    if p is None or y is None:
        raise InputError("want p and y, or confidence and correct", code="usage", where="p")
    if isinstance(p, dict):
        sets = [(name, f"p[{name!r}]", q) for name, q in p.items()]
    else:
        sets = [("" if after is None else "before", "p", p)]
    if after is not None:
        sets.append(("after", "after", after))
    if not sets:
        raise InputError("an empty dict", code="usage", where="p")
    metric, scores = _metric(n_bins, strategy, "l1"), {}
    for name, place, q in sets:
        if place != "p" and hasattr(q, "__len__") and hasattr(y, "__len__") and not isinstance(q, str) and len(q) != len(y):
            raise InputError(f"{len(q)} rows, and y has {len(y)} labels", code="input", where=place)
        scores[name] = _score_pairs(q, y, [metric], positive, kind, classes, ignore, name=place, bins=(n_bins, strategy))
    return Reliability(scores, metric, positive)


class Reliability:
    """The bins of one or more sets of probabilities. ``ece``: the ECE of these bins, a number, or a dict
    by name of several; in a notebook it shows its figure by ``plot``."""

    def __init__(self, scores, metric, positive=None):
        self._scores, self._positive = scores, positive
        of = {name: s[metric] for name, s in scores.items()}
        self.ece = of if len(of) > 1 else next(iter(of.values()))
        self._panels = [(name, of[name], s["bins"]) for name, s in scores.items()]

    @property
    def frame(self):
        """A row for each bin: its edges lo and hi, the number n of rows, their mean confidence conf and
        accuracy acc, Wilson's 95 % interval of the accuracy, and the gap acc - conf, negative where
        overconfident. A bin without rows has n = 0 and NaN. A DataFrame, or a dict of arrays without pandas."""
        rows = [{"name": name, **b, "gap": b["acc"] - b["conf"] if b["n"] else None} for name, _, bins in self._panels for b in bins]
        return frame(rows, _COLUMNS if len(self._panels) > 1 else _COLUMNS[1:])

    def __repr__(self):
        return "\n".join(
            f"Reliability({name + ': ' if name else ''}ECE {100 * e:.2f} %, {_rows(bins)} rows)" for name, e, bins in self._panels
        )

    def plot(self, ax=None, title=None):
        """Draw the diagrams side by side, with the share of rows below, and return their axes; into ax, of one
        diagram alone, draw it without the shares and return ax. title stands above all. Bins of less than 30 rows are pale."""
        words = _WORDS
        if self._positive is not None:
            words = (f"probability of {self._positive}", f"share of {self._positive}")
        return draw(self._panels, ax, words, title)


def _rows(bins):
    return sum(b["n"] for b in bins)


def draw(panels, ax=None, words=_WORDS, title=None):
    """Draw panels of (name, ECE, bins) side by side and return their axes, or one into ax and return it."""
    import matplotlib.pyplot as plt

    if ax is not None:
        if len(panels) > 1:
            raise InputError(f"one axes for {len(panels)} diagrams", code="usage", where="ax", hint="leave it out: the figure has its own")
        _panel(ax, *panels[0], words)
        ax.set_xlabel(words[0])
        if title is not None:
            ax.set_title(title)
        return ax
    figure, axes = plt.subplots(
        2,
        len(panels),
        figsize=(3.2 * len(panels) + 1.2, 4.4),
        squeeze=False,
        sharex=True,
        sharey="row",
        gridspec_kw={"height_ratios": [4, 1]},
        layout="constrained",
    )
    for i, (name, value, bins) in enumerate(panels):
        _panel(axes[0, i], name, value, bins, words if i == 0 else (words[0], ""))
        n = _rows(bins)
        lo, width = (np.array([b[key] for b in bins], float) for key in ("lo", "hi"))
        axes[1, i].bar(
            lo, [100 * b["n"] / max(n, 1) for b in bins], width - lo, align="edge", color=_DARK, edgecolor="white", linewidth=0.5
        )
        axes[1, i].set_xlabel(words[0])
    axes[1, 0].set_ylabel("rows (%)")
    if title is not None:
        figure.suptitle(title)
    figure.legend(
        handles=_legend(words),
        loc="outside upper center" if title is None else "outside lower center",
        ncols=3,
        frameon=False,
        fontsize="small",
    )
    return axes[0, 0] if len(panels) == 1 else axes[0]


def _panel(ax, name, value, bins, words):
    """Draw accuracies as bars, gaps to the mean confidences in colour, and intervals."""
    for b in bins:
        if not b["n"]:
            continue
        pale = 0.35 if b["n"] < _FEW else 1
        lo, width, acc, conf = b["lo"], b["hi"] - b["lo"], b["acc"], b["conf"]
        at = lo + width / 2
        ax.bar(lo, acc, width, align="edge", color=_ACCURACY, edgecolor="white", linewidth=0.5, alpha=pale)
        ax.broken_barh(
            [(lo, width)], (min(acc, conf), abs(acc - conf)), facecolor=_OVER if conf > acc else _UNDER, alpha=pale, edgecolor="white"
        )
        ax.hlines(acc, lo, lo + width, color=_DARK, linewidth=1.5, alpha=pale)
        ax.errorbar(
            at, acc, [[acc - b["acc_lo"]], [b["acc_hi"] - acc]], fmt="none", ecolor="0.2", elinewidth=1, capsize=2, alpha=max(pale, 0.6)
        )
    ax.plot([0, 1], [0, 1], "--", color="0.2", linewidth=0.8)
    title = f"ECE {100 * value:.2f} %, n = {_rows(bins)}"
    ax.set(xlim=(0, 1), ylim=(0, 1.02), ylabel=words[1])
    ax.set_title(f"{name}\n{title}" if name else title, fontsize="medium")


def _legend(words):
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return [
        Patch(color=_ACCURACY, label=words[1]),
        Patch(color=_OVER, label="overconfident" if words == _WORDS else "probability too high"),
        Patch(color=_UNDER, label="underconfident" if words == _WORDS else "probability too low"),
        Patch(color=_ACCURACY, alpha=0.35, label=f"< {_FEW} rows"),
        Line2D([], [], color="0.2", marker="|", linestyle="none", markersize=9, label="95 % interval"),
        Line2D([], [], color="0.2", linestyle="--", linewidth=0.8, label="perfect"),
    ]
