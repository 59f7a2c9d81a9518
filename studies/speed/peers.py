#!/usr/bin/python3
"""Times other programs for the same work. One task per process.

usage: peers.py DIR TASK [WORKLOAD]       threads: OMP_NUM_THREADS

Prints one line of JSON: the seconds of the fastest of a few runs in this process,
after one that is not counted (tasks of many seconds run once), and the results.
Seconds are wall time or, with SPEED_CLOCK=cpu, processor time. numpy, scipy,
scikit-learn and torch are those of the system; a task without its package prints
this and exits with status 3. The code is written for this comparison as their users
would write it, or faster: logits in memory, analytic derivatives, chunks that stay
in the cache.
"""
import glob
import json
import os
import sys
import time

try:
    import numpy as np
except ImportError:
    print(json.dumps({"absent": "numpy"}))
    sys.exit(3)

CLOCK = time.process_time if os.environ.get("SPEED_CLOCK") == "cpu" else time.perf_counter
THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))


def load(at, name, split="cal"):
    if name == "w3":
        return np.load(f"{at}/w3_logits_f4.npy"), np.load(f"{at}/w3_labels_u1.npy").astype(np.int64)
    return np.load(f"{at}/{name}_{split}_logits.npy"), np.load(f"{at}/{name}_{split}_labels.npy")


def timed(run, warm=True, runs=3):
    """The least seconds of the runs, and the last outcome."""
    times, limit = [], 10.
    while len(times) < runs + warm and sum(times) < limit:
        begin = CLOCK()
        out = run()
        times.append(CLOCK() - begin)
    return min(times[1:] or times), out


# Temperature scaling.

def newton(l, y, dtype, tol, chunk=1024):
    """Newton on 1/T with analytic E[l] and Var[l], in chunks."""
    n, beta = len(l), 1.
    label = l[np.arange(n), y].astype(np.float64).sum()
    label -= sum(l[i:i + chunk].max(1).sum(dtype=np.float64) for i in range(0, n, chunk))
    for passes in range(1, 51):
        g = h = 0.
        for i in range(0, n, chunk):
            z = l[i:i + chunk].astype(dtype)
            z -= z.max(1, keepdims=True)
            e = np.exp(z * dtype(beta))
            s0 = e.sum(1)
            e *= z
            s1 = e.sum(1)
            e *= z
            mean = s1 / s0
            g += mean.sum(dtype=np.float64)
            h += (e.sum(1) / s0 - mean * mean).sum(dtype=np.float64)
        step = (g - label) / h
        beta, before = (beta - step if beta > step else beta / 2), beta
        if abs(beta - before) < tol * before:
            break
    return 1 / beta, passes


def ts_numpy(at, name):
    l, y = load(at, name)
    s, (t, passes) = timed(lambda: newton(l, y, np.float64, 1e-8))
    return s, {"T": t, "passes": passes}


def ts_numpy32(at, name):
    l, y = load(at, name)
    s, (t, passes) = timed(lambda: newton(l, y, np.float32, 1e-6), warm=name != "w3")
    return s, {"T": t, "passes": passes}


def ts_sklearn(at, name):
    """The algorithm of scikit-learn 1.8: bounded Brent on log(1/T) over its own loss."""
    from scipy.optimize import minimize_scalar
    from sklearn._loss.loss import HalfMultinomialLoss
    l, y = load(at, name)
    loss = HalfMultinomialLoss(n_classes=l.shape[1])

    def fit():
        wide, target = l.astype(np.float64), y.astype(np.float64)
        found = minimize_scalar(lambda b: loss(target, np.exp(b) * wide, None, n_threads=THREADS),
                                bounds=(-10., 10.), method="bounded", options={"xatol": 64 * np.finfo(np.float64).eps})
        return float(np.exp(-found.x))

    s, t = timed(fit)
    return s, {"T": t}


def lbfgs(start, closure, lr, steps, search=None):
    import torch
    p = torch.nn.Parameter(torch.tensor(start))
    optimizer = torch.optim.LBFGS([p], lr=lr, max_iter=steps, line_search_fn=search)

    def evaluate():
        optimizer.zero_grad()
        loss = closure(p)
        loss.backward()
        return loss

    optimizer.step(evaluate)
    return p.detach()


def tensors(l, y):
    import torch
    torch.set_num_threads(THREADS)
    return torch.from_numpy(l), torch.from_numpy(y), torch.nn.CrossEntropyLoss()


def ts_torch(at, name):
    """L-BFGS with a line search."""
    l, y, loss = tensors(*load(at, name))
    s, t = timed(lambda: lbfgs([1.5], lambda t: loss(l / t, y), 1., 200, "strong_wolfe"))
    return s, {"T": float(t[0])}


# QaTS: ranks of the confidence, then (a, b) by the NLL.

def confidence(l):
    z = l - l.max(1, keepdims=True)
    return 1 / np.exp(z, out=z).sum(1)


def ranks(c, among):
    return np.searchsorted(among, c, side="right") / len(among)


def fit_qats(l, y):
    from scipy.optimize import minimize
    wide = l.astype(np.float64)
    wide -= wide.max(1, keepdims=True)
    c = 1 / np.exp(wide).sum(1)
    u = 1 - ranks(c, np.sort(c))
    label = wide[np.arange(len(y)), y]

    def objective(p):
        t = p[0] * u + p[1]
        e = np.exp(wide / t[:, None])
        s0 = e.sum(1)
        mean = np.einsum("ij,ij->i", e, wide) / s0
        slope = -(mean - label) / t ** 2
        return (np.log(s0) - label / t).mean(), np.array([(slope * u).mean(), slope.mean()])

    found = minimize(objective, [.5, 1.], jac=True, method="L-BFGS-B", bounds=[(1e-6, None)] * 2,
                     options={"ftol": 1e-15, "gtol": 1e-9})
    return found.x, float(found.fun)


def qats_scipy(at, name):
    l, y = load(at, name)
    s, (x, nll) = timed(lambda: fit_qats(l, y))
    return s, {"a": x[0], "b": x[1], "nll": nll}


def qats_torch(at, name):
    """The same with torch, L-BFGS with a line search, ranks in float32."""
    import torch
    l, y, loss = tensors(*load(at, name))

    def fit():
        c = torch.softmax(l, 1).max(1).values
        u = 1 - torch.searchsorted(torch.sort(c).values, c, right=True).float() / len(c)
        return lbfgs([.5, 1.], lambda p: loss(l / (p[0] * u + p[1]).unsqueeze(1), y), 1., 200, "strong_wolfe")

    s, x = timed(fit)
    return s, {"a": float(x[0]), "b": float(x[1])}


# Scores.

def bins(c, m=15):
    return np.clip(np.ceil(c * m).astype(np.int64) - 1, 0, m - 1)


def ece(c, hit):
    return float(np.abs(np.bincount(bins(c), c - hit, 15)).sum() / len(c))


def aece(c, hit):
    d = (c - hit)[np.argsort(c, kind="stable")]
    return float(np.mean([abs(part.mean()) for part in np.array_split(d, 15)]))


def boot_numpy(at, name):
    """1,000 resamples of the ECE, bins kept."""
    l, y = load(at, name, "test")
    c = confidence(l).astype(np.float64)
    n, b, d = len(c), bins(c), c - (l.argmax(1) == y)

    def run():
        rng = np.random.default_rng(0)
        drawn = (rng.integers(0, n, n) for _ in range(1000))
        return np.percentile([np.abs(np.bincount(b[j], d[j], 15)).sum() / n for j in drawn], [2.5, 97.5]).tolist()

    s, interval = timed(run)
    return s, {"interval": interval}


# Loading, and everything.

def load_numpy(at, name):
    s, a = timed(lambda: np.load(f"{at}/{name}_cal_logits.npy"), runs=5)
    return s, {"GBps": a.nbytes / s / 1e9}


def import_torch(*_):
    begin = CLOCK()
    import torch
    return CLOCK() - begin, {"version": torch.__version__}


def everything(at, fit):
    """Load, fit TS and QaTS, ECE and AECE of three methods, for every set of w4."""
    for path in sorted(glob.glob(f"{at}/w4/*_cal_logits.npy")):
        l, y = np.load(path), np.load(path.replace("logits", "labels"))
        test, label = np.load(path.replace("cal_", "test_")), np.load(path.replace("cal_logits", "test_labels"))
        t, (a, b) = fit(l, y)
        hit, c = test.argmax(1) == label, confidence(test)
        q = ranks(c, np.sort(confidence(l)))
        for scale in np.ones(len(c)), np.full(len(c), 1 / t), 1 / (a * (1 - q) + b):
            c = confidence(test * scale[:, None].astype(np.float32)).astype(np.float64)
            ece(c, hit), aece(c, hit)


def w4_numpy(at, _):
    s, _ = timed(lambda: everything(at, lambda l, y: (newton(l, y, np.float64, 1e-8)[0], fit_qats(l, y)[0])), warm=False, runs=1)
    return s, {}


def w4_torch(at, _):
    """As most public code fits: L-BFGS, learning rate 0.01, 200 steps."""
    import torch

    def fit(l, y):
        l, y, loss = tensors(l, y)
        t = lbfgs([1.5], lambda t: loss(l / t, y), .01, 200)
        c = torch.softmax(l, 1).max(1).values
        u = 1 - torch.searchsorted(torch.sort(c).values, c, right=True).float() / len(c)
        x = lbfgs([.5, 1.], lambda p: loss(l / (p[0] * u + p[1]).clamp(min=1e-3).unsqueeze(1), y), .01, 200)
        return float(t[0]), (max(float(x[0]), 0.), max(float(x[1]), 1e-3))

    s, _ = timed(lambda: everything(at, fit), warm=False, runs=1)
    return s, {}


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        seconds, more = globals()[sys.argv[2]](sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else "")
    except ImportError as e:
        print(json.dumps({"absent": e.name}))
        sys.exit(3)
    print(json.dumps({"seconds": seconds, **more}))
