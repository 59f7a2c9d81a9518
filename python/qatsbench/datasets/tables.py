"""A labelled table, such as a CSV file, read into scores and labels by what its header says.

The program reads it, so that an import takes a table as try does.
"""

import contextlib
import csv
import dataclasses
import io
import json
import re
import subprocess

import numpy as np

from .. import _program
from .._errors import ProgramError
from .._safetensors import load
from . import stream
from .errors import DatasetError, at, short
from .network import outside

VOID = 255
WORDS = {"logits": "logits", "log-probs": "log-probabilities", "probs": "probabilities"}
ROLES = {"logits": "logits", "log_probs": "log-probs", "probs": "probs", "confidence": "confidence"}
BESIDE = ("weights", "groups", "folds")
FLAGS = ("label", "confidence", "prediction", "group", "weight", "fold", "split", "kind")


@dataclasses.dataclass
class Labelled:
    """Scores and labels by set (cal, test, or "" for the only one), what the scores are, and what was taken, in lines.
    Of the kind confidence, scores are n x 1, and labels 0 where the prediction is right and 1 where it is wrong. beside are the
    weights, groups and folds of each set, by name."""

    sets: dict
    kind: str
    told: list
    classes: int = 0  # of a confidence alone, where they are stated
    beside: dict = dataclasses.field(default_factory=dict)


def left_out(o, k):
    """Returns the labels whose rows are left out: those of o, or 255, if no class has that number."""
    return [v for v in o.ignore if isinstance(v, int)] or ([VOID] if k <= VOID else [])


def read(files, o):
    """Returns the sets of files of one header. o are the options of an import; what they leave open the header says.

    One table has one set, or a column that says the set of a row; of two tables the first calibrates.
    """
    for file in files:
        at(file, _regular, file)
    return _read(files, o, lambda where: re.sub(r":(\d+)(:\d+)?(?=: column|$)", r": line \1", where).replace(": column ", ", column "))


def _regular(file):
    with stream.opened(file):  # says what is there in place of a regular file
        pass


def columns(found, o, names):
    """Returns the sets of columns of numbers, texts and lists, by title, as of files of these names."""
    paths, fds = {}, []

    def place(where):
        for path, name in paths.items():
            where = where.replace(path, name)
        return re.sub(r":(\d+)(?=: column)", lambda m: f": row {int(m[1]) - 2}", where)

    with contextlib.ExitStack() as stack:
        for name, table in zip(names, found):
            text = io.StringIO()
            w = csv.writer(text)
            w.writerow(table)
            w.writerows(["" if v is None else v if isinstance(v, str) else repr(v) for v in row] for row in zip(*table.values()))
            path, fd = stack.enter_context(_program.private(text.getvalue().encode(), ".csv"))
            paths[path] = name
            fds += fd
        return _read(list(paths), o, place, fds)


def _read(files, o, place, pass_fds=()):
    count = len(o.classes) == 1 and o.classes[0].isdecimal()
    words = [f"--{f}={getattr(o, f)}" for f in FLAGS if getattr(o, f)]
    words += [f"--classes={c}" for c in o.classes if not count] + [f"--ignore={v}" for v in o.ignore if isinstance(v, str)]
    if o.split:
        words += [f"--cal={o.cal}", f"--test={o.test}"]
    try:
        program = _program.program()
    except ProgramError as e:
        raise DatasetError(str(e)) from None
    r = subprocess.run(
        [program, "--errors", "json", "arrays", *words, "--", *map(_program.file_argument, files)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        pass_fds=pass_fds,
    )
    if r.returncode != 0:
        raise DatasetError(_error(r.stderr.decode("utf-8", "replace"), place))
    line, _, rest = r.stdout.partition(b"\n")
    arrays, told = load(rest), json.loads(line)["told"]
    sets, beside, kind = {}, {}, ""
    for s, before in (("", ""), ("cal", "cal_"), ("test", "test_")):
        role = next((role for role in ROLES if before + role in arrays), None)
        if role is None:
            continue
        kind, z = ROLES[role], arrays[before + role]
        if kind == "confidence":
            sets[s] = z.reshape(-1, 1), np.where(arrays[before + "correct"] == 1, 0, 1)
        else:
            if z.ndim == 1 and kind == "log-probs":
                raise DatasetError(f"{short(files[0], 200)}: log-probabilities of one class; give those of both")
            z = z.reshape(len(z), -1)
            z = np.hstack([np.zeros_like(z), z]) if z.shape[1] == 1 and kind == "logits" else z
            sets[s] = z, arrays[before + "labels"].astype(np.int64)
            _in_range(*sets[s], left_out(o, max(2, z.shape[1])), files[0])
        beside[s] = {name: arrays[before + name] for name in BESIDE if before + name in arrays}
    if count and kind != "confidence":
        raise DatasetError(f"{short(files[0], 200)}: {o.classes[0]} classes are stated, and the columns of scores say how many there are")
    return Labelled(sets, kind, told, int(o.classes[0]) if count else 0, beside)


def _in_range(z, y, left, file):
    """Fails for a label that is none of the classes and is not left out."""
    k = max(2, z.shape[1])
    wrong = np.flatnonzero(((y < 0) | (y >= k)) & ~np.isin(y, left))
    if len(wrong):
        label = int(y[wrong[0]])
        kept = sorted(set(y.tolist()) - set(left))
        raise DatasetError(f"{short(file, 200)}: row {wrong[0]}: {outside(label, kept, k, f' by --ignore={label}')}")


def _error(stderr, place):
    """Returns the error of the program, as its last line has it, in one line."""
    try:
        e = json.loads(stderr.splitlines()[-1])["error"]
    except (ValueError, KeyError, IndexError):
        return f"the program failed: {short(stderr, 200)}"
    return "; ".join(x for x in (": ".join(x for x in (place(e["where"]), e["what"]) if x), e["hint"]) if x)
