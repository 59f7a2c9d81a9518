"""The paper's data sets, in the files that their sources publish.

    cifar-10-batches-py/, cifar-100-python/     the pickles for Python
    CIFAR-100-C/<corruption>.npy, labels.npy    five blocks, severity 1 to 5
    val/n*/*, train/n*/*, ImageNet_LT_train.txt    ImageNet, in folders by class
    <data set>.npz                              MedMNIST, 28 pixels
    HAM10000_metadata.csv, ISIC_*.jpg, ISIC2018_Task3_Test_GroundTruth.csv
    VOCdevkit/VOC2012/                          as in VOCtrainval_11-May-2012.tar
    20news-bydate-train/, 20news-bydate-test/

They lie below one folder, at any depth. A reader takes a row of paper.yaml and that
folder, and returns a Dataset, whose train part is None where nothing is trained.
"""

import csv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image

from . import networks, readers
from .data import Dataset, Split, find, hold_out, long_tail, messages

SCALES = {"nearest": Image.NEAREST, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC}
VOID = 255


def read(row, raw):
    """The data set of a row, with the network's input."""
    reader = READERS.get(row.dataset, medmnist)
    d = reader(row, raw)
    d.mean, d.std = np.float32(row.mean), np.float32(row.std)
    d.flip, d.crop, d.licence = row.mirror, row.shift, row.licence_of_images
    if isinstance(d.test.x, np.ndarray) and d.kind == "image":
        d.resize = (row.scale, row.side, row.crop)
    return d


def dataset(row, kind, train, cal, test):
    return Dataset(row.dataset, kind, row.classes, train, cal, test)


def halves(x, y):
    """Rows of even index, which calibrate, and rows of odd index, which test."""
    return [Split(x[i], y[i], i) for i in (np.arange(0, len(y), 2), np.arange(1, len(y), 2))]


def held_out(x, y, test, share=0.1, ratio=None):
    """Train, calibration and test part, where calibration comes from the training files."""
    train, cal = hold_out(y, share)
    if ratio:  # both parts keep the skewed prior
        train, cal = long_tail(train, y, ratio), long_tail(cal, y, ratio)
    return [Split(x[i], y[i], i) for i in (train, cal)] + [test]


def by_group(groups, share, seed=1):
    """Like hold_out, but no group is in both parts."""
    names = np.random.default_rng(seed).permutation(np.unique(groups))
    cal = np.isin(groups, names[: round(len(names) * share)])
    return np.flatnonzero(~cal), np.flatnonzero(cal)


# --- CIFAR ----------------------------------------------------------------


def cifar(row, raw):
    ten = row.dataset == "cifar10"
    train = [f"cifar-10-batches-py/data_batch_{i}" for i in range(1, 6)] if ten else ["cifar-100-python/train"]
    test = "cifar-10-batches-py/test_batch" if ten else "cifar-100-python/test"
    x, y = pickled([find(raw, test)])
    if row.cal == "half of test":
        return dataset(row, "image", None, *halves(x, y))
    ratio = int(row.dataset.split("-lt-r")[1]) if "-lt-r" in row.dataset else None
    parts = held_out(*pickled([find(raw, f) for f in train]), Split(x, y, np.arange(len(y))), ratio=ratio)
    return dataset(row, "image", *parts)


def pickled(paths):
    """Images n,32,32,3 and labels of CIFAR's pickles."""
    xs, ys = [], []
    for path in paths:
        a = {k.decode() if isinstance(k, bytes) else k: v for k, v in readers.unpickle(path).items()}
        xs.append(np.asarray(a["data"], np.uint8).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
        ys.append(np.asarray(a["fine_labels"] if "fine_labels" in a else a["labels"], np.int64))
    return np.ascontiguousarray(np.concatenate(xs)), np.concatenate(ys)


def corrupted(raw, name, severity, rows):
    """Rows of the block of a severity in CIFAR-100-C."""
    path = find(raw, f"CIFAR-100-C/{name}.npy")
    x, y = np.load(path, mmap_mode="r"), np.load(path.with_name("labels.npy"))
    n = len(x) // 5
    block = slice((severity - 1) * n, severity * n)
    return Split(x[block][rows], y[block][rows].astype(np.int64), rows)


# --- images in files ------------------------------------------------------


@dataclass
class Files:
    """Images that are decoded when they are needed: x[rows] is uint8 n,crop,crop,3."""

    paths: np.ndarray
    scale: str
    side: int  # of the shorter side, before the centre is cut out
    crop: int

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, rows):
        return self.decode([(p, None) for p in self.paths[rows]])

    def at(self, rows):
        """These rows as Files, not decoded."""
        return Files(self.paths[rows], self.scale, self.side, self.crop)

    def drawn(self, rows, generator):
        """A random part of each image (8 to 100 % of its area, sides as 3:4 to 4:3), half of them mirrored."""
        draws = torch.rand(len(rows), 5, generator=generator).tolist()
        return self.decode(list(zip(self.paths[rows], draws)))

    def decode(self, jobs):
        with ThreadPoolExecutor(8) as pool:
            return np.stack(list(pool.map(self.image, jobs)))

    def image(self, job):
        path, draw = job
        image = Image.open(path).convert("RGB")
        w, h = image.size
        if draw is None:
            factor = self.side / min(w, h)
            size = max(self.side, int(w * factor)), max(self.side, int(h * factor))
            image = image.resize(size, SCALES[self.scale])
            left, top = (round((s - self.crop) / 2) for s in size)
            return np.asarray(image.crop((left, top, left + self.crop, top + self.crop)))
        area, ratio = (0.08 + 0.92 * draw[0]) * w * h, (4 / 3) ** (2 * draw[1] - 1)
        cw, ch = min(w, (area * ratio) ** 0.5), min(h, (area / ratio) ** 0.5)
        left, top = draw[2] * (w - cw), draw[3] * (h - ch)
        image = image.resize((self.crop, self.crop), SCALES[self.scale], box=(left, top, left + cw, top + ch))
        return np.asarray(image)[:, ::-1] if draw[4] < 0.5 else np.asarray(image)


def files(row, paths):
    return Files(np.array([str(p) for p in paths], object), row.scale, row.side, row.crop)


def listed(row, folder):
    """The images of folder/<class>/, by class and name, and their classes."""
    names = sorted(p.name for p in folder.iterdir() if p.is_dir())
    if len(names) != row.classes:
        raise ValueError(f"{folder} has {len(names)} folders; want {row.classes}, one for each class")
    found = [(f, c) for c, name in enumerate(names) for f in sorted((folder / name).iterdir())]
    return files(row, [f for f, _ in found]), np.array([c for _, c in found], np.int64)


def imagenet(row, raw):
    x, y = listed(row, find(raw, "val/n*").parent)
    cal, test = (Split(x.at(i), y[i], i) for i in (np.arange(0, len(y), 2), np.arange(1, len(y), 2)))
    return dataset(row, "image", None, cal, test)


def imagenet_lt(row, raw):
    """The list of training files with its classes; the validation images test."""
    test, labels = listed(row, find(raw, "val/n*").parent)
    path = find(raw, "ImageNet_LT_train.txt")
    lines = [line.rsplit(None, 1) for line in path.read_text().splitlines() if line.strip()]
    root = find(raw, lines[0][0]).parents[2]
    x, y = files(row, [root / f for f, _ in lines]), np.array([int(c) for _, c in lines])
    parts = [Split(x.at(i), y[i], i) for i in hold_out(y, 0.1)]
    return dataset(row, "image", *parts, Split(test, labels, np.arange(len(labels))))


LESIONS = ("akiec", "bcc", "bkl", "df", "mel", "nv", "vasc")


def ham10000(row, raw):
    """A tenth of the lesions calibrates; the test images of ISIC 2018 test."""
    at = {p.stem: p for p in raw.rglob("ISIC_*.jpg")}
    table = records(find(raw, "HAM10000_metadata*"))
    x, y = files(row, [at[r["image_id"]] for r in table]), np.array([LESIONS.index(r["dx"]) for r in table])
    parts = [Split(x.at(i), y[i], i) for i in by_group([r["lesion_id"] for r in table], 0.1)]
    answers = records(find(raw, "ISIC2018_Task3_Test_GroundTruth*"))
    image = "image" if "image" in answers[0] else "image_id"
    labels = [LESIONS.index(r["dx"] if "dx" in r else next(c for c in LESIONS if float(r[c.upper()]) == 1)) for r in answers]
    test = files(row, [at[r[image]] for r in answers])
    return dataset(row, "image", *parts, Split(test, np.array(labels), np.arange(len(labels))))


def records(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


# --- MedMNIST, VOC, 20 Newsgroups -----------------------------------------


def medmnist(row, raw):
    """Grey images get three equal channels, as the authors do for 224 pixels."""
    with np.load(find(raw, f"{row.dataset}.npz")) as z:
        parts = []
        for name in ("train", "val", "test"):
            x, y = z[f"{name}_images"], z[f"{name}_labels"].ravel().astype(np.int64)
            x = np.repeat(x[..., None], 3, 3) if x.ndim == 3 else x
            parts.append(Split(x, y, np.arange(len(y))))
    return dataset(row, "image", *parts)


class Frames:
    """Photographs with their maps of classes; x[i] and y[i] are one of each, in its own size."""

    def __init__(self, paths, load):
        self.paths, self.load = paths, load

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, rows):
        if isinstance(rows, np.ndarray):
            return Frames([self.paths[i] for i in rows], self.load)
        return self.load(self.paths[rows])


def voc(row, raw):
    root = find(raw, "VOC2012")
    names = (root / "ImageSets/Segmentation/val.txt").read_text().split()
    x = Frames([root / f"JPEGImages/{n}.jpg" for n in names], lambda p: np.asarray(Image.open(p).convert("RGB")))
    y = Frames([root / f"SegmentationClass/{n}.png" for n in names], lambda p: np.asarray(Image.open(p)).astype(np.int64))
    return dataset(row, "segmentation", None, *halves(x, y))


def newsgroups(row, raw):
    texts, y = messages(raw, "train")
    test, labels = messages(raw, "test")
    x, z = (networks.tokens(row, t, row.length) for t in (texts, test))
    return dataset(row, "text", *held_out(x, y, Split(z, labels, np.arange(len(labels))), share=0.15))


READERS = {
    "cifar10": cifar,
    "cifar100": cifar,
    "cifar100-c": cifar,
    "cifar100-lt-r10": cifar,
    "cifar100-lt-r100": cifar,
    "imagenet": imagenet,
    "imagenet-lt": imagenet_lt,
    "ham10000": ham10000,
    "voc2012": voc,
    "20newsgroups": newsgroups,
}
