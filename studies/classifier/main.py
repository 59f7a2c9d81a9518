"""CalibratedClassifier as it comes, beside scikit-learn's CalibratedClassifierCV and the classifier alone.

    export PYTHONPATH=python OMP_NUM_THREADS=1
    python studies/classifier/main.py results/shown/classifier-rows.csv --seeds 20     a line for each case and seed; a line that is there is kept
    python studies/classifier/main.py results/shown/classifier-rows.csv --table results/shown/classifier.csv

Each case of cases.py is fitted with several seeds, of which more can be added. Each classifier is fitted once on the same rows, so all calibrators have the same
predictions. The rows have the log loss (scikit-learn's) on rows that nothing was fitted to: of the classifier alone (its
probabilities; of a decision d, softmax), of CalibratedClassifier with its default and with the former default, "qats", and of
CalibratedClassifierCV as it comes (an ensemble of five) and with ensemble=False. The table has a row for each case: means over
seeds; the default minus the better of scikit-learn's sigmoid and isotonic (the one with the lower mean) as they come, and with
ensemble=False, which is how the default is made; the default minus the classifier alone, with its standard error; and how often each
method was chosen. A case holds if the default is at most .005 above the better one as it comes, and above the classifier alone by no more than
two standard errors.
"""

import argparse
import csv
import pathlib
import sys
import time
import warnings
from collections import Counter

import numpy as np
from cases import CASES
from once import Once, forget
from scipy.special import expit, softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss

import qatsbench

_COLUMNS = ["case", "seed", "plain", "default", "qats", "sigmoid", "isotonic", "sigmoid_one", "isotonic_one", "chosen", "seconds"]
_LOSSES = _COLUMNS[2:9]


def plain(fitted, x):
    """The probabilities of the classifier alone."""
    if hasattr(fitted, "predict_proba"):
        return fitted.predict_proba(x)
    d = fitted.decision_function(x)
    return softmax(d, 1) if d.ndim == 2 else np.c_[expit(-d), expit(d)]


def measured(case, seed):
    forget()
    x, y, xt, yt = case.rows(seed)
    of, start = Once(case.estimator), time.process_time()
    line = {"case": case.name, "seed": seed}
    loss = lambda p: log_loss(yt, p, labels=np.unique(y))
    line["plain"] = loss(plain(of.fit(x, y), xt))
    for name, method in (("default", {}), ("qats", {"method": "qats"})):
        c = qatsbench.CalibratedClassifier(of, **method, verbose=False).fit(x, y)
        line[name] = loss(c.predict_proba(xt))
        if name == "default":
            line["chosen"] = c.method_
    for name in ("sigmoid", "isotonic"):
        line[name] = loss(CalibratedClassifierCV(of, method=name, cv=5).fit(x, y).predict_proba(xt))
        line[name + "_one"] = loss(CalibratedClassifierCV(of, method=name, cv=5, ensemble=False).fit(x, y).predict_proba(xt))
    line["seconds"] = time.process_time() - start
    return line


def read(path):
    if not path.exists():
        return []
    with path.open(newline="") as f:
        return list(csv.DictReader(f))


def table(lines):
    for case in CASES:
        of = [r for r in lines if r["case"] == case.name]
        if not of:
            continue
        loss = {name: np.array([float(r[name]) for r in of]) for name in _LOSSES}
        mean = {name: v.mean() for name, v in loss.items()}
        better = min(("sigmoid", "isotonic"), key=mean.get)
        better_one = min(("sigmoid_one", "isotonic_one"), key=mean.get)
        apart = loss["default"] - loss["plain"]
        error = apart.std(ddof=1) / np.sqrt(len(apart))
        x, y, _, _ = case.rows(0)
        yield {"case": case.name, "sets_of": case.sets_of, "classes": len(np.unique(y)), "rows": len(y), "seeds": len(of)} | {
            name: f"{mean[name]:.5f}" for name in _LOSSES} | {
            "minus_better": f"{mean['default'] - mean[better]:.5f}", "better": better,
            "minus_better_one": f"{mean['default'] - mean[better_one]:.5f}", "minus_plain": f"{apart.mean():.5f}",
            "error_plain": f"{error:.5f}",
            "holds": "yes" if mean["default"] - mean[better] <= .005 and apart.mean() <= 2 * error else "no",
            "chosen": " ".join(f"{name}:{n}" for name, n in Counter(r["chosen"] for r in of).most_common())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--case", action="append", help="of this name alone")
    parser.add_argument("--table", type=pathlib.Path)
    given = parser.parse_args()
    lines = read(given.rows)
    if given.table:
        rows = list(table(lines))
        with given.table.open("w", newline="") as f:
            out = csv.DictWriter(f, list(rows[0]), lineterminator="\n")
            out.writeheader()
            out.writerows(rows)
        return
    done = {(r["case"], int(r["seed"])) for r in lines}
    with given.rows.open("a", newline="") as f:
        out = csv.DictWriter(f, _COLUMNS, lineterminator="\n")
        if not lines:
            out.writeheader()
        for seed in range(given.seeds):
            for case in CASES:
                if (case.name, seed) in done or given.case and case.name not in given.case:
                    continue
                out.writerow(measured(case, seed))
                f.flush()
                print(case.name, seed, file=sys.stderr)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
