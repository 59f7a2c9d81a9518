"""The command python -m qatsbench.datasets."""

import argparse
import importlib.util
import os
import re
import shlex
import signal
import sys

from .._program import COMMAND
from . import bundle, choices, fetching, formats, published, worker
from .errors import Cancelled, DatasetError
from .table import Table

NAME = "python -m qatsbench.datasets"  # as it is called
INTO = "data/arrays"
JOBS = 8


def memory(text):
    """Reads a limit such as 4GiB, 500MiB or a number of bytes."""
    m = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?i?B?)", text.strip())
    if not m:
        raise argparse.ArgumentTypeError(f"{text!r}; want a limit such as 4GiB")
    power = " KMGT".index(m[2][0]) if m[2][:1] in tuple("KMGT") else 0
    n = int(float(m[1]) * (1024 if "i" in m[2] or len(m[2]) < 2 else 1000) ** power)
    if n < 256 << 20:
        raise argparse.ArgumentTypeError(f"{text!r}; at least 256MiB")
    return n


def labels(text):
    """Reads a list of labels, such as -100,255 or unknown."""
    return [int(v) if v.removeprefix("-").isdecimal() else v for v in map(str.strip, text.split(","))]


class NoData(argparse.Action):
    """The error of --data, which commands of the program have for folders that they read."""

    def __call__(self, parser, namespace, values, option_string=None):
        parser.error("--data is a flag of the program, for folders that it reads; the folder to write to is --to")


def parser(table):
    """Returns the parser of the command line."""
    p = argparse.ArgumentParser(prog=NAME, allow_abbrev=False, description="Published predictions of trained networks: fetch and import.")
    sub = p.add_subparsers(dest="command", required=True)
    sources = f"  {bundle.NAME:<16} {bundle.TITLE}\n{'':19}{bundle.ADDRESS}, {bundle.LICENCE}\n" + (
        "\n".join(f"  {s.name:<16} {s.title}\n{'':19}{s.page}, {s.licence}" for s in table.sources.values())
        if table
        else "  (the table of the others needs PyYAML)"
    )
    f = sub.add_parser(
        "fetch",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        help="download published predictions and import them",
        description=f"""Downloads the files of a source, checks them, and imports them. Sources:

{sources}

or the addresses of files (https://, http:// or file:///PATH) with --format.

Sizes and licences are printed first; --yes answers the question. Each file of a source has its SHA-256
in the table; where a source publishes none, the digest of the first download is recorded and later
downloads must have it. A finished file is never loaded twice. A missing file costs its network alone:
its name is printed at the end, and the status is 1.

The bundle has one file and one folder, in which the program looks for it: {bundle.TOP}@{bundle.VERSION} in $QATS_CACHE, or
in qatsbench in the cache of the system. ${bundle.VARIABLE} names another address of it; its digest stays.""",
        epilog="""examples:
  python -m qatsbench.datasets fetch bundle
  python -m qatsbench.datasets fetch real
  python -m qatsbench.datasets fetch real --only 'cifar10/*' --dry-run
  python -m qatsbench.datasets fetch real --url https://mirror.example/qats
  python -m qatsbench.datasets fetch nncal --only '*c100*' --yes
  python -m qatsbench.datasets fetch file:///tmp/probs_resnet110_c10_logits.p --format nncal""",
    )
    f.add_argument("source", nargs="+", metavar="SOURCE|ADDRESS")
    f.add_argument("--to", help=f"folder of arrays to import to (default: that of the source, {INTO} for addresses)")
    f.add_argument("--downloads", help="folder of the downloads (default: $QATS_CACHE, or the cache of the system)")
    f.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only networks DATASET/NETWORK (real, wild, confidence) or files that match; may be repeated",
    )
    f.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="PATTERN",
        help="import only networks whose DATASET/MODEL in the files matches; may be repeated",
    )
    f.add_argument(
        "--url", default="", metavar="BASE", help="a mirror, which has each file under its key: BASE/KEY; --dry-run prints the keys"
    )
    f.add_argument(
        "--labels",
        choices=["all", "repositories"],
        default="all",
        help="repositories: take no labels from MedMNIST's own files; where only the validation labels are there, the test rows are divided",
    )
    f.add_argument("--format", default="", help="format of files given by their addresses: " + ", ".join(formats.FORMATS))
    f.add_argument("--sha256", default="", help="SHA-256 of a file given by its address")
    f.add_argument("--yes", action="store_true", help="download without asking")
    f.add_argument("--dry-run", action="store_true", help="print the plan, keys and addresses, and do nothing")
    f.add_argument("--list", action="store_true", help="print the networks, or files, of the source, and do nothing")
    f.add_argument("--no-import", action="store_true", help="download and check only")
    f.add_argument("--jobs", type=int, default=JOBS, metavar="N", help=f"downloads at once (at most {JOBS})")
    f.add_argument("--table", help="another table than sources.yaml")
    lines = "\n".join(f"  {x.name:<16} {x.title}:\n{'':19}{x.files}" for x in formats.FORMATS.values())
    i = sub.add_parser(
        "import",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        help="import published predictions that you have",
        description=f"""Reads published predictions and writes them as arrays, with a manifest that says where they come
from. Formats:

{lines}

Logits keep every bit. Probabilities become log-probabilities; a probability below 2^-126, also an exact
zero, counts as 2^-126. A network with a data set and a backbone of the paper is a stand-in: its numbers
are marked and enter no verdict on the paper. Nothing in the files is run. Arrays of another source are
not overwritten; comments in an existing manifest.yaml are lost.""",
        epilog="""examples:
  python -m qatsbench.datasets import nncal probs_*_logits.p
  python -m qatsbench.datasets import medmnist *@r50_28_seed0.csv dermamnist.npz --network resnet50
  python -m qatsbench.datasets import calarena cv-multiclass.h5 --select 'c10/*' --to data/calarena
  python -m qatsbench.datasets import lm-eval logs/*/samples_*.jsonl logs/*/results_*.json --across
  python -m qatsbench.datasets import csv predictions.csv
  python -m qatsbench.datasets import csv predictions.csv --split part --cal val --label y --classes 'p*' --kind probs \\
      --dataset mine --backbone resnet50
  python -m qatsbench.datasets import pickle outputs.pt""",
    )
    i.add_argument("format", help=", ".join(formats.FORMATS))
    i.add_argument("files", nargs="+", metavar="FILE")
    i.add_argument("--to", default=INTO, help=f"folder of arrays to write to (default {INTO})")
    i.add_argument("--dataset", default="", help="name of the data set, in place of that of the file; with --backbone")
    i.add_argument("--backbone", default="", help="name of the backbone, in place of that of the file; with --dataset")
    i.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="PATTERN",
        help="import only networks whose DATASET/MODEL in the source matches; may be repeated",
    )
    i.add_argument(
        "--network",
        default="",
        help="medmnist: the backbone of files with any text after @; lm-eval, helm, inspect: the model, in place of its name in the files",
    )
    i.add_argument(
        "--pixels", type=int, default=28, help="medmnist: resolution of the training that gets the plain name of its backbone (default 28)"
    )
    i.add_argument("--run", default="1", help="medmnist: run that gets it (default 1)")
    i.add_argument("--training", default="", help="how the networks differ from the paper's of the same name, which tables mark")
    i.add_argument(
        "--classes",
        type=lambda s: s.split(","),
        default=[],
        help="csv: columns of the classes in order, or a pattern for them such as 'p*', where the header does not tell them; for confidences without logits the number of classes",
    )
    i.add_argument("--label", default="", help="csv: column of the label, a class from 0 or its name, where the header does not tell it")
    for name, what in (
        ("confidence", "the probability of the predicted class"),
        ("prediction", "predicted classes"),
        ("group", "groups, such as patients"),
        ("weight", "weights"),
        ("fold", "the folds of the scores"),
    ):
        i.add_argument(f"--{name}", default="", metavar="COLUMN", help=f"csv: column of {what}")
    i.add_argument(
        "--kind",
        default="",
        choices=["", "logits", "log-probs", "probs", "confidence"],
        help="csv, parquet, pickle: what the scores are, where names and values do not tell it",
    )
    i.add_argument(
        "--ignore",
        type=labels,
        default=[],
        metavar="LABELS",
        help="csv, parquet, pickle: labels of rows that have no class and are left out, such as 255 or -100,255 (after =); without it 255, if no class has that number",
    )
    i.add_argument("--split", default="", help="csv: column that says the set of a row; one file without such a column is divided")
    i.add_argument("--cal", default="cal", help="csv: value of that column in rows that calibrate (default cal)")
    i.add_argument("--test", default="test", help="csv: value of that column in rows that test (default test)")
    i.add_argument(
        "--normalise",
        default="",
        choices=["none", "chars", "bytes", "tokens", "mutual"],
        help="lm-eval: divide log-likelihoods by the length of the choice (acc_norm: chars, acc_bytes: bytes), or subtract those without context (mutual); "
        "default none. helm: tokens or mutual, as the method of the run has it, or none",
    )
    i.add_argument(
        "--missing",
        default="rest",
        choices=list(choices.MISSING),
        help="helm, inspect: an answer that is not among the likeliest tokens has the rest of the mass, or its row is left out (drop)",
    )
    i.add_argument("--filter", default="", help="lm-eval: the filter whose lines are read (default none, or the only one)")
    i.add_argument(
        "--delimiter",
        default=None,
        metavar="TEXT",
        help="lm-eval: what precedes a choice in its continuation, if no results_*.json says it (default: a space where there is one)",
    )
    i.add_argument(
        "--least", type=int, default=20, metavar="N", help="lm-eval, helm, inspect: leave out data sets with fewer rows (default 20)"
    )
    i.add_argument(
        "--across",
        action="store_true",
        help="lm-eval, helm, inspect: add <task>-<choices>-others, with the same test rows, which all other tasks calibrate",
    )
    i.add_argument("--from", dest="came_from", default="", help="what the networks are, in a few words for captions")
    i.add_argument("--licence", default="", help="licence of the predictions, if not that of the source")
    i.add_argument("--url", default="", help="where the files come from, for the manifest")
    for s in (f, i):
        s.add_argument("--data", action=NoData, help=argparse.SUPPRESS)
        s.add_argument(
            "--memory",
            type=memory,
            default=worker.MEMORY,
            metavar="SIZE",
            help="most memory of the process that reads the files (default 4GiB)",
        )
    return p


def run_fetch_bundle(a, given, out):
    """Does fetch bundle. Returns the status. given are the flags that were given."""
    wrong = next((g.split("=")[0] for g in given if g not in ("--yes", "--dry-run")), None)
    if wrong:
        raise DatasetError(
            f"{wrong} is for other sources: the bundle has one folder, {bundle.folder()}; ${bundle.VARIABLE} names another address"
        )
    if a.dry_run:
        print(bundle.address(), file=out)
        return 0
    at = bundle.folder()
    print(f"{bundle.NAME}: {bundle.TITLE}\n{bundle.address()}\n  {fetching.megabytes(bundle.BYTES)}, licence: {bundle.LICENCE}", file=out)
    if not os.path.isdir(at) and not a.yes:
        confirm(f"Download 1 file, {fetching.megabytes(bundle.BYTES)}, to {at}?", out)
    bar = Bar(sys.stderr, bundle.BYTES)
    try:
        _, loaded = bundle.fetch(bar.add)
    finally:
        bar.end()
    print(f"{at} {'is complete' if loaded else 'is there'}; its terms are in LICENSE there", file=out)
    print(f"next: {COMMAND} run companion", file=sys.stderr)
    return 0


def confirm(question, out):
    """Asks before a download."""
    print(f"{question} [y/N] ", end="", file=out, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        print(file=out)
        raise DatasetError("nothing was downloaded; answer y, or give --yes")


def run_fetch(a, table, out):
    """Does fetch. Returns the status."""
    names = a.source
    if "://" in names[0]:
        if any("://" not in n for n in names):
            raise DatasetError("give addresses of files, or one source")
        if a.url or a.only:
            raise DatasetError("--url and --only are for a source with a name")
        if a.sha256 and len(names) > 1:
            raise DatasetError("--sha256 is for one file")
        if a.sha256 and not re.fullmatch("[0-9a-fA-F]{64}", a.sha256):
            raise DatasetError("--sha256 must be 64 hexadecimal digits")
        if not a.format and not a.no_import and not a.dry_run:
            raise DatasetError("say what the files are by --format (import --help lists the formats), or give --no-import")
        plan, into = fetching.plan_addresses(names, a.format, a.sha256), a.to or INTO
    else:
        if len(names) > 1:
            raise DatasetError(f"give one source ({names[0]}), or addresses of files")
        if a.format or a.sha256:
            raise DatasetError(f"--format and --sha256 are for files given by their addresses; those of {names[0]} are known")
        source = table.source(names[0])
        plan, into = fetching.plan_source(table, source, a.only, a.url, a.labels), a.to or source.into
    if a.list:
        for n in plan.networks:
            rows = "halves" if "halves" in n else "validation and test"
            stand_in = ", stand-in" if "stands_in" in n else ""
            print(f"{n['dataset']}/{published.name_of(n)}: {n['kind']}, {rows}, {n['licence']}{stand_in}", file=out)
        if not plan.networks:
            for f in plan.files.values():
                print(f"{f.name}: {fetching.megabytes(f.bytes) if f.bytes else 'size not known'}, {f.licence}", file=out)
        return 0
    from .download import Client, default_folder  # needs pooch, which an import does without

    client = Client(a.downloads or default_folder())
    if a.dry_run:  # asks no server
        for f in plan.files.values():
            print(f.url, file=out)
        for line in plan.left_out:
            print("left out:", line, file=sys.stderr)
        return 0
    for line in plan.lines(client):
        print(line, file=out)
    if plan.missing and not a.yes:
        about = fetching.megabytes(plan.total) + (" or more" if plan.unknown else "")
        confirm(f"Download {fetching.count(plan.missing, 'file')}, {about}, to {client.dir}?", out)
    bar = Bar(sys.stderr, plan.total)
    client.progress = bar.add
    try:
        s = fetching.run_plan(plan, client, into, a.memory, a.select, a.jobs, a.no_import)
    finally:
        bar.end()
    print(f"{fetching.count(s.loaded, 'file')} downloaded to {client.dir}", file=out)
    if a.no_import or not s.networks:
        for line in s.failed:
            print("failed:", line, file=sys.stderr)
        if not a.no_import:
            print("nothing was imported", file=sys.stderr)
    else:
        for line in s.lines():
            print(line, file=out)
    return 1 if s.failed else 0


class Bar:
    """The bytes so far, on a terminal. Elsewhere it prints nothing."""

    def __init__(self, file, total):
        self.file, self.total, self.done, self.shown = file if file.isatty() else None, total, 0, 0

    def add(self, n):
        self.done += n
        if self.file and self.done - self.shown >= 1 << 19:
            self.shown = self.done
            self.file.write(f"\r{fetching.megabytes(self.done)} of {fetching.megabytes(self.total)} ")
            self.file.flush()

    def end(self):
        if self.file and self.shown:
            self.file.write("\r\033[K")


def main(arguments=None):
    """Runs the command and returns its status: 0, 1 if a network could not be had, 2 for a mistake, 130 if interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        path = next((b for a, b in zip(arguments, arguments[1:]) if a == "--table"), None)
        try:
            table = Table(path) if path else Table()
        except DatasetError:
            if path or importlib.util.find_spec("yaml"):
                raise
            table = None  # an import does without
        a = parser(table).parse_args(arguments)
        if a.command == "fetch" and a.source == [bundle.NAME]:
            return run_fetch_bundle(a, [x for x in arguments[1:] if x.startswith("-")], sys.stdout)
        if a.command == "fetch":
            return run_fetch(a, table or Table(), sys.stdout)
        options = {
            k: getattr(a, k)
            for k in (
                "dataset",
                "backbone",
                "select",
                "network",
                "pixels",
                "run",
                "training",
                "classes",
                "label",
                "confidence",
                "prediction",
                "group",
                "weight",
                "fold",
                "kind",
                "ignore",
                "split",
                "cal",
                "test",
                "came_from",
                "licence",
                "normalise",
                "filter",
                "delimiter",
                "least",
                "across",
                "missing",
            )
        }
        summary = fetching.import_files(a.format, a.files, a.to, a.memory, a.url, **options)
        for line in summary.lines():
            print(line)
        if len(summary.networks) == 1:
            print(f"next: {COMMAND} try {shlex.quote(os.path.join(a.to, summary.networks[0]['entry']['set']))}", file=sys.stderr)
        return 0
    except DatasetError as e:
        print(f"{NAME}: {e}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, Cancelled):
        print(f"{NAME}: interrupted; run the same command again to continue", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141


if __name__ == "__main__":
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
    sys.exit(main())
