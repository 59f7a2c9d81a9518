"""Reads the files of LLM-Uncertainty-Bench (Ye et al., 2024): logits of language models on questions with six options.

    <data set>.json                                     a list of questions with id and answer, a letter from A
    <model>_<data set>_<prompt>_icl<examples>.pkl       a list with a mapping for each question: id, logits_options

Four options are answers; the last two are "I don't know" and "None of the above", which are never right. The questions 1, 3,
5, 7 and 9 are examples in the prompts, so they are left out, as the bench itself does. A network has the name of its model; that
of another prompt than base ends with it. Chat models are in two folders with the same names of files: give those of one.
"""

import json
import re

import numpy as np

from . import choices, forms, unpickle
from .errors import DatasetError, at, base, short
from .network import backbone_name

EXAMPLES = {1, 3, 5, 7, 9}
_SCORES = re.compile(r"(?P<before>.+)_(?P<prompt>base|shared|task)_icl(?P<examples>\d{1,3})(?P<cot>_cot)?\.pkl")


def read(files, o, skipped):
    """Reads a pickle a network, with the labels of its data set."""
    labels = {base(f).removesuffix(".json"): f for f in files if f.endswith(".json")}
    known, tasks = {}, []
    for file in files:
        if file.endswith(".json"):
            continue
        m = _SCORES.fullmatch(base(file))
        data = max((d for d in labels if m and m["before"].endswith("_" + d)), key=len, default="")
        if not data:
            raise DatasetError(
                f"{short(file, 200)}: want <model>_<data set>_<prompt>_icl<examples>.pkl and <data set>.json "
                f"(the data sets are {short(', '.join(labels), 200) or 'none'})"
            )
        model = m["before"][: -len(data) - 1]
        if not o.keeps(data, model):
            continue
        if data not in known:
            known[data] = at(labels[data], _labels, labels[data])
        name = backbone_name(model) + ("" if m["prompt"] == "base" else "-" + m["prompt"]) + ("-cot" if m["cot"] else "")
        task = choices.Task(data, name, file)
        task.files.append(labels[data])
        at(file, _add, task, file, known[data])
        task.files = [base(f) for f in task.files]
        tasks.append(task)
    for n in choices.networks(tasks, "logits", "language models of LLM-Uncertainty-Bench", o, skipped):
        n.cal.scores, n.test.scores = n.cal.scores.astype(np.float32), n.test.scores.astype(np.float32)  # as they are in the files
        n.domain = "language models"
        yield n
    skipped[:] = dict.fromkeys(skipped)  # the same examples of each network, once


def _labels(file):
    """Returns the place of the right option by question."""
    try:
        found = json.loads(forms.read_bytes(file))
    except (ValueError, RecursionError) as e:
        raise DatasetError(f"not JSON: {short(e, 120)}") from None
    if not isinstance(found, list):
        raise DatasetError("want a list of questions")
    labels = {}
    for i, q in enumerate(found):
        id, answer = (q.get("id"), q.get("answer")) if isinstance(q, dict) else (None, None)
        if type(id) is not int or not isinstance(answer, str) or not re.fullmatch("[A-Z]", answer):
            raise DatasetError(f"question {i}: want an id, which is an integer, and an answer, which is a letter")
        if id in labels:
            raise DatasetError(f"question {i}: the id {short(str(id), 20)} is that of another one too")
        labels[id] = ord(answer) - ord("A")
    return labels


def _add(task, file, labels):
    """Adds the rows of a pickle to a task."""
    found = unpickle.loads(forms.read_bytes(file))
    if not isinstance(found, list):
        raise DatasetError(f"holds {unpickle.describe(found)}; want a list with a mapping for each question")
    seen = set()
    for i, row in enumerate(found):
        where = f"row {i}"
        id = row.get("id") if isinstance(row, dict) else None
        if type(id) is not int or "logits_options" not in row:
            raise DatasetError(f"{where}: {unpickle.describe(row)}; want a mapping with id and logits_options")
        if id not in labels:
            raise DatasetError(f"{where}: the file of labels has no question {short(str(id), 20)}")
        if id in seen:
            raise DatasetError(f"{where}: question {id} is there already")
        seen.add(id)
        a = unpickle.array(row["logits_options"], f"{where}, logits_options")
        if a.ndim != 1 or a.dtype != np.float32 or not labels[id] < len(a):
            raise DatasetError(
                f"{where}: logits of shape {list(a.shape)} and type {a.dtype}; want a float32 for each option, the answer among them"
            )
        if id in EXAMPLES:
            task.leave_out("an example in the prompts")
        elif not np.isfinite(a).all():
            task.leave_out("a logit is not finite")
        else:
            task.add(str(id), a.tolist(), labels[id])
