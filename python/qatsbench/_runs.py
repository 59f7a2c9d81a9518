"""Runs of specs, and their CSV files as tables."""

import json
import os
import sys
from functools import cached_property
from pathlib import Path

from . import _program
from ._errors import InputError
from ._external import Server
from ._files import opened
from ._frames import frame, read_csv
from ._intervals import bars, differences
from ._recommendation import _Progress, _read_lines

_NUMBERS = {
    "value",
    "n",
    "k",
    "severity",
    "bin",
    "lo",
    "hi",
    "conf",
    "acc",
    "acc_lo",
    "acc_hi",
    "difference",
    "seconds",
    "bound",
    "class",
    "version",
    "freq",
    "ece",
}

_BOARD = ("rank", "method", "label", "mean", "difference", "win", "loss", "settings")


def run(*specs, out="results/out", data=(), workers=None, quick=False, methods=(), progress=True):
    """Fit and score what the specs name and the store lacks, as ``qats run`` does.

    specs: files, or names of specs that the program carries, such as "companion".
    out: folder of the CSV files. data: folders of arrays, searched first. workers: settings
    at a time. quick: only the first 500 rows of each set. methods: functions that
    ``qatsbench.method`` made, to fit beside the methods of the specs. Ctrl-C keeps finished cells.

    Returns the Results in out.
    """
    if not specs:
        raise InputError("names no spec", code="usage", where="run")
    words = ["run", "--out", _program.file_argument(out)]
    for folder in [data] if isinstance(data, (str, os.PathLike)) else data:
        words += ["--data", _program.file_argument(folder)]
    if workers is not None:
        words += ["--workers", str(workers)]
    if quick:
        words.append("--quick")
    server = Server(list(methods)) if methods else None
    words += ["--serve"] if server else []
    try:
        with _Progress(progress) as shown:
            _program.call([*words, "--", *map(os.fspath, specs)], progress=shown, gentle=True, serve=server.serve if server else None)
    finally:
        if server is not None:
            server.close()
    if progress:
        print("qatsbench: next: leaderboard(), compare(), plot() and page() of these results", file=sys.stderr)
    return results(out)


def results(folder):
    """Return the Results of a folder that ``qats run`` wrote."""
    folder = Path(folder)
    if not (folder / "results.csv").is_file():
        raise InputError("there is no results.csv", code="input", where=str(folder), hint="qatsbench.run writes it")
    return Results(folder)


class Results:
    """The CSV files of a run, read when they are first asked for: DataFrames, or dicts of
    arrays without pandas. Columns are those of docs/formats.md; empty values are NaN."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def _read(self, name):
        path = self.folder / name
        with opened(path) as f:
            columns = f.readline().decode().strip().split(",")
        numbers = [c for c in columns if c in _NUMBERS]
        return read_csv(path, numbers, [c for c in columns if c not in numbers])

    @cached_property
    def frame(self):
        """results.csv: one value of a metric a row."""
        return self._read("results.csv")

    @cached_property
    def settings(self):
        """settings.csv: what is known of each setting, such as its rows and its source."""
        return self._read("settings.csv")

    @cached_property
    def methods(self):
        """methods.csv: what is known of each method, such as its label, its version and what it sees."""
        return self._read("methods.csv")

    @cached_property
    def bins(self):
        """bins.csv: the bins of reliability diagrams."""
        return self._read("bins.csv")

    @cached_property
    def pairs(self):
        """pairs.csv: differences of the methods to the baseline, with intervals."""
        return self._read("pairs.csv")

    @cached_property
    def fits(self):
        """fits.csv: fitted parameters and warnings."""
        return self._read("fits.csv")

    @cached_property
    def times(self):
        """times.csv: the processor time of each fit."""
        return self._read("times.csv")

    @cached_property
    def classes(self):
        """classes.csv: the calibration error of each class, of specs with ``per_class``."""
        if not (self.folder / "classes.csv").is_file():
            raise InputError(
                "there is no classes.csv",
                code="input",
                where=str(self.folder),
                hint="qatsbench.run writes it for specs with per_class: true",
            )
        return self._read("classes.csv")

    @cached_property
    def about(self):
        """run.json: the specs and the version of the run."""
        return json.loads((self.folder / "run.json").read_text(encoding="utf-8"))

    def compare(self, *methods, against=None, metrics=None):
        """Compare methods (default: all) with the one of against (default: the baseline of the run) by metrics (default: ece and
        aece, or the first metric of a run that has neither) over all settings, as ``qats compare`` does: a row for each metric and method, with the columns of
        ``qats compare --json``. Among them are the mean, the mean difference, wins and losses, and p with
        Holm's correction. A DataFrame, or a dict of arrays without pandas."""
        rows = self._compared(methods, against, metrics)
        return frame(rows, list(dict.fromkeys(name for row in rows for name in row)))

    def _compared(self, methods, against, metrics):
        lines = _program.call(self._words("--json", methods, against, metrics), read=_read_lines)
        return [{k: v for k, v in line.items() if k != "kind"} for line in lines if line["kind"] == "method"]

    def leaderboard(self, metric=None):
        """Return a row for each method, the best first, functions of ``methods=`` among them: its rank,
        the mean of the metric (default: the first of those of ``compare``) over blocks of settings, the number of settings, and against the baseline of the run
        the mean difference, wins and losses as in ``compare``. A DataFrame, or a dict of arrays without pandas."""
        return frame(self._board(metric), _BOARD)

    def _board(self, metric):
        rows = [r for r in self._compared((), None, metric) if r["mean"] is not None]
        if not rows:
            raise InputError(
                "fewer than two methods with values",
                code="input",
                where=str(self.folder),
                hint="a run of several methods has a leaderboard",
            )
        metric = rows[0]["metric"]
        rows = [r for r in rows if r["metric"] == metric]
        baseline = self._compared((rows[0]["against"],), rows[0]["method"], metric)[0]  # that has no row against itself
        rows.append(baseline | {"against": None, "difference": None, "lo": None, "hi": None, "win": None, "loss": None})
        labels = dict(zip(self.methods["method"], self.methods["label"]))
        rows = [r | {"label": labels.get(r["method"], r["method"])} for r in rows]
        rows.sort(key=lambda r: -r["mean"] if self._higher(metric) else r["mean"])
        return [r | {"rank": i + 1} for i, r in enumerate(rows)]

    def _higher(self, metric):
        """Report whether more of a metric is better. Less is of time, and of the ECE with options."""
        known = _program.call(["doc", "metrics", "@all", "--json"], read=_read_lines)
        return any(m.get("better") == "higher" and metric in (o["name"] for o in m["outputs"]) for m in known if "outputs" in m)

    def plot(self, kind="differences", metric=None, ax=None, title=None):
        """Draw the leaderboard of a metric (default: that of ``leaderboard``) and return the matplotlib axes. kind: "differences" to the baseline,
        with 95 % intervals where there are enough blocks, or "means"."""
        if kind not in ("differences", "means"):
            raise InputError(f"{kind!r}, want one of differences, means", code="usage", where="kind")
        rows = self._board(metric)
        metric = rows[0]["metric"]
        names = [r["label"] for r in rows]
        if kind == "means":
            return bars(names, [r["mean"] for r in rows], f"mean {metric}", ax, title)
        against = next(r["against"] for r in rows if r["against"])
        pairs = {n: {k: r[k] for k in ("difference", "lo", "hi")} for n, r in zip(names, rows) if r["against"]}
        return differences(pairs, names[0], f"{metric} minus that of {against}", ax, title)

    def to_latex(self, *methods, against=None, metrics=None):
        """Return the table of ``compare`` as LaTeX."""
        return _program.call(self._words("--format=latex", methods, against, metrics))

    def page(self):
        """Write the page of the results for a browser, and return its path."""
        _program.call(["report", "--", str(self.folder)])
        return self.folder / "index.html"

    def _words(self, form, methods, against, metrics):
        words = ["compare", form, "--out", _program.file_argument(self.folder)]
        words += [] if metrics is None else ["--metric", metrics if isinstance(metrics, str) else ",".join(metrics)]
        words += [] if against is None else ["--against", against]
        return [*words, "--", *methods]

    def __repr__(self):
        return f"Results({str(self.folder)!r})"
