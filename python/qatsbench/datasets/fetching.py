"""fetch and import: the plan, the downloads, the reading and the folder, one after the other."""

import dataclasses
import hashlib
import os

from . import bundle, folder, formats, published, worker
from .errors import DatasetError, at, short
from .table import File, Source, Table, check_address

COMMIT_EACH = 32  # networks that are added to a folder together


@dataclasses.dataclass
class Plan:
    """What a fetch would do. files are by id; networks are entries of the table."""

    source: Source
    files: dict
    networks: list = dataclasses.field(default_factory=list)
    left_out: list = dataclasses.field(default_factory=list)  # lines

    def lines(self, client):
        """Yields the plan for people: files, sizes and licence by origin, and which files bring labels."""
        yield f"{self.source.name}: {self.source.title}"
        yield from self.source.page.split("\n")
        groups = {}
        for id, f in self.files.items():
            place, _, _ = f.key.rpartition("/")
            where = "/".join(place.split("/")[:2]) if self.networks else place or self.source.name
            groups.setdefault((where, f.licence), []).append((id, f))
        labels = self.labels()
        total, missing, unknown = 0, 0, False
        for (where, licence), files in groups.items():
            size = there = 0
            for _, f in files:
                if os.path.exists(client.path(f)) or f.members and os.path.exists(client.path(f) + ".members.npz"):
                    there += 1
                    continue
                missing += 1
                n = 0 if f.members else client.size(f)
                unknown |= not n
                size += n
            total += size
            what = f"{count(len(files), 'file')}, " + (
                "is there" if there == len(files) else f"{megabytes(size)}" + (f", {there} are there" if there else "")
            )
            if any(f.members for _, f in files):
                what = f"{count(len(files), 'file')}, of which only the labels are read where the server allows it"
            yield f"  {where}: {what}, licence: {licence or 'not known'}"
            own = sorted({d for id, _ in files for d in labels.get(id, ())})
            if own:
                yield f"    labels of {', '.join(own)}"
        for line in self.left_out:
            yield "left out: " + line
        self.missing, self.total, self.unknown = missing, total, unknown

    def labels(self):
        """Returns by file which sets have their labels from it, if their scores are in another file."""
        found = {}
        for n in self.networks:
            for key in ("cal", "test", "halves"):
                for p in n.get(key, {}).get("parts", [n.get(key, {})]):
                    if "labels" in p and p["labels"]["file"] != p["scores"]["file"]:
                        found.setdefault(p["labels"]["file"], set()).add(f"{n['dataset']} ({'validation' if key == 'cal' else 'test'})")
        return found


def _scores(n):
    """Says what the scores of a network are."""
    return "a confidence alone" if n["entry"]["kind"] == "confidence" else f"{n['classes']} classes"


def plan_source(table, source, only=(), url="", labels="all"):
    """Returns the plan for a source of the table."""
    if labels not in ("all", "repositories"):
        raise DatasetError(f"labels {labels!r}; want all or repositories")
    chosen, left = table.choose(source, only), []
    networks = []
    if source.networks:
        for n in chosen:
            if labels == "repositories":
                n = _halved(table, n)
                if any(table.files[f].members for f in published.files_of(n)):
                    left.append(f"{n['dataset']}/{published.name_of(n)}: its labels are in no repository")
                    continue
            networks.append(n)
        ids = sorted({f for n in networks for f in published.files_of(n)})
    else:
        ids = chosen
    files = {i: table.files[i] for i in ids}
    if url:
        check_address(url)
        files = {i: f.at(url) for i, f in files.items()}
    return Plan(source, files, networks, left)


def _halved(table, n):
    """Returns a network whose test set is divided, where only its calibration labels are in no repository."""
    outside = lambda s: any(table.files[f].members for f in published.files_of({"test": s}))  # noqa: E731
    if "cal" in n and outside(n["cal"]) and not outside(n["test"]):
        n = {k: v for k, v in n.items() if k not in ("cal", "test")} | {"halves": n["test"]}
    return n


def plan_addresses(addresses, format, sha256=""):
    """Returns the plan for files by their addresses."""
    files = {}
    for a in addresses:
        u = check_address(a)
        name = u.path.rsplit("/", 1)[-1]
        from urllib.parse import unquote

        name = unquote(name)
        if not name or name.startswith(".") or "/" in name or "\\" in name or not name.isprintable():
            raise DatasetError(f"{short(a, 200)}: does not end in the name of a file")
        files[a] = File(
            f"url/{hashlib.sha256(a.encode()).hexdigest()[:16]}/{name}",
            a,
            formats.look_up(format).licence if format else "",
            sha256=sha256.lower(),
        )
    licence = formats.look_up(format).licence if format else ""
    return Plan(Source("url", "files by their addresses", "\n".join(addresses), licence, "data/arrays", format), files)


def count(n, what):
    """Prints a number of things."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def megabytes(n):
    """Prints a length in MB of 10^6 bytes, or in kB."""
    return f"{n / 1e3:.1f} kB" if n < 1e5 else f"{n / 1e6:.1f} MB"


@dataclasses.dataclass
class Summary:
    """What was imported. networks are the answers of the reader; failed are lines of what could not be had."""

    into: str = ""
    networks: list = dataclasses.field(default_factory=list)
    skipped: list = dataclasses.field(default_factory=list)
    failed: list = dataclasses.field(default_factory=list)
    loaded: int = 0  # files that were downloaded now
    peak: int = 0  # bytes, the largest memory of the process that reads

    def lines(self):
        """Yields one line a network, and what was left out."""
        width = max((len(n["entry"]["set"]) for n in self.networks), default=0)
        stand_ins = 0
        for n in self.networks:
            e = n["entry"]
            line = f"{e['set']:<{width}}  {n['cal']:6d} rows to calibrate, {n['test']:6d} to test, {_scores(n)}"
            if e["kind"] == "log-probs":
                line += ", log-probabilities"
            if n["clipped"]:
                line += f" ({n['clipped']} below 2^-126 set to it)"
            if "stand-in" in e:
                stand_ins += 1
                line += ", stand-in"
            yield line
        for n in self.networks:
            if n["warning"]:
                yield f"beware: {n['entry']['set']}: {n['warning']}"
            for told in n["told"]:
                yield f"{n['entry']['set']}: {told}"
        for s in self.skipped:
            yield "left out: " + s
        for f in self.failed:
            yield "failed: " + f
        line = f"imported {count(len(self.networks), 'network')} into {self.into}"
        if stand_ins:
            line += f"; other networks of the paper's architectures: {stand_ins}"
        yield line
        licences = sorted({n["entry"].get("licence", "") for n in self.networks} - {""})
        if len(licences) == 1:
            yield "licence: " + licences[0]


def run_plan(plan, client, into, memory=worker.MEMORY, select=(), at_once=None, only_download=False):
    """Downloads the files of a plan and imports what they hold."""
    fetched = client.fetch_all(list({f.key: f for f in plan.files.values()}.values()), at_once)
    paths, sources, bad = {}, {}, {}
    summary = Summary(into)
    for id, f in plan.files.items():
        got = fetched[f.key]
        if isinstance(got, DatasetError):
            bad[id] = str(got)
            continue
        path, record, new = got
        summary.loaded += new
        paths[id] = path
        sources[id] = {"sha256": record["sha256"], "bytes": record["bytes"], "licence": f.licence, "url": f.url}
        if not f.licence:
            del sources[id]["licence"]
    if only_download or not plan.networks:
        summary.failed += bad.values()
    if only_download:
        return summary
    if not plan.networks:
        if bad:
            return summary
        named = {formats.base(p): sources[id] for id, p in paths.items()}
        o = {"select": list(select), "licence": plan.source.licence, "came_from": plan.source.came_from, "training": plan.source.training}
        _import(
            into,
            [({"do": "import", "format": plan.source.format, "files": list(paths.values()), "options": o}, "", named)],
            memory,
            summary,
        )
        if summary.failed:
            raise DatasetError(summary.failed[0])
        return summary
    jobs = []
    for n in plan.networks:
        name = f"{n['dataset']}/{published.name_of(n)}"
        needs = published.files_of(n)
        missing = sorted(needs & bad.keys())
        if missing:
            summary.failed.append(f"{name}: {bad[missing[0]]}")
            continue
        jobs.append(({"do": "network", "spec": n, "files": {i: paths[i] for i in needs}}, name, {i: sources[i] for i in needs}))
    _import(into, jobs, memory, summary)
    return summary


def _import(into, jobs, memory, summary):
    """Reads the networks of jobs and adds them to a folder. The error of a job is its own."""
    with folder.new_stage(into) as stage, worker.Reader(memory) as reader:
        staged, answers, sources = [], [], {}

        def commit():
            if staged:
                folder.add(into, stage, staged, sources)
                summary.networks += answers
            staged.clear(), answers.clear(), sources.clear()

        for job, name, own in jobs:
            try:
                answer = reader.do(job | {"stage": stage})
                folder.check_free(into, [n["entry"] for n in answer["networks"]])
            except DatasetError as e:
                summary.failed.append(f"{name}: {e}" if name and not str(e).startswith(name) else str(e))
                continue
            summary.skipped += answer["skipped"]
            staged += [(n["entry"], n["files"]) for n in answer["networks"]]
            answers += answer["networks"]
            sources |= own
            if len(staged) >= COMMIT_EACH:
                commit()
        commit()
        summary.peak = reader.peak


def fetch(name, into=None, only=(), url="", labels="all", downloads=None, table=None, memory=worker.MEMORY, progress=None):
    """Downloads a source of the table, such as "real", and imports it into a folder of arrays. "bundle" are the
    arrays of the project, which need nothing that follows but progress.

    only: patterns of DATASET/NETWORK (real) or of file names. url: a mirror. labels: "repositories"
    takes no labels from MedMNIST's own files; networks whose validation labels are only there are
    divided by the rule of splits, and those without any labels are left out. downloads: the folder
    of the downloads, by default $QATS_CACHE or the cache of the system. Returns a Summary, whose
    failed says which networks could not be had, and why.
    """
    if name == bundle.NAME:
        at, loaded = bundle.fetch(progress or (lambda n: None))
        return Summary(at, loaded=int(loaded))
    from .download import Client, default_folder  # needs pooch, which an import does without

    table = Table(table) if table else Table()
    source = table.source(name)
    plan = plan_source(table, source, only, url, labels)
    return run_plan(plan, Client(downloads or default_folder(), progress=progress), into or source.into, memory)


def import_files(format, files, into="data/arrays", memory=worker.MEMORY, url="", **options):
    """Imports files of a format of formats into a folder of arrays. options are those of formats.Options."""
    o = formats.Options(**options)
    formats.look_up(format)
    summary = Summary(into)
    files = [os.fspath(f) for f in files]
    if not files:
        raise DatasetError(f"no files; {format} needs {formats.look_up(format).files}")
    sources = {}
    for f in files:
        if not os.path.isdir(f):
            digest = at(f, folder.file_digest, f)
            name = formats.base(f)
            if name in sources:  # two folders with one base name
                name = f
            e = {"sha256": digest, "bytes": os.path.getsize(f), "licence": o.licence or formats.look_up(format).licence, "url": url}
            sources[name] = {k: v for k, v in e.items() if v != ""}
    job = {"do": "import", "format": format, "files": files, "options": dataclasses.asdict(o)}
    _import(into, [(job, "", sources)], memory, summary)
    if summary.failed:
        raise DatasetError(summary.failed[0])
    return summary


__all__ = ["fetch", "import_files"]
