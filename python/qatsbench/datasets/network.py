"""One network with the predictions that were published, checked and ready to be written."""

import dataclasses

import numpy as np

from .errors import DatasetError, short

# The smallest positive normal float32. Smaller probabilities, such as 0, count as this value.
LEAST_PROB = 2.0**-126

# The names of data sets and backbones in the paper. A network that has one of each stands in for the paper's.
PAPER_DATASETS = {
    "cifar10",
    "cifar100",
    "cifar100-c",
    "cifar100-lt-r10",
    "cifar100-lt-r100",
    "imagenet",
    "imagenet-lt",
    "ham10000",
    "pathmnist",
    "bloodmnist",
    "breastmnist",
    "dermamnist",
    "organamnist",
    "organcmnist",
    "organsmnist",
    "pneumoniamnist",
    "retinamnist",
    "tissuemnist",
    "voc2012",
    "20newsgroups",
}
PAPER_BACKBONES = {"resnet50", "resnet18", "densenet121", "vit-s16", "vit-b16", "deeplabv3-r50", "bert-b"}

# Data sets and networks as sources abbreviate them, and as the specs of this project name them.
_DATASETS = {"c10": "cifar10", "c100": "cifar100", "imgnet": "imagenet", "derma": "dermamnist", "oct": "octmnist"}
_BACKBONES = {"resnet_wide32": "wrn-32"}


def dataset_name(source):
    """Returns the name of a data set in specs."""
    return _DATASETS.get(source) or _id(source)


def backbone_name(source):
    """Returns the name of a network in specs."""
    return _BACKBONES.get(source) or _id(source)


def _id(source):
    return source.replace("_", "-").lower()


@dataclasses.dataclass
class Split:
    """The calibration or the test set of a network: scores n x k, labels n, features n x d or None, and weights, groups and
    folds of the rows, by name."""

    scores: np.ndarray
    labels: np.ndarray
    features: np.ndarray | None = None
    beside: dict = dataclasses.field(default_factory=dict)

    def take(self, rows):
        """Returns the set with the rows of an index or a mask."""
        beside = {name: a[rows] for name, a in self.beside.items()}
        return Split(self.scores[rows], self.labels[rows], None if self.features is None else self.features[rows], beside)


@dataclasses.dataclass
class Network:
    """A network. kind is logits, log-probs, probs, which prepare turns into log-probs, or confidence: scores are then n x 1, the
    confidence of each prediction, and labels 0 where it is right and 1 where it is wrong."""

    dataset: str
    backbone: str
    kind: str
    cal: Split | None
    test: Split
    source: str  # the first file, for errors
    came_from: str = ""  # the networks, in a few words for captions
    training: str = ""  # how it differs from the paper's network of the same name
    note: str = ""  # what a user of the rows must know
    licence: str = ""
    names: list = dataclasses.field(default_factory=list)  # of the files that it was read from
    head: tuple | None = None  # weight k x d and bias k of the last layer
    ood: Split | None = None  # scores and features of images of no class; labels are not used
    stands_in: str = ""  # how it differs from the paper's network that it stands in for
    warning: str = ""  # what must be known before the numbers are believed
    domain: str = ""  # what the inputs are, as manifests say it
    samples: str = ""  # the data set that the test rows are of, if it has another name
    clipped: int = 0
    classes: int = 0  # of a confidence alone, where they are stated
    told: list = dataclasses.field(default_factory=list)  # which columns or arrays of the file were taken, in lines

    @property
    def name(self):
        return f"{self.dataset}/{self.backbone}"

    def prepare(self):
        """Checks all parts and turns probabilities into log-probabilities. The first fault is an error."""
        for part in (self.dataset, self.backbone):
            if not part or part in (".", "..") or any(c in "/\\#{}*?[]" or not c.isprintable() for c in part):
                raise DatasetError(f"{short(part, 60)!r} cannot name a data set or backbone; give --dataset and --backbone")
        if not self.stands_in and self.dataset in PAPER_DATASETS and self.backbone in PAPER_BACKBONES:
            self.stands_in = self.training
        classes = self.test.scores.shape[-1] if self.test.scores.ndim == 2 else 1
        if self.kind == "probs" and classes == 1:
            classes = 2
        for what, part in (("calibration set", self.cal), ("test set", self.test)):
            if part is None:
                continue
            try:
                (self._prepare_confidence if self.kind == "confidence" else self._prepare)(part, classes)
            except DatasetError as e:
                raise DatasetError(f"{what} of {self.name}: {e}") from None
        if self.ood is not None:
            self.ood.scores = self._scores(self.ood.scores, "OOD logits")
        if self.kind == "probs":
            self.kind = "log-probs"

    def _scores(self, a, what):
        if a.dtype.kind != "f":
            raise DatasetError(f"{what} of type {a.dtype}; want floats")
        if a.ndim not in (1, 2) or a.size == 0:
            raise DatasetError(f"{what} of shape {list(a.shape)}; want rows and classes")
        return a.reshape(len(a), -1)

    def _prepare_confidence(self, part, classes):
        c, part.labels = self._scores(part.scores, "confidences"), labels(part.labels)
        if c.shape[1] != 1 or len(c) != len(part.labels):
            raise DatasetError(f"confidences of shape {list(c.shape)} and {len(part.labels)} rows of correctness; want one of each a row")
        bad = np.flatnonzero(~((c[:, 0] >= 0) & (c[:, 0] <= 1)))
        if len(bad):
            raise DatasetError(f"row {bad[0]}: {c[bad[0], 0]:g} is not a confidence in [0, 1]")
        if ((part.labels < 0) | (part.labels > 1)).any():
            raise DatasetError("labels of a confidence alone are 0 where the prediction is right and 1 where it is wrong")
        part.scores, part.labels = stored(c), part.labels.astype("<i4")

    def _prepare(self, part, classes):
        z = self._scores(part.scores, "scores")
        if self.kind == "probs" and z.shape[1] == 1:  # the probability of the second of two classes
            z = z.astype(np.float64)
            bad = np.flatnonzero(~((z[:, 0] >= 0) & (z[:, 0] <= 1.01)))
            if len(bad):
                v = z[bad[0], 0]
                fix = "; if these are per cent, divide them by 100" if 2 <= v <= 100 else ""
                raise DatasetError(f"row {bad[0]}: {v:g} is not a probability{fix}")
            z = np.clip(z, 0, 1)
            z = np.hstack([1 - z, z])
        part.labels = labels(part.labels)
        if z.shape[1] < 2:
            raise DatasetError(f"{z.shape[1]} class; want at least 2")
        if z.shape[1] != classes:
            raise DatasetError(f"{z.shape[1]} classes; the other set has {classes}")
        if len(part.labels) != len(z):
            raise DatasetError(f"{len(part.labels)} labels for {len(z)} rows")
        bad = np.flatnonzero((part.labels < 0) | (part.labels >= classes))
        if len(bad):
            raise DatasetError(f"row {bad[0]}: {outside(part.labels[bad[0]], part.labels, classes)}")
        finite(z, "class", masked=self.kind != "probs")
        if part.features is not None:
            f = self._scores(part.features, "features")
            if len(f) != len(z):
                raise DatasetError(f"{len(f)} rows of features for {len(z)} rows")
            finite(f, "feature")
            part.features = stored(f)
        if self.kind == "probs":
            z, clipped = log_probs(z)
            self.clipped += clipped
        elif looks_like_probs(z):
            raise DatasetError("these are probabilities, not logits: every row is in [0, 1] and sums to 1")
        part.scores, part.labels = stored(z), part.labels.astype("<i4")


def stored(a):
    """Returns an array as it is written: float32 if that keeps every bit, float64 otherwise."""
    return np.ascontiguousarray(a, "<f4" if a.dtype.itemsize < 8 else "<f8")


def labels(a):
    """Returns labels of shape n or n x 1 as n integers."""
    if a.dtype.kind not in "iub":
        raise DatasetError(f"labels of type {a.dtype}; labels must be integers")
    if a.ndim not in (1, 2) or a.ndim == 2 and a.shape[1] != 1:
        raise DatasetError(f"labels of shape {list(a.shape)}; want n or n x 1")
    if a.size and (int(a.max()) > 2**31 - 1 or int(a.min()) < -(2**31)):
        raise DatasetError("a label beyond int32")
    return a.reshape(len(a)).astype(np.int64)


def outside(label, all_labels, k, by=""):
    """Says that a label is none of k classes, and what to do, by all labels of the file. by says how rows are left out."""
    least, largest = min(all_labels), max(all_labels)
    if k == 2 and set(all_labels) == {-1, 1}:
        fix = "the labels are -1 and 1: store (labels + 1) // 2, which is 0 and 1"
    elif label >= 0 and least == 1 and largest == k:
        fix = "the smallest is 1, so they count from 1: store labels - 1"
    else:
        fix = f"labels start at 0; if such rows have no class, leave them out{by}"
        fix += "; otherwise give the scores of all classes" if label > 0 else ""
    return f"label {label} is outside 0..{k - 1}; {fix}"


def finite(a, column, masked=False):
    """Rejects numbers that are not finite as float32. masked: -inf is a masked class."""
    with np.errstate(over="ignore"):
        wrong = ~np.isfinite(a.astype(np.float32))
    if masked:
        wrong &= a != -np.inf
    bad = np.argwhere(wrong)
    if len(bad):
        i, j = bad[0]
        raise DatasetError(f"row {i}, {column} {j}: {a[i, j]:g}")


def log_probs(p):
    """Returns the logarithms of probabilities as float32, and how many were clipped.

    Each row is divided by its sum, added up from left to right in float64, which must be within
    sum_limit of 1. A probability below 2^-126 after that becomes 2^-126.
    """
    p = p.astype(np.float64)
    bad = np.argwhere(~((p >= 0) & (p <= 1.01)))
    if len(bad):
        i, j = bad[0]
        raise DatasetError(f"row {i}: class {j}: {p[i, j]:g} is not a probability")
    total = np.cumsum(p, axis=1)[:, -1:]
    off = np.abs(total - 1)
    limit = sum_limit(p) if off.max(initial=0) > 0.01 else 0.01
    bad = np.flatnonzero(~(off <= limit + 1e-9))
    if len(bad):
        raise DatasetError(f"row {bad[0]}: probabilities sum to {total[bad[0], 0]:.9g}, which is not 1 within {limit:.3g}")
    p = p / total
    clipped = int(np.count_nonzero(p < LEAST_PROB))
    return np.log(np.maximum(p, LEAST_PROB)).astype(np.float32), clipped


def sum_limit(p):
    """Returns how far from 1 the sum of a row of n x k probabilities may be: 0.01, or k u / 2 where all have decimals with
    the step u, but at most 0.1."""
    for decimals in range(1, 7):
        x = p * 10.0**decimals
        if np.all(np.abs(x - np.round(x)) <= 10.0**decimals * 2.0**-23):
            return min(0.1, max(0.01, p.shape[1] * 10.0**-decimals / 2))
    return 0.01


def looks_like_probs(z):
    """Reports whether there are 20 rows or more and each is in [0, 1] and sums to 1 within 0.001."""
    if len(z) < 20 or z.min() < 0 or z.max() > 1:
        return False
    return bool(np.all(np.abs(z.astype(np.float64).sum(axis=1) - 1) <= 1e-3))
