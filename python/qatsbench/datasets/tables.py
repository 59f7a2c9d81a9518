"""A labelled table, such as a CSV file, read into scores and labels by what its header says.

data/table.go of the program has the same rules, and data/testdata/tables the same examples.
"""

import dataclasses
import gzip
import re
import zlib

import numpy as np

from . import foreign, forms
from .errors import DatasetError, short
from .names import CALS, CORRECT, LABELS, PER_CENT, PREDICTED, in_per_cent, is_confidence, kind_of, plain
from .network import outside

SPLITS = ["split", "set", "subset", "part", "partition", "fold"]
INDICES = [
    "",
    "id",
    "index",
    "idx",
    "row",
    "row_id",
    "unnamed:_0",
    "unnamed:0",
    "sample",
    "sample_id",
    "image",
    "image_id",
    "file",
    "filename",
    "path",
    "name",
    "text",
    "uid",
    "uuid",
]
WEAK_LABELS = [
    "class",
    "true_class",
    "class_id",
    "actual",
    "y_val",
    "y_cal",
    "category",
    "outcome",
    "answer",
    "correct_answer",
    "gold_answer",
    "reference",
    "expected",
]
PREFIXES = [
    ("logits", ["logits", "logit", "z"]),
    ("log-probs", ["log_probs", "logprobs", "log_prob", "logprob", "log_proba", "log_softmax", "logp"]),
    (
        "probs",
        [
            "probabilities",
            "probability",
            "probas",
            "proba",
            "probs",
            "prob",
            "p",
            "softmax",
            "y_proba",
            "y_prob",
            "pred_prob",
            "pred_proba",
        ],
    ),
    (
        "",
        [
            "scores",
            "score",
            "y_score",
            "s",
            "decision",
            "decision_function",
            "outputs",
            "output",
            "out",
            "confidence",
            "conf",
            "predictions",
            "prediction",
            "preds",
            "pred",
            "y_pred",
            "class",
            "c",
            "x",
        ],
    ),
]
VOID = 255
NO_SCORES = ["confidence", "conf"]  # alone they are of the predicted class
WORDS = {"logits": "logits", "log-probs": "log-probabilities", "probs": "probabilities"}


@dataclasses.dataclass
class Labelled:
    """Scores and labels by set (cal, test, or "" for the only one), what the scores are, and what was taken, in lines.
    Of the kind confidence, scores are n x 1, and labels 0 where the prediction is right and 1 where it is wrong."""

    sets: dict
    kind: str
    told: list
    classes: int = 0  # of a confidence alone, where they are stated


def text_table(data):
    """Returns the table of the bytes of a text with a header.

    The text is in UTF-8, or in UTF-16 with a byte order mark, and may be packed by gzip. Before the header may be a line
    sep=; of Excel, and comments, which begin with #. Where the line after the comments has numbers alone, the last comment
    is the header: so numpy.savetxt writes it. Fields are separated by commas, semicolons, tabs or vertical lines, whichever
    the header has most of.
    """
    if data[:2] == b"\x1f\x8b":
        data = _unpacked(data)
    if what := foreign.form(data[:512]):
        raise DatasetError(what)
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as e:
        raise DatasetError(f"line {1 + data[: e.start].count(10)}: not a text in UTF-8; save it in UTF-8") from None
    if "\0" in text:
        raise DatasetError(f"line {1 + text[: text.index(chr(0))].count(chr(10))}: not a text in UTF-8; save it in UTF-8")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    before, comment, delimiter = 0, "", None
    while True:
        line, more, rest = text.partition("\n")
        line = line.strip()
        if before == 0 and re.fullmatch("sep=.?", line.lower()):
            delimiter = line[4:] or "\t"
        elif line.startswith("#"):
            comment = line.lstrip("# ")
        elif line or not more:
            following = (line if comment else rest.partition("\n")[0]).split()
            if comment and all(_is_number(f.strip()) for f in line.split(_separator(line)) if f):
                text, before, line = f"{comment}\n{text}", before - 1, comment
            spaced = not delimiter and _separator(line) == "," and 1 < len(line.split()) == len(following)
            if spaced and "," not in line + " ".join(following):
                delimiter = " "
                text = "\n".join(" ".join(row.split()) for row in text.split("\n"))
            break
        text, before = rest, before + 1
    return _Text(text, delimiter or _separator(line), before)


def _unpacked(data):
    unpacker = zlib.decompressobj(31)
    try:
        out = unpacker.decompress(data, forms.MOST_BYTES)
        if unpacker.unconsumed_tail:
            raise DatasetError("unpacks to 4 GiB or more")
        if not unpacker.eof:
            raise DatasetError("not a complete .gz file")
        return out if not unpacker.unused_data else gzip.decompress(data)
    except (zlib.error, EOFError, OSError) as e:
        raise DatasetError(f"not a complete .gz file: {short(e, 80)}") from None


def _separator(header):
    outside = re.sub(r'"[^"]*"', "", header)
    return max(",;\t|", key=outside.count)


class _Text(forms.Table):
    """A table of text. before are the lines before its header."""

    def __init__(self, text, delimiter, before):
        self.before = before
        super().__init__(text.encode(), delimiter)
        self.header = [h.strip() for h in self.header]
        if all(map(_is_number, self.header)):
            raise DatasetError(
                f"line {before + 1} has numbers, and no names of columns; add a header, such as p_0{delimiter}p_1{delimiter}label"
            )

    @property
    def line(self):
        return super().line + self.before

    def _next(self):
        row = super()._next()
        while row is not None and not any(f.strip() for f in row):  # a line without any field is left out
            row = super()._next()
        return row

    def rows(self):
        """Yields the rows that follow."""
        first = True
        while (row := self._next()) is not None:
            if len(row) != len(self.header):
                more = len(row) - len(self.header)
                if len(self.header) == 1:
                    fix = "the first line is the header: remove the lines before it"
                elif more == 1 and not row[-1].strip():
                    fix = "remove the separator at the end of the line"
                elif more == 1 and first:
                    fix = "the first field may be the name of the row, as R writes it: give its column a name"
                else:
                    fix = "give each line as many fields as the header"
                raise DatasetError(f"line {self.line}: {len(row)} fields; the header has {len(self.header)}; {fix}")
            first = False
            yield row


def left_out(o, k):
    """Returns the labels whose rows are left out: those of o, or 255, if no class has that number."""
    return o.ignore or ([VOID] if k <= VOID else [])


def labelled(tables, o):
    """Returns the sets of tables of one header. o are the options of an import; what they leave open the header says.

    One table has one set, or a column that says the set of a row; of two tables the first calibrates.
    """
    return _Columns(tables, o).read()


def _few(names, n=8):
    names = [short(x, 60) for x in names]
    return ", ".join(names[:n]) + (f", ... ({len(names)} in all)" if len(names) > n else "")


def _is_number(text):
    return (
        re.fullmatch(r"([+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?|[+-]?(inf(inity)?|nan))\s*%?", text, re.ASCII | re.IGNORECASE)
        is not None
    )


def _list_of(field):
    """Returns the numbers of a field that is a list of them, as Python, numpy, PyTorch and Spark write it; None if it is none."""
    found = re.fullmatch(r"(?:array|tensor|DenseVector)?\(?\[([^\]]*)\].*", field, re.DOTALL)
    numbers = re.sub(r"np\.float(64|32)\(|\)", "", found[1]).replace(",", " ").split() if found else []
    return numbers if numbers and all(_is_number(x) or x == "..." for x in numbers) else None


def _whole(text):
    """Returns the integer that a label is, as 3 or 3.0; None if it is none."""
    try:
        v = float(text)
    except ValueError:
        return None
    return int(v) if v == v and abs(v) < 2**31 and v == int(v) else None


def _text(label):
    """Returns a label as it stands in titles: in lower case, and whole numbers without a point."""
    v = _class_number(label)
    return plain(label).strip("_") if v is None else str(v)


def _class_number(text):
    """Returns the number of a class: a whole number, alone or behind label_; None if there is none."""
    return _whole(text[6:] if text.lower().startswith("label_") else text)


# Pairs of names of two classes that stand for 0 and 1; the last two also for negative and positive.
SPELLINGS = ("false", "true"), ("no", "yes"), ("neg", "pos"), ("negative", "positive")


def _flag(text):
    """Returns the truth of 0, 1, true or false; None of another text."""
    return {"true": True, "false": False}.get(text.lower(), {0: False, 1: True}.get(_whole(text)))


def _between(before, label, after):
    """Reports whether a label between a prefix and a suffix is a word of its own."""
    if re.fullmatch(r"[+-]?\d+", label, re.ASCII):
        return not before[-1:].isdigit() and not before.endswith("-") and not after[:1].isalnum()
    return not before[-1:].isalnum() and not after[:1].isalnum()


def _suffix(title, prefix):
    """Returns what stands behind a prefix in a title, without separators; None if the prefix is another one."""
    if not title.startswith(prefix):
        return None
    rest = title[len(prefix) :]
    if rest[:1] in ("_", "[", "("):
        return rest.strip("_[]()")
    return rest if not rest or re.fullmatch(r"[+-]?\d+", rest, re.ASCII) else None


class _Columns:
    def __init__(self, tables, o):
        self.o, self.told, self.tables = o, [], tables
        self.header = tables[0].header
        self.comma = tables[0].delimiter
        if any(t.header != self.header for t in tables):
            raise DatasetError(f"the files have different columns: {forms.names(self.header)}; {forms.names(tables[1].header)}")
        twice = [h for j, h in enumerate(self.header) if h and h in self.header[:j]]
        if twice:
            raise DatasetError(f"two columns are named {short(twice[0], 60)}")
        self.rows, self.lines, self.file = [], [], []
        for i, t in enumerate(tables):
            for row in t.rows():
                self.rows.append([f.strip() for f in row])
                self.lines.append(t.line)
                self.file.append(i)
        if not self.rows:
            raise DatasetError("no row after the header")
        self._spread()
        self.plain = [plain(h).strip("_") for h in self.header]
        self.points = set()
        self.used = set()  # columns that only decided how others are read

    def _spread(self):
        """Makes a column for each number of a column of lists, such as "[0.1, 0.9]"."""
        for j in reversed(range(len(self.header))):
            lists = []
            for row in self.rows:
                if (numbers := _list_of(row[j])) is None:
                    break
                lists.append(numbers)
            if len(lists) < len(self.rows):
                continue
            k = len(lists[0])
            for i, numbers in enumerate(lists):
                if len(numbers) != k:
                    self.fail(i, j, f"{len(numbers)} numbers, and {k} in the first row")
            self.rows = [row[:j] + numbers + row[j + 1 :] for row, numbers in zip(self.rows, lists)]
            self.header = [*self.header[:j], *(f"{self.header[j]}_{i}".removeprefix("_") for i in range(k)), *self.header[j + 1 :]]

    def fail(self, row, col, what):
        raise DatasetError(f"line {self.lines[row]}, column {short(self.title(col), 60)}: {what}")

    def title(self, j):
        return self.header[j] or str(j + 1)

    def titles(self, columns):
        return _few([self.title(j) for j in columns])

    def read(self):
        if alone := self._alone():
            return self._read_alone(*alone)
        if self.o.kind == "confidence":
            raise DatasetError(
                f"no column confidence with one of correctness, or with predictions and labels (the columns are {forms.names(self.header)})"
            )
        if alone := self._correct_alone():
            return self._read_alone(*alone)
        self.label = self._label()
        self.split = self._split()
        self._classes_only()
        self.sets = self._sets()
        if alone := self._predicted_or_class():
            return self._read_alone(*alone)
        self.scores, self.classes, named = self._scores()
        codes = self._codes()
        values = {s: np.array([[self.number(i, j) for j in self.scores] for i in rows], np.float64) for s, rows in self.sets.items()}
        everything = np.concatenate(list(values.values()))
        per_cent = self.o.kind in ("", None, "probs") and in_per_cent(everything)
        if per_cent:
            everything, values = everything / 100, {s: v / 100 for s, v in values.items()}
        kind, why = (self.o.kind, "") if self.o.kind else kind_of(everything, named)
        if per_cent:
            why = PER_CENT
        self.told.insert(
            0,
            f"{WORDS[kind]} in {self.titles(self.scores)}{why}, labels in {short(self.title(self.label), 60)}{self._unused(self.label, *self.scores)}",
        )
        sets = {}
        for s, rows in self.sets.items():
            z = values[s]
            if z.shape[1] == 1:
                z = np.hstack([np.zeros_like(z), z]) if kind == "logits" else z
            if z.shape[1] == 1 and kind == "log-probs":
                raise DatasetError("log-probabilities of one class; give those of both")
            sets[s] = (z, np.array([codes[self.rows[i][self.label]] for i in rows], np.int64))
        return Labelled(sets, kind, self.told)

    def _alone(self):
        """Returns the columns of a confidence alone, of correctness or None, of predictions and of labels; None where the table is another one."""
        confidence = [j for j, t in enumerate(self.plain) if is_confidence(t)]
        correct = self._correct()
        predicted = self._with(PREDICTED)
        label = [self.tables[0].column(self.o.label)] if self.o.label else self._with(LABELS) or self._with(WEAK_LABELS)
        count = len(self.o.classes) == 1 and self.o.classes[0].isdecimal() and self.o.classes[0] not in self.header
        if (
            self.o.classes
            and not count
            or self.o.kind not in ("", None, "confidence")
            or len(confidence) != 1
            or not self._numeric(confidence[0])
        ):
            return None
        self.split = self._split()
        own = {*confidence, *correct, *predicted, *label, self.split}
        for _, prefixes in PREFIXES:
            for prefix in prefixes:
                if sum(bool(_suffix(t, prefix)) and j not in own and self._numeric(j) for j, t in enumerate(self.plain)) > 1:
                    return None
        if len(correct) == 1:
            return confidence[0], correct[0], None, None
        if len(predicted) == 1 and len(label) == 1:
            return confidence[0], None, predicted[0], label[0]
        return None

    def _unused(self, *used):
        """Returns which columns are not used, in words. Columns that number the rows are not named."""
        used = {*used, *self.used, self.split}
        left = [
            self.title(j)
            for j, t in enumerate(self.plain)
            if j not in used and (t not in INDICES or len({r[j] for r in self.rows}) < len(self.rows) and all(r[j] for r in self.rows))
        ]
        return f". Not used: {_few(left)}" if left else ""

    def _one_hot(self):
        """Makes a column of labels of columns such as y_0, y_1 of 0 and 1, and returns it; None if there are none."""
        for name in LABELS:
            found = [j for j, t in enumerate(self.plain) if _suffix(t, name) and all(_flag(r[j]) is not None for r in self.rows)]
            if len(found) < 2:
                continue
            texts = []
            for i, row in enumerate(self.rows):
                ones = [j for j in found if _flag(row[j])]
                if len(ones) != 1:
                    self.fail(
                        i,
                        found[0],
                        f"{len(ones)} of the columns {self.titles(found)} are 1: several labels a row, or none, are not supported; "
                        "give each row one class, or make a table of two classes for each label",
                    )
                texts.append(_suffix(self.plain[ones[0]], name))
            self.rows = [[*row, text] for row, text in zip(self.rows, texts)]
            self.header, self.plain = [*self.header, name], [*self.plain, name]
            self.used.update(found)
            self.told.append(f"{self.titles(found)} have exactly one 1 in each row: they are read as one label")
            return len(self.header) - 1
        return None

    def _classes_only(self):
        """Fails for labels that are the targets of a regression: numbers of which some are not whole."""
        if self._fraction(self.label):
            i = next(i for i, r in enumerate(self.rows) if _is_number(r[self.label]) and _whole(r[self.label]) is None)
            self.fail(
                i,
                self.label,
                f"{short(self.rows[i][self.label], 40)} is no class: numbers with fractions are the targets of a regression or soft "
                "labels, and calibration here is of classes; name the column of classes: --label COLUMN",
            )

    def _correct(self):
        """Returns the columns of correctness. Under a name such as hit or match, columns of other values are none."""
        return [j for j in self._with(CORRECT) if "correct" in self.plain[j] or all(_flag(r[j]) is not None for r in self.rows)]

    def _correct_alone(self):
        """Returns the columns of a confidence alone where one probability stands beside flags of correctness and there are no
        labels; None otherwise."""
        correct = self._correct()
        if self.o.label or self.o.classes or len(correct) != 1 or self._with(LABELS) or self._with(WEAK_LABELS):
            return None
        for kind, prefixes in PREFIXES:
            found = [
                j for j, t in enumerate(self.plain) if kind in ("probs", "") and t in prefixes and j not in correct and self._fraction(j)
            ]
            if len(found) == 1 and not self._several({*correct, *found}):
                self.split = self._split()
                return found[0], correct[0], None, None
            if found:
                break
        return None

    def _predicted_or_class(self):
        """Returns the columns of a confidence alone where one probability stands beside predictions, and the numbers say that
        it is that of the predicted class, as data/evidence.go of the program has it; None otherwise."""
        predicted = [j for j in self._with(PREDICTED) if j != self.label and not self._fraction(j)]
        if self.o.classes or self.o.kind not in ("", None, "confidence") or len(predicted) != 1:
            return None
        scores = []
        for kind, prefixes in PREFIXES:
            if kind not in ("logits", "log-probs") and not scores:
                scores = [j for j, t in enumerate(self.plain) if t in prefixes and j not in (self.label, *predicted) and self._fraction(j)]
        if len(scores) != 1 or self._several({self.label, self.split, *predicted, *scores}):
            return None
        ends, classes = {}, set()
        for rows in self.sets.values():
            for i in rows:
                v, label, own = self.number(i, scores[0]), _text(self.rows[i][self.label]), _text(self.rows[i][predicted[0]])
                classes |= {label, own}
                low, high = ends.get(own, (v, v))
                ends[own] = min(low, v), max(high, v)
        low, high = min(e[0] for e in ends.values()), max(e[1] for e in ends.values())
        if not 0 <= low <= high <= 1.01:
            return None
        if len(classes) > 2:
            self.why = f" (one probability of {len(classes)} classes is that of the predicted class)"
        elif low >= 0.5 and len(ends) > 1:
            self.why = " (no number is below .5: that of the predicted class)"
        elif len(ends) == 2 and all(a[1] > b[0] for a, b in (list(ends.values()), list(ends.values())[::-1])):
            title = self.title(scores[0])
            raise DatasetError(
                f"{short(title, 60)} is the probability of the predicted class or that of one class: some numbers are below .5, and no "
                f"threshold of it gives {short(self.title(predicted[0]), 60)}; rename it confidence, or name it by --classes"
            )
        elif (
            len(ends) == 2
            and self._of_class_0(ends)
            and not any(
                _between(t[: m.start()], c, t[m.end() :])
                for t in [self.plain[scores[0]]]
                for c in classes
                for m in re.finditer(re.escape(c), t)
            )
        ):
            title = self.title(scores[0])
            raise DatasetError(
                f"{short(title, 60)} is the probability of class 0 of two: the predictions in {short(self.title(predicted[0]), 60)} are class 1 "
                "where it is low; give the probability of class 1, or name the column by its class, such as p_0"
            )
        else:
            self.used.update(predicted)
            return None
        return scores[0], None, predicted[0], self.label

    @staticmethod
    def _of_class_0(ends):
        """Reports whether rows that are predicted as the last class have the lower probabilities."""
        first, last = sorted(ends, key=lambda c: (_whole(c) is None, _whole(c) or 0, c))
        return ends[first][0] >= ends[last][1] and ends[first][1] > ends[last][0]

    why = ""  # what says that a confidence is one

    def _several(self, own):
        """Reports whether a prefix has the scores of several classes, in columns that are none of own."""
        return any(
            sum(bool(_suffix(t, p)) and j not in own and self._numeric(j) for j, t in enumerate(self.plain)) > 1
            for _, prefixes in PREFIXES
            for p in prefixes
        )

    def _matched(self):
        """Returns columns whose titles have the labels between a common prefix and suffix, the classes and the prefix; None where
        no titles do."""
        labels = sorted({_text(r[self.label]) for rows in self.sets.values() for r in (self.rows[i] for i in rows) if r[self.label]})
        if (found := self._between_common(labels)) is not None or labels not in (["0", "1"], ["negative", "positive"]):
            return found
        for names in SPELLINGS:
            if labels[0] == "0" or all(map(str.startswith, labels, names)):
                spelled = self._between_common(list(names))
                if spelled is not None and len(spelled[0]) == 2:
                    return spelled[0], [labels[names.index(c)] for c in spelled[1]], spelled[2]
        return None

    def _between_common(self, labels):
        """Returns what _matched returns, for labels as they stand in titles."""
        if not 2 <= len(labels) <= len(self.plain):
            return None
        at = {t: j for j, t in enumerate(self.plain) if j not in (self.label, self.split, *self.used) and self._numeric(j)}
        first, found = max(labels, key=len), {}
        for title in at:
            for m in re.finditer(f"(?={re.escape(first)})", title):
                before, after = title[: m.start()], title[m.start() + len(first) :]
                if all(before + c + after in at and _between(before, c, after) for c in labels):
                    named = [t for t in at if t.startswith(before) and t.endswith(after) and len(t) > len(before + after)]
                    rest = [t[len(before) : len(t) - len(after)] for t in named]
                    keep = [(at[t], c) for t, c in zip(named, rest) if c in labels or before + after and _between(before, c, after)]
                    found[before, after] = keep
        for kind, words in (
            ("logits", {"logit", "logits", "z"}),
            ("log-probs", {"logprob", "logprobs", "logp", "log"}),
            ("probs", {"p", "prob", "probs", "proba", "probas", "probability", "probabilities", "softmax"}),
            ("", None),
        ):
            of = [g for (b, a), g in found.items() if words is None or words & set(re.findall(r"[^\W\d_]+", f"{b} {a}"))]
            if len(of) > 1:
                raise DatasetError(
                    "several groups of columns can be the scores: "
                    + "; ".join(self.titles([j for j, _ in g]) for g in of)
                    + "; name one by --classes"
                )
            if of:
                return [j for j, _ in of[0]], [c for _, c in of[0]], kind
        return None

    def _read_alone(self, confidence, correct, predicted, label):
        self.sets, sets = self._sets(), {}
        everything = [self.number(i, confidence) for rows in self.sets.values() for i in rows]
        for s, rows in self.sets.items():
            c = np.array([[self.number(i, confidence)] for i in rows], np.float64)
            for i, x in zip(rows, c[:, 0]):
                if not 0 <= x <= 1:
                    least, most = min(everything), max(everything)
                    fix = (
                        f"; the largest is {most:.4g}: if these are per cent, divide them by 100" if least >= 0 and 2 <= most <= 100 else ""
                    )
                    self.fail(i, confidence, f"{x:.6g} is not a confidence in [0, 1]{fix}")
            sets[s] = (c, np.array([0 if self._right(i, correct, predicted, label) else 1 for i in rows], np.int64))
        by = (
            f"correctness in {self.title(correct)}"
            if correct is not None
            else f"right where {self.title(predicted)} is {self.title(label)}"
        )
        self.told.insert(
            0,
            f"predictions with a confidence alone: confidence in {self.title(confidence)}{self.why}, {by}{self._unused(confidence, *(j for j in (correct, predicted, label) if j is not None))}",
        )
        return Labelled(sets, "confidence", self.told, int(self.o.classes[0]) if self.o.classes else 0)

    def _right(self, i, correct, predicted, label):
        if correct is not None:
            text = self.rows[i][correct].lower()
            if text not in ("1", "1.0", "true", "0", "0.0", "false"):
                self.fail(
                    i,
                    correct,
                    f"{short(self.rows[i][correct], 40)!r} says neither that the prediction is right nor that it is wrong; "
                    "write 1 or true where it is right, 0 or false where it is wrong",
                )
            return text in ("1", "1.0", "true")
        for j in (predicted, label):
            if not self.rows[i][j]:
                self.fail(i, j, "no class; remove the row, or give it a class")
        p, y = self.rows[i][predicted], self.rows[i][label]
        return p == y or _class_number(p) is not None and _class_number(p) == _class_number(y)

    def _with(self, titles):
        return [j for j, h in enumerate(self.plain) if h in titles]

    def _label(self):
        if self.o.label:
            return self.tables[0].column(self.o.label)
        found = self._with(LABELS) or self._with(WEAK_LABELS)
        if not found and (made := self._one_hot()) is not None:
            return made
        if not found:
            raise DatasetError(f"no column of labels (the columns are {forms.names(self.header)}); {self._label_fix()}")
        if len(found) > 1:
            raise DatasetError(f"several columns can be the labels: {self.titles(found)}; name one by --label")
        return found[0]

    def _label_fix(self):
        if len(self.plain) == 1:
            return "separate the fields of a line by commas, semicolons or tabs"
        for name in LABELS:
            if (n := sum(bool(_suffix(t, name)) for t in self.plain)) > 1:
                return (
                    f"{n} columns have a name such as {name}_0: if each row has exactly one 1, store the number of its column in one "
                    "column label"
                )
        return "name it by --label"

    def _no_numbers(self, prefixes, scores=()):
        """Fails for a column that is not among the scores although its title has one of the prefixes and a number, since its
        fields are no numbers."""
        for prefix in prefixes:
            for j, title in enumerate(self.plain):
                if j in (*scores, self.label, self.split, *self.used) or not re.fullmatch(
                    r"[+-]?\d+", _suffix(title, prefix) or "", re.ASCII
                ):
                    continue
                for i in range(len(self.rows)):
                    self.number(i, j)

    def _split(self):
        if self.o.split:
            return self.tables[0].column(self.o.split)
        found = self._with(SPLITS)
        if not found or len(self.tables) != 1 or self._fraction(found[0]):
            return None
        values = {r[found[0]].lower() for r in self.rows}
        named = values & {"", "train", "calib", "dev", "holdout", "test", "testing", "eval", "evaluation", *map(str, CALS)}
        if self.plain[found[0]] == "fold" and not named and 2 <= len(values) <= len(self.rows) / 2:
            return None  # the folds of an out-of-fold table, which is one set
        return found[0]

    def _sets(self):
        if len(self.tables) == 2:
            return {s: [i for i, f in enumerate(self.file) if f == n] for n, s in enumerate(("cal", "test"))}
        if self.split is None:
            return {"": list(range(len(self.rows)))}
        by = {}
        for i, row in enumerate(self.rows):
            by.setdefault(row[self.split] if self.o.split else row[self.split].lower(), []).append(i)
        if self.o.split:
            chosen = {"cal": self.o.cal, "test": self.o.test}
            for s, what in (("cal", "calibration"), ("test", "test")):
                if chosen[s] not in by:
                    raise DatasetError(f"no row of the {what} set")
        else:
            first = lambda names: next((n for n in names if n in by), None)  # noqa: E731
            chosen = {"cal": first([*CALS, "calib", "dev", "holdout"]), "test": first(["test", "testing", "eval", "evaluation"])}
        sets = {s: by[n] for s, n in chosen.items() if n in by}
        if not sets:
            raise DatasetError(
                f"column {short(self.title(self.split), 60)} has the values {_few(list(by))}, and none of cal, val and test; "
                "name them by --split, --cal and --test"
            )
        left = [f"{short(n, 60)} ({len(rows)} rows)" for n, rows in by.items() if n not in chosen.values()]
        if left:
            self.told.append(f"left out are the rows whose {short(self.title(self.split), 60)} is {', '.join(left)}")
        return sets

    def _numeric(self, j):
        """Reports whether more than a tenth of the fields of a column are numbers, without empty ones. A field that is none is
        an error when it is read: a column with some NA is not left out."""
        return 10 * sum(_is_number(r[j]) for r in self.rows) > sum(r[j] != "" for r in self.rows)

    def _fraction(self, j):
        """Reports whether a column has numbers, and one is not whole. 2.0 is whole: a class that was written as a float."""
        return self._numeric(j) and any(_is_number(r[j]) and _whole(r[j]) is None for r in self.rows)

    def _scores(self):
        """Returns the columns of scores in the order of the classes, the class in the title of each, and the kind that they state."""
        if self.o.classes:
            taken = (self.header[self.label], *([self.header[self.split]] if self.split is not None else []))
            found = self.tables[0].columns(self.o.classes, taken)
            patterns = any("*" in p for p in self.o.classes)
            kind, classes = self._prefix(found)
            return (*self._ordered(found, classes, patterns), kind)
        if matched := self._matched():
            found, classes, kind = matched
            if not any(
                {_suffix(self.plain[j], p) for j in found} == set(classes) for _, prefixes in PREFIXES for p in prefixes
            ):  # else the prefix says it
                return (*self._ordered(found, classes), kind)
        for kind, prefixes in PREFIXES:
            groups = {}
            for prefix in prefixes:
                for j, title in enumerate(self.plain):
                    s = _suffix(title, prefix)
                    if (
                        s is None
                        or j in (self.label, self.split, *self.used)
                        or not self._numeric(j)
                        or not s
                        and not self._score(j, kind, prefix)
                    ):
                        continue
                    groups.setdefault(prefix, []).append((j, s))
            chosen = [p for p, g in groups.items() if len(g) > 1] or list(groups)
            several = [groups[p] for p in chosen]
            if len(several) > 1:
                raise DatasetError(
                    "several groups of columns can be the scores: "
                    + "; ".join(self.titles([j for j, _ in g]) for g in several)
                    + "; name one by --classes"
                )
            if several:
                self._no_numbers(chosen, [j for j, _ in several[0]])
                return (*self._ordered([j for j, _ in several[0]], [s for _, s in several[0]]), kind)
        found = self._unprefixed()
        if not found:
            for _, prefixes in PREFIXES:
                self._no_numbers(prefixes)
            raise DatasetError(
                f"no columns of scores, such as p_0, p_1 or logit_cat, logit_dog (the columns are {forms.names(self.header)}); "
                "integers in one column are labels, and are never taken as scores; name the columns by --classes"
            )
        titles = [self.plain[j] for j in found]
        if len(found) == 1:
            labels = {_text(r[self.label]) for r in self.rows} - {""}
            ends = {c for c in labels for a, b in ((titles[0].removesuffix(c), ""), ("", titles[0].removeprefix(c)))
                    if a + b != titles[0] and _between(a, c, b)}  # fmt: skip
            titles = list(ends) if len(ends) == 1 else titles
        return (*self._ordered(found, titles), "")

    def _score(self, j, kind, prefix):
        """Reports whether a column under a prefix alone can be scores: numbers that are not all whole, or 0 and 1 under a name
        of probabilities, as a full tree has them."""
        if prefix in NO_SCORES:
            return False
        flags = all(_whole(r[j]) in (0, 1) for r in self.rows)
        return self._fraction(j) or flags and (kind == "probs" or prefix in ("score", "scores", "y_score"))

    def _prefix(self, found):
        """Returns the kind and the classes in the titles of columns that were named."""
        for kind, prefixes in PREFIXES:
            for prefix in prefixes:
                classes = [_suffix(self.plain[j], prefix) for j in found]
                if None not in classes and len(set(classes)) == len(classes):
                    return kind, classes
        return "", [self.plain[j] for j in found]

    def _ordered(self, found, classes, sort=True):
        if len(found) > 1 and sort and all(re.fullmatch(r"[+-]?\d+", c, re.ASCII) for c in classes):
            order = sorted(range(len(found)), key=lambda i: int(classes[i]))
            for a, b in zip(order, order[1:]):
                if int(classes[b]) != int(classes[a]) + 1 and not {_text(r[self.label]) for r in self.rows} <= set(classes):
                    raise DatasetError(
                        f"the columns of scores have the numbers {classes[a]} and {classes[b]}, and none between them; give the scores of all classes"
                    )
            return [found[i] for i in order], [classes[i] for i in order]
        return found, classes

    def _unprefixed(self):
        values = {plain(r[self.label]) for r in self.rows}
        named, numbered, fractions = [], [], []
        for j, title in enumerate(self.plain):
            if j in (self.label, self.split, *self.used) or not self._numeric(j):
                continue
            if re.fullmatch(r"[+-]?\d+", title, re.ASCII):
                numbered.append(j)
                continue
            if title in values:
                named.append(j)
            if title in values or self._fraction(j) and title not in INDICES:
                fractions.append(j)
        if len(numbered) >= 2:
            return numbered
        if len(fractions) == 1 and self.plain[fractions[0]] not in NO_SCORES or self._sums_to_one(fractions):
            return fractions
        return named if len(named) >= 2 and len(named) == len(values) else []

    def _sums_to_one(self, columns):
        if len(columns) < 2:
            return False
        try:
            z = np.array([[self.number(i, j) for j in columns] for i in range(len(self.rows))])
        except DatasetError:
            return False
        return bool(((z >= 0) & (z <= 1.01)).all() and (abs(z.sum(1) - 1) <= 0.1).all())

    def number(self, i, j):
        """Returns the number of a field, which is finite or, of a masked class, -inf. A decimal comma is read where the fields
        are separated otherwise, and a per cent sign divides by 100."""
        field = self.rows[i][j]
        text = field.removesuffix("%").strip()
        if self.comma != "," and text.count(",") == 1 and "." not in text:
            text = text.replace(",", ".")
            self.points.add(",")
        elif "." in text:
            self.points.add(".")
        if len(self.points) == 2:
            self.fail(
                i, j, f"{short(field, 40)!r}: numbers with a decimal comma and numbers with a point in one file; write all with a point"
            )
        if not text:
            self.fail(i, j, "no number; remove the row, or give it one")
        try:
            v = float(text) if text.isascii() and "_" not in text else None
        except ValueError:
            v = None
        if v is None:
            comma = "," in text or "'" in text
            fix = "write numbers with a decimal point, and nothing between thousands" if comma else "remove the row, or give it a number"
            self.fail(i, j, f"{short(field, 40)!r} is not a number; {fix}")
        if v != v or v == np.inf:
            self.fail(i, j, f"{short(field, 40)!r} is not a finite number; remove the row, or give it one")
        return v / 100 if field.endswith("%") else v

    def _codes(self):
        """Returns the class of each text of a label."""
        found = {}
        for rows in self.sets.values():
            for i in rows:
                text = self.rows[i][self.label]
                if not text:
                    self.fail(i, self.label, "no label; remove the row, or give it one")
                found.setdefault(text, i)
        names = sorted(found)
        if len(set(self.classes)) < len(self.classes):
            raise DatasetError(f"two columns of scores are of one class: {self.titles(self.scores)}")
        titled = {c: n for n, c in enumerate(self.classes)}
        integers = all(_whole(t) is not None for t in names)
        codes = {}
        for t in names:
            c = titled.get(plain(t))
            if c is None and _whole(t) is not None:
                c = titled.get(str(_whole(t)))
            if c is not None:
                codes[t] = c
        missing = [t for t in names if t not in codes]
        single = len(self.scores) == 1
        k = max(2, len(self.scores))
        if single and len(names) == 2 and len(missing) == 1:  # the title names the class whose score it is
            one, other = next(t for t in names if t in codes), missing[0]
            if not (integers and self.classes[0] == "1" and other == "0"):
                self.told.append(
                    f"{self.titles(self.scores)} is the score of label {short(one, 60)}, which is class 1; label {short(other, 60)} is class 0"
                )
            return {one: 1, other: 0}
        if not single and not missing:
            if integers and self.classes[0] != "0":
                self.told.append(f"the labels are the numbers in the titles: label {short(self.classes[0], 60)} is class 0")
            return codes
        if integers:
            left = left_out(self.o, k)
            for t, i in found.items():
                if (label := _whole(t)) not in left and not 0 <= label < k:
                    kept = [v for v in map(_whole, names) if v not in left]
                    self.fail(i, self.label, outside(label, kept, k, f" by --ignore={label}"))
            return {t: _whole(t) for t in names}
        if not single and len(missing) < len(names):
            raise DatasetError(
                f"no column of scores is of {_few(missing)}, and others are of {_few([t for t in names if t in codes])}; "
                f"name each column by its class, such as p_{short(missing[0], 40)}"
            )
        if len(names) != k:
            raise DatasetError(
                f"{len(names)} labels ({_few(names)}), and {k} classes by the columns {self.titles(self.scores)}, whose titles do not name the "
                f"labels; name each column by its class, such as p_{short(names[0], 40)}"
            )
        return self._ascending(names)

    def _ascending(self, names):
        """Makes sorted names the classes in this order, and says so. It is an error where the accuracy is at most that of chance."""
        codes = {t: n for n, t in enumerate(names)}
        if [t.lower() for t in names] == ["false", "true"]:
            return codes
        pairs = (
            [f"{short(t, 40)} is {self.title(j)}" for t, j in zip(names, self.scores)]
            if len(self.scores) > 1
            else [f"{self.title(self.scores[0])} is the score of {short(names[1], 40)}"]
        )
        self.told.append(f"warning: the titles do not name the labels, which are the classes in ascending order: {_few(pairs)}")
        right = n = 0
        for rows in self.sets.values():
            z = np.array([[self.number(i, j) for j in self.scores] for i in rows])
            if z.shape[1] == 1:
                logits = (self.o.kind or kind_of(z)[0]) == "logits"
                best = (z[:, 0] > (0 if logits else 0.5)).astype(int)
            else:
                best = z.argmax(1)
            right += sum(codes[self.rows[i][self.label]] == b for i, b in zip(rows, best))
            n += len(rows)
        if right * max(2, len(self.scores)) <= n:
            raise DatasetError(
                f"the titles do not name the labels, and in ascending order accuracy is {100 * right / n:.1f} %, at most that of chance; "
                f"name each column by its class, such as p_{short(names[0], 40)}"
            )
        return codes
