#!/usr/bin/python3
"""Fits calibrators of qats and of code by others on networks of experiments/real.yaml, compares their
probabilities, and writes results/shown/agreement.csv, and agreement-methods.csv, the table of docs/evidence.md.

usage: agree.py DATA --authors FOLDER [--qats bin/qats] [--only METHOD,METHOD] [--csv FILE]

DATA is the folder of python -m qatsbench.datasets fetch real. FOLDER holds clones of the authors' code, as
Mix-n-Match-Calibration, cir-model and abstention. Each row has the largest difference between two
probabilities of a test row, over all classes, or of the confidences of a method that has these alone. Of a
metric it is the difference of the values, without calibration.
A row replaces that of the same method and network; make docs writes the page. A reference whose
package or clone is missing is left out, and named.
"""
import argparse
import csv
import datetime
import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
COLUMNS = "date method code version network rows classes largest median".split()

# Networks of 2 to 100 classes.
NETWORKS = """breastmnist/resnet18 pneumoniamnist/resnet18 ham10000/resnet18 dermamnist/resnet18 bloodmnist/resnet18
imdb/transformer cifar10/resnet110 cifar10/resnet50 organamnist/vit-b16 organamnist/inception-resnet-v2 cifar100/resnet14-sgd
cifar100/resnet14-adam cifar100/wrn-16-4 cifar100-lt-r100/resnet32""".split()


def softmax(l):
    e = np.exp(l - l.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def divided(p):
    return p / p.sum(1, keepdims=True)


class Set:
    """The arrays of a network, in float64."""

    def __init__(self, at):
        load = lambda name: np.load(os.path.join(at, *name.split("/")))  # noqa: E731
        self.l, self.y = load("cal/logits.npy").astype(float), load("cal/labels.npy").astype(int)
        self.test, self.test_y = load("test/logits.npy").astype(float), load("test/labels.npy").astype(int)
        self.hot = np.eye(self.l.shape[1])[self.y]
        self.p, self.q = softmax(self.l), softmax(self.test)

    def each_class(self, fit):
        """fit(p_j, y = j, q_j) returns the probability of class j of the test rows."""
        return np.stack([fit(self.p[:, j], self.y == j, self.q[:, j]) for j in range(self.p.shape[1])], 1)


def ir(s, module):
    return divided(module.mir_calibrate(s.l - s.l.max(1, keepdims=True), s.hot, s.test - s.test.max(1, keepdims=True)))


def irova(s, module):
    return divided(module.irova_calibrate(s.l - s.l.max(1, keepdims=True), s.hot, s.test - s.test.max(1, keepdims=True)))


def ir_top(s, module):
    fit = module.IsotonicRegression(out_of_bounds="clip").fit(s.p.max(1), s.p.argmax(1) == s.y)
    return fit.predict(s.q.max(1))[:, None]


def cir(s, module):
    def fit(p, y, q):
        if y.all() or not y.any():
            return np.full(len(q), float(y[0]))
        return np.asarray(module.CenteredIsotonicRegression(out_of_bounds="clip").fit(p, y.astype(float)).predict(q))
    return divided(s.each_class(fit) + 1e-9 * s.q)


def ivap(s, module):
    """One class against the rest, on rows without a score above the largest calibration score, where the package
    takes the values of its last point."""
    def fit(p, y, q):
        v = module.VennAbers()
        v.fit(np.stack([1 - p, p], 1), y.astype(int))
        return v.predict_proba(np.stack([1 - q, q], 1))[0][:, 1]
    p = divided(s.each_class(fit))
    p[(s.q > s.p.max(0)).any(1)] = np.nan
    return p


def label_shift(s, module):
    """Without calibration; the test rows are the target."""
    return module.EMImbalanceAdapter(tolerance=1e-12, max_iterations=100000)(s.q, s.p)(s.q)


def smece(s, module):
    return module.smECE(s.q.max(1), (s.q.argmax(1) == s.test_y).astype(float))


# Method or metric, options of qats, code, module, folder in the clone ("" for a package that is installed), the fit.
PEERS = [
    ("ir", [], "zhang64-llnl/Mix-n-Match-Calibration", "util_calibration", "Mix-n-Match-Calibration", ir),
    ("irova", [], "zhang64-llnl/Mix-n-Match-Calibration", "util_calibration", "Mix-n-Match-Calibration", irova),
    ("ir-top", [], "scikit-learn", "sklearn.isotonic", "", ir_top),
    ("cir", [], "mathijs02/cir-model", "cir_model", "cir-model/src", cir),
    ("ivap", [], "venn-abers", "venn_abers", "", ivap),
    ("label-shift", ["calibration=none", "tolerance=1e-12", "steps=100000"], "kundajelab/abstention", "abstention.label_shift", "abstention", label_shift),
    ("smece", [], "relplot", "relplot", "", smece),
]


METRICS = ["smece"]


def version_of(code, module, folder, authors):
    """The version of a package, or the commit of a clone."""
    if not folder:
        return importlib.metadata.version(code)
    if hasattr(sys.modules[module.split(".")[0]], "__version__"):
        return sys.modules[module.split(".")[0]].__version__
    at = os.path.join(authors, folder.split("/")[0])
    p = subprocess.run(["git", "-C", at, "log", "-1", "--format=commit %h"], capture_output=True, text=True)
    return p.stdout.strip() or "a clone without history"


def ours(qats, method, options, at, work):
    """The probabilities of qats on the test rows, without the mass of a map, or the value of a metric."""
    if method in METRICS:
        p = subprocess.run([qats, "score", f"--logits={at}/test/logits.npy", f"--labels={at}/test/labels.npy", "--metric", method, "--json"], check=True, capture_output=True)
        return np.array([[json.loads(p.stdout)[method]]])
    model, out = os.path.join(work, "model.json"), os.path.join(work, "probs.npy")
    arrays = lambda part: [f"--logits={at}/{part}/logits.npy"]  # noqa: E731
    target = [f"--target-logits={at}/test/logits.npy"] if method == "label-shift" else []
    params = [x for o in options for x in ("--param", o)]
    subprocess.run([qats, "fit", method, *arrays("cal"), f"--labels={at}/cal/labels.npy", *target, *params, "-o", model, "-q"], check=True, stderr=subprocess.DEVNULL)
    top = os.path.join(work, "top.npz")
    for path in (out, top):
        if os.path.exists(path):
            os.remove(path)
    subprocess.run([qats, "apply", model, *arrays("test"), "-o", out, "-q"], check=True, stderr=subprocess.DEVNULL)
    with open(model) as f:
        mass = json.load(f)["params"].get("mass", 0)  # qats doc reference, Mass
    if os.path.exists(top):
        z = np.load(top)
        conf = z[[k for k in z.files if z[k].dtype.kind == "f"][0]].astype(float).reshape(-1, 1)
        return (conf - mass / 2) / (1 - mass)
    q = np.load(out).astype(float)
    return (q - mass / q.shape[1]) / (1 - mass)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("data")
    a.add_argument("--authors", required=True)
    a.add_argument("--qats", default=os.path.join(ROOT, "bin", "qats"))
    a.add_argument("--only", default="")
    a.add_argument("--csv", default=os.path.join(ROOT, "results", "shown", "agreement.csv"))
    a = a.parse_args()
    only = [m for m in a.only.split(",") if m]
    rows = {}
    if os.path.exists(a.csv):
        with open(a.csv, newline="") as f:
            rows = {(r["method"], r["network"]): r for r in csv.DictReader(f)}
    for method, options, code, name, folder, fit in PEERS:
        if only and method not in only:
            continue
        if folder:
            sys.path.insert(0, os.path.join(a.authors, *folder.split("/")))
        try:
            module = importlib.import_module(name)
        except ImportError as e:
            print(f"{method}: left out: {e}", file=sys.stderr)
            continue
        version = version_of(code, name, folder, a.authors)
        for network in NETWORKS:
            at = os.path.join(a.data, *network.split("/"))
            if not os.path.isdir(at):
                print(f"{network}: not in {a.data}", file=sys.stderr)
                continue
            s = Set(at)
            with tempfile.TemporaryDirectory() as work:
                mine = ours(a.qats, method, options, at, work)
            theirs = np.reshape(fit(s, module), mine.shape)
            far = np.abs(mine - theirs).max(1)
            far = far[~np.isnan(far)]
            rows[method, network] = dict(zip(COLUMNS, [str(datetime.date.today()), method, code, version, network, len(s.test) if method in METRICS else len(far), s.l.shape[1],
                                                       f"{far.max():.1e}", "" if method in METRICS else f"{np.median(far):.1e}"]))
            print(method, network, len(far), f"{far.max():.1e} {np.median(far):.1e}", file=sys.stderr, flush=True)
    order = {m[0]: i for i, m in enumerate(PEERS)}
    with open(a.csv, "w", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        w.writeheader()
        rows = sorted(rows.values(), key=lambda r: (order.get(r["method"], 99), NETWORKS.index(r["network"])))
        w.writerows(rows)
    with open(os.path.join(os.path.dirname(a.csv), "agreement-methods.csv"), "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["method", "code", "version", "networks", "equal", "largest", "date"])
        w.writerows(by_method(rows))


def by_method(rows):
    """For each method on how many networks it equals the other code to 1e-8, and where it differs most."""
    for method in dict.fromkeys(r["method"] for r in rows):
        of = [r for r in rows if r["method"] == method]
        apart = sorted((r for r in of if float(r["largest"]) > 1e-8), key=lambda r: -float(r["largest"]))
        largest = ", ".join(f"{r['largest']} ({r['network']})" for r in apart[:3])
        yield method, of[0]["code"], of[0]["version"], len(of), len(of) - len(apart), largest, of[0]["date"]


main()
