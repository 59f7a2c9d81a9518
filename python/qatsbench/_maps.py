"""The closed forms: for each method the table of its fitted map.

A tail is the sum of exp(l - max l) over the classes but the predicted one. A row of the calibration set must find its own
tail among those of the fit, though two programs sum in different orders. So a tail counts as equal to one that differs by
less than both sums may err. Probabilities are compared as the fit does: those that agree to 2^-22, of p up to 1/2 and of
1-p above, are equal.
"""

import base64
import json
import math

import numpy as np

from ._table import MASKED, Curve, Table

_LEAST_T, _MOST_T = 1e-3, 1e3
_LEAST_P = 1e-300
_TIE = 2.0**-22  # share of a stretched probability
_MOST_X = 2.0**1000  # the stretched probability of 1
_MOST_ODDS = 700.0
_FAR_ODDS = 500.0  # gap of two logits from which their log odds are the gap itself
_MOST_SCORES = 200_000  # of Venn-Abers maps, whose predictors are made in Python
_WIDE = 2.0**40  # a temperature or divisor that brings masked classes near the others


def table(model, k):
    """Return the table of a model, the object of its JSON, for k classes; None if it has no closed form."""
    name, params = model["method"], model["params"]
    make = MAPS.get(name)
    if make is None or k < 1:
        return None
    t = Table(k, masked=name in MASKS)
    divisor = params.get("divisor", 1.0)
    if divisor != 1:
        z = t.raw / divisor
        t.z = t.where(t.raw < MASKED / 2, MASKED, z) if t.masked else z
    made = make(t, params)
    if made is None:
        return None
    if name in _TOP:
        t.confidence = _mixed(made, params, 2)
        t.probabilities = _reset_top(t, t.confidence)
    elif t.temperature is not None:
        t.probabilities = _open(t, made) if divisor > _WIDE or np.max(params.get("T", 1.0)) > _WIDE else made
        t.temperature = t.temperature * divisor if divisor != 1 else t.temperature
    else:
        if t.masked:
            made = _open(t, made)
            made = t.where(t.raw < MASKED / 2, 0.0, _mixed(made, params, _count_open(t))) if "mass" in params else made
        else:
            made = _mixed(made, params, k)
        t.probabilities = made
    return t


_NOT_LOGITS = {
    **dict.fromkeys(("adats", "gc", "gc-split", "featclip", "dac", "procal", "procal-bins"), "it reads features"),
    "tta-ts": "it reads augmented views of each row",
}


def exported(calibrator, what):
    """Return (table, classes) of a fitted calibrator, for what is written of it: a module, a graph, a source. classes is 0 where
    any number of them will do."""
    model = json.loads(calibrator.model_)
    name, k = model["method"], model["classes"]
    if calibrator.kind == "probs":
        raise NotImplementedError(f"this {type(calibrator).__name__} was fitted on probabilities, and a {what} reads logits")
    if name in _NOT_LOGITS:
        raise NotImplementedError(f"{name} has no {what}: {_NOT_LOGITS[name]}, and a {what} reads only logits")
    t = table(model, k or 2) if name in MAPS else None
    if t is None:
        raise NotImplementedError(f"{name} has no {what}: its map has no closed form, or too many numbers")
    return t, k


# What several methods share.


def _gaps(t):
    """The logits minus the largest one."""
    return t.z - t.most(t.z)


def _softmax(t, x):
    e = t.exp(x - t.most(x))
    return e / t.sum(e)


def _tail(t):
    """The sum of exp(l - max l) over the classes but the predicted one, n x 1."""
    return t.sum(t.cleared(t.exp(_gaps(t)), 0.0))


def _probs(t):
    """The softmax, and 1 minus it to all digits."""
    e, tail = t.exp(_gaps(t)), _tail(t)
    whole = 1.0 + tail
    rest = t.where(_gaps(t) < 0.0, 1.0 + (tail - e), tail)
    return e / whole, rest / whole


def _stretched(t, p, rest):
    """p up to 1/2 and 1/(4 (1-p)) above."""
    return t.where(p > 0.5, t.min(0.25 / rest, _MOST_X), p)


def _log_odds(t):
    """The log odds of every class, limited unless there are two."""
    if t.k == 2:  # the difference of the logits
        return t.matmul(t.z, [[1.0, -1.0], [-1.0, 1.0]], "D")
    e, tail, gaps = t.exp(_gaps(t)), _tail(t), _gaps(t)
    odds = gaps - t.log(t.where(gaps < 0.0, 1.0 + (tail - e), tail))
    return t.min(t.max(odds, -_MOST_ODDS), _MOST_ODDS)


def _sigmoid(t, x):
    return 1.0 / (1.0 + t.exp(t.min(-x, _MOST_ODDS + 9.0)))


def _normalised(t, q):
    """q divided by its sum; a row of zeros becomes uniform."""
    s = t.sum(q)
    return q / t.where(s > 0.0, s, 1.0) + t.where(s > 0.0, 0.0, 1.0 / t.k)


def _count_open(t):
    """The number of classes that are not masked, n x 1."""
    return t.sum(t.where(t.raw < MASKED / 2, 0.0, 1.0))


def _open(t, q):
    """q without masked classes, divided by its sum."""
    q = t.where(t.raw < MASKED / 2, 0.0, q)
    return q / t.sum(q)


def _mixed(q, params, parts):
    """q with the mass of the model, which is spread evenly over so many parts."""
    e = params.get("mass", 0.0)
    return q if e == 0 else q * (1.0 - e) + e / parts


def _reset_top(t, g):
    """The softmax with the confidence g for the predicted class; the others share the rest."""
    if t.k < 2:
        return t.sum(t.exp(_gaps(t)))
    e, open_ = t.cleared(t.exp(_gaps(t)), 0.0), _count_open(t)
    g = t.where(open_ < 1.5, 1.0, g)
    tail = t.sum(e)
    some = tail > 0.0
    even = t.where(t.raw < MASKED / 2, 0.0, (1.0 - g) / t.max(open_ - 1.0, 1.0))
    share = t.where(some, (1.0 - g) / t.where(some, tail, 1.0), 0.0)
    return t.cleared(e * share + even * t.where(some, 0.0, 1.0), g)


def _slack(k):
    """Return the relative difference up to which two tails of k classes are equal."""
    return 1e-12 + max(k, 2) * 2.0 ** -min(51, 62 - max(k, 2).bit_length())


def numbers(value):
    """Return a list of numbers, which a model has as such or as the bytes of float64 in base64."""
    return np.frombuffer(base64.b64decode(value), "<f8") if isinstance(value, str) else np.asarray(value, np.float64)


def _tempered(t, temperature):
    t.temperature = t.of(temperature)
    e = t.exp(_gaps(t) / t.temperature)
    return e / t.sum(e)


# Temperatures.


def _ts(t, params):
    return _tempered(t, t.number(params.get("T", 1.0), "T"))


def _by_rank(t, params, temperature):
    """temperature gives those of ranks, the shares of calibration rows whose tail is at least as large."""
    tails = numbers(params["ecdf"])
    ranks = (len(tails) - np.arange(len(tails) + 1)) / len(tails)
    return _tempered(t, t.step(_tail(t), tails * (1 + _slack(t.k)), temperature(ranks)))


def _line(params):
    return lambda q: params["a"] * (1 - q) + params["b"]


def _knots(params):
    knots = numbers(params["knots"])
    return lambda q: np.interp(q, np.linspace(0, 1, len(knots)), knots)


def _binned(t, params):
    edges = np.asarray(params["edges"], float) * (1 - _slack(t.k))
    return _tempered(t, t.step(_tail(t), edges, params["T"]))


def _log_entropy(t):
    """log(entropy / log k), n x 1."""
    if t.k < 2:
        return t.most(t.z) * 0.0
    d, tail = _gaps(t), _tail(t)
    h = t.log1p(tail) - t.sum(d * t.exp(d)) / (1.0 + tail)
    return t.min(t.log(t.max(h, _LEAST_P)) - math.log(math.log(t.k)), 0.0)


def _softplus(t, x):
    return t.max(x, 0.0) + t.log1p(t.exp(t.min(x, -x)))


def _hts(t, params):
    x = t.number(params["w"], "w") * _log_entropy(t) + t.number(params["b"], "b")
    return _tempered(t, t.max(_softplus(t, x), params.get("floor", _LEAST_T)))


def _hts_bounded(t, params):
    reach = math.log(params["range"])
    x = t.number(params["w"], "w") * _log_entropy(t) + t.number(params["b"], "b")
    tanh = _sigmoid(t, x * (2 / reach)) * 2.0 - 1.0
    return _tempered(t, t.exp(tanh * reach) * t.number(params["T"], "T"))


def _linear(certainty):
    def make(t, params):
        return _tempered(t, (1.0 - certainty(t, params)) * t.number(params["a"], "a") + t.number(params["b"], "b"))

    return make


def _gap(t):
    """The difference of the two largest logits, n x 1."""
    return t.most(t.z) - t.most(t.cleared(t.z, -math.inf)) if t.k > 1 else t.most(t.z) * 0.0


def _gap_share(t, params):
    return t.min(_gap(t) / params["unit"], 1.0) if params["unit"] else t.most(t.z) * 0.0


def _hfe(t, params):
    energy = -(t.log1p(_tail(t)) + t.most(t.z))
    temperature = t.number(params["T0"], "T0")
    for group, sign, theta in (("correct", -1.0, "theta1"), ("wrong", 1.0, "theta2")):
        std = params[group]["std"]
        if std:
            x = (energy - params[group]["mean"]) / std
            temperature = temperature + t.exp(x * x * -0.5) * (sign * params[theta] / (std * math.sqrt(2 * math.pi)))
    return _tempered(t, t.max(temperature, _LEAST_T))


def _network(t, x, sizes, weights):
    """The output of a network with rectified linear units. Of each layer, the weights of a unit are followed by its bias."""
    at = 0
    for i, (inputs, outputs) in enumerate(zip(sizes, [*sizes[1:], 1])):
        layer = np.reshape(weights[at : at + (inputs + 1) * outputs], (outputs, inputs + 1))
        at += layer.size
        x = t.matmul(x, layer[:, :-1].T) + t.number(layer[:, -1], "b")
        if i + 1 < len(sizes):
            x = t.max(x, 0.0)
    return x


def _pts(t, params):
    m = params["inputs"]
    x = t.min(t.max(t.largest(t.z, m), -100.0), 100.0)
    out = _network(t, x, [m, 5, 5], numbers(params["weights"]))
    return _tempered(t, t.min(t.max(t.max(out, -out), _LEAST_T), _MOST_T))


def _smart(t, params):
    x = (_gap(t) - params["mean"]) * params["scale"]
    return _tempered(t, t.min(_softplus(t, _network(t, x, [1, 16, 16], numbers(params["weights"]))) + 0.1, _MOST_T))


# Maps of all classes.


def _ets(t, params):
    w, gaps = params["w"], _gaps(t)
    scaled, plain = t.exp(gaps / t.number(params["T"], "T")), t.exp(gaps)
    return scaled * (w[0] / t.sum(scaled)) + plain * (w[1] / t.sum(plain)) + w[2] / t.k


def _cts(t, params):
    return _softmax(t, t.z / t.number(params["T"], "T"))


def _diagonal(t, params, x):
    x = t.number(params["v"], "v") * x + t.number(params["b"], "b")
    return _softmax(t, t.where(t.raw < MASKED / 2, MASKED, x) if t.masked else x)


def _mixture(t, params):
    """The logarithms of a mixture of temperature scaling with the uniform distribution, from which svs and sms start."""
    e = t.exp(_gaps(t) / t.number(params["T"], "T"))
    return t.log(e * ((1.0 - params["mix"]) / t.sum(e)) + params["mix"] / t.k)


def _matrices(t, params, x):
    """The mean over models of softmax(W x + b)."""
    total, models = None, params.get("models") or [params]
    for m in models:
        p = _softmax(t, t.matmul(x, np.transpose(m["w"])) + t.number(m["b"], "b"))
        total = p if total is None else total + p
    return total * (1.0 / len(models)) if len(models) > 1 else total


def _log_softmax(t):
    return _gaps(t) - t.log1p(_tail(t))


def _label_shift(t, params):
    offsets = np.asarray(params["b"]) + np.log(np.maximum(params["w"], _LEAST_P))
    return _softmax(t, _gaps(t) / t.number(params["T"], "T") + t.number(offsets, "offsets"))


def _base_rate(t, params):
    if t.k < 2:
        return t.sum(t.exp(_gaps(t)))
    n = _count_open(t)
    top = t.max(params["confidence"], (1 + 2.0**-20) / n)
    top = t.where(n < 1.5, 1.0, top)
    other = (1.0 - top) / t.max(n - 1.0, 1.0)
    return t.cleared(t.where(t.raw < MASKED / 2, 0.0, other), top)


# Each class against all others.


def _sigmoids(t, x):
    return _normalised(t, _sigmoid(t, x))


def _platt(t, params):
    a, b = t.number(params["a"], "a"), t.number(params["b"], "b")
    if params["score"] == "log-odds":
        x = _log_odds(t)
    else:
        x, _ = _probs(t)
        x = t.log(x + 1e-10) if params["score"] == "log-prob" else x
    return _sigmoids(t, a * x + b)


def _quadratic(t, params):
    if "T" in params:
        t.z = t.line("single", _gaps(t) / t.number(params["T"], "T"))
    x = _log_odds(t)
    return _sigmoids(t, t.number(params["a"], "a") * x + t.number(params["c"], "c") * (x * x) + t.number(params["b"], "b"))


def _beta(t, params):
    log = _log_softmax(t)
    p = t.min(t.max(t.exp(log), 2.0**-52), 1 - 2.0**-52)
    ln = t.min(t.max(log, -52 * math.log(2)), -(2.0**-52))
    rest = -t.log1p(-p)
    return _sigmoids(t, t.number(params["a"], "a") * ln + t.number(params["b"], "b") * rest + t.number(params["c"], "c"))


def _isotonic(f):
    """Return (ends, y, slope, anchor) of a nondecreasing function with knots x, which are stretched, and y. Around each knot
    is a flat piece, for what is tied with it. The others are linear in p, and above 1/2 in -(1-p), which has all digits there."""
    x, y = np.asarray(f["x"], float), np.asarray(f["y"], float)
    n = len(x)
    if n == 0:
        return np.zeros(0), np.zeros(1), np.zeros(1), np.zeros(1)
    ends, slope, anchor = _tied(x), np.zeros(2 * n + 1), np.zeros(2 * n + 1)
    value, lo, hi, rise = np.repeat(np.append(y[0], y), 2)[1:], x[:-1], x[1:], np.diff(y)
    with np.errstate(divide="ignore", over="ignore"):
        low = np.where(hi <= 0.5, hi, 1 - 0.25 / hi) - lo
        high = (hi - lo) / hi * (0.25 / lo)
        slope[2:-1:2] = np.where(rise != 0, rise / np.where(lo < 0.5, low, high), 0.0)
        anchor[2:-1:2] = np.where(lo < 0.5, lo, -0.25 / lo)
    i = int(np.searchsorted(ends, 0.5))
    if slope[i] and anchor[i] >= 0:  # the piece that 1/2 is in
        middle = value[i] + slope[i] * (0.5 - anchor[i])
        ends, value = np.insert(ends, i, 0.5), np.insert(value, i + 1, middle)
        slope, anchor = np.insert(slope, i + 1, slope[i]), np.insert(anchor, i + 1, -0.5)
    return ends, value, slope, anchor


def _tied(x):
    """Return the two ends of what is tied with each of ascending numbers; what is tied with two is so with the lower one."""
    after = np.minimum(x * (1 + _TIE), np.append(np.nextafter(x[1:], 0), np.inf))
    return np.stack([np.maximum(np.nextafter(x / (1 + _TIE), -1), np.append(-1.0, after[:-1])), after], 1).ravel()


def _pieces(t, functions, p, rest):
    """The functions of stretched probabilities."""
    return t.curve(_stretched(t, p, rest), Curve(*map(list, zip(*map(_isotonic, functions)))), t.where(p > 0.5, -rest, p))


def _ir(t, params):
    p, rest = _probs(t)
    q = _pieces(t, [params], p, rest) + p * 1e-9
    return q / t.sum(q)


def _irova(t, params):
    p, rest = _probs(t)
    q = _pieces(t, params["classes"], p, rest) + p * 1e-9
    return q / t.sum(q)


def _histogram(t, x, bins):
    """The values of bins of equal width, of one list or of a list for each class."""
    each = isinstance(bins[0], list)
    edges = [np.arange(1, len(b)) / len(b) * (1 + 1e-14) for b in (bins if each else [bins])]
    return t.curve(x, Curve(edges, [np.asarray(b, float) for b in (bins if each else [bins])]))


def _hb(t, params):
    return _normalised(t, _histogram(t, _probs(t)[0], params["classes"]))


def _edges(edges):
    return np.asarray(edges, float) * (1 + 1e-14)


def _hb_mass(t, params):
    x, c = _stretched(t, *_probs(t)), params["classes"]
    return _normalised(t, t.curve(x, Curve([_edges(f["edges"]) for f in c], [np.asarray(f["values"], float) for f in c])))


def _stretched_sigmoid(t, x):
    return t.where(x > 0.0, (1.0 + t.exp(t.min(x, 690.0))) * 0.25, _sigmoid(t, x))


def _scaling_binning(t, params):
    c, most = params["classes"], math.log((1 - 1e-12) / 1e-12)
    x = t.min(t.max(_log_odds(t), -most), most) * t.number([f["a"] for f in c], "a") + t.number([f["b"] for f in c], "b")
    curve = Curve([_edges(f["edges"]) for f in c], [np.asarray(f["values"], float) for f in c])
    return _normalised(t, t.curve(_stretched_sigmoid(t, x), curve))


def _raised(rows, hits):
    """Return the isotonic value of one more row of outcome 1 before each group in turn, and after the last: slopes of the
    greatest convex minorant of the cumulative sums of rows and hits (Vovk, Petej and Fedorova 2015)."""
    m = len(rows)
    ax, ay = [-1, 0], [-1, 0]
    for r, h in zip(rows, hits):
        ax.append(ax[-1] + r)
        ay.append(ay[-1] + h)
    sx, sy = [], []  # the corners, the leftmost last

    def push(x, y):
        while len(sx) > 1 and (sx[-2] - x) * (sy[-1] - y) - (sy[-2] - y) * (sx[-1] - x) >= 0:
            sx.pop()
            sy.pop()
        sx.append(x)
        sy.append(y)

    for x, y in zip(reversed(ax), reversed(ay)):
        push(x, y)
    value = np.empty(m + 1)
    for i in range(m):
        tx, ty, nx, ny = sx[-1], sy[-1], sx[-2], sy[-2]
        value[i] = (ny - ty) / (nx - tx)
        x, y = ax[i] + ax[i + 2] - ax[i + 1], ay[i] + ay[i + 2] - ay[i + 1]
        ax[i + 1], ay[i + 1] = x, y
        if (nx - tx) * (y - ty) - (ny - ty) * (x - tx) < 0:
            sx.pop()
            sy.pop()
            push(x, y)
    value[m] = 1
    return value


def _venn_abers(t, params):
    problems = [o for fold in params["folds"] for o in fold]
    if params["pairs"] or sum(len(o["rows"]) for o in problems) > _MOST_SCORES:
        return None
    total = None
    for fold in params["folds"]:
        curve = Curve([], [])
        for o in fold:
            x, rows, hits = numbers(o["x"]), o["rows"], o["hits"]
            high = np.log(_raised(rows, hits))
            low = np.log(_raised(rows[::-1], [r - h for r, h in zip(rows[::-1], hits[::-1])]))[::-1]
            odds = np.empty(2 * len(x) + 1)
            odds[0::2], odds[1::2] = low - high, low[1:] - high[:-1]
            curve.ends.append(_tied(x))
            curve.y.append(odds)
        part = t.curve(_stretched(t, *_probs(t)), curve)
        total = part if total is None else total + part
    return _sigmoids(t, total * (-1.0 / len(params["folds"])))


# The confidence of the prediction alone.


def _conf(t):
    tail = _tail(t)
    return 1.0 / (1.0 + tail), tail / (1.0 + tail)


def _top_odds(t):
    return -t.log(t.min(t.max(_tail(t), 2.0**-53), 2.0**53))


def _ir_top(t, params):
    return _pieces(t, [params], *_conf(t))


def _spline(t, params):
    return t.min(t.max(_pieces(t, [params], *_conf(t)), 0.0), 1.0)


def _hb_top(t, params):
    return _histogram(t, _conf(t)[0], params["bins"])


def _scaling_binning_top(t, params):
    most = math.log((1 - 1e-12) / 1e-12)
    x = t.min(t.max(-t.log(_tail(t)), -most), most) * params["a"] + params["b"]
    return t.step(_stretched_sigmoid(t, x), _edges(params["edges"]), params["values"])


def _base_rate_top(t, params):
    return t.most(t.z) * 0.0 + params["confidence"]


def _platt_top(t, params):
    return _sigmoid(t, _top_odds(t) * t.number(params["a"], "a") + t.number(params["b"], "b"))


def _beta_top(t, params):
    z = _top_odds(t)
    e = t.log1p(t.exp(t.min(z, -z)))
    ln, rest = t.min(z, 0.0) - e, t.max(z, 0.0) + e
    return _sigmoid(t, ln * t.number(params["a"], "a") + rest * t.number(params["b"], "b") + t.number(params["c"], "c"))


def _scaled_top(t, params, temperature):
    log = math.log(params["classes"] - 1)
    return _sigmoid(t, (_top_odds(t) + log) / temperature - log)


def _ts_top(t, params):
    return _scaled_top(t, params, t.number(params["T"], "T"))


def _qats_top(t, params):
    tails = numbers(params["ecdf"])
    ranks = (len(tails) - np.arange(len(tails) + 1)) / len(tails)
    tail = t.min(t.max(_tail(t), 2.0**-53), 2.0**53)
    return _scaled_top(t, params, t.step(tail, tails * (1 + _slack(t.k)), _line(params)(ranks)))


_qats = lambda t, params: _by_rank(t, params, _line(params))  # noqa: E731
_qats_pw = lambda t, params: _by_rank(t, params, _knots(params))  # noqa: E731
_TOP = {
    "ir-top": _ir_top,
    "hb-top": _hb_top,
    "scaling-binning-top": _scaling_binning_top,
    "base-rate-top": _base_rate_top,
    "spline": _spline,
    "platt-top": _platt_top,
    "beta-top": _beta_top,
    "ts-top": _ts_top,
    "qats-top": _qats_top,
}
_TEMPERED = {
    **dict.fromkeys(("uncal", "ts", "ts-guo50", "ts-ecegrid", "ec"), _ts),
    **dict.fromkeys(("qats", "qats-free", "qats-transductive", "qats-reading"), _qats),
    **dict.fromkeys(("qats-pw", "qats-pw-free"), _qats_pw),
    "t-conf": _linear(lambda t, params: _conf(t)[0]),
    "t-entropy": _linear(lambda t, params: 1.0 - t.min(t.exp(_log_entropy(t)), 1.0)),
    "t-gap": _linear(_gap_share),
    "hts": _hts,
    "hts-bounded": _hts_bounded,
    **dict.fromkeys(("bts", "cbt"), _binned),
    **dict.fromkeys(("hfe", "hfe-noood", "hfe-target"), _hfe),
    "pts": _pts,
    "smart": _smart,
}
MAPS = {
    **_TEMPERED,
    **_TOP,
    "ets": _ets,
    "cts": _cts,
    "vs": lambda t, params: _diagonal(t, params, t.z),
    "svs": lambda t, params: _diagonal(t, params, _mixture(t, params)),
    "sms": lambda t, params: _matrices(t, params, _mixture(t, params)),
    "dirichlet": lambda t, params: _matrices(t, params, _log_softmax(t)),
    "ms-odir": lambda t, params: _matrices(t, params, t.z),
    "label-shift": _label_shift,
    "base-rate": _base_rate,
    **dict.fromkeys(("platt", "platt-logits"), _platt),
    **dict.fromkeys(("quadratic", "quadratic-ridge"), _quadratic),
    "beta": _beta,
    "ir": _ir,
    **dict.fromkeys(("irova", "cir"), _irova),
    **dict.fromkeys(("ivap", "cvap"), _venn_abers),
    "hb": _hb,
    "hb-mass": _hb_mass,
    "scaling-binning": _scaling_binning,
}
MASKS = {*_TEMPERED, *_TOP, "cts", "vs", "ir", "irova", "base-rate"} - {"pts"}  # take rows with masked classes
