"""Writes qatsbench/_methods.py, the estimators of the methods with their types and docstrings, from
what `qats doc methods --json` says:

    python3 python/tools/generate.py [PROGRAM]          the program is $QATS_BIN or bin/qats
    python3 python/tools/generate.py --check [PROGRAM]  status 1 if the file would change
"""

import json
import keyword
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

PYTHON = Path(__file__).resolve().parent.parent
WIDTH = 100
MORE = {"features": ["features"], "augmented": ["augmented"], "head": ["head_weight", "head_bias"], "ood": ["ood_logits"]}
ABOUT = {
    "features": "n x d features of the rows",
    "augmented": "v x n x k logits of augmented views of the rows",
    "head_weight": "k x d weights of the network's last layer",
    "head_bias": "its k offsets",
    "ood_logits": "m x k logits of out-of-distribution rows",
    "target_logits": "m x k logits of unlabelled rows of the set that will be predicted",
}
TYPES = {"int": "int", "float": "float", "text": "str", "choice": "str", "list": "list"}


def lines_of(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def class_name(name, label):
    """Return the name of the class: the parts of the method's name in the letters of its label."""
    spelt, parts = "".join(word[:1].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", label)), []
    for part in name.split("-"):
        at = spelt.lower().find(part.lower())
        word = spelt[at:at + len(part)] if at >= 0 else part
        parts.append(word[:1].upper() + word[1:])
    return "".join(parts)


def parameter(option):
    return option + "_" if keyword.iskeyword(option) else option


def wrapped(text, indent):
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def arrays(needs, when):
    return [a for part in needs.get(when, []) for a in MORE.get(part, [])]


def signature(names):
    return "".join(f", {n}: Any" for n in names)


def type_of(option):
    kind = TYPES[option["type"]]
    return f"{kind} | None" if option["default"] is None else kind


def source(m):
    """Return the class of a method."""
    name = class_name(m["name"], m["label"])
    cal = arrays(m["needs"], "cal") + (["target_logits"] if m["needs"].get("target") else [])
    test = arrays(m["needs"], "test")
    options = m["options"]
    out = [f"class {name}(Calibrator):", wrapped(f'"""{m["label"]}: {m["summary"]}.'.replace("\\", "\\\\"), "    "), ""]
    out += [wrapped(f"Formula: {m['formula']}".replace("\\", "\\\\"), "    "), wrapped(f"Reference: {m['reference']}", "    ")]
    if m["top_label"]:
        out.append(wrapped("It gives the predicted class a new confidence; the other classes share the rest in their old proportions.", "    "))
    if m["true_logits"]:
        out.append(wrapped("It reads true logits: log-probabilities are an error.", "    "))
    out += ["", "    Parameters", "    ----------"]
    for o in options:
        default = "" if o["default"] is None else f", default {o['default']!r}"
        limits = f" ({o['range']})" if o.get("range") else ""
        out += [f"    {parameter(o['name'])} : {type_of(o)}{default}", wrapped(f"{o['help']}{limits}".replace("\\", "\\\\"), "        ")]
    out += ["    kind : str | None", "        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error", '    """', ""]
    out += [f"    _name = {m['name']!r}", f"    _version = {m['version']}"]
    if options:
        out.append("    _options = {" + ", ".join(f"{o['name']!r}: {parameter(o['name'])!r}" for o in options) + "}")
    if cal:
        out.append(f"    _cal = {tuple(cal)!r}")
    if test:
        out.append(f"    _test = {tuple(test)!r}")
    if m["top_label"]:
        out.append("    _top_label = True")
    taken = "".join(f", {parameter(o['name'])}: {type_of(o)} = {o['default']!r}" for o in options)
    out += ["", f"    def __init__(self, *{taken}, kind: str | None = None) -> None:"]
    out += [f"        self.{parameter(o['name'])} = {parameter(o['name'])}" for o in options] + ["        self.kind = kind"]
    if cal:
        out += ["", f"    def fit(self, logits: Any, labels: Any, *{signature(cal)}, classes: Any = None, ignore: Any = None) -> Self:",
                f'        """Fit the method, as Calibrator.fit says. Besides it takes:', "",
                *(wrapped(f"{a}: {ABOUT[a]}", "        ") for a in cal), '        """',
                f"        return self._fit(logits, labels, classes, ignore, {{{', '.join(f'{a!r}: {a}' for a in cal)}}})"]
    if test:
        more = f"{{{', '.join(f'{a!r}: {a}' for a in test)}}}"
        about = [*(wrapped(f"{a}: {ABOUT[a]}", "        ") for a in test), '        """']
        for method, arguments, says, call in (
            ("predict_proba", ", dtype: Any = np.float64", "Return the probabilities of the rows, n x k.", f"_apply(logits, {more}, dtype)"),
            ("predict", "", "Return the predicted class of every row.", f"_predicted(logits, {more})"),
            ("temperature", "", "Return the temperature of every row. An error for a method that has none.", f"_temperature(logits, {more})"),
        ):
            out += ["", f"    def {method}(self, logits: Any, *{signature(test)}{arguments}) -> np.ndarray:", f'        """{says} Besides logits it takes:', "", *about, f"        return self.{call}"]
        out += ["", f"    def score(self, logits: Any, labels: Any, metrics: Any = None, *{signature(test)}, interval: str | None = None, ignore: Any = None) -> Any:",
                '        """Return metrics of the calibrated rows, as Calibrator.score says. Besides it takes:', "", *about,
                f"        return self._score(logits, labels, {more}, metrics, interval, ignore)"]
    return "\n".join(out)


def methods_text(methods):
    names = [class_name(m["name"], m["label"]) for m in methods]
    assert len(set(names)) == len(names), "two methods have one class name"
    head = ['"""The estimators, one for each method: written by tools/generate.py from `qats doc methods --json`."""', ""]
    head += ["from typing import Any, Self", "", "import numpy as np", "", "from ._calibrator import Calibrator", ""]
    body = "\n\n\n".join(source(m) for m in methods)
    tail = ["", "", "CLASSES = {", *(f"    {m['name']!r}: {n}," for m, n in zip(methods, names)), "}", "",
            "ALIASES = {", *(f"    {alias!r}: {m['name']!r}," for m in methods for alias in m.get("aliases", ())), "}", "",
            "__all__ = [", *(f"    {n!r}," for n in names), "]", ""]
    return "\n".join(head) + "\n\n" + body + "\n" + "\n".join(tail)


def main(words):
    check = words[:1] == ["--check"]
    named = words[check:] or [os.environ.get("QATS_BIN") or str(PYTHON.parent / "bin" / "qats")]
    path, text = PYTHON / "qatsbench" / "_methods.py", methods_text(lines_of(named[0], "doc", "methods", "--json"))
    if not check:
        path.write_text(text, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != text:
        print(f"{path.name} differs from what {named[0]} says: run make python-methods", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
