"""Fitted maps as torch modules, which need no program.

A module computes in float64 and returns the type of its input (float32 for smaller ones).
Its probabilities differ from those of ``predict_proba`` by less than 1e-6.

QaTS ranks a row by its tail, the sum of exp(l_j - max l) over the other classes. A row of
the calibration set must find its own tail among those of the fit, though two programs sum
in different orders. So a tail counts as equal to one that differs by less than both sums
may err. There are no other operations than those that ONNX has.

A logit of -inf is a masked class, with probability 0. A module of a method that takes no
masked classes returns NaN for a row that has one.
"""

import base64
import json
import math

import numpy as np
import torch
from torch import nn

_LEAST_T, _MOST_T = 1e-3, 1e3
_LEAST_P = 1e-300
_MASKED = -(2.0**60)  # is calculated with in the place of -inf, since 0 times an infinity is no number
_NOT_LOGITS = {
    "adats": "it reads features",
    "gc": "it reads features",
    "gc-split": "it reads features",
    "featclip": "it reads features",
    "dac": "it reads features",
    "procal": "it reads features",
    "procal-bins": "it reads features",
    "tta-ts": "it reads augmented views of each row",
}


def module(calibrator):
    """Return the module of a fitted calibrator."""
    model = json.loads(calibrator.model_)
    name, params = model["method"], model["params"]
    if calibrator.kind == "probs":
        raise NotImplementedError(f"this {type(calibrator).__name__} was fitted on probabilities, and a module reads logits")
    if name in _NOT_LOGITS:
        raise NotImplementedError(f"{name} has no module: {_NOT_LOGITS[name]}, and a module reads only logits")
    if name not in _MAPS:
        raise NotImplementedError(f"{name} has no module: its map is neither a temperature nor linear in logits or their logarithms")
    made = _MAPS[name](params, model["classes"])
    if "divisor" in params:
        made = (_DividedTempered if isinstance(made, _Tempered) else _Divided)(made, params["divisor"])
    made.classes = model["classes"]
    return made.eval()


class _Map(nn.Module):
    """Probabilities of n x k logits. The numbers of the fit are buffers."""

    takes_masked = False
    classes = 0  # of the fit

    def __init__(self, **numbers):
        super().__init__()
        for name, value in numbers.items():
            self.register_buffer(name, torch.as_tensor(np.asarray(value, np.float64).copy()))

    def _apply(self, fn, *args, **kwargs):
        """Move the buffers to another device; .half() and .float() leave them in float64."""
        device = fn(torch.empty(0, dtype=torch.float64, device=next(self.buffers()).device)).device
        return super()._apply(lambda t: t.to(device), *args, **kwargs)

    def forward(self, logits):
        if logits.ndim != 2 or self.classes and logits.shape[1] != self.classes:
            raise ValueError(f"logits of shape {tuple(logits.shape)}, want n x {self.classes or 'k'}")
        to = logits.dtype if logits.dtype in (torch.float32, torch.float64) else torch.float32
        z = logits.to(torch.float32).to(torch.float64)
        z = torch.where(z == -math.inf, _MASKED if self.takes_masked else math.nan, z)
        return self.probabilities(z).to(to)


class _Divided(_Map):
    """A map of logits of an unusual size, which are divided by a power of two first."""

    def __init__(self, inner, divisor):
        super().__init__(divisor=divisor)
        self.inner = inner

    def probabilities(self, z):
        return self.inner.probabilities(z / self.divisor)


class _DividedTempered(_Divided):
    def temperatures(self, z):
        return self.inner.temperatures(z / self.divisor) * self.divisor


class _Tempered(_Map):
    takes_masked = True

    def probabilities(self, z):
        return torch.softmax(z / self.temperatures(z), dim=1)


def _tail(z):
    """Return (tail, gap) of each row, n x 1: the tail sum, and the two largest logits' difference."""
    if z.shape[1] < 2:
        zero = torch.zeros_like(z[:, :1])
        return zero, zero
    two = torch.topk(z, 2, dim=1).values
    first, second = two[:, :1], two[:, 1:]
    # Relative to the second largest logit; the largest counts 1, which is taken off again.
    sums = torch.exp(torch.clamp(z - second, max=0.0)).sum(dim=1, keepdim=True) - 1.0
    return torch.exp(second - first) * sums, first - second


def _slack(k):
    """Return the relative difference up to which two tails of k classes are equal."""
    return 1e-12 + k * 2.0 ** -min(51, 62 - k.bit_length())


def _count_below(numbers, x):
    """Return how many of the ascending numbers are less than each of x, by bisection."""
    n = numbers.shape[0]
    at = torch.zeros_like(x, dtype=torch.int64)
    step = 1 << (n.bit_length() - 1)
    while step:
        to = at + step
        less = numbers[torch.clamp(to, max=n) - 1] < x
        at = torch.where(less & (to <= n), to, at)
        step >>= 1
    return at


class _Temperature(_Tempered):
    def __init__(self, params, k):
        super().__init__(T=params.get("T", 1.0))

    def temperatures(self, z):
        return self.T


class _Ranked(_Tempered):
    def __init__(self, k, tails, **numbers):
        super().__init__(tails=tails * (1 + _slack(max(k, 2))), **numbers)

    def rank(self, z):
        n = self.tails.shape[0]
        below = _count_below(self.tails, _tail(z)[0])
        return (n - below).to(torch.float64) / n


class _QaTS(_Ranked):
    def __init__(self, params, k):
        super().__init__(k, _numbers(params["ecdf"]), a=params["a"], b=params["b"])

    def temperatures(self, z):
        return self.a * (1 - self.rank(z)) + self.b


class _Knots(_Ranked):
    def __init__(self, params, k):
        super().__init__(k, _numbers(params["ecdf"]), knots=params["knots"])

    def temperatures(self, z):
        segments = self.knots.shape[0] - 1
        at = segments * self.rank(z)
        i = torch.clamp(at.to(torch.int64), max=segments - 1)
        left = 1 - (at - i)
        return left * self.knots[i] + (1 - left) * self.knots[i + 1]


class _Binned(_Tempered):
    def __init__(self, params, k):
        super().__init__(edges=[*(np.asarray(params["edges"], float) * (1 - _slack(max(k, 2)))), math.inf], T=params["T"])

    def temperatures(self, z):
        return self.T[_count_below(self.edges, _tail(z)[0])]


def _log_entropy(z, least):
    """Return log(entropy / log k) of each row, n x 1. least, of the entropy, is a buffer: ONNX
    rounds a constant of this size to 0."""
    k = z.shape[1]
    if k < 2:
        return torch.zeros_like(z[:, :1])
    tail, _ = _tail(z)
    d = z - z.max(dim=1, keepdim=True).values
    s1 = (d * torch.exp(d)).sum(dim=1, keepdim=True)
    h = torch.log1p(tail) - s1 / (1 + tail)
    return torch.clamp(torch.log(torch.maximum(h, least)) - math.log(math.log(k)), max=0.0)


class _HTS(_Tempered):
    def __init__(self, params, k):
        super().__init__(w=params["w"], b=params["b"], least=_LEAST_P, floor=params.get("floor", _LEAST_T))

    def temperatures(self, z):
        return torch.maximum(_softplus(self.w * _log_entropy(z, self.least) + self.b), self.floor)


def _softplus(x):
    return torch.clamp(x, min=0.0) + torch.log1p(torch.exp(-torch.abs(x)))


class _Linear(_Tempered):
    """The temperature a (1-s) + b of t-conf, t-entropy and t-gap."""

    def __init__(self, params, k):
        super().__init__(a=params["a"], b=params["b"], unit=params["unit"], least=_LEAST_P)

    def temperatures(self, z):
        return self.a * (1 - self.certainty(z)) + self.b


class _ByConfidence(_Linear):
    def certainty(self, z):
        return 1 / (1 + _tail(z)[0])


class _ByEntropy(_Linear):
    def certainty(self, z):
        return 1 - torch.clamp(torch.exp(_log_entropy(z, self.least)), max=1.0)


class _ByGap(_Linear):
    def certainty(self, z):
        gap = _tail(z)[1]
        return torch.where(self.unit == 0, torch.zeros_like(gap), torch.clamp(gap / torch.where(self.unit == 0, 1.0, self.unit), max=1.0))


class _HFE(_Tempered):
    def __init__(self, params, k):
        super().__init__(
            T0=params["T0"],
            theta=[params["theta1"], params["theta2"]],
            mean=[params[g]["mean"] for g in ("correct", "wrong")],
            std=[params[g]["std"] for g in ("correct", "wrong")],
        )

    def temperatures(self, z):
        energy = -torch.logsumexp(z, dim=1, keepdim=True)
        std = torch.where(self.std == 0, 1.0, self.std)
        density = torch.where(self.std == 0, 0.0, torch.exp(-(((energy - self.mean) / std) ** 2) / 2) / (std * math.sqrt(2 * math.pi)))
        correct, wrong = (self.theta * density)[:, :1], (self.theta * density)[:, 1:]
        return torch.clamp(self.T0 - correct + wrong, min=_LEAST_T)


class _Network(_Tempered):
    """A temperature from a network with rectified linear units. Of each layer, the weights
    of a unit are followed by its bias."""

    def __init__(self, sizes, weights, **numbers):
        super().__init__(**numbers)
        at, self.layers = 0, len(sizes)
        for i, (inputs, outputs) in enumerate(zip(sizes, [*sizes[1:], 1])):
            layer = np.reshape(weights[at : at + (inputs + 1) * outputs], (outputs, inputs + 1))
            at += layer.size
            self.register_buffer(f"w{i}", torch.as_tensor(layer[:, :-1].copy()))
            self.register_buffer(f"b{i}", torch.as_tensor(layer[:, -1].copy()))

    def output(self, x):
        for i in range(self.layers):
            x = x @ getattr(self, f"w{i}").T + getattr(self, f"b{i}")
            if i + 1 < self.layers:
                x = torch.clamp(x, min=0.0)
        return x


class _PTS(_Network):
    takes_masked = False

    def __init__(self, params, k):
        super().__init__([params["inputs"], 5, 5], _numbers(params["weights"]))
        self.inputs = params["inputs"]

    def temperatures(self, z):
        x = torch.clamp(torch.topk(z, self.inputs, dim=1).values, -100.0, 100.0)
        return torch.clamp(torch.abs(self.output(x)), _LEAST_T, _MOST_T)


class _SMART(_Network):
    def __init__(self, params, k):
        super().__init__([1, 16, 16], _numbers(params["weights"]), mean=params["mean"], scale=params["scale"])

    def temperatures(self, z):
        return torch.clamp(_softplus(self.output((_tail(z)[1] - self.mean) * self.scale)) + 0.1, max=_MOST_T)


class _ETS(_Map):
    def __init__(self, params, k):
        super().__init__(T=params["T"], w=params["w"])

    def probabilities(self, z):
        return self.w[0] * torch.softmax(z / self.T, dim=1) + self.w[1] * torch.softmax(z, dim=1) + self.w[2] / z.shape[1]


class _ClassTemperatures(_Map):
    takes_masked = True

    def __init__(self, params, k):
        super().__init__(T=params["T"])

    def probabilities(self, z):
        return torch.softmax(z / self.T, dim=1)


class _Diagonal(_Map):
    takes_masked = True

    def __init__(self, params, k):
        super().__init__(v=params["v"], b=params["b"])

    def scores(self, z):
        return z

    def probabilities(self, z):
        return torch.softmax(torch.where(z == _MASKED, z, self.v * self.scores(z) + self.b), dim=1)


class _Mixed:
    """Scores that svs and sms start from: the logarithms of a mixture of temperature
    scaling with the uniform distribution."""

    def mix(self, params):
        self.register_buffer("T", torch.tensor(params["T"], dtype=torch.float64))
        self.register_buffer("share", torch.tensor(params["mix"], dtype=torch.float64))

    def scores(self, z):
        return torch.log((1 - self.share) * torch.softmax(z / self.T, dim=1) + self.share / z.shape[1])


class _SVS(_Mixed, _Diagonal):
    takes_masked = False

    def __init__(self, params, k):
        super().__init__(params, k)
        self.mix(params)


class _Matrices(_Map):
    """The mean over models of softmax(W x + b)."""

    def __init__(self, params, k):
        models = params["models"] if "models" in params else [params]
        super().__init__(W=[m["w"] for m in models], B=[m["b"] for m in models])

    def scores(self, z):
        return z

    def probabilities(self, z):
        x = self.scores(z)
        return torch.stack([torch.softmax(x @ w.T + b, dim=1) for w, b in zip(self.W, self.B)]).mean(dim=0)


class _Dirichlet(_Matrices):
    def scores(self, z):
        return torch.log_softmax(z, dim=1)


class _SMS(_Mixed, _Matrices):
    def __init__(self, params, k):
        super().__init__(params, k)
        self.mix(params)


class _LabelShift(_Map):
    def __init__(self, params, k):
        super().__init__(T=params["T"], offsets=np.asarray(params["b"]) + np.log(np.maximum(params["w"], _LEAST_P)))

    def probabilities(self, z):
        return torch.softmax(z / self.T + self.offsets, dim=1)


def _numbers(value):
    """Return a list of numbers, which a model has as such or as the bytes of float64 in base64."""
    return np.frombuffer(base64.b64decode(value), "<f8") if isinstance(value, str) else np.asarray(value, np.float64)


_MAPS = {
    "uncal": _Temperature,
    "ts": _Temperature,
    "ts-guo50": _Temperature,
    "ts-ecegrid": _Temperature,
    "ec": _Temperature,
    "qats": _QaTS,
    "qats-free": _QaTS,
    "qats-transductive": _QaTS,
    "qats-pw": _Knots,
    "qats-pw-free": _Knots,
    "qats-reading": _QaTS,
    "t-conf": _ByConfidence,
    "t-entropy": _ByEntropy,
    "t-gap": _ByGap,
    "hts": _HTS,
    "bts": _Binned,
    "cbt": _Binned,
    "hfe": _HFE,
    "hfe-noood": _HFE,
    "hfe-target": _HFE,
    "pts": _PTS,
    "smart": _SMART,
    "ets": _ETS,
    "cts": _ClassTemperatures,
    "vs": _Diagonal,
    "svs": _SVS,
    "sms": _SMS,
    "dirichlet": _Dirichlet,
    "ms-odir": _Matrices,
    "label-shift": _LabelShift,
}
