"""Trains models of scikit-learn and writes what they say of rows that they have not seen.

    python studies/advice/models.py OUT --raw DIR

OUT/DATA/MODEL has cal.npy, cal_labels.npy, test.npy, test_labels.npy and kind.txt: probabilities
("probs") of predict_proba, or margins ("logits") of decision_function. The data are of
make_classification, with two classes of shares .02, .1 and .5 and with several classes; tables
that scikit-learn carries; and, with --raw, images and text of DIR. A model is named for its
class, with -balanced for class_weight="balanced". The same versions give the same numbers.
"""

import argparse
import io
import pathlib
import tarfile
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

TRAIN, CAL, TEST = 2000, 10000, 5000


def models():
    """The models by name, each with the method that gives its scores."""
    scaled = lambda m: make_pipeline(StandardScaler(), m)
    for weight, suffix in ((None, ""), ("balanced", "-balanced")):
        yield "rf" + suffix, RandomForestClassifier(class_weight=weight, random_state=0), "probs"
        yield "et" + suffix, ExtraTreesClassifier(class_weight=weight, random_state=0), "probs"
        yield "hgb" + suffix, HistGradientBoostingClassifier(class_weight=weight, random_state=0), "probs"
        yield "svc" + suffix, scaled(SVC(class_weight=weight, random_state=0)), "logits"
        yield "lsvc" + suffix, scaled(LinearSVC(class_weight=weight, random_state=0)), "logits"
        yield "lr" + suffix, scaled(LogisticRegression(class_weight=weight, max_iter=2000)), "probs"
    yield "nb", GaussianNB(), "probs"
    yield "knn", scaled(KNeighborsClassifier()), "probs"
    yield "mlp", scaled(MLPClassifier((64,), max_iter=60, random_state=0)), "probs"


def made():
    """Made data: name, rows, labels."""
    n = TRAIN + CAL + TEST
    for share in (.02, .1, .5):
        for i, (sep, flip, informative) in enumerate(((.8, .005, 8), (1.5, .01, 6), (.5, .05, 10), (1., .15, 5))):
            yield (f"two-{share:g}-{i}", *make_classification(n, 20, n_informative=informative, weights=[1 - share], class_sep=sep,
                                                              flip_y=flip, random_state=100 + i))
    for k, weights in ((3, None), (3, [.88, .1, .02]), (6, None), (6, [.5, .2, .15, .1, .03, .02])):
        for i, (sep, flip) in enumerate(((1., .01), (.6, .1))):
            yield (f"several-{k}-{'even' if weights is None else 'skewed'}-{i}",
                   *make_classification(n, 20, n_informative=10, n_classes=k, weights=weights, n_clusters_per_class=1 if k == 6 else 2,
                                        class_sep=sep, flip_y=flip, random_state=200 + i))


def carried():
    """Tables that scikit-learn carries."""
    for name, load in (("digits", load_digits), ("breast-cancer", load_breast_cancer)):
        yield (name, *load(return_X_y=True))


def images(raw, rng):
    """CIFAR-10 as 8 x 8 images of three colours: all classes, and one against the others by three shares."""
    from PIL import Image
    names, rows, labels = [], [], []
    with tarfile.open(raw / "cifar10-jpeg.tar.xz") as tar:
        for member in tar:
            part = pathlib.PurePath(member.name).parts
            if not member.name.endswith((".jpg", ".jpeg")) or rng.random() > .5:
                continue
            if part[-2] not in names:
                names.append(part[-2])
            image = Image.open(io.BytesIO(tar.extractfile(member).read())).convert("RGB").resize((8, 8))
            rows.append(np.asarray(image, dtype=np.float32).reshape(-1) / 255)
            labels.append(names.index(part[-2]))
    order = np.argsort(names)
    rank = np.empty(len(names), dtype=int)
    rank[order] = np.arange(len(names))
    x, y = np.stack(rows), rank[np.array(labels)]
    x = (x - x.mean(0)) @ np.linalg.svd((x - x.mean(0))[:5000], full_matrices=False)[2][:40].T
    yield "cifar10-8x8", x, y
    yield "cifar10-8x8-animals", x, np.isin(y, (2, 3, 4, 5, 6, 7)).astype(int)
    yield "cifar10-8x8-ships", x, (y == 8).astype(int)
    few = (y != 8) | (rng.random(len(y)) < .18)
    yield "cifar10-8x8-few-ships", x[few], (y[few] == 8).astype(int)
    even = (y == 8) | (rng.random(len(y)) < 1 / 9) 
    yield "cifar10-8x8-even-ships", x[even], (y[even] == 8).astype(int)


def pixels(raw, rng):
    """Pixels of CamVid, each with the colours around it: all classes, and two against the others."""
    from PIL import Image
    found = {}
    with tarfile.open(raw / "camvid-240x180.tar.xz") as tar:
        for member in tar:
            if member.isfile() and member.name.endswith((".png", ".jpg")):
                found[member.name] = tar.extractfile(member).read()
    rows, labels = [], []
    for name in sorted(found):
        if "annot" in name:
            continue
        parts = pathlib.PurePath(name).parts
        mask = str(pathlib.PurePath(*parts[:-2], parts[-2] + "annot", pathlib.PurePath(parts[-1]).stem + ".png"))
        if mask not in found:
            continue
        a, m = (np.asarray(Image.open(io.BytesIO(found[p]))) for p in (name, mask))
        for r, c in zip(rng.integers(5, a.shape[0] - 5, 60), rng.integers(5, a.shape[1] - 5, 60)):
            if m[r, c] < 11:
                near = a[r - 5:r + 6:5, c - 5:c + 6:5].reshape(-1) / 255
                rows.append(np.r_[near, r / a.shape[0], c / a.shape[1]])
                labels.append(m[r, c])
    x, y = np.stack(rows).astype(np.float32), np.array(labels)
    present, y = np.unique(y, return_inverse=True)
    yield "camvid-pixels", x, y
    shares = np.bincount(y) / len(y)
    for share in (.02, .1):
        c = int(np.argmin(np.abs(shares - share)))
        yield f"camvid-pixels-{share:g}", x, (y == c).astype(int)


def write(out, name, x, y, rng):
    """Trains the models of one data set on some rows and writes their scores of the others."""
    order = rng.permutation(len(y))
    x, y = x[order], y[order]
    train = min(TRAIN, len(y) // 4)
    rest = len(y) - train
    cal = min(CAL, rest * 2 // 3)
    test = min(TEST, rest - cal)
    parts = {"cal": slice(train, train + cal), "test": slice(train + cal, train + cal + test)}
    for model, m, kind in models():
        folder = out / name / model
        if (folder / "kind.txt").exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        m.fit(x[:train], y[:train])
        for split, rows in parts.items():
            s = m.predict_proba(x[rows]) if kind == "probs" else m.decision_function(x[rows])
            if s.ndim == 1:
                s = np.c_[np.zeros_like(s), s]
            np.save(folder / f"{split}.npy", s)
            np.save(folder / f"{split}_labels.npy", y[rows].astype(np.int32))
        (folder / "kind.txt").write_text(kind + "\n")
    print(name, len(y), np.bincount(y).tolist(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--raw", type=pathlib.Path)
    a = parser.parse_args()
    warnings.simplefilter("ignore")
    sources = [made(), carried()]
    if a.raw:
        sources += [images(a.raw, np.random.default_rng(1)), pixels(a.raw, np.random.default_rng(2))]
    for i, source in enumerate(sources):
        for name, x, y in source:
            write(a.out, name, x, y, np.random.default_rng([i, sum(name.encode())]))


if __name__ == "__main__":
    main()
