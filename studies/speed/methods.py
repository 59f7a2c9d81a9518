#!/usr/bin/python3
"""Times the fit of methods beside code that fits the same method, on w2 (5,000 x 100).

usage: methods.py DIR [--authors FOLDER] [--rounds N] [--only METHOD,METHOD] [--csv FILE]

Seconds are processor time of one thread, the least of the rounds, which alternate
between qats and the reference. FOLDER holds clones of the authors' code, as
Mix-n-Match-Calibration; a reference whose package or clone is missing is marked absent.
References fit, as qats does, and predict nothing; where one function of the authors
does both, it predicts ten rows. The rows go to results/shown/speed-methods.csv, in the place of
earlier ones of the same method; make docs writes docs/evidence.md from it.
"""
import argparse
import contextlib
import datetime
import importlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from unittest import mock

for name in "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS":
    os.environ[name] = "1"
import numpy as np

from table import machine, replace

COLUMNS = "date machine rounds method reference reference_seconds qats_seconds ratio".split()
warnings.filterwarnings("ignore")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Absent(Exception):
    pass


class References:
    def __init__(self, at, authors):
        self.at = at
        self.l = np.load(f"{at}/w2_cal_logits.npy").astype(np.float64)
        self.test = np.load(f"{at}/w2_test_logits.npy").astype(np.float64)
        self.y = np.load(f"{at}/w2_cal_labels.npy").astype(np.int64)
        self.hot = np.eye(self.l.shape[1])[self.y]
        self.authors = authors
        self.last = ""
        features = f"{at}/w2_cal_features.npy"
        self.features = np.load(features) if os.path.exists(features) else None

    CALIBENCH = ["pandas", "statsmodels", "statsmodels.nonparametric", "statsmodels.nonparametric.kde",
                 "statsmodels.nonparametric.kernel_density", "statsmodels.api", "faiss"]  # packages that its fits do not use

    def probs(self, l=None):
        l = self.l if l is None else l
        e = np.exp(l - l.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def clone(self, name, module, folder="", unused=()):
        """A module of the authors' code. Packages named in unused are imported there,
        but not used by the fit; they need not be installed."""
        path = self.authors and os.path.join(self.authors, name, folder)
        if not path or not os.path.isdir(path):
            raise Absent(name)
        if name != self.last:  # two projects have a package utils
            for package in [m for m in sys.modules if m.split(".")[0] == "utils"]:
                del sys.modules[package]
        self.last = name
        for package in unused:
            try:
                importlib.import_module(package)
            except ImportError:
                sys.modules[package] = mock.MagicMock()
        sys.path.insert(0, path)
        try:
            return importlib.import_module(module)
        finally:
            sys.path.remove(path)

    def mixnmatch(self):
        return self.clone("Mix-n-Match-Calibration", "util_calibration")

    def ts(self, steps=200):
        """gpleiss/temperature_scaling: L-BFGS without line search."""
        import torch
        torch.set_num_threads(1)
        l, y, t = torch.tensor(self.l, dtype=torch.float32), torch.tensor(self.y), torch.nn.Parameter(torch.ones(1) * 1.5)
        solver = torch.optim.LBFGS([t], lr=.01, max_iter=steps)

        def closure():
            solver.zero_grad()
            loss = torch.nn.functional.cross_entropy(l / t, y)
            loss.backward()
            return loss
        return lambda: solver.step(closure)

    def guo50(self):
        return self.ts(steps=50)

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

    def hts(self):
        """The objective, the start and the solver of the authors' code."""
        from scipy.optimize import minimize
        from scipy.special import expit

        def run():
            p = self.probs()
            h = np.log(-(p * np.log(p)).sum(1) / np.log(p.shape[1]))

            def loss(v):
                x = v[0] * h + v[1]
                t = np.logaddexp(0, x)
                p = self.probs(self.l / t[:, None])
                slope = -(self.l * (p - self.hot)).sum(1) / t**2 * expit(x)
                return -np.log(np.maximum((p * self.hot).sum(1), 1e-20)).sum(), np.array([slope @ h, slope.sum()])
            return minimize(loss, (.01, .1), jac=True).x
        return run

    def bts(self):
        """The solver of Mix-n-Match, which the version by the authors of HTS calls, in 15 bins of equal mass."""
        from scipy.optimize import minimize

        def run():
            for rows in np.array_split(np.argsort(self.probs().max(1)), 15):
                l, hot = self.l[rows], self.hot[rows]
                minimize(lambda t: -np.log(np.maximum((self.probs(l / t[0]) * hot).sum(1), 1e-20)).sum(), 1., method="L-BFGS-B",
                         bounds=((.05, 5),), tol=1e-12)
        return run

    def ets(self):
        u = self.mixnmatch()
        return lambda: u.ets_calibrate(self.l, self.hot, self.l[:10], self.l.shape[1], "mse")

    def ir(self):
        u = self.mixnmatch()
        return lambda: u.mir_calibrate(self.l, self.hot, self.l[:10])

    def irova(self):
        u = self.mixnmatch()
        return lambda: u.irova_calibrate(self.l, self.hot, self.l[:10])

    def hbmass(self):
        """probmetrics' quantile bins of each class, in numpy as there."""
        def fit(p, y):
            edges = np.quantile(p, np.linspace(0, 1, 11))
            b = np.clip(np.digitize(p, edges[1:-1]), 0, 9)
            np.bincount(b, y, 10) / np.maximum(1, np.bincount(b, minlength=10))
        return self.each_class(fit)

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

    def bbq(self):
        b = self.clone("calibration-framework", "netcal.binning")

        def run():
            with contextlib.redirect_stderr(io.StringIO()):  # the bar of tqdm
                b.BBQ().fit(self.probs(), self.y)
        return run

    def kernel(self):
        """Fit and the estimates of every 20th calibration row; ours reports the NLL of all."""
        import torch
        torch.set_num_threads(1)
        k = self.clone("probmetrics", "probmetrics.calibrators.nonparametric", unused=["torchmin", "numba"])

        def run():
            p = self.probs()
            k.KernelCalibrator().fit(p, self.y).predict_proba(p[::20])
        return run

    def each_class(self, fit):
        """fit(p_j, y = j) for each class, with the softmax probabilities."""
        def run():
            p = self.probs()
            for j in range(p.shape[1]):
                fit(p[:, j], self.hot[:, j])
        return run

    def spline(self):
        plots = "matplotlib", "matplotlib.pyplot", "yaml", "bokeh", "bokeh.io", "bokeh.plotting", "bokeh.layouts", "pandas"
        r = self.clone("spline-calibration", "recalibrate", unused=plots)

        def run():
            scores, labels = r.get_top_results(self.probs(), self.y, -1)
            r.get_recalibration_function(scores, labels, "natural", 6)
        return run

    def smoothingspline(self):
        """One class of 20, each of which is a fit of its own."""
        s = self.clone("splinecalib", "splinecalib", unused=["matplotlib", "matplotlib.pyplot"])
        p = self.probs()

        def run():
            for j in range(0, p.shape[1], 20):
                s.SplineCalib().fit(p[:, j].copy(), self.hot[:, j].astype(int))
        return run

    def cir(self):
        c = self.clone("cir-model", "cir_model", "src")
        return self.each_class(lambda p, y: c.CenteredIsotonicRegression(out_of_bounds="clip").fit(p, y))

    def ivap(self):
        v = self.clone("venn-abers", "venn_abers", "src", unused=["pandas"])
        return self.each_class(lambda p, y: v.VennAbers().fit(np.stack([1 - p, p], 1), y))

    def cvap(self):
        v = self.clone("venn-abers", "venn_abers", "src", unused=["pandas"])

        def fit(p, y):
            for fold in range(5):
                rows = np.arange(fold, len(p), 5)
                v.VennAbers().fit(np.stack([1 - p[rows], p[rows]], 1), y[rows])
        return self.each_class(fit)

    def platt(self):
        from sklearn.calibration import _SigmoidCalibration
        return self.each_class(lambda p, y: _SigmoidCalibration().fit(p, y))

    @staticmethod
    def odds(p):
        p = np.clip(p, 1e-300, 1 - 2**-53)
        return np.log(p) - np.log1p(-p)

    def plattlogits(self):
        from sklearn.calibration import _SigmoidCalibration
        return self.each_class(lambda p, y: _SigmoidCalibration().fit(self.odds(p), y))

    def quadratic(self):
        from sklearn.linear_model import LogisticRegression

        def fit(p, y):
            z = self.odds(p)
            LogisticRegression(C=np.inf).fit(np.stack([z, z * z], 1), y)
        return self.each_class(fit)

    def binner(self, name):
        c = self.clone("verified_calibration", "calibration.calibrators", unused=["parameterized"])
        return lambda: getattr(c, name)(len(self.y), 10).train_calibration(self.probs(), self.y)

    def scalingbinning(self):
        return self.binner("PlattBinnerMarginalCalibrator")

    def scalingbinningtop(self):
        return self.binner("PlattBinnerTopCalibrator")

    def labelshift(self):
        a, c = self.clone("abstention", "abstention.label_shift"), self.clone("abstention", "abstention.calibration")
        target = self.probs(self.test)

        def run():
            p = self.probs()
            calibrate = c.TempScaling(bias_positions="all")(np.log(p), self.hot)
            a.EMImbalanceAdapter()(calibrate(np.log(target)), calibrate(np.log(p)))
        return run

    def cts(self):
        """One class in one of the five rounds."""
        torch = self.torch()
        c = self.clone("calibench", "Component.model.cts", unused=self.CALIBENCH).CTSCalibrator(self.l.shape[1])
        l, y = torch.tensor(self.l, dtype=torch.float32), torch.tensor(self.y)
        return lambda: c._batch_evaluate_temperatures(l, y, 0, c.default_grid, torch.device("cpu"))

    def featclip(self):
        """20 of the 2,000 thresholds."""
        torch = self.torch()
        f = self.clone("calibench", "Component.model.feature_clipping", unused=self.CALIBENCH)
        x, l, y = torch.tensor(self.wide()), torch.tensor(self.l, dtype=torch.float32), torch.tensor(self.y)
        w = torch.tensor(np.load(f"{self.at}/w2_head_weight.npy"))
        with_range = mock.patch.object(f, "range", lambda n: range(n // 100), create=True)

        def run():
            with with_range, torch.no_grad():
                f.FeatureClippingCalibrator("nll").set_feature_clip(x, l, y, lambda h: h @ w.T)
        return run

    def dac(self):
        import faiss
        faiss.omp_set_num_threads(1)
        d = self.clone("DensityAwareCalibration", "density_aware_calib")
        h = self.wide()

        def run():
            knn = d.KNNScorer(top_k=6, gpu=False)
            knn.set_train_feat(h, None, None)
            d.DAC().optimize(self.l, self.hot, knn.get_score([h]))
        return run

    def lbfgs(self, x, diagonal, off, offsets, full):
        """scipy's L-BFGS-B for softmax(W x + b) with ridges, gradient in numpy."""
        from scipy.optimize import minimize
        n, k = x.shape
        ridge = np.full((k, k), off)
        np.fill_diagonal(ridge, diagonal)

        def objective(t):
            w, b = (t[:-k].reshape(k, k) if full else np.diag(t[:k])), t[-k:]
            z = (x @ w.T if full else x * t[:k]) + b
            z -= z.max(1, keepdims=True)
            e = np.exp(z)
            s = e.sum(1)
            loss = (np.log(s) - z[np.arange(n), self.y]).mean()
            r = (e / s[:, None] - self.hot) / n
            to = np.eye(k) if diagonal else 0
            gap = w - to
            loss += (ridge * gap * gap).sum() + offsets * (b @ b)
            g = r.T @ x + 2 * ridge * gap if full else (r * x).sum(0) + 2 * diagonal * np.diag(gap)
            return loss, np.concatenate([g.ravel(), r.sum(0) + 2 * offsets * b])
        start = np.concatenate([np.eye(k).ravel() if full else np.ones(k), np.zeros(k)])
        return minimize(objective, start, jac=True, method="L-BFGS-B",
                        options={"maxiter": 10000, "maxfun": 20000, "ftol": 1e-14, "gtol": 1e-7, "maxls": 128})

    def logprobs(self):
        return np.log(np.maximum(self.probs(), 2**-1022))

    def svs(self):
        n, k = self.l.shape
        return lambda: self.lbfgs(self.logprobs(), k / n, 0, k / n, False)

    def sms(self):
        n, k = self.l.shape
        return lambda: self.lbfgs(self.logprobs(), k / n, k * (k - 1) / n, k / n, True)

    def dirichlet(self):
        return lambda: self.lbfgs(self.logprobs(), 0, .01, .01, True)

    def odir(self):
        return lambda: self.lbfgs(self.l, 0, .01, .01, True)

    def torch(self):
        import torch
        torch.set_num_threads(1)
        torch.manual_seed(0)
        return torch

    def pts(self):
        """100 of the 5,000 steps."""
        torch = self.torch()
        p = self.clone("calibench", "Component.model.pts", unused=self.CALIBENCH)
        fit = p.PTSCalibrator(steps=100, length_logits=self.l.shape[1], loss_fn="ce")
        l, y = torch.tensor(self.l, dtype=torch.float32), torch.tensor(self.y)
        return lambda: fit.fit(l, y, verbose=False)

    def smart(self):
        """100 of the 642 epochs that qats takes: the loop of bench/utils/cali/smart_calibrator.py, which
        writes files; its network is copied here, the loss is its SoftECE."""
        torch = self.torch()
        l, y = torch.tensor(self.l, dtype=torch.float32), torch.tensor(self.y)
        loss_of = self.clone("calibench", "Component.metrics").SoftECE()
        net = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16), torch.nn.ReLU(),
                                  torch.nn.Linear(16, 1), torch.nn.Softplus())

        def run():
            solver = torch.optim.Adam(net.parameters(), lr=.005)
            most = torch.topk(l, 2).values
            gap = most[:, 0] - most[:, 1]
            gap = ((gap - gap.mean()) / gap.std())[:, None]
            for _ in range(100):
                loss = loss_of(logits=l / (net(gap) + .1), labels=y)
                solver.zero_grad()
                loss.backward()
                solver.step()
        return run

    def wide(self):
        """The features of w2."""
        if self.features is None:
            raise Absent("features")
        return self.features

    def hcal(self):
        """One class of the 100 whose rows are left out, in one of ten epochs: the loss and its
        gradient. An epoch of all classes did not finish."""
        torch = self.torch()
        import faiss
        faiss.omp_set_num_threads(1)
        loss = self.clone("h-Calibration", "loss.hCalib").hcalib_subfunc
        net = self.clone("h-Calibration", "models.tsensemble_linear").EnsembleTempScal(16)
        l, y = torch.tensor(self.l, dtype=torch.float32), torch.tensor(self.y)
        hot = torch.nn.functional.one_hot(y, l.shape[1])
        p = net(l).detach().requires_grad_()  # the network is left out too: its part is one of 100 classes
        return lambda: loss(None, p[y != 0], hot[y != 0], 1e-20, 200, "cluaceweighted").backward()

    def gc(self):
        """One of the 20 partitions."""
        torch = self.torch()
        x = torch.tensor(self.wide())
        g = self.clone("group_calibration", "methods.group_calibration", unused=["betacal", "pycalib", "netcal"])
        l, y = torch.tensor(self.l, dtype=torch.float32), torch.tensor(self.y)
        named = lambda **fields: type("Config", (), fields)
        config = named(num_groups=2, optimizer=named(name="lbfgs", steps=50), w_net=named(weight_decay=.1))
        return lambda: g.optimize_group_fn(x, l, y, "linear", False, config)

    def adats(self):
        """20 of the 1,000 minibatches."""
        torch = self.torch()
        x = torch.tensor(self.wide())
        net = self.clone("adats", "net")
        l, y = torch.tensor(self.l, dtype=torch.float32), torch.tensor(self.y)
        vae = net.CondVAE(z_dim=16, num_classes=l.shape[1], device="cpu", in_dim=x.shape[1])

        def run():
            solver = torch.optim.Adam(vae.parameters(), lr=5e-4)
            for i in range(20):
                rows = slice(128 * i, 128 * (i + 1))
                loss = vae.elbo(x[rows], y[rows]) + vae.t_ce(x[rows], l[rows], y[rows])
                loss.backward()
                solver.step()
                solver.zero_grad()
        return run

    def proximities(self, faiss, bank):
        """As compute_calibration_metrics.py of ProximityBias-Calibration."""
        h = bank / np.linalg.norm(bank, axis=1, keepdims=True)
        index = faiss.IndexFlatL2(h.shape[1])
        index.add(h)
        return np.exp(-index.search(h, 11)[0][:, 1:]).mean(1)

    def procal(self):
        import faiss
        faiss.omp_set_num_threads(1)
        c = self.clone("ProximityBias-Calibration", "utils.density_ratio_calibration").DensityRatioCalibration()
        h = self.wide()

        def run():
            p = self.probs()
            c.fit(p, p.argmax(1), self.y, self.proximities(faiss, h))
        return run

    def procalbins(self):
        """Its fit_transform also computes the probabilities of the calibration rows."""
        import faiss
        faiss.omp_set_num_threads(1)
        bins = self.clone("ProximityBias-Calibration", "utils.multi_proximity_isotonic").BinMeanShift
        ir = self.clone("ProximityBias-Calibration", "utils.ensemble_temperature_scaling").MultiIsotonicRegression
        h = self.wide()
        return lambda: bins("multi_isotonic_regression", ir, proximity_bin=5).fit_transform(self.l, self.proximities(faiss, h), self.y)

    def hfe(self, ood=None):
        """The network's output is the energy."""
        e = self.clone("Energy-Calibration", "source.calibration", unused=["matplotlib", "matplotlib.pyplot"])

        def run():
            t = e.train_temperature_scaling(self.l, self.y, "mse")
            e.train_energycal(self.l, self.y, ood, t)
        return run

    def hfeood(self):
        """The outliers of measure."""
        return self.hfe(self.test[:400])


ROWS = [  # method and its epochs, name of the reference, its task, and the share of the work that the task does
    ("ts", "gpleiss/temperature_scaling in torch", "ts"),
    ("ts-guo50", "the same before July 2025", "guo50"),
    ("ts-ecegrid", "numpy", "ecegrid"),
    ("ec", "scipy's brentq", "ec"),
    ("hts", "scipy's BFGS, as the authors' code", "hts"),
    ("bts", "scipy's L-BFGS-B in each bin", "bts"),
    ("ets", "Mix-n-Match-Calibration", "ets"),
    ("ir", "Mix-n-Match-Calibration", "ir"),
    ("irova", "Mix-n-Match-Calibration", "irova"),
    ("ir-top", "scikit-learn", "irtop"),
    ("hb", "numpy", "hb"),
    ("hb-mass", "numpy, as probmetrics", "hbmass"),
    ("bbq", "EFS-OpenSource/calibration-framework (netcal)", "bbq"),
    ("beta", "scikit-learn, as betacal calls it", "beta"),
    ("spline", "kartikgupta-at-anu/spline-calibration", "spline"),
    ("smoothing-spline", "numeristical/splinecalib, every 20th class times 20", "smoothingspline", 1 / 20),
    ("kernel", "probmetrics in torch, every 20th row times 20", "kernel", 1 / 20),
    ("cir", "mathijs02/cir-model", "cir"),
    ("ivap", "ip200/venn-abers", "ivap"),
    ("cvap", "ip200/venn-abers", "cvap"),
    ("platt", "scikit-learn", "platt"),
    ("platt-logits", "scikit-learn", "plattlogits"),
    ("quadratic", "scikit-learn, as probmetrics calls it", "quadratic"),
    ("scaling-binning", "p-lambda/verified_calibration", "scalingbinning"),
    ("scaling-binning-top", "p-lambda/verified_calibration", "scalingbinningtop"),
    ("svs", "scipy's L-BFGS-B", "svs"),
    ("sms", "scipy's L-BFGS-B", "sms"),
    ("dirichlet", "scipy's L-BFGS-B, one fit at one lambda; qats makes up to 30", "dirichlet"),
    ("ms-odir", "scipy's L-BFGS-B, one fit at one lambda; qats makes up to 30", "odir"),
    ("label-shift", "kundajelab/abstention", "labelshift"),
    ("hfe-noood", "mijoo308/Energy-Calibration", "hfe"),
    ("hfe", "mijoo308/Energy-Calibration", "hfeood"),
    ("dac", "futakw/DensityAwareCalibration, with faiss", "dac"),
    ("cts", "calibench in torch, a class in a round times 500", "cts", 1 / 500),
    ("featclip", "calibench in torch, 20 thresholds times 100", "featclip", 1 / 100),
    ("pts", "calibench in torch, 100 steps times 50", "pts", 1 / 50),
    ("smart", "calibench in torch, 100 epochs times 6.42", "smart", 1 / 6.42),
    ("h-calibration 10", "h-Calibration in torch, one class times 1,000; qats with 10 epochs", "hcal", 1 / 1000),
    ("gc", "ThyrixYang/group_calibration, a partition times 20", "gc", 1 / 20),
    ("procal", "ProximityBias-Calibration, with faiss and statsmodels", "procal"),
    ("procal-bins", "ProximityBias-Calibration, with faiss and scikit-learn", "procalbins"),
    ("adats", "thwjoy/adats in torch, 20 minibatches times 50", "adats", 1 / 50),
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
    a.add_argument("--csv", default=os.path.join(ROOT, "results", "shown", "speed-methods.csv"))
    a = a.parse_args()
    references = References(a.dir, a.authors)
    only = [name for name in a.only.split(",") if name]
    with tempfile.TemporaryDirectory() as at:
        tool = os.path.join(at, "measure")
        subprocess.run(["go", "build", "-o", tool, "."], cwd=os.path.join(ROOT, "studies", "speed", "measure"), check=True)
        measured = {}
        for method, name, task, *share in ROWS:
            if only and method.split()[0] not in only:
                continue
            theirs, ours = [], []
            for _ in range(a.rounds):
                out = subprocess.run([tool, a.dir, "method", "w2", *method.split()], check=True, capture_output=True,
                                     env=dict(os.environ, GOMAXPROCS="1", SPEED_CLOCK="cpu"))
                ours.append(json.loads(out.stdout)["seconds"])
                try:
                    theirs.append(seconds(getattr(references, task)()) / (share or [1])[0])
                except (Absent, ImportError) as missing:
                    name += f" (absent: {missing})"
                    break
            if theirs:
                measured[method,] = [str(datetime.date.today()), machine(), str(a.rounds), method, name,
                                     f"{min(theirs):.3f}", f"{min(ours):.4f}", f"{min(theirs) / min(ours):.1f}"]
            print(f"{method}, {name}: {min(theirs, default=float('nan')):.3f}, qats {min(ours):.4f}", file=sys.stderr, flush=True)
        replace(a.csv, COLUMNS, measured, lambda row: (row["method"],))


main()
