"""Rows of questions with several choices, as harnesses of language models store them.

A question has k choices, of which one is right, and the model gives each a score. The class of a row is the
position of the right choice. Questions with different k are different data sets: <task>-<k>.

A row calibrates if its file says that it is of a validation set. Where the rows of a task are of one set, those
of each class are divided by splits.stratified.
"""

import dataclasses
import math
import re
from array import array

import numpy as np

from . import splits
from .errors import DatasetError, short
from .network import Network, Split, dataset_name

MOST_CHOICES = 4096
MOST_SETS = 64  # numbers of choices in a task
CAL, TEST, UNKNOWN = 0, 1, 2
NAMED = 0.95  # share of rows with one right position from which a task is said to have it


@dataclasses.dataclass
class _Rows:
    """Rows with k choices: scores one after the other, and by row the label, the side and the first 8 bytes of the digest."""

    scores: array = dataclasses.field(default_factory=lambda: array("d"))
    labels: array = dataclasses.field(default_factory=lambda: array("q"))
    sides: array = dataclasses.field(default_factory=lambda: array("b"))
    digests: array = dataclasses.field(default_factory=lambda: array("Q"))

    def part(self, k, mask):
        """Returns some of the rows as a set."""
        return Split(np.frombuffer(self.scores, np.float64).reshape(-1, k)[mask], np.frombuffer(self.labels, np.int64)[mask])


class Task:
    """The rows of one task and model."""

    def __init__(self, name, model, file):
        self.name, self.model, self.file, self.files = dataset_name(plain(name)), plain(model), file, [file]
        self.rows, self.left, self.notes = {}, {}, []

    def add(self, row, scores, label, side=UNKNOWN):
        """Adds a row. row is its name in the task: rows of one name fall on one side."""
        k = len(scores)
        if k not in self.rows:
            if len(self.rows) == MOST_SETS:
                raise DatasetError(f"more than {MOST_SETS} different numbers of choices in one task")
            if k > MOST_CHOICES:
                raise DatasetError(f"{k} choices; at most {MOST_CHOICES} are read")
            self.rows[k] = _Rows()
        r = self.rows[k]
        r.scores.extend(scores)
        r.labels.append(label)
        r.sides.append(side)
        r.digests.append(int(splits.digest(f"{self.name}-{k}", "test", row)[:16], 16))

    def leave_out(self, reason, n=1):
        """Counts a row that is not imported."""
        self.left[reason] = self.left.get(reason, 0) + n

    def divided(self, least, skipped):
        """Yields (k, rows, mask of the rows that calibrate, how they were chosen) of each data set."""
        for reason, n in sorted(self.left.items()):
            skipped.append(f"{self.name}: {reason} (rows: {n})")
        for k, r in sorted(self.rows.items()):
            sides, labels = np.frombuffer(r.sides, np.int8), np.frombuffer(r.labels, np.int64)
            how = "the validation rows calibrate"
            if (sides == CAL).any() and (sides == TEST).any():
                cal = sides == CAL
            else:
                cal, how = (
                    splits.stratified(np.frombuffer(r.digests, np.uint64), labels),
                    "half of the rows of each class calibrate, by SHA-256",
                )
            if len(labels) < least:
                skipped.append(f"{self.name}-{k}: fewer rows than --least {least} (rows: {len(labels)})")
            elif cal.all() or not cal.any():
                skipped.append(f"{self.name}-{k}: all rows fall on one side (rows: {len(labels)})")
            else:
                yield k, r, cal, how


def plain(name):
    """Returns a name without what a name of a folder may not have."""
    return re.sub(r"[^\w.+=-]+", "-", name).strip("-.") or "unnamed"


def networks(tasks, kind, came_from, o, skipped):
    """Yields a network for each task, model and number of choices, and with o.across one more that the other tasks calibrate."""
    made = []
    for t in tasks:
        left = sum(t.left.values())
        for k, r, cal, how in t.divided(o.least, skipped):
            notes = list(t.notes)
            if left:
                notes.append(f"left out: {', '.join(f'{reason} ({n})' for reason, n in sorted(t.left.items()))}")
            warning = ""
            share = np.bincount(np.frombuffer(r.labels, np.int64)).max() / len(r.labels)
            if share >= NAMED:
                place = int(np.bincount(np.frombuffer(r.labels, np.int64)).argmax())
                warning = (
                    f"choice {place} is right in {share:.0%} of the rows: methods that see the classes learn the place, not the answer"
                )
                notes.append(warning)
            made.append((t, k, r, cal, notes))
            yield Network(
                f"{t.name}-{k}",
                t.model,
                kind,
                r.part(k, cal),
                r.part(k, ~cal),
                t.file,
                came_from=came_from,
                note=", ".join([*notes, how]),
                names=t.files,
                warning=warning,
            )
    if o.across:
        yield from _across(made, kind, came_from, skipped)


def _across(made, kind, came_from, skipped):
    """Yields for each network one with the same test rows, which all rows of the other tasks with as many choices calibrate."""
    for t, k, r, cal, notes in made:
        others = [(u, s) for u, j, s, _, _ in made if u is not t and u.model == t.model and j == k]
        if not others:
            skipped.append(f"{t.name}-{k}-others: no other task of {t.model} with {k} choices")
            continue
        parts = [s.part(k, slice(None)) for _, s in others]
        pooled = Split(np.vstack([p.scores for p in parts]), np.concatenate([p.labels for p in parts]))
        yield Network(
            f"{t.name}-{k}-others",
            t.model,
            kind,
            pooled,
            r.part(k, ~cal),
            t.file,
            came_from=came_from,
            samples=f"{t.name}-{k}",
            note=", ".join(
                [
                    *notes,
                    f"all rows of {' and '.join(f'{u.name}-{k}' for u, _ in others)} calibrate, the test rows are those of {t.name}-{k}",
                ]
            ),
            names=sorted({f for u in [t, *(u for u, _ in others)] for f in u.files}),
        )


def number(value):
    """Returns a number that a harness stored as one or as its text, such as -25.6, "-25.6", "nan" or "-inf"."""
    if isinstance(value, str) and len(value) < 64 and value.isascii() and "_" not in value:
        try:
            return float(value)
        except ValueError:
            pass
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    raise DatasetError(f"{short(repr(value), 40)} is not a number")


# How far a score of probability 0 lies below the greatest of its row: log 2^-126, as network.LEAST_PROB.
LEAST = -126 * float(np.log(2))


def usable(scores):
    """Returns log-likelihoods with -inf replaced, how many were; or why a row has none, as a text."""
    if any(s != s for s in scores):
        return "a log-likelihood is nan", 0
    if any(s == np.inf for s in scores):
        return "a log-likelihood is inf", 0
    top = max(scores)
    if top == -np.inf:
        return "every log-likelihood is -inf", 0
    return [s if s != -np.inf else top + LEAST for s in scores], sum(s == -np.inf for s in scores)


MISSING = ("rest", "drop")


def of_tokens(options, tokens, missing):
    """Returns the log-probabilities of answers from the likeliest next tokens, and how many were missing; or why there are none.

    options are the texts of the answers, such as A to D; tokens are pairs of text and log-probability. Tokens that
    differ by spaces count together. The answers that are not among the tokens share what is left of the mass 1
    equally (missing: rest), or the row is left out (drop).
    """
    found, listed = {}, 0.0
    for text, value in tokens:
        if not value <= 0.01:
            return "a log-probability is no number below 0", 0
        listed += math.exp(value)
        found[text.strip()] = found.get(text.strip(), 0.0) + math.exp(value)
    mass = [found.get(t, 0.0) for t in options]
    lacking = sum(m == 0 for m in mass)
    if lacking == len(mass):
        return "no answer is among the likeliest tokens", 0
    if lacking and missing == "drop":
        return "an answer is not among the likeliest tokens", 0
    share = max(1 - listed, 0.0) / lacking if lacking else 0.0
    least = max(mass) * math.exp(LEAST)
    return [math.log(max(m or share, least)) for m in mass], lacking
