"""Predictions in numpy, of the maps that have a closed form. The route depends on the method alone.

Rows are read as the program reads them. It is the program that says what is unusual about an array: one that has NaN,
that looks like probabilities, or whose numbers it would read relative to others goes to it.
"""

import json

import numpy as np

from . import _program
from ._maps import MASKS, table
from ._table import MASKED, function

_BLOCK = 1 << 15  # numbers of a block
_ROWS = 1 << 10  # rows of it at least, for a map with a curve for each class
_MOST_CURVES = 20  # classes with a curve each, up to which numpy is not slower than the program
_FEW = 64  # classes, up to which a block is stored by columns
_FILLS = (-65504.0, -(2.0**127) * 1.9921875, *(float(np.finfo(t).min) for t in (np.float32, np.float64)))
_FILLS += (-1e9, -(2.0**29) * 1.859375, -1e30, float(np.float32(-1e30)), -(2.0**99) * 1.578125)  # data/fills.go
_FEWEST_PROBS = 20  # rows that may be taken for probabilities
_LOOSE, _EXACT = 1e-2, 1e-6  # distances of sums of probabilities from 1
_ZERO = np.float32(np.log(2.0**-126))  # the logarithm of a probability of exactly 0
_LEAST = 1e-300
_CHANGE = 2.0**-20
_LOG_PROBS = 4e-3


class Map:
    """The functions of a model."""

    def __init__(self, text):
        self.text, self.model, self.made = text, json.loads(text), {}

    def function(self, k, what):
        """Return the function of k logits to probabilities or temperature, None if there is none, and whether it has a curve for
        each class."""
        if (k, what) not in self.made:
            t = table(self.model, k)
            line = None if t is None else getattr(t, what)
            columns = t is not None and any(x.op == "curve" and len(x.value.ends) > 1 for x in t.lines)
            self.made[k, what] = None if line is None else function(line), columns
        return self.made[k, what]


def predict(fitted, a, kind, true_logits, dtype=np.float64, what="probabilities"):
    """Return what the program gives for the rows of the array a, or None if the program is to be asked."""
    one = a.shape[1] == 1
    k = 2 if one else a.shape[1]
    f, columns = fitted.function(k, what)
    if f is None or columns and k > _MOST_CURVES or one and kind not in ("probs", "logits") or len(a) == 0:
        return None
    rows = _Rows(a, kind, fitted.model["method"] in MASKS, true_logits)
    if not rows.usual:
        return None
    order = "F" if columns or k <= _FEW else "C"
    out = np.empty((len(a), k) if what == "probabilities" else len(a), dtype)
    step = max(_ROWS if columns else 1, _BLOCK // k)
    with np.errstate(all="ignore"):
        for lo in range(0, len(a), step):
            z = rows.read(lo, min(lo + step, len(a)), order)
            if z is None:
                return None
            y = f(z)
            if what == "temperature":
                out[lo : lo + step] = np.ravel(y)  # one number where all rows have the same
                continue
            if not y.all():
                y = np.where((y == 0) & (z > MASKED), _LEAST, y)
            out[lo : lo + step] = y
    rows.tell()
    return out


class _Rows:
    """The rows of an array, as the program reads them."""

    def __init__(self, a, kind, masks, true_logits):
        self.a, self.kind, self.one = a, kind, a.shape[1] == 1
        self.masked = self.zeros = self.divided = 0
        self.usual = self._probs(true_logits) if kind == "probs" else self._logits(masks, true_logits)

    def _probs(self, true_logits):
        lo, hi = self.a.min(), self.a.max()
        return not true_logits and bool(lo >= 0 and hi <= 1 + (2.0**-16 if self.one else _LOOSE))

    def _logits(self, masks, true_logits):
        a, k = self.a, self.a.shape[1]
        lo, hi = float(a.min()), float(a.max())
        if not hi < np.inf or not lo < np.inf:
            return False  # NaN or an infinity
        self.some_masked = lo == -np.inf
        if self.some_masked:
            if not masks or self.one or hi == -np.inf:
                return False
            lo = float(np.min(a, where=a > -np.inf, initial=hi))
        if lo <= -1000 and self._fills(lo):
            return False
        size = max(abs(lo), abs(hi))
        if size > float(np.finfo(np.float32).max) or lo <= MASKED:
            return False
        self.exact = a.dtype.itemsize < 8 or size <= 8
        if lo >= 0 and not self.some_masked and self._looks(hi, k):
            return False
        return not true_logits or not self._log_probs()

    def _fills(self, lo):
        """Report whether the array may have a number that stands for -inf."""
        equal = np.count_nonzero(np.asarray(self.a == lo).any(axis=1))
        return equal > 1 or bool(np.isin(self.a, np.array(_FILLS)).any())

    def _looks(self, hi, k):
        """Report whether logits look like probabilities, or like probabilities in per cent."""
        if self.one:
            return hi <= 1
        if self.kind is not None or len(self.a) < _FEWEST_PROBS or k < 2:
            return False
        return hi <= 1 or hi <= 101 and bool((np.abs(self.a.sum(axis=1, dtype=np.float64) - 100) <= min(10, max(0.5, k / 2))).all())

    def _log_probs(self):
        """Report whether the first row may be of log-probabilities."""
        z = self.a[:1].astype(np.float64)
        return not self.one and bool(abs(np.logaddexp.reduce(z[z > -np.inf])) <= _LOG_PROBS)

    def read(self, lo, hi, order):
        """Return the logits of rows in float64, and MASKED for a masked class; None if the program is to be asked."""
        part = self.a[lo:hi]
        if self.kind == "probs":
            return self._log(part.astype(np.float64), order)
        if self.one:
            z = np.zeros((len(part), 2), order=order)
            z[:, 1] = part[:, 0].astype(np.float32)
            return z
        if not self.exact and self._loses(part):
            return None
        if part.dtype == np.float64:
            part = part.astype(np.float32)
        z = part.astype(np.float64, order=order)
        if self.some_masked:
            closed = z == -np.inf
            if closed.all(axis=1).any():
                return None  # a row without a class
            self.masked += np.count_nonzero(closed)
            z[closed] = MASKED
        return z

    def _loses(self, part):
        """Report whether float32 loses differences of a row."""
        top, bottom = part.max(axis=1), np.min(part, axis=1, where=part > -np.inf, initial=np.inf) if self.some_masked else part.min(axis=1)
        most = _CHANGE * np.maximum(1, top - bottom)
        rows = np.flatnonzero(~(np.maximum(np.abs(top), np.abs(bottom)) * 2.0**-23 <= most))
        if not len(rows):
            return False
        z, top = part[rows], top[rows, None]
        change = np.abs((top.astype(np.float32).astype(np.float64) - z.astype(np.float32)) - (top - z))
        return bool(np.any(np.where(z > -np.inf, change, 0) > most[rows, None]))

    def _log(self, p, order):
        """Return the logarithms of probabilities."""
        if self.one:
            v = np.minimum(p[:, 0], 1)
            self.zeros += np.count_nonzero((v == 0) | (v == 1))
            z = np.stack([np.where(v == 1, _ZERO, np.log1p(-v)), np.where(v == 0, _ZERO, np.log(np.maximum(v, _LEAST)))], 1)
        else:
            s = p.sum(axis=1, keepdims=True)
            off = np.abs(s - 1)
            if not off.max() <= _LOOSE:
                return None
            self.divided += np.count_nonzero(off > _EXACT)
            self.zeros += p.size - np.count_nonzero(p)
            z = np.where(p == 0, _ZERO, np.log(np.maximum(p / s, _LEAST)))
        return z.astype(np.float32).astype(np.float64, order=order)

    def tell(self):
        """Give the program's notes on the rows."""
        said, n = [], len(self.a)
        if self.masked:
            said.append(f"{self.masked} of {self.a.size} logits are -Inf: masked classes, with probability 0")
        if self.divided:
            said.append(f"{self.divided} of {n} rows of probabilities sum to 1 only within 0.01 and are divided by their sum")
        if self.zeros:
            said.append(f"{self.zeros} probabilities of exactly 0 count as 2^-126")
        _program.warn([{"kind": "file", "text": text, "place": "-#logits"} for text in said])
