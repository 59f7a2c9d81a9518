#!/usr/bin/python3
"""Times the fit of methods beside code that fits the same method, on w2 (5,000 x 100).

usage: methods.py DIR [--authors FOLDER] [--rounds N] [--only METHOD,METHOD]

Seconds are processor time of one thread, the least of the rounds, which alternate
between qats and the reference. FOLDER holds clones of the authors' code, as
Mix-n-Match-Calibration; a reference whose package or clone is missing is marked absent.
References fit, as qats does, and predict nothing; where one function of the authors
does both, it predicts ten rows.
"""
import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time

for name in "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS":
    os.environ[name] = "1"
import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Absent(Exception):
    pass


class References:
    def __init__(self, at, authors):
        self.l = np.load(f"{at}/w2_cal_logits.npy").astype(np.float64)
        self.y = np.load(f"{at}/w2_cal_labels.npy").astype(np.int64)
        self.hot = np.eye(self.l.shape[1])[self.y]
        self.authors = authors

    def probs(self):
        e = np.exp(self.l - self.l.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def mixnmatch(self):
        path = self.authors and os.path.join(self.authors, "Mix-n-Match-Calibration")
        if not path or not os.path.isdir(path):
            raise Absent("Mix-n-Match-Calibration")
        sys.path.insert(0, path)
        import util_calibration
        return util_calibration

    def ts(self):
        """gpleiss/temperature_scaling: 200 steps of L-BFGS without line search."""
        import torch
        torch.set_num_threads(1)
        l, y, t = torch.tensor(self.l, dtype=torch.float32), torch.tensor(self.y), torch.nn.Parameter(torch.ones(1) * 1.5)
        solver = torch.optim.LBFGS([t], lr=.01, max_iter=200)

        def closure():
            solver.zero_grad()
            loss = torch.nn.functional.cross_entropy(l / t, y)
            loss.backward()
            return loss
        return lambda: solver.step(closure)

    def guo50(self):
        import torch
        torch.set_num_threads(1)
        l, y, t = torch.tensor(self.l, dtype=torch.float32), torch.tensor(self.y), torch.nn.Parameter(torch.ones(1) * 1.5)
        solver = torch.optim.LBFGS([t], lr=.01, max_iter=50)

        def closure():
            solver.zero_grad()
            loss = torch.nn.functional.cross_entropy(l / t, y)
            loss.backward()
            return loss
        return lambda: solver.step(closure)

    def ecegrid(self):
        """torrvision/focal_calibration's search, in numpy: 100 temperatures, 15 bins."""
        edges = np.linspace(0, 1, 16)

        def run():
            for t in np.arange(1, 101) / 10:
                e = np.exp((self.l - self.l.max(1, keepdims=True)) / t)
                conf, hit = 1 / e.sum(1), self.l.argmax(1) == self.y
                b = np.clip(np.searchsorted(edges, conf) - 1, 0, 14)
                np.abs(np.bincount(b, hit - conf, 15)).sum()
        return run

    def ec(self):
        from scipy.optimize import brentq

        def conf(t):
            e = np.exp((self.l - self.l.max(1, keepdims=True)) / t)
            return (1 / e.sum(1)).mean()
        return lambda: brentq(lambda t: conf(t) - (self.l.argmax(1) == self.y).mean(), .01, 10)

    def ets(self):
        u = self.mixnmatch()
        return lambda: u.ets_calibrate(self.l, self.hot, self.l[:10], self.l.shape[1], "mse")

    def ir(self):
        u = self.mixnmatch()
        return lambda: u.mir_calibrate(self.l, self.hot, self.l[:10])

    def irova(self):
        u = self.mixnmatch()
        return lambda: u.irova_calibrate(self.l, self.hot, self.l[:10])

    def irtop(self):
        from sklearn.isotonic import IsotonicRegression

        def run():
            p = self.probs()
            IsotonicRegression(out_of_bounds="clip").fit(p.max(1), p.argmax(1) == self.y)
        return run

    def beta(self):
        """betacal's regressions: scikit-learn's LogisticRegression for each class."""
        from sklearn.linear_model import LogisticRegression

        def run():
            p = np.clip(self.probs(), 2**-52, 1 - 2**-52)
            for j in range(p.shape[1]):
                x = np.stack([np.log(p[:, j]), -np.log1p(-p[:, j])], 1)
                fit = LogisticRegression(C=99999999999).fit(x, self.y == j)
                if fit.coef_[0].min() < 0:
                    LogisticRegression(C=99999999999).fit(x[:, [fit.coef_[0].argmax()]], self.y == j)
        return run

    def hb(self):
        """15 bins of each class by masks, as netcal and others."""
        edges = np.linspace(0, 1, 16)

        def run():
            p = self.probs()
            for j in range(p.shape[1]):
                b = np.clip(np.searchsorted(edges, p[:, j]) - 1, 0, 14)
                np.bincount(b, self.y == j, 15) / np.maximum(1, np.bincount(b, minlength=15))
        return run


ROWS = [  # method, name of the reference, its task
    ("ts", "gpleiss/temperature_scaling in torch", "ts"),
    ("ts-guo50", "the same before July 2025", "guo50"),
    ("ts-ecegrid", "numpy", "ecegrid"),
    ("ec", "scipy's brentq", "ec"),
    ("ets", "Mix-n-Match-Calibration", "ets"),
    ("ir", "Mix-n-Match-Calibration", "ir"),
    ("irova", "Mix-n-Match-Calibration", "irova"),
    ("ir-top", "scikit-learn", "irtop"),
    ("hb", "numpy", "hb"),
    ("beta", "scikit-learn, as betacal calls it", "beta"),
]


def seconds(run):
    begin = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        run()
    return time.process_time() - begin


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("dir")
    a.add_argument("--authors")
    a.add_argument("--rounds", type=int, default=3)
    a.add_argument("--only", default="")
    a = a.parse_args()
    references = References(a.dir, a.authors)
    only = [name for name in a.only.split(",") if name]
    with tempfile.TemporaryDirectory() as at:
        tool = os.path.join(at, "measure")
        subprocess.run(["go", "build", "-o", tool, "./results/speed/measure"], cwd=ROOT, check=True)
        print("| method | reference | its seconds | qats | ratio |\n|---|---|---:|---:|---:|")
        for method, name, task in ROWS:
            if only and method not in only:
                continue
            theirs, ours = [], []
            for _ in range(a.rounds):
                out = subprocess.run([tool, a.dir, "method", "w2", method], check=True, capture_output=True,
                                     env=dict(os.environ, GOMAXPROCS="1", SPEED_CLOCK="cpu"))
                ours.append(json.loads(out.stdout)["seconds"])
                try:
                    theirs.append(seconds(getattr(references, task)()))
                except (Absent, ImportError) as missing:
                    name += f" (absent: {missing})"
                    break
            if theirs:
                print(f"| {method} | {name} | {min(theirs):.3f} | {min(ours):.4f} | {min(theirs) / min(ours):.1f} |", flush=True)
            else:
                print(f"| {method} | {name} | - | {min(ours):.4f} | - |", flush=True)


main()
