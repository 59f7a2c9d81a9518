"""Which calibrator to use: ``qats try`` with its answer as objects, tables and figures."""

import html
import json
import sys
import textwrap

from . import _arrays, _beside, _confidence, _program
from ._calibrator import KINDS, TAKEN_AS_PROBS, calibrator
from ._errors import InputError
from ._frames import frame
from ._intervals import differences
from ._metrics import place

_BY = ("nll", "brier")
_NAMES = {"nll": "NLL", "brier": "Brier score", "nll_top": "top NLL", "brier_top": "top Brier"}
_EXPLODES = "explodes"  # the bar of a method that is named below the table, and no row of it
_COLUMNS = (
    "method",
    "label",
    "choice",
    "nll",
    "brier",
    "ece",
    "ece_null_lo",
    "ece_null_hi",
    "inside",
    "accuracy",
    "changed",
    "fit_seconds",
    "exports",
    "chosen",
)
_OF_TWO = (
    "ece_positive",
    "ece_positive_null_lo",
    "ece_positive_null_hi",
    *(name + end for name in ("oe", "slope", "intercept") for end in ("", "_lo", "_hi")),
)  # columns of two classes


def recommend(
    cal,
    *rows,
    test=None,
    methods=None,
    by="nll",
    kind=None,
    classes=None,
    n_classes=None,
    ignore=None,
    positive=None,
    sample_weight=None,
    groups=None,
    folds=None,
    test_sample_weight=None,
    test_groups=None,
    progress=True,
    cv=5,
    n_jobs=None,
):
    """Fit methods on calibration rows, choose one of them, and judge the choice on test rows.

    recommend(cal, test, methods) takes arrays, and recommend(estimator, X, y) a scikit-learn classifier with its rows. The
    calibration rows are then what classifiers that were fitted on the other parts of X say, as CalibratedClassifier has them by cv, n_jobs,
    groups and ignore; cv="prefit" takes a fitted one. test is then a pair of X and y, of which the classifier of all rows predicts X.

    cal, test: pairs of logits, n x k, and labels, as the estimators take them. The choice is
    made only on the calibration rows: temperature scaling, unless five-fold cross-fitting
    shows that another method is better. Exact zeros, classes with other shares, and few rows
    with T < 1 begin with another method than that. A method whose NLL explodes is named below the
    table; frame has its numbers. Without test rows the same predictions judge the
    methods.
    Confidences without logits are a dict of confidence and correct, or of confidence,
    predicted and labels, as the estimators take them; n_classes is their number of classes. ts-top then takes the
    place of ts, and the scores are those of "the prediction is right".
    methods: @recommended, for two classes @recommended-2, for confidences without logits @confidence; or a
    name, a group such as "@recommended" or "@fast", or a list of both (``qats doc methods`` lists them).
    uncal and ts are always among them.
    by: the proper score that chooses, "nll" or "brier".
    kind: what the rows are, as for the estimators. classes names the columns. ignore: a label,
    or a list of labels, of rows that have no class and are left out.
    positive: of two classes, the value of the positive one, whose probability the columns of P(class) are of; the
    second without it.
    sample_weight, groups, folds: of the calibration rows, a value each: frequencies, of which 2 is the row twice and 0 leaves it
    out; values such as patients, whose rows are drawn together; and the folds of the cross-fitting, in the place of five.
    test_sample_weight and test_groups are of the test rows.
    progress: show how many fits are done, by tqdm where it is installed, else in one line.

    What the program warns of is a CalibrationWarning, and below the table. Rows that leave no
    answer, such as an accuracy by chance, are a warning too: the table is there, and best is
    None. Rows whose numbers mean nothing are an InputError.

    Returns a Recommendation.
    """
    if hasattr(cal, "fit") and (hasattr(cal, "predict") or isinstance(cal, type)):
        more = {"methods": methods, "by": by, "folds": folds, "positive": positive, "progress": progress}
        more |= {"test_sample_weight": test_sample_weight, "test_groups": test_groups}
        if len(rows) != 2:
            raise InputError(f"{1 + len(rows)} arguments by place", code="usage", where="estimator", hint="recommend(estimator, X, y)")
        for name, value in {"kind": kind, "classes": classes, "n_classes": n_classes}.items():
            if value is not None:
                raise InputError("the classifier says it", code="usage", where=name, hint="leave it out")
        from ._classifier import recommended

        return recommended(cal, *rows, test, {"cv": cv, "ignore": ignore, "n_jobs": n_jobs}, groups, sample_weight, more)
    if len(rows) > 2 or rows and test is not None or len(rows) == 2 and methods is not None:
        raise TypeError(f"recommend() takes cal, test and methods by place, or estimator, X and y; {1 + len(rows)} were given")
    test, methods = (rows[0] if rows else test), (rows[1] if len(rows) == 2 else methods)
    if by not in _BY:
        raise InputError(f"{by!r}, want one of {', '.join(_BY)}", code="usage", where="by")
    if kind is not None and kind not in KINDS:
        raise InputError(f"{kind!r}, want one of {', '.join(KINDS)}", code="usage", where="kind")
    alone = isinstance(cal, dict)
    if alone:
        if kind is not None or classes is not None or ignore is not None or positive is not None:
            raise InputError("confidences without logits have no kind, classes, ignore or positive", code="usage", where="cal")
        arrays = _alone(cal, "cal")
        if test is not None:
            arrays |= _alone(test, "test")
        words = ["try", "--json", "--by", by, "--kind", "confidence", *_confidence.number(n_classes)]
    else:
        arrays, values = _pair(cal, "cal", classes, kind, ignore)
        if test is not None:
            arrays |= _pair(test, "test", classes, kind, ignore)[0]
        words = ["try", "--json", "--by", by, *_ignored(arrays, classes, ignore)]
        if positive is not None:
            words += ["--positive", str(place(positive, values))]
    if kind is None and not alone and _arrays.are_probabilities(arrays["cal_logits"]):
        kind = "probs"
        _program.warn([{"kind": "kind", "text": TAKEN_AS_PROBS.format("cal")}])
    if kind is not None:
        words += ["--kind", kind]
    beside = {}
    for name, given in {"cal_": (sample_weight, groups, folds), "test_": (test_sample_weight, test_groups)}.items():
        of = next((a for key, a in arrays.items() if key.startswith(name)), None)
        if of is None and any(v is not None for v in given):
            raise InputError("there are no test rows", code="usage", where="test_sample_weight" if given[0] is not None else "test_groups")
        rows = cal if name == "cal_" else test
        owner = rows[1] if isinstance(rows, (list, tuple)) and len(rows) > 1 else None
        beside |= _beside.arrays(None if of is None else _length(of), *given, name=name, labels=owner)
    words += _beside.words(beside, "cal_", "test_")
    methods = [] if methods is None else methods
    names = list(methods) if isinstance(methods, (list, tuple, set, frozenset)) else [methods]
    for name in names:
        if not isinstance(name, str):
            of = getattr(name, "_name", "")
            raise InputError(
                f"{name!r}, want the name of a method",
                code="usage",
                where="methods",
                hint=f"{of!r} is its name" if of else "METHODS lists them",
            )
    if names:
        from ._methods import ALIASES

        words += ["--method", ",".join(ALIASES.get(name, name) for name in names)]
    words += ["--", *(_program.argument(name, a) for name, a in arrays.items())]
    with _Progress(progress) as shown:
        lines = _program.call(words, _program.streamed(arrays | beside), read=_read_lines, progress=shown, despite=_has_answer)
    compared = Recommendation(lines, logits=not alone and kind != "probs")
    _program.warn(compared.warnings)
    return compared


def _length(a):
    return None if isinstance(a, _arrays.File) else len(a)


def _alone(rows, name):
    if not isinstance(rows, dict) or not set(rows) <= {"confidence", "correct", "predicted", "labels"}:
        raise InputError("want a dict of confidence and correct, or of confidence, predicted and labels", code="input", where=name)
    return _confidence.pair(**{"confidence": None} | rows, name=name + "_")


def _pair(rows, name, classes, kind, ignore):
    if isinstance(rows, dict) or not hasattr(rows, "__len__") or len(rows) != 2:
        raise InputError("want a pair of logits and labels", code="input", where=name, hint="recommend(cal=(Z, y), test=(Zt, yt))")
    logits, labels = f"{name}_logits", f"{name}_labels"
    z = _arrays.table(rows[0], logits, kind=kind, labels=rows[1], labels_name=labels, classes=classes)
    y, values = _arrays.labels(rows[1], _arrays.rows(z), _arrays.columns(z, kind), classes, name=labels, ignore=ignore)
    return {logits: z, labels: y}, values


def _ignored(arrays, classes, ignore):
    """Return the flag of labels that are left out, in all sets."""
    of = {tuple(_arrays.ignored(ignore, a, classes)) for name, a in arrays.items() if name.endswith("_labels")}
    if len(of) > 1:
        raise InputError(
            "labels of one set are in a file and those of the other have names", code="usage", where="ignore", hint="load the file"
        )
    return of.pop()


def _has_answer(lines):
    """Report whether the lines of a try that recommends nothing are worth showing: no finding says
    that the rows are wrong."""
    kinds = {line["kind"] for line in lines}
    return {"method", "choice"} <= kinds and not any(line["kind"] == "finding" and line["severity"] == "error" for line in lines)


def _read_lines(pipe):
    return [json.loads(line) for line in pipe]


class Recommendation:
    """The result of ``recommend``. In a notebook it shows the table of the methods."""

    def __init__(self, lines, *, logits=True):
        from ._maps import MAPS

        of = lambda kind: [{k: v for k, v in line.items() if k != "kind"} for line in lines if line["kind"] == kind]  # noqa: E731
        self.methods = [m | {"exports": logits and m["method"] in MAPS} for m in of("method")]  # the best first
        self.left_out = of("left-out")
        self.findings = of("finding")
        self.choice = of("choice")[0]
        self._pairs = of("pair")
        found = ({"kind": "rows", "text": _finding(f), **f} for f in self.findings if f["severity"] in ("warning", "error"))
        self.warnings = [
            *found,
            *(w | {"text": f"{m['method']}: {w['text']}"} for m in self.methods for w in m.get("warnings") or ()),
        ]  # as CalibrationWarning.value

    @property
    def best(self):
        """The name of the chosen method (``calibrator(r.best)`` is its estimator): "uncal" where
        the network is best kept as it is, None where the arrays leave no answer."""
        return self.choice["method"]

    @property
    def frame(self):
        """A row for each method, the best first: choice is the score that chooses, on the
        calibration rows; the others are of the rows that judge. ECE and accuracy are
        fractions. ece_null_lo and ece_null_hi: where 95 % of the ECE of a calibrated model
        with the same confidences lie; inside: whether the ECE does. changed: rows whose
        predicted class changes. Of two classes ece_positive is the ECE of the probability of the positive one, with
        its band, and inside is whether both are; oe, slope and intercept are observed / expected and the logistic
        recalibration of it, with 95 % intervals. exports: whether the fitted method has to_numpy, to_torch, to_onnx and to_c,
        which are of logits alone. A DataFrame, or a dict of arrays without pandas."""
        top = any("nll_top" in m for m in self.methods)  # of a confidence alone
        return frame(self.methods, [*(c + "_top" if top and c in _BY else c for c in _COLUMNS), *(_OF_TWO if self._two else ())])

    @property
    def _two(self):
        return any("ece_positive" in m for m in self.methods)

    @property
    def pairs(self):
        """The difference of each method to the reference, with a 95 % interval, on the rows
        that judge. Negative is better. A DataFrame, or a dict of arrays without pandas."""
        return frame(self._pairs, ("method", "against", "metric", "difference", "lo", "hi", "verdict"))

    def __repr__(self):
        return self._text()

    # Words and tables.

    def _cells(self):
        plain = next((m for m in self.methods if m["method"] == "uncal"), None)
        number = lambda v, form: "-" if v is None else format(v, form)  # noqa: E731
        rows = []
        for m in self.methods:
            if m.get("bar") == _EXPLODES:
                continue
            if plain is None or m["method"] == "uncal":
                accuracy = number(100 * m["accuracy"], ".2f") + " %"
            elif m["changed"] == 0:
                accuracy = "kept"
            else:
                accuracy = format(100 * (m["accuracy"] - plain["accuracy"]), "+.2f")
            band = f"[{100 * m['ece_null_lo']:.1f}, {100 * m['ece_null_hi']:.1f}]"
            rows.append(
                [
                    m["method"],
                    number(m["choice"], ".4f"),
                    number(m.get("nll", m.get("nll_top")), ".4f"),
                    number(m.get("brier", m.get("brier_top")), ".4f"),
                    *([number(None if m["ece_positive"] is None else 100 * m["ece_positive"], ".2f")] if self._two else []),
                    number(None if m["ece"] is None else 100 * m["ece"], ".2f"),
                    band,
                    "inside" if m["inside"] else "outside",
                    accuracy,
                ]
            )
        top = "top " if self.choice["by"].endswith("_top") else ""
        return [
            "method",
            "cal " + _NAMES[self.choice["by"]],
            top + "NLL",
            top + "Brier",
            *([f"ECE P({self._positive}) %"] if self._two else []),
            "ECE %",
            "band %",
            "",
            "accuracy",
        ], rows

    @property
    def _positive(self):
        return next(m["positive"] for m in self.methods if m.get("positive") is not None)

    def _legend(self):
        judge = "the test rows" if self.choice["judged_on"] == "test" else f"the same rows, by {self.choice['folds']}-fold cross-fitting"
        return (
            f"cal {_NAMES[self.choice['by']]}: of the calibration rows, by {self.choice['folds']}-fold cross-fitting. The other columns are of {judge}. "
            + (f"ECE P({self._positive}): of the probability of class {self._positive}; inside: both ECE are. " if self._two else "")
            + "band: where 95 % of the ECE of a calibrated model with the same confidences lie. accuracy: kept, or its change in points."
        )

    def _remarks(self):
        yield from (f"{f['severity']}: {_finding(f)}" for f in self.findings)
        yield from (f"no candidate: {m['method']}: {m['barred']}" for m in self.methods if m.get("bar") == _EXPLODES)
        inside = [m["method"] for m in self.methods if not m["exports"]]
        if 0 < len(inside) < len(self.methods):
            yield f"no to_numpy, to_torch, to_onnx or to_c: {', '.join(inside)}"
        yield from (f"left out: {x['method']}: {x['why']}" for x in self.left_out)
        yield from (w["text"] for w in self.warnings if "method" in w)

    def _text(self):
        head, rows = self._cells()
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        line = lambda mark, row: "  ".join([mark + row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))])  # noqa: E731
        body = [line("-> " if row[0] == self.best else "   ", row) for row in rows]
        return "\n".join(
            [
                *textwrap.wrap(self.choice["answer"], 100),
                "",
                line("   ", head),
                *body,
                "",
                *textwrap.wrap(self._legend(), 100),
                *(part for r in self._remarks() for part in textwrap.wrap(r, 100)),
            ]
        )

    def _repr_html_(self):
        head, rows = self._cells()
        e = html.escape

        def cells(row, tag):
            return "".join(f'<{tag} style="text-align:{"left" if i == 0 else "right"}">{e(c)}</{tag}>' for i, c in enumerate(row))

        body = []
        for row in rows:
            best = row[0] == self.best
            style = ' style="font-weight:bold"' if best else ""
            name = f"\u2192 {row[0]}" if best else row[0]
            body.append(f"<tr{style}>{cells([name, *row[1:]], 'td')}</tr>")
        remarks = "".join(f"<br>{e(r)}" for r in self._remarks())
        return (
            f"<div><p>{e(self.choice['answer'])}</p><table><thead><tr>{cells(head, 'th')}</tr></thead><tbody>{''.join(body)}</tbody></table>"
            f'<p style="max-width:60em"><small>{e(self._legend())}{remarks}</small></p></div>'
        )

    # Figures.

    def plot(self, ax=None, title=None):
        """Draw the difference of each method to the reference with its 95 % interval, the
        best method at the top, and return the matplotlib axes. ax and title are those of the figure. A method far from the others stands
        at the edge, with its difference as a number."""
        if not self._pairs:
            raise InputError("there is no pair to draw", code="usage")
        metric, against = self._pairs[0]["metric"], self._pairs[0]["against"]
        of = {p["method"]: p for p in self._pairs if p["metric"] == metric}
        pairs = {m["method"]: of[m["method"]] for m in self.methods if m["method"] in of}
        return differences(pairs, self.best, f"{_NAMES.get(metric, metric)} minus that of {against}, 95 % interval", ax, title)

    def reliability(self, method=None, ax=None, title=None):
        """Draw the reliability diagrams of the network and of a method (default: the best) on the rows that
        judge, side by side, with Wilson's 95 % interval of each bin's accuracy, and return the axes; into
        ax, draw that of the method alone."""
        from ._reliability import draw

        name = (self.best or self.methods[0]["method"]) if method is None else method
        of = {m["method"]: (m.get("label", m["method"]), m["ece"], m["bins"]) for m in self.methods}
        if name not in of:
            raise InputError(f"{name!r} is not among the methods compared: {', '.join(of)}", code="method", where="method")
        before = [] if ax is not None or name == "uncal" or "uncal" not in of else [of["uncal"]]
        return draw([*before, of[name]], ax, title=title)

    def fit(self, cal, *, classes=None, ignore=None):
        """Return the estimator of the best method, fitted to a pair of logits and labels."""
        if self.best is None:
            raise InputError("no method is recommended", code="usage", hint="calibrator(NAME) gives the estimator of another method")
        return calibrator(self.best).fit(*cal, classes=classes, ignore=ignore)


def _finding(f):
    return f"{f['cause']}; {_program.stated(f['fix'], f)}" if f.get("fix") else f["cause"]


def _left(seconds):
    """Return how long the rest takes in words, after a comma; nothing where that is not known."""
    if seconds is None:
        return ""
    value, unit = (
        (seconds / 3600, "hours") if seconds >= 3 * 3600 else (seconds / 60, "minutes") if seconds >= 300 else (max(seconds, 1), "s")
    )
    return f", {value:.0f} {unit} left"


class _Progress:
    """Shows progress by tqdm, which has the time left too, or by one line, which is written anew on a terminal."""

    def __init__(self, wanted):
        self.wanted, self.bar, self.said, self.width = wanted, None, False, 0

    def __enter__(self):
        if not self.wanted:
            return None
        return self.show

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()
        if self.width:
            print("\r" + " " * self.width, end="\r", file=sys.stderr, flush=True)

    def show(self, p):
        total, done = p.get("total"), p.get("done", 0)
        if self.bar is None and not self.said:
            try:
                from tqdm.auto import tqdm

                self.bar = tqdm(total=total, unit="fit", leave=False)
            except ImportError:
                print(f"qatsbench: {total} fits", file=sys.stderr, flush=True)
                self.said = True
        if self.said and sys.stderr is not None and sys.stderr.isatty():
            line = f"qatsbench: {done} of {total} fits{_left(p.get('seconds_left'))}"
            print("\r" + line.ljust(self.width), end="", file=sys.stderr, flush=True)
            self.width = max(self.width, len(line))
        if self.bar is not None:
            self.bar.set_description(p.get("what") or "", refresh=False)
            self.bar.update(done - self.bar.n)
