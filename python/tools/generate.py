"""Writes what the package knows of the methods, from what `qats doc methods --json` says:
qatsbench/_methods.json, from which their estimators are made at import, and qatsbench/_methods.pyi, the same for
editors and type checkers.

    python3 python/tools/generate.py [PROGRAM]          the program is $QATS_BIN or bin/qats
    python3 python/tools/generate.py --check [PROGRAM]  status 1 if a file would change
"""

import json
import keyword
import os
import re
import subprocess
import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parent.parent
MORE = {
    "features": ["features"],
    "augmented": ["augmented"],
    "head": ["head_weight", "head_bias"],
    "ood": ["ood_logits"],
    "target": ["target_logits"],
}
TYPES = {"int": "int", "float": "float", "text": "str", "choice": "str", "list": "list"}
TAKEN = ("fit", "predict", "score", "temperature", "save", "kind")  # names of a calibrator, which an option must not hide
TITLES = {  # the long names of methods whose label is short
    "uncal": "No calibration",
    "ts": "Temperature scaling",
    "ts-guo50": "Temperature scaling, 50 steps",
    "ts-ecegrid": "Temperature scaling by ECE on a grid",
    "ec": "Expectation consistency",
    "cts": "Class-wise temperature scaling",
    "ets": "Ensemble temperature scaling",
    "ir": "Isotonic regression, one for all classes",
    "ir-top": "Isotonic regression of the top label",
    "irova": "Isotonic regression, one-vs-all",
    "cir": "Centred isotonic regression",
    "ivap": "Inductive Venn-Abers predictor",
    "cvap": "Cross Venn-Abers predictor",
    "hb": "Histogram binning",
    "hb-mass": "Histogram binning, equal mass",
    "hb-top": "Histogram binning of the top label",
    "bbq": "Bayesian binning into quantiles",
    "scaling-binning-top": "Scaling-binning of the top label",
    "base-rate-top": "Base rate of the top label",
    "spline": "Spline calibration of the top label",
    "platt-top": "Platt scaling of the top label",
    "beta-top": "Beta calibration of the top label",
    "ts-top": "Temperature scaling of the top label",
    "qats-top": "Quantile-adaptive temperature scaling of the top label",
    "kernel": "Dirichlet kernel calibration",
    "platt": "Platt scaling",
    "platt-logits": "Platt scaling of the logits",
    "quadratic": "Quadratic scaling",
    "quadratic-ridge": "Quadratic scaling with a ridge",
    "beta": "Beta calibration",
    "vs": "Vector scaling",
    "svs": "Structured vector scaling",
    "sms": "Structured matrix scaling",
    "dirichlet": "Dirichlet calibration",
    "ms-odir": "Matrix scaling with off-diagonal and intercept penalties",
    "tta-ts": "Temperature scaling by test-time augmentation",
    "adats": "Adaptive temperature scaling",
    "hts": "Entropy temperature scaling",
    "hts-bounded": "Entropy temperature scaling, bounded",
    "bts": "Bin-wise temperature scaling",
    "cbt": "Confidence-based temperature",
    "pts": "Parameterized temperature scaling",
    "smart": "Temperature by the logit gap",
    "gc": "Group calibration on one set",
    "gc-split": "Group calibration",
    "featclip": "Feature clipping",
    "dac": "Density-aware calibration",
    "procal": "Proximity-informed calibration",
    "procal-bins": "Proximity-informed calibration by bins",
    "hfe": "Helmholtz free energy",
    "hfe-noood": "Helmholtz free energy without OOD rows",
    "hfe-target": "Helmholtz free energy with target rows",
    "qats": "Quantile-adaptive temperature scaling",
    "qats-pw": "Quantile-adaptive temperature scaling, piecewise",
    "qats-free": "Quantile-adaptive temperature scaling, free",
    "qats-pw-free": "Quantile-adaptive temperature scaling, piecewise and free",
    "qats-transductive": "Quantile-adaptive temperature scaling, transductive",
    "qats-reading": "Quantile-adaptive temperature scaling, other readings",
    "t-conf": "Temperature by the confidence",
    "t-entropy": "Temperature by the entropy",
    "t-gap": "Temperature by the gap",
}
HEAD = '''"""The estimators, one for each method: written by tools/generate.py, as _methods.json is."""

from typing import Any, Self

import numpy as np

from ._calibrator import Calibrator, TopCalibrator

CLASSES: dict[str, type[Calibrator]]
ALIASES: dict[str, str]
METHODS: tuple[str, ...]

def named(long: str) -> list[str]: ...

'''


def lines_of(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def class_name(name, label):
    """Return the name of the class: the parts of the method's name in the letters of its label."""
    spelt, parts = "".join(word[:1].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", label)), []
    for part in name.split("-"):
        at = spelt.lower().find(part.lower())
        word = spelt[at : at + len(part)] if at >= 0 else part
        parts.append(word[:1].upper() + word[1:])
    return "".join(parts)


def known(m):
    """Return what the package needs to know of a method."""
    it = {"name": m["name"], "class": class_name(m["name"], m["label"])} | {
        key: m[key] for key in ("label", "version", "summary", "formula", "reference")
    }
    if m["name"] in TITLES:
        it["title"] = TITLES[m["name"]]
    needs = {when: list(m["needs"].get(when) or []) for when in ("cal", "test")}
    if m["needs"].get("target"):
        needs["cal"].append("target")
    arrays = {when: [a for part in parts for a in MORE.get(part, [])] for when, parts in needs.items()}
    it |= {key: value for key, value in arrays.items() if value} | {
        key: m[key] for key in ("aliases", "true_logits", "top_label") if m.get(key)
    }
    it["options"] = [
        {
            "name": o["name"],
            "parameter": o["name"] + "_" if o["name"] in TAKEN or keyword.iskeyword(o["name"]) else o["name"],
            "type": TYPES[o["type"]],
            "default": o["default"],
            "help": o["help"] + (f" ({o['range']})" if o.get("range") else ""),
        }
        for o in m["options"]
    ]
    return it


def stub(m):
    """Return the class of a method with its signatures."""
    types = {o["parameter"]: o["type"] + (" | None" if o["default"] is None else "") for o in m["options"]}
    taken = "".join(f", {o['parameter']}: {types[o['parameter']]} = {o['default']!r}" for o in m["options"])
    title = f"{m['title']} ({m['label']})" if "title" in m else m["label"]
    about = f"{title}: {m['summary']}.".replace("\\", "\\\\")
    out = [
        f"class {m['class']}({'TopCalibrator' if m.get('top_label') and not m.get('cal') else 'Calibrator'}):",
        f'    """{about}"""',
        *(f"    {name}: {kind}" for name, kind in types.items()),
        f"    def __init__(self, *{taken}, kind: str | None = None) -> None: ...",
    ]
    cal, test = ("".join(f", {a}: Any" for a in m.get(when, [])) for when in ("cal", "test"))
    more = "# type: ignore[override] # it needs more arrays than others"
    if cal:
        rows = "sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None"
        out.append(
            f"    def fit(self, logits: Any, labels: Any, *{cal}, classes: Any = None, ignore: Any = None, {rows}) -> Self: ...  {more}"
        )
    if test:
        out += [
            f"    def predict_proba(self, logits: Any, *{test}, dtype: Any = ..., shares: Any = None) -> np.ndarray: ...  {more}",
            *(f"    def {public}(self, logits: Any, *{test}) -> np.ndarray: ...  {more}" for public in ("predict", "temperature")),
            f"    def score(self, logits: Any, labels: Any, metrics: Any = None, *{test}, interval: str | None = None, ignore: Any = None, positive: Any = None, sample_weight: Any = None, groups: Any = None) -> Any: ...  {more}",
        ]
    return "\n".join(out)


def texts(methods):
    """Return the text of each file."""
    assert set(TITLES) <= {m["name"] for m in methods}, "a title is of no method"
    names = [m["class"] for m in methods]
    assert len(set(names)) == len(names), "two methods have one class name"
    compact = ",\n".join(json.dumps(m, ensure_ascii=False, separators=(",", ":")) for m in methods)
    exported = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    return {"_methods.json": f"[{compact}]\n", "_methods.pyi": "\n".join([HEAD + exported, *(stub(m) + "\n" for m in methods)])}


def main(words):
    check = words[:1] == ["--check"]
    named = words[check:] or [os.environ.get("QATS_BIN") or str(PYTHON.parent / "bin" / "qats")]
    status = 0
    for name, text in texts([known(m) for m in lines_of(named[0], "doc", "methods", "--json")]).items():
        path = PYTHON / "qatsbench" / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            print(f"{name} differs from what {named[0]} says: run make python-methods", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
