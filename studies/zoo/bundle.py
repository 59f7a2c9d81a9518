"""Makes the folder of measured arrays that is committed, from finished networks.

It holds less than the arrays folder: the numbers below are a budget, chosen so
that every method of the paper has its arrays on some settings.

The rows of every set are in a seeded random order. In the arrays folder they follow
the sorted files, and so the classes. Here the first rows of a set are a random sample of
it, as a quick run needs them, and a method that reads a few target samples.
"""

import hashlib
import shutil
from pathlib import Path

import numpy as np
import yaml

from . import data as sets, manifest
from .export import FEATURES_UP_TO, ece15, miou, save

BY_HAND = ("LICENSE", "go.mod")  # files of the folder that are kept: it is a module of Go, with the terms of its data sets
BYTES = "## Bytes"  # the last section of the README
TITLE = "# Measured arrays"  # of the README; a folder whose README has another title is never overwritten
LIMIT = 47_000_000  # bytes of the networks
SEED = 11
OOD_ROWS = 500  # by default hfe takes 2 % of the calibration rows for ten classes
SHIFTED_ROWS = 2000
PIXELS = 20_000  # of camvid, in each part

# The ids of the paper belong to other arrays of these images.
RENAMED = {"pneumoniamnist": "pneumoniamnist-28", "20newsgroups": "20newsgroups-body", "camvid": "camvid-240"}

LOSSES = {"ls": "ls-0.05"}  # the id includes the smoothing, as elsewhere in the project

DRAWN = {"camvid"}  # rows are pixels drawn of the samples

# Features are most of the bytes, augmented views most of the rest. Networks with another
# loss than ce have neither.
FEATURED = {
    "cifar10-jpeg": ("vit-p4-d96-l4", "resnet18-w16-s2"),
    "pneumoniamnist": ("densenet16-k12-s2", "resnet18-w16-s2"),
}
VIEWS = 2  # the first ones: mirrored, and one random shift
VIEWED = {  # the networks with views; a set that is not named has them for all networks
    "cifar10-jpeg-lt-r10": ("resnet18-w16-s2", "vit-p4-d96-l4"),
    "cifar10-jpeg-lt-r100": ("resnet18-w16-s2",),
}
KNOWN = {  # what qats check would warn of, and why it is right
    "20newsgroups-body/*": {"accuracy-gap": "the test posts were written after the training and calibration posts (bydate split)"},
    "cifar10-jpeg-lt-r*/*": {"accuracy-gap": "the calibration rows have the long-tailed class shares of the training rows, the test rows equal shares"},
    "pneumoniamnist-28/*": {
        "accuracy-gap": "the test images are another part of the source than the training and calibration images",
        "shared-rows": "no sample is in both sets (splits/*_sha256.npy); some float16 logits of two classes are equal by chance",
    },
    "*/resnet50-w8-s2/brier": {"extreme-logits": "this training by the Brier score left logits of up to 4,000 on a few images; they are kept as they are"},
}
# The licence of each data set as its source states it, an SPDX id, by the beginning of its name, of which the last one that fits
# counts; LICENSE-DATA has the holders. Images that a network should not know (ood) are crops of CamVid.
TERMS = {
    "20newsgroups-body": "none stated",
    "camvid-240": "CC-BY-NC-4.0",
    "cifar10-jpeg": "none stated, ood/ CC-BY-NC-4.0",
    "cifar10-jpeg-c/": "none stated",
    "pneumoniamnist-28": "CC-BY-4.0, ood/ CC-BY-NC-4.0",
}
SHIFTED = "vit-p4-d96-l4"  # the network tested on corrupted images
SHIFTED_FEATURES = (1, 3, 5)  # severities


def base(dataset):
    """The set whose images these are."""
    return dataset.split("-lt-")[0].removesuffix("-c")


def order(n, rows=None):
    return np.random.default_rng(SEED).permutation(n)[:rows]


def sample_digests(x):
    """First 8 bytes of the SHA-256 of each sample, as two int32."""
    head = b"".join(hashlib.sha256(row.tobytes()).digest()[:8] for row in x)
    return np.frombuffer(head, "<i4").reshape(-1, 2)


def row_ids(digests):
    """The key row-ids of manifest.yaml, of sample_digests: an id is their 16 hexadecimal digits."""
    ids = sorted(row.astype("<i4").tobytes().hex() for row in digests)
    return hashlib.sha256("".join(i + "\n" for i in ids).encode()).hexdigest()


def licensed(described):
    """The entries of a manifest, those of one data set with its licence."""
    terms = lambda name: {"licence": t for start, t in TERMS.items() if name.startswith(start)}
    return [s | terms(s["set"]) for s in described]


class Parts:
    """The rows of each set that go into the bundle, and their digests."""

    def __init__(self, raw, cache):
        self.raw, self.cache, self.known = raw, cache, {}

    def of(self, dataset):
        """Returns (Dataset, {part: rows}, {part: digests}), rows in the bundle's order."""
        if dataset not in self.known:
            d = sets.SETS[dataset](self.raw, self.cache)
            rows = {p: order(len(getattr(d, p))) for p in ("cal", "test")}
            digests = {p: sample_digests(getattr(d, p).x)[rows[p]] for p in rows}
            if set(map(tuple, digests["cal"].tolist())) & set(map(tuple, digests["test"].tolist())):
                raise ValueError(f"{dataset}: a calibration sample equals a test sample")
            self.known[dataset] = d, rows, digests
        return self.known[dataset]

    def trained_on(self, dataset):
        """How many calibration and test samples of the bundle equal a training sample."""
        d, _, digests = self.of(dataset)
        train = set(map(tuple, sample_digests(d.train.x).tolist()))
        return [sum(tuple(s) in train for s in digests[p].tolist()) for p in ("cal", "test")]


class Writer:
    def __init__(self, folder):
        self.folder, self.sets, self.files = Path(folder), [], {}

    def put(self, name, array):
        save(self.folder / name, array)
        self.files[name] = manifest.file_record(self.folder / name)


def measured(logits, labels):
    """accuracy and ece as qats computes them, for the note, which the test of the bundle reads."""
    return f"accuracy {(logits.argmax(1) == labels).mean():.6f}, ece {ece15(logits, labels):.6f}"


def loss_id(e):
    return LOSSES.get(e["loss"], e["loss"])


def trained(e):
    r = e["recipe"]
    return (
        f"{e['net']}, loss {loss_id(e)}, seed {r['seed']}, {r['epochs']} epochs of {e['train_samples']} samples, "
        f"{r['optimizer']}, {e['device']}"
    )


def write_network(w, entry, source, parts, views=True):
    """Clean sets of one network. Returns its line of the table. views=False leaves out the augmented views."""
    dataset, net = entry["dataset"], entry["net"]
    d, rows, _ = parts.of(dataset)
    at = location(entry)
    featured = net in FEATURED.get(dataset, ()) and entry["loss"] == "ce" and entry["width"] <= FEATURES_UP_TO
    counts = {}
    for part in ("cal", "test"):
        load = lambda name: np.load(source / part / f"{name}.npy")
        labels = load("labels")
        pick = order(len(labels), PIXELS) if d.kind == "segmentation" else rows[part]
        logits, labels = load("logits")[pick], labels[pick].astype(np.uint8)
        w.put(f"{at}/{part}/logits.npy", logits)
        w.put(f"{at}/{part}/labels.npy", labels)
        if featured:
            w.put(f"{at}/{part}/features.npy", load("features")[pick])
        counts[part] = len(pick)
    viewed = views and net in VIEWED.get(dataset, (net,)) and entry["loss"] == "ce"
    if viewed and (source / "test/logits_aug.npy").exists():  # tta-ts reads only the views of the test set
        w.put(f"{at}/test/logits_aug.npy", np.load(source / "test/logits_aug.npy")[:VIEWS, pick])
    if (source / "ood/logits.npy").exists():
        w.put(f"{at}/ood/logits.npy", np.load(source / "ood/logits.npy")[:OOD_ROWS])
    if featured:
        for f in ("head_weight", "head_bias"):
            w.put(f"{at}/{f}.npy", np.load(source / f"{f}.npy"))
    scores = measured(logits, labels)
    drawn, named = "", {}
    if d.kind == "segmentation":
        named["classes"] = sets.CAMVID_CLASSES
        scores += f", miou {miou(logits, labels):.6f}"
        drawn = f"; {counts['cal']} and {counts['test']} pixels drawn of {entry['cal']['n']} and {entry['test']['n']}"
    w.sets.append(manifest.describe(at, f"{trained(entry)}; {scores}; {entry['licence']}{drawn}", **named))
    return at, entry, counts, scores


def location(entry):
    """The folder of a clean network in the bundle."""
    dataset = RENAMED.get(entry["dataset"], entry["dataset"])
    return "/".join([dataset, entry["net"]] + ([] if entry["loss"] == "ce" else [loss_id(entry)]))


def add(arrays, raw, cache, folder, network, say=print):
    """Adds one finished network, dataset/net[/loss], to an existing bundle: logits, labels and OOD rows.

    It also adds its outputs on corrupted images, if there are any. Other networks stay as they are.
    """
    folder, source = Path(folder), Path(arrays) / network
    entry = yaml.safe_load((source / "entry.yaml").read_text())
    described, files = manifest.read(folder)
    w, parts = Writer(folder), Parts(raw, cache)
    w.sets, w.files = described, files
    dataset, at = entry["dataset"], location(entry)
    d, rows, _ = parts.of(dataset)
    if any(s["set"] == at for s in described):
        raise ValueError(f"{folder} has {at} already")
    for part in ("cal", "test"):
        if not np.array_equal(np.load(folder / RENAMED.get(dataset, dataset) / f"splits/{part}.npy"), getattr(d, part).index[rows[part]]):
            raise ValueError(f"{folder}: {part} rows of {dataset} are in another order")
    line = write_network(w, entry, source, parts, views=False)
    add_shifted(w, arrays, f"{dataset}-c/{Path(network).relative_to(dataset)}", entry)
    marked = lambda s: "*" in s["set"]  # entries for many sets stay at the top
    networks = sorted((s for s in w.sets if not marked(s)), key=lambda s: s["set"].split("/"))
    manifest.write(folder, licensed([*filter(marked, w.sets), *networks]), w.files)
    *_, text = networks_table(w, [line])
    amend(folder / "README.md", text, about_shifted(w), bytes_table(w))
    say(f"{at}: {line[-1]}")


def add_shifted(w, arrays, network, clean):
    """Adds the corrupted test images of a network to an existing bundle, if there are any."""
    source = Path(arrays) / network
    if not (source / "entry.yaml").exists():
        return
    entry = yaml.safe_load((source / "entry.yaml").read_text())
    tested = np.load(Path(arrays) / entry["dataset"] / "splits/test.npy")
    rows = order(len(tested), SHIFTED_ROWS)
    if not np.array_equal(np.load(w.folder / entry["dataset"] / "splits/test.npy"), tested[rows]):
        raise ValueError(f"{w.folder}: rows of {entry['dataset']} are in another order")
    write_shifted(w, entry, source, clean, rows)


def amend(page, network, shifted, table):
    """Puts the line of a network among the others, and the other parts in place of the old ones."""
    lines = page.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| dataset | network |")) + 2
    last = next(i for i in range(first, len(lines)) if not lines[i].startswith("|"))
    end = lines.index("## Calibration and test samples")
    lines[first:end] = [*sorted([*lines[first:last], network]), *shifted, ""]
    page.write_text("\n".join(lines) + "\n")
    put_section(page, BYTES, table)


def put_section(page, heading, text):
    """Writes a section of the page in place of the one with its heading; a new one goes before the bytes."""
    lines = page.read_text().splitlines()
    start = end = lines.index(heading if heading in lines else BYTES)
    if heading in lines:
        end = next((i for i in range(start + 1, len(lines)) if lines[i].startswith("## ")), len(lines))
    rest = lines[end:]
    page.write_text("\n".join([*lines[:start], heading, "", *text, *([""] if rest else []), *rest]) + "\n")


def write_shifted(w, entry, source, clean, rows):
    """Corrupted test images of one network, rows in the order of the bundle."""
    at = f"{entry['dataset']}/{entry['net']}"
    for shift in entry["shifted"]:
        load = lambda name: np.load(source / shift / f"{name}.npy")[rows]
        logits, labels = load("logits"), load("labels").astype(np.uint8)
        w.put(f"{at}/{shift}/logits.npy", logits)
        w.put(f"{at}/{shift}/labels.npy", labels)
        if int(shift.split("/")[1]) in SHIFTED_FEATURES and clean["width"] <= FEATURES_UP_TO:
            w.put(f"{at}/{shift}/features.npy", load("features"))
        note = f"{trained(clean)}; {measured(logits, labels)}; {entry['licence']}; corrupted by corruptions.py of the zoo"
        w.sets.append(manifest.describe(f"{at}/{shift}", note))
    if clean["width"] <= FEATURES_UP_TO:
        for f in ("head_weight", "head_bias"):
            w.put(f"{at}/{f}.npy", np.load(source / f"{f}.npy"))


def write_splits(w, parts, dataset):
    """Index lists over the sorted source files; digests of the samples once for each source."""
    d, rows, digests = parts.of(dataset)
    name = RENAMED.get(dataset, dataset)
    for part in ("cal", "test"):
        w.put(f"{name}/splits/{part}.npy", getattr(d, part).index[rows[part]].astype(np.int32))
        if base(dataset) == dataset:
            w.put(f"{name}/splits/{part}_sha256.npy", digests[part])
    if dataset not in DRAWN:
        w.sets.append({"set": f"{name}/*", "row-ids": row_ids(digests["test"])})


def bundle(arrays, raw, cache, folder, say=print):
    arrays, folder, kept = Path(arrays), Path(folder), {}
    if folder.exists():
        readme = folder / "README.md"
        if any(folder.iterdir()) and not (readme.exists() and readme.read_text().startswith(TITLE)):
            raise ValueError(f"{folder} holds other things; give an empty folder or an earlier bundle")
        kept = {name: (folder / name).read_bytes() for name in BY_HAND if (folder / name).exists()}
        shutil.rmtree(folder)
    entries = [(p.parent, yaml.safe_load(p.read_text())) for p in sorted(arrays.rglob("entry.yaml"))]
    clean = [(p, e) for p, e in entries if "shifted" not in e]
    w, parts, table = Writer(folder), Parts(raw, cache), []
    for source, e in clean:
        table.append(write_network(w, e, source, parts))
    for source, e in entries:
        if "shifted" in e and e["net"] == SHIFTED:
            twin = next(c for _, c in clean if (c["dataset"], c["net"], c["loss"]) == (e["calibrate_on"], e["net"], e["loss"]))
            tested = np.load(source.parent / "splits/test.npy")
            rows = order(len(tested), SHIFTED_ROWS)
            write_shifted(w, e, source, twin, rows)
            w.put(f"{e['dataset']}/splits/test.npy", tested[rows])
    for dataset in dict.fromkeys(e["dataset"] for _, e in clean):
        write_splits(w, parts, dataset)
    w.sets.sort(key=lambda s: ("row-ids" not in s, s["set"].split("/")))
    w.sets.insert(0, dict(set="*/*", source="measured", domain="images", **{"from": "networks trained for this project"}))
    w.sets.insert(1, dict(set="cifar10-jpeg*/*", samples="cifar10"))  # long-tailed and corrupted sets have its test images
    w.sets.insert(1, dict(set="20newsgroups-body/*", domain="text"))
    w.sets[3:3] = [dict(set=name, known=known) for name, known in KNOWN.items()]
    manifest.write(folder, licensed(w.sets), w.files)
    (folder / "README.md").write_text(page(w, parts, table))
    for name, text in kept.items():
        (folder / name).write_bytes(text)
    total = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    say(f"{len(w.files)} arrays of {len(table)} networks, {total:,} bytes")
    if total > LIMIT:
        raise ValueError(f"{folder}: {total:,} bytes, {total - LIMIT:,} more than the {LIMIT:,} allowed")


# --- README.md of the bundle ----------------------------------------------


def page(w, parts, table):
    lines = [
        TITLE,
        "",
        "Outputs of networks that were trained for this project, by `studies/zoo`, on real images and text.",
        "They were trained for 8 to 60 epochs. Networks with -w64 or -k32 in their names have the width of their namesakes,",
        "and all others are far narrower. None of them is a network of the paper. `experiments/companion.yaml` and",
        "`experiments/full-width.yaml` run them. `python3 -m zoo bundle` (studies/zoo/README.md) writes this page and the",
        "files beside it, and a test of package data checks them. `python3 -m zoo tabular` adds data sets in tables.",
        "",
        "float16 logits and features, uint8 labels, float32 heads; digests and shapes are in manifest.yaml.",
        "Rows are in a seeded random order. Accuracy and ECE (15 bins of equal width, uncalibrated) are those of",
        f"the test rows here. Augmented views are the first {VIEWS} of studies/zoo: mirrored (but not X-rays), then shifted.",
        "",
        *networks_table(w, table),
        *about_shifted(w),
        "",
        "## Calibration and test samples",
        "",
        "`splits/{cal,test}.npy` list, row by row, the sample's place among the sorted files (or rows) of its source, and",
        "`splits/{cal,test}_sha256.npy` the first 8 bytes of the SHA-256 of the network's input, as two int32 (of",
        "camvid-240 both are of frames, in a random order, while rows are pixels). No calibration sample equals a test",
        "sample. Long-tailed calibration sets are parts of that of cifar10-jpeg; the test set is the same. The key row-ids",
        "of manifest.yaml is of the test samples' 8 bytes, in hexadecimal digits.",
        "",
        *samples_table(w, parts, table),
        "",
        "In training: samples that equal a training sample. The sources have them in both parts.",
        "",
        "## Sources and licences",
        "",
    ]
    names = dict.fromkeys(base(e["dataset"]) for _, e, _, _ in table)
    lines += [f"* {RENAMED.get(n, n)}: {sets.LICENCES[n]}." for n in names]
    lines += ["* OOD logits: crops of CamVid streets, as camvid-240.", ""]
    lines += ["[LICENSE](LICENSE) has the terms and the holder of each data set.", ""]
    lines += ["The bundle holds no images, texts or tables, only outputs of networks and trees.", "", BYTES, "", *bytes_table(w), ""]
    return "\n".join(lines)


def networks_table(w, table):
    yield "| dataset | network | loss | seed | epochs | training samples | parameters | cal | test | accuracy | ECE | other |"
    yield "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    extra = {"features": "test/features", "views": "test/logits_aug", "OOD": "ood/logits"}
    for at, e, counts, scores in table:
        accuracy, ece, *rest = (s.split()[1] for s in scores.split(", "))
        other = [name for name, f in extra.items() if f"{at}/{f}.npy" in w.files] + [f"mIoU {v}" for v in rest]
        yield (
            f"| {at.split('/')[0]} | {e['net']} | {loss_id(e)} | {e['recipe']['seed']} | {e['recipe']['epochs']} | {e['train_samples']} "
            f"| {e['parameters']} | {counts['cal']} | {counts['test']} | {accuracy} | {ece} | {', '.join(other) or '-'} |"
        )


def about_shifted(w):
    nets = sorted({s["set"].split("/")[1] for s in w.sets if s["set"].count("/") == 3})
    if not nets:
        return []
    return [
        "",
        f"cifar10-jpeg-c has the networks {' and '.join(nets)} of cifar10-jpeg on {SHIFTED_ROWS} of its test",
        f"images under 15 corruptions x 5 severities, {SHIFTED} with features at severities {', '.join(map(str, SHIFTED_FEATURES))}. Accuracy and ECE",
        "of each are in manifest.yaml. The corruptions are our own code, which departs from the published",
        "CIFAR-10-C as the top of studies/zoo/corruptions.py says (frost is procedural).",
    ]


def samples_table(w, parts, table):
    yield "| dataset | calibration from | cal | test | cal in training | test in training | SHA-256 of splits/cal.npy | of splits/test.npy |"
    yield "|---|---|---:|---:|---:|---:|---|---|"
    for dataset in dict.fromkeys(e["dataset"] for _, e, _, _ in table):
        _, rows, _ = parts.of(dataset)
        split = next(e["splits"] for _, e, _, _ in table if e["dataset"] == dataset)
        name = RENAMED.get(dataset, dataset)
        digest = lambda p: w.files[f"{name}/splits/{p}.npy"]["sha256"]
        cal, test = parts.trained_on(dataset)
        yield (
            f"| {name} | {split['cal_from']} | {len(rows['cal'])} | {len(rows['test'])} "
            f"| {cal} | {test} | {digest('cal')} | {digest('test')} |"
        )


def bytes_table(w):
    yield "| set | logits | views | features | OOD | other | all |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    ends = {"views": "logits_aug", "features": "features", "OOD": "ood/logits", "logits": "logits"}
    kinds = ("logits", "views", "features", "OOD", "other")
    total = dict.fromkeys(kinds, 0)
    line = lambda name, row: f"| {name} | " + " | ".join(f"{c:,}" for c in [*row.values(), sum(row.values())]) + " |"
    for dataset in sorted({f.split("/")[0] for f in w.files}):
        row = dict.fromkeys(kinds, 0)
        for f in w.files:
            if f.split("/")[0] == dataset:
                row[next((k for k, end in ends.items() if f.endswith(f"{end}.npy")), "other")] += (w.folder / f).stat().st_size
        total = {k: total[k] + row[k] for k in kinds}
        yield line(dataset, row)
    yield line("all", total)
