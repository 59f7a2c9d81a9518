"""Reads the files of published collections, each in its own way, into networks.

    nncal      pickles of markus93/NN_calibration: [(logits, labels), (logits, labels)], validation and test
    medmnist   CSV files of MedMNIST's Evaluator, or a .zip of them, with the .npz files that have the labels
    calarena   HDF5 files of CalArena: <data set>/<network>/{probas,labels}_{cal,test}
    groupcal   pickles of ThyrixYang/group_calibration: a dict of tensors logits, labels, features a set
    lm-eval    samples of lm-evaluation-harness, in lm_eval
    helm       runs of HELM, in helm
    inspect    logs of Inspect, in inspect_logs
    llm-uncertainty  pickles and labels of LLM-Uncertainty-Bench, in llm_uncertainty
    csv        any CSV file with a header, in tables
    parquet    any .parquet file with such columns
    pickle     scores and labels in a pickle or a file of torch.save, in names

Data sets and backbones get the names that the specs of this project use: c10 becomes cifar10,
resnet18_28_1 becomes resnet18.
"""

import dataclasses
import fnmatch
import os
import re
import zipfile

import numpy as np

from .._program import COMMAND
from . import choices, forms, helm, inspect_logs, llm_uncertainty, lm_eval, names, splits, stream, tables, unpickle
from .errors import ZIP_FAULTS, DatasetError, at, base, need, short
from .network import Network, Split, backbone_name, dataset_name, labels


@dataclasses.dataclass
class Options:
    """How files are imported. The command has a flag for each."""

    dataset: str = ""  # names in place of those of the files, for one network
    backbone: str = ""
    select: list = dataclasses.field(default_factory=list)  # patterns of DATASET/MODEL as the source has it
    pixels: int = 28  # medmnist: the training that gets the plain name of its backbone
    run: str = "1"
    network: str = ""  # medmnist: the backbone of files with any text after @
    training: str = ""  # how the networks differ from the paper's of the same name
    classes: list = dataclasses.field(default_factory=list)  # csv, parquet: what the header does not tell
    label: str = ""
    confidence: str = ""
    prediction: str = ""
    group: str = ""
    weight: str = ""
    fold: str = ""
    kind: str = ""
    ignore: list = dataclasses.field(default_factory=list)  # labels whose rows are left out; names of a table
    split: str = ""
    cal: str = "cal"
    test: str = "test"
    licence: str = ""
    came_from: str = ""
    normalise: str = ""  # lm-eval, helm: what the log-likelihoods are divided by, or less; "" for the usual of the harness
    missing: str = "rest"  # helm, inspect: what an answer gets that is not among the likeliest tokens
    filter: str = ""  # lm-eval: the filter of the harness whose lines are read
    delimiter: str | None = None  # lm-eval: what is before a choice in its continuation
    least: int = 20  # fewest rows of a data set of questions with several choices
    across: bool = False  # adds for each of these a network that the rows of the other tasks calibrate

    def keeps(self, dataset, model):
        """Reports whether the source's data set and model are selected."""
        return not self.select or any(fnmatch.fnmatchcase(f"{dataset}/{model}", p) for p in self.select)


@dataclasses.dataclass(frozen=True)
class Format:
    name: str
    title: str
    files: str  # which files to give
    licence: str
    read: object  # (files, Options, skipped) -> iterator of Network; skipped gets what was left out, and why
    names: bool = False  # it names its networks after the options dataset and backbone itself


_NNCAL = re.compile(r"^(?:probs_)?(.+)_(c10|c100|SVHN|birds|cars|imgnet)_logits\.p(?:kl|ickle)?$")


def read_nncal(files, o, skipped):
    """Reads a pickle a network."""
    for file in files:
        m = _NNCAL.match(base(file))
        if m and not o.keeps(m[2], m[1]):
            continue
        if not m and not o.dataset:
            raise DatasetError(f"{short(file, 200)}: not named probs_<network>_<data set>_logits.p; give --dataset and --backbone")
        cal, test = at(file, _pairs, file)
        yield Network(
            o.dataset or dataset_name(m[2]),
            o.backbone or backbone_name(m[1]),
            "logits",
            cal,
            test,
            file,
            came_from="networks of NN_calibration",
            training="another network and training",
            names=[base(file)],
        )


def _pairs(file):
    found = unpickle.loads(forms.read_bytes(file))
    if not isinstance(found, (list, tuple)) or len(found) != 2:
        raise DatasetError(f"holds {unpickle.describe(found)}; want [(logits, labels), (logits, labels)]")
    splits = []
    for where, pair in zip(("validation set", "test set"), found):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(map(unpickle.is_array, pair)):
            what = (
                " and ".join(map(unpickle.describe, pair))
                if isinstance(pair, (list, tuple)) and len(pair) == 2
                else unpickle.describe(pair)
            )
            raise DatasetError(f"{where}: {what}; want (logits, labels), two arrays")
        splits.append(Split(unpickle.array(pair[0], where + ": logits"), unpickle.array(pair[1], where + ": labels")))
    return splits


_MEDMNIST = re.compile(r"^([a-z0-9]+mnist(?:3d)?)(?:_\d+)?_(train|val|test)(?:_.*)?@(.+)\.csv$")
_TRAINING = re.compile(r"^(resnet18|resnet50)_(\d{1,9})_(\d{1,9})$")
MOST_MEMBER = 1 << 30


def read_medmnist(files, o, skipped):
    """Reads CSV files <data set>_<split>_...@<training>.csv, and the labels from <data set>.npz.

    The validation set calibrates. Where its file is missing, rows of even index of the test set
    calibrate, and those of odd index test.
    """
    npz = {base(f)[: -len(".npz")].split("_")[0]: f for f in files if f.endswith(".npz")}
    found, left, titles = {}, {}, {}

    def use(file, name, member, read, named):
        reason = ""
        m = _MEDMNIST.match(member)
        training = _TRAINING.match(m[3]) if m else None
        if not m:
            reason = "not named <data set>_<split>_...@<network>_<pixels>_<run>.csv"
        elif m[2] == "train":
            reason = "predictions for training images, which the network has seen"
        elif not training and not o.network:
            reason = "not of resnet18 or resnet50 as <network>_<pixels>_<run>; say what it is by --network"
        elif m[1] not in npz:
            reason = f"the labels are missing: give {m[1]}.npz"
        elif not o.keeps(m[1], m[3]):
            reason = "not selected"
        if reason:
            if named:
                raise DatasetError(f"{short(name, 200)}: {reason}")
            left[reason] = left.get(reason, 0) + 1
            return
        try:
            scores = at(name, lambda: forms.indexed(read()))
            own = m[2] + "_labels"
            y = at(npz[m[1]] + "#" + own, lambda: labels(forms.npz(npz[m[1]], own)))
            if len(y) != len(scores):
                raise DatasetError(f"{short(name, 200)}: {len(scores)} rows; {base(npz[m[1]])} has {len(y)} labels")
        except DatasetError as e:
            if named:
                raise
            skipped.append(str(e))  # one bad file of an archive is no reason to leave out the others
            return
        if o.network or not training:
            key = (m[1], o.network, m[3], "")
            titles[key] = m[3]
        else:
            key = (m[1], training[1], int(training[2]), training[3])
            titles[key] = f"{training[2]} pixels, run {training[3]}"
        sets = found.setdefault(key, {})
        if m[2] in sets:
            raise DatasetError(f"{short(name, 200)}: {short(sets[m[2]][2], 200)} is the same set of the same training")
        sets[m[2]] = (Split(scores, y), file, name)

    for file in files:
        if file.endswith(".npz"):
            continue
        if file.endswith(".zip"):
            try:
                with stream.opened(file) as opened, zipfile.ZipFile(opened) as z:
                    for info in z.infolist():
                        member = base(info.filename)
                        if member.endswith(".csv") and not member.startswith("._"):  # ._ files are of macOS
                            use(file, f"{file}#{info.filename}", member, lambda info=info: _member(z, info), False)
            except DatasetError as e:
                raise DatasetError(f"{short(file, 200)}: {e}") from None
            except (*ZIP_FAULTS, OSError) as e:
                raise DatasetError(f"{short(file, 200)}: {short(getattr(e, 'strerror', None) or e, 120)}") from None
        else:
            data = at(file, forms.read_bytes, file)
            use(file, file, base(file), lambda data=data: data, True)
    skipped += [f"{reason} (files of predictions: {n})" for reason, n in sorted(left.items())]
    for key in sorted(found, key=lambda k: (k[0], k[1], str(k[2]).zfill(9), k[3].zfill(9))):
        flag, backbone, pixels, run = key
        sets = found[key]
        if "test" not in sets:
            skipped.append(f"{flag}, {short(backbone, 60)}, {short(titles[key], 60)}: no predictions for the test set")
            continue
        test, file, _ = sets["test"]
        name = backbone
        if run and (pixels != o.pixels or run != str(o.run)):
            name = f"{backbone}-{pixels}-run{run}"
        if not run and sum(k[:2] == key[:2] for k in found) > 1:
            name = f"{backbone}-{pixels}".replace("_", "-").lower()
        sources, note = [file, npz[flag]], "the validation set calibrates"
        if "val" in sets:
            cal = sets["val"][0]
            sources.append(sets["val"][1])
        else:
            even = np.arange(len(test.labels)) % 2 == 0
            cal, test = test.take(even), test.take(~even)
            note = "no predictions for the validation set: rows of even index of the test set calibrate and rows of odd index test"
        yield Network(
            flag,
            name,
            "probs",
            cal,
            test,
            file,
            came_from=f"networks in files of MedMNIST's form ({titles[key]})",
            training=o.training or f"another training, named {titles[key]} in its file",
            note=note,
            names=[base(s) for s in sources],
        )


def _member(z, info):
    try:
        if info.file_size > MOST_MEMBER:
            raise DatasetError(f"more than {MOST_MEMBER} bytes")
        return z.read(info)
    except ZIP_FAULTS as e:
        raise DatasetError(short(e, 120)) from None


def read_calarena(files, o, skipped):
    """Reads a group <data set>/<network> a network; two classes may be given by the probability of the second.

    The files have the names of the benchmarks: tabrepo-* and tabarena-* are models of tables, the others networks of images.
    """
    all_sets, some = [], False
    for file in files:
        with at(file, forms.HDF5, file) as h:
            try:
                for name, group in h.groups():
                    all_sets.append(name)
                    for model, own in h.groups(group):
                        if not o.keeps(name, model):
                            continue
                        some = True
                        splits = [Split(h.read(own, "probas_" + part), h.read(own, "labels_" + part)) for part in ("cal", "test")]
                        yield Network(
                            dataset_name(name),
                            backbone_name(model),
                            "probs",
                            *splits,
                            file,
                            came_from=f"CalArena's networks ({base(file).removesuffix('.h5')})",
                            training="CalArena's training",
                            names=[base(file)],
                            domain="tables and signals" if base(file).startswith(("tabrepo", "tabarena")) else "images",
                        )
            except DatasetError as e:
                raise DatasetError(f"{short(file, 200)}: {e}") from None
    if o.select and not some:
        raise DatasetError(
            f"{short(', '.join(files), 200)}: no group matches {short(', '.join(o.select), 200)} (the data sets are {short(', '.join(all_sets), 400)})"
        )


_GROUPCAL = re.compile(r"^([a-z0-9]+)_(.+?)(?:_(0\.\d+|1\.0+))?_(val|test)\.(?:pkl|p|pickle)$")


def read_groupcal(files, o, skipped):
    """Reads two pickles a network, *_val.pkl and *_test.pkl."""
    found = {}
    for file in files:
        m = _GROUPCAL.match(base(file))
        if not m:
            raise DatasetError(f"{short(file, 200)}: not named <data set>_<network>_{{val,test}}.pkl")
        if not o.keeps(m[1], m[2]):
            continue
        sets = found.setdefault(m.group(1, 2, 3), {})
        if m[4] in sets:
            raise DatasetError(f"{short(file, 200)}: {short(sets[m[4]], 200)} is the same set of the same network")
        sets[m[4]] = file
    for (dataset, model, _), sets in found.items():
        for part in ("val", "test"):
            if part not in sets:
                raise DatasetError(f"{short(next(iter(sets.values())), 200)}: there is no file *_{part}.pkl of the same network")
        cal, test = (at(sets[part], _tensors, sets[part]) for part in ("val", "test"))
        yield Network(
            dataset_name(dataset),
            backbone_name(model),
            "logits",
            cal,
            test,
            next(iter(sets.values())),
            came_from="networks of group_calibration",
            training="another training",
            names=[base(f) for f in sets.values()],
        )


def _tensors(file):
    found = unpickle.loads(forms.read_bytes(file))
    if not isinstance(found, dict):
        raise DatasetError(f"holds {unpickle.describe(found)}; want a dict with logits and labels")
    parts = {k: unpickle.array(found.get(k), k) for k in ("logits", "labels", "features") if k in found or k != "features"}
    return Split(parts["logits"], parts["labels"], parts.get("features"))


def read_csv(files, o, skipped):
    """Reads one table, or two: calibration and test."""
    _one_or_two(files, o)
    yield from _sets(files, tables.read(files, o), o, "a table")


def read_parquet(files, o, skipped):
    """Reads one file of columns, or two. A column of lists is as many columns."""
    _one_or_two(files, o)
    yield from _sets(files, tables.columns([at(f, _parquet, f) for f in files], o, files), o, "a table")


def _one_or_two(files, o):
    if len(files) > 2 or len(files) == 2 and o.split:
        raise DatasetError(f"{len(files)} files; give a calibration and a test file, or one" + " with --split COLUMN" * bool(o.split))


def _parquet(file):
    parquet = need("pyarrow.parquet", "a .parquet file")
    with stream.opened(file):  # says what is there in place of a regular file
        pass
    try:
        found = parquet.read_table(file).to_pydict()
    except Exception as e:  # pyarrow raises many types for damaged files
        raise DatasetError(f"not a .parquet file that can be read: {short(e, 120)}") from None
    flat = {}
    for name, values in found.items():
        lengths = {len(v) if isinstance(v, (list, tuple)) else -1 for v in values}
        if len(lengths) == 1 and (k := lengths.pop()) > 0:
            flat |= {f"{name}_{j}": [v[j] for v in values] for j in range(k)}
        else:
            flat[str(name)] = values
    return flat


def read_pickle(files, o, skipped):
    """Reads one pickle, or one file of torch.save, with the scores and labels of a set or of two."""
    if len(files) != 1:
        raise DatasetError(f"{len(files)} files; give one")
    file = files[0]
    arrays = at(file, lambda: _arrays(unpickle.loads(forms.read_bytes(file))))
    chosen = at(file, names.choose, arrays)
    if not chosen:
        raise DatasetError(
            f"{short(file, 200)}: it has {names.listed(arrays) or 'no array'}, and no scores with labels under names that are understood; understood are "
            f"{names.KNOWN}"
        )
    sets, told = {}, []
    kind = o.kind or chosen[0].kind
    z = np.concatenate(
        [arrays[c.scores].reshape(len(arrays[c.scores]), -1) for c in chosen if arrays[c.scores].ndim and len(arrays[c.scores])]
    )
    why = ""
    per_cent = o.kind in ("", None, "probs") and names.in_per_cent(z)
    if not o.kind:
        kind, why = names.kind_of(z / 100 if per_cent else z, kind)
    if per_cent:
        why = names.PER_CENT
    for c in chosen:
        scores, y = arrays[c.scores], arrays[c.labels]
        if per_cent:
            scores = scores / 100
        if y.dtype.kind == "f" and y.size and (y == np.floor(y)).all() and np.abs(y).max() < 2**31:
            y = y.astype(np.int64)
        if scores.dtype.kind in "iub" and scores.ndim == 2:
            scores = scores.astype(np.float64)
        if kind == "logits" and scores.size == len(scores):
            scores = np.stack([np.zeros(len(scores), scores.dtype), scores.reshape(-1)], 1)
        sets[c.split] = (scores, y)
        told.append(f"{tables.WORDS[kind]} in {short(c.scores, 60)}{why}, labels in {short(c.labels, 60)}")
    yield from _sets(files, tables.Labelled(sets, kind, told), o, "a pickle")


def _arrays(found):
    """Returns the arrays of what a pickle holds, by name: those of a dict, also in dicts, of a pair, or of two pairs."""
    if isinstance(found, dict):
        flat = {}
        for key, value in found.items():
            if unpickle.is_array(value):
                flat[str(key)] = unpickle.array(value, str(key))
            elif isinstance(value, (dict, list, tuple)) and len(value) < 100 and len(flat) < 1000:
                flat |= {f"{key}_{n}": a for n, a in _arrays(value).items()}
        return flat
    if isinstance(found, (list, tuple)) and len(found) == 2:
        if all(isinstance(x, (list, tuple, dict)) for x in found):
            return {f"{s}_{n}": a for s, x in zip(("cal", "test"), found) for n, a in _arrays(x).items()}
        if all(map(unpickle.is_array, found)):
            a, b = (unpickle.array(x, f"element {i}") for i, x in enumerate(found))
            return {"scores": a, "labels": b} if b.dtype.kind != "f" or a.ndim == 2 else {"scores": b, "labels": a}
    return {}


def _leave_out(sets, o):
    """Leaves out the rows without a class, and says so in lines."""
    told = []
    for s, part in sets.items():
        k = part.scores.shape[1] if part.scores.ndim == 2 and part.scores.shape[1] > 1 else 2
        ignored = tables.left_out(o, k)
        if len(part.labels) != len(part.scores) or not (out := np.isin(part.labels, ignored).reshape(-1)).any():
            continue
        sets[s] = part.take(~out)
        listed = ", ".join(map(str, ignored))
        told.append(f"left out are {out.sum()} of {len(out)} rows with the label {listed}{' of the set ' + s if s else ''}")
        if out.all():
            raise DatasetError(f"no row is left: all {len(out)} have the label {listed}")
    return told


def _sets(files, found, o, given):
    """Yields the network of one or two labelled sets. Of one, half of the rows of each class calibrate."""
    stem = re.sub(r"(\.gz)?$", "", base(files[0]))
    dataset = o.dataset or choices.plain(os.path.splitext(stem)[0])
    note = ""
    sets = {s: Split(z, y, beside=found.beside.get(s, {})) for s, (z, y) in found.sets.items()}
    if found.kind != "confidence":
        found.told += _leave_out(sets, o)
    if len(sets) == 1:
        (only,) = sets.values()
        y = labels(only.labels)
        if len(y) != len(only.scores):
            raise DatasetError(f"{short(files[0], 200)}: {len(only.scores)} rows of scores and {len(y)} labels")
        groups = only.beside.get("groups")
        names = range(len(y)) if groups is None else groups.tolist()
        digests = np.array([int(splits.digest(dataset, "rows", i)[:16], 16) for i in names], np.uint64)
        cal = splits.stratified(digests, y if groups is None else np.zeros_like(y))
        if cal.all() or not cal.any():
            raise DatasetError(f"{short(files[0], 200)}: {len(y)} rows are too few to calibrate and to test")
        sets = {"cal": only.take(cal), "test": only.take(~cal)}
        note = f"one set, of which half of the {'rows of each class calibrate' if groups is None else 'groups calibrate'}, by SHA-256"
        whole = (
            f"; {COMMAND} try takes the whole file and judges by cross-fitting"
            if given == "a table" and not base(files[0]).endswith(".parquet")
            else ""
        )
        found.told.append(
            f"one set: half of the {'rows of each class calibrate' if groups is None else 'groups calibrate'}, and the others test" + whole
        )
    yield Network(
        dataset,
        o.backbone or "network",
        found.kind,
        sets["cal"],
        sets["test"],
        files[0],
        training=o.training or f"given as {given}",
        note=note,
        names=[base(f) for f in files],
        told=found.told,
        classes=found.classes,
    )


FORMATS = {
    f.name: f
    for f in (
        Format("nncal", "NN_calibration (Kull et al., 2019): CIFAR-10, CIFAR-100, SVHN", "its files probs_*_logits.p", "MIT", read_nncal),
        Format(
            "medmnist",
            "MedMNIST v2 (Yang et al., 2023), and files of its form",
            "prediction files (*.csv, or the .zip that has them) and the <data set>.npz files with the labels",
            "CC BY 4.0 (DermaMNIST: CC BY-NC 4.0)",
            read_medmnist,
        ),
        Format("calarena", "CalArena (Berta et al., 2026)", "its *.h5 files, such as cv-multiclass.h5", "", read_calarena),
        Format("groupcal", "group_calibration (Yang et al., 2023)", "two files a network, *_val.pkl and *_test.pkl", "", read_groupcal),
        Format(
            "lm-eval",
            "lm-evaluation-harness: questions with several choices",
            "its samples_<task>_<date>.jsonl of --log_samples, and results_<date>.json",
            "",
            lm_eval.read,
            names=True,
        ),
        Format(
            "helm",
            "HELM: questions with several choices",
            "scenario_state.json of its runs, and per_instance_stats.json",
            "",
            helm.read,
            names=True,
        ),
        Format(
            "inspect",
            "Inspect: questions with several choices",
            "its logs, *.eval or *.json, with logprobs and top_logprobs",
            "",
            inspect_logs.read,
            names=True,
        ),
        Format(
            "llm-uncertainty",
            "LLM-Uncertainty-Bench (Ye et al., 2024): questions with six options",
            "its <model>_<data set>_<prompt>_icl<examples>.pkl, and <data set>.json",
            "MIT",
            llm_uncertainty.read,
        ),
        Format(
            "csv",
            "any CSV file with a header (.csv, .tsv, also .gz)",
            "one file, which may have a column that says the set of a row, or two: calibration and test",
            "",
            read_csv,
            names=True,
        ),
        Format("parquet", "any .parquet file with such columns", "one file, or two: calibration and test", "", read_parquet, names=True),
        Format(
            "pickle",
            "scores and labels in a pickle or a file of torch.save (.pkl, .pt)",
            "one file with arrays under such names as logits and labels",
            "",
            read_pickle,
            names=True,
        ),
    )
}


def look_up(name):
    """Returns the format of a name."""
    if name not in FORMATS:
        raise DatasetError(f"unknown format {short(name, 60)!r}; want one of {', '.join(FORMATS)}")
    return FORMATS[name]


def read(name, files, o, skipped):
    """Yields prepared networks of files of a format. skipped gets what was left out, one line each."""
    f = look_up(name)
    if not files:
        raise DatasetError(f"no files; {f.name} needs {f.files}")
    if bool(o.dataset) != bool(o.backbone):
        raise DatasetError("give both a dataset and a backbone, or neither")
    found = set()
    for n in f.read(files, o, skipped):
        if o.dataset and not f.names:
            if found:
                raise DatasetError(f"{short(n.source, 200)}: the files have several networks; a dataset and a backbone name only one")
            n.dataset, n.backbone = o.dataset, o.backbone
        n.licence = o.licence or f.licence
        n.came_from = o.came_from or n.came_from
        at(n.source, n.prepare)
        if n.name in found:
            raise DatasetError(
                f"{short(n.source, 200)}: a second network named {n.name}; import it to another folder, or give it another name"
            )
        found.add(n.name)
        yield n
    if not found:
        raise DatasetError(f"{short(files[0], 200)}: nothing to import: {skipped[0] if skipped else 'no network was found'}")
