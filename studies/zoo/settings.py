"""The paper's 162 settings, and how a network for each can be had, from data/zoo/paper.yaml.

The list needs PyYAML alone. What runs a network, and torch with it, is imported by the
command that runs one.
"""

import csv
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

TABLE = Path(__file__).parents[2] / "data" / "zoo" / "paper.yaml"
UNKNOWN = "unknown"
SEVERITIES = range(1, 6)


def table(path=TABLE):
    return yaml.safe_load(Path(path).read_text())


@dataclass
class Row:
    """A row of `networks` with what the other parts of the table say of it."""

    dataset: str
    backbone: str
    source: str
    recipe: dict | None  # by name, see training
    input: str
    seen: bool
    cal: str
    clean: str | None
    corruptions: tuple
    metric: str  # accuracy | miou
    expected: float | str
    expected_from: str
    within: float
    hours: float
    gb: float  # of the images
    gb_of_weights: float
    library: str
    predicted: bool  # its predictions are published, too
    licence: str  # of the weights
    licence_of_images: str
    get: str
    samples: str | None  # the data set whose test images these are, if another
    classes: int
    shift: int
    mirror: bool
    scale: str | None
    side: int | None
    crop: int | None
    length: int | None
    mean: tuple
    std: tuple

    @property
    def name(self):
        return f"{self.dataset}/{self.backbone}"

    @property
    def is_trained(self):
        return self.recipe is not None

    @property
    def way(self):
        """The way to its arrays with the least work."""
        if self.is_trained:
            return f"training: {self.recipe['name']}"
        return "download" if self.predicted else "checkpoint"

    def settings(self):
        """The settings of the paper that the network serves, as qats names them."""
        if not self.clean:
            return [self.name]
        return [f"{self.name}/{c}/{s}" for c in self.corruptions for s in SEVERITIES]


def rows(path=TABLE):
    """All rows, in the order of the table."""
    t = table(path)
    return [row(t, n) for n in t["networks"]]


def row(t, n):
    images, library, seen = t["datasets"][n["dataset"]], t["sources"][n["source"].split(":")[0]], t["inputs"][n["input"]]
    metric = "miou" if "miou" in n else "accuracy"
    weights = 0 if n["source"].startswith("new:") else t["weights"][n["backbone"]]
    recipe = dict(t["recipes"][n["recipe"]], name=n["recipe"]) if "recipe" in n else None
    return Row(
        dataset=n["dataset"], backbone=n["backbone"], source=n["source"], recipe=recipe, input=n["input"],
        seen=n["seen"], cal=n["cal"], clean=n.get("clean"), corruptions=tuple(images.get("corruptions", ())), metric=metric, expected=n[metric],
        expected_from=n.get("expected", library["expected"]), within=library["within"], hours=n["gpu_hours_estimate"],
        gb=images["gb"], gb_of_weights=weights, library=library["name"], predicted=library.get("predictions", False), licence=library["licence"], licence_of_images=images["licence"], get=images["get"], samples=images.get("samples"),
        classes=images["classes"], shift=images.get("shift", 0), mirror=images.get("mirror", True),
        scale=seen.get("scale"), side=seen.get("side"), crop=seen.get("crop"), length=seen.get("length"),
        mean=tuple(seen.get("mean", [0])), std=tuple(seen.get("std", [1])),
    )  # fmt: skip


def network(dataset, backbone):
    """The row of a network, or a ValueError that names what there is."""
    all = rows()
    for r in all:
        if (r.dataset, r.backbone) == (dataset, backbone):
            return r
    there = [r.backbone for r in all if r.dataset == dataset] or sorted({r.dataset for r in all})
    raise ValueError(f"no network {dataset}/{backbone} in {TABLE.name}; there are {', '.join(there)}")


# --- the list -------------------------------------------------------------

HEADINGS = (
    "setting", "way", "source", "licence", "calibration images seen in training", "calibrate on", "expected",
    "GPU hours (estimate)", "GB of images", "GB of weights",
)  # fmt: skip


def listing():
    """One line for each of the paper's settings, as tab-separated cells.

    What is downloaded needs no GPU and no weights: the labels lie in the file of the images, and
    the predictions of a network have some megabytes.
    """
    for r in rows():
        hours, weights = (0, 0) if r.way == "download" else (r.hours / len(r.settings()), r.gb_of_weights)
        seen = "yes" if r.seen else "no"
        cells = (r.way, r.source, r.licence, seen, r.cal, f"{r.metric} {r.expected}", f"{hours:.2g}", f"{r.gb:.2g}", f"{weights:.2g}")
        for s in r.settings():
            yield (s, *cells)


WAYS = "data set,way,rows,networks,GPU hours,GB of images,GB of weights".split(",")


def ways():
    """How many settings of each data set can be had how, and of all: the cells of a CSV file."""
    groups, totals = {}, {}
    for setting, way, source, *_, hours, images, weights in listing():
        dataset, backbone = setting.split("/")[:2]
        g = groups.setdefault((dataset, way.split(":")[0]), dict(rows=0, networks={}, hours=0.0, images=images, weights={}))
        g["rows"] += 1
        g["networks"][backbone] = True
        g["hours"] += float(hours)
        g["weights"].setdefault(source, float(weights))
    for (dataset, way), g in groups.items():
        n, h = totals.get(way, (0, 0.0))
        totals[way] = n + g["rows"], h + g["hours"]
        yield dataset, way, str(g["rows"]), ", ".join(g["networks"]), brief(g["hours"]), brief(g["images"]), brief(sum(g["weights"].values()))
    for way, (n, hours) in totals.items():
        yield "all", way, str(n), "", brief(hours), "", ""


def brief(x):
    """Two digits, without an exponent."""
    return f"{float(f'{float(x):.2g}'):.9f}".rstrip("0").rstrip(".")


# --- the command ----------------------------------------------------------


def arguments(parser):
    """The flags of `zoo paper`."""
    parser.add_argument("--list", action="store_true", help="print the 162 settings, tab-separated, and do nothing")
    parser.add_argument("--ways", action="store_true", help="print how many of them can be had how, as CSV, and do nothing")
    parser.add_argument("--dataset")
    parser.add_argument("--backbone")
    parser.add_argument("--corruption", choices=table()["datasets"]["cifar100-c"]["corruptions"], help="of cifar100-c, only this one")
    parser.add_argument("--severity", type=int, choices=SEVERITIES, help="of cifar100-c, only this one")
    parser.add_argument("--raw", type=Path, help="folder with the unpacked files of the data set")
    parser.add_argument("--data", type=Path, help="folder of arrays to add to")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder for checkpoints of training")
    parser.add_argument("--epochs", type=int, help="train for fewer epochs, for a trial")
    parser.add_argument("--ood", type=Path, help="folder of images of no class, for the OOD rows of hfe")
    parser.add_argument("--check", action="store_true", help="export only if the accuracy is as expected")
    parser.add_argument("--device", help="cuda where there is one, else cpu")
    parser.set_defaults(act=act)


def act(args, say=print):
    """Exports a network of the paper's settings, from public weights or by training it."""
    if args.list:
        say("\t".join(HEADINGS))
        for cells in listing():
            say("\t".join(cells))
        return
    if args.ways:
        out = csv.writer(sys.stdout, lineterminator="\n")
        out.writerows([WAYS, *ways()])
        return
    missing = [f"--{n}" for n in ("dataset", "backbone", "raw", "data") if not getattr(args, n)]
    if missing:
        return f"zoo paper: give {', '.join(missing)}, or --list"
    import torch

    from . import paper

    args.device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        r = network(args.dataset, args.backbone)
        paper.run(r, args, say)
    except FileNotFoundError as e:
        return f"zoo paper: {e}; {args.dataset}: {r.get}"
    except ValueError as e:
        return f"zoo paper: {e}"
