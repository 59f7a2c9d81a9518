"""The networks of settings.py: tested, or trained and tested.

    <arrays>/<dataset>/<backbone>/{cal,test}/{logits,labels,features}.npy, test/logits_aug.npy
    <arrays>/<dataset>/<backbone>/{head_weight,head_bias}.npy, ood/logits.npy
    <arrays>/cifar100-c/vit-b16/<corruption>/<severity>/{logits,labels,features}.npy

No array is written before all outputs of the clean parts exist and, with --check, the
accuracy is as expected. Logits, features and views are float16, heads float32.
"""

import numpy as np
import torch

from . import corruptions, data as sets, foreign, networks, sources, train
from .export import miou
from .settings import UNKNOWN, network

VIEWS = 4  # of test images: mirrored (where the set allows), then shifted
OOD = 1000  # images of --ood that are used, in the order of their names
STEP = 32  # of segmentation, one pixel of 32 x 32: neighbours are nearly equal
SEGMENTER_HEAD = "classifier.4"  # in torchvision's; its auxiliary classifier runs last
BATCH = 100


# --- one network ----------------------------------------------------------


def training(r, epochs=None):
    """The recipe of a row as train.Recipe."""
    given = {k: v for k, v in r.recipe.items() if k not in ("name", "augment")}
    return train.Recipe(r.dataset, r.backbone, **dict(given, epochs=epochs or given["epochs"]))


def trained(r, d, args, say):
    """The network of a row: its weights, or trained from them as far as needed."""
    make = lambda: networks.load(r, args.raw)
    if not r.is_trained:
        return make()
    if not r.recipe.get("augment", True):
        d.flip, d.crop = False, 0
    folder = args.runs / r.dataset / r.backbone
    net, _ = train.train(training(r, args.epochs), d, folder, args.device, say, make=make)
    d.flip, d.crop = r.mirror, r.shift  # of the views
    return net


class Loader:
    """Batches (x, labels) of a part, in its order; change alters the images first."""

    def __init__(self, d, part, device, change=None):
        self.d, self.part, self.device, self.change = d, part, device, change or (lambda x: x)

    def __iter__(self):
        size = 1 if self.d.kind == "segmentation" else BATCH
        for i in range(0, len(self.part), size):
            if size == 1:
                x, y = self.part.x[i][None], torch.from_numpy(self.part.y[i][None])
            else:
                x, y = self.part.x[i : i + size], torch.from_numpy(self.part.y[i : i + size])
            yield train.prepare(self.change(torch.from_numpy(np.array(x))), self.d, self.device), y


def view(d, v):
    """The v-th augmentation of a batch: the mirror image first if the set allows, then seeded shifts."""
    if v == 0 and d.flip:
        return lambda x: x.flip(2)
    g = torch.Generator().manual_seed(1000 + v)
    return lambda x: sets.crop_flip(x, d.crop, d.flip, g)


def outputs(r, d, net, part, device):
    """The arrays of a part in the types that are stored."""
    head = SEGMENTER_HEAD if d.kind == "segmentation" else None
    a = foreign.outputs(net, Loader(d, part, device), device, head, STEP)
    return {k: v.astype(np.float16) if k in ("logits", "features") else v for k, v in a.items()}


def views(d, net, part, device):
    """float16 logits of the augmented views, v x n x k."""
    made = [foreign.outputs(net, Loader(d, part, device, view(d, v)), device)["logits"] for v in range(VIEWS)]
    return np.stack(made).astype(np.float16)


def pictures(folder, r):
    """Images of no class of the set, in the network's size."""
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg", ".png"))[:OOD]
    if not paths:
        raise ValueError(f"--ood {folder}: no .jpg, .jpeg or .png file")
    x = sources.Files(np.array(paths, object), r.scale or "bilinear", r.side, r.crop)
    return sets.Split(x, np.zeros(len(paths), np.int64), np.arange(len(paths)))


def run(r, args, say):
    """Tests a network, after training it if it has a recipe, and exports its arrays."""
    if r.clean:
        return run_corrupted(r, args, say)
    d = sources.read(r, args.raw)
    net = trained(r, d, args, say)
    arrays = {p: outputs(r, d, net, getattr(d, p), args.device) for p in ("cal", "test")}
    said = checked(r, arrays, args.check, say)
    if d.kind == "image":
        arrays["test"]["logits_aug"] = views(d, net, d.test, args.device)
        if args.ood:
            plain = sets.Dataset(r.dataset, "image", r.classes, None, None, None, d.mean, d.std)
            arrays["ood"] = {"logits": outputs(r, plain, net, pictures(args.ood, r), args.device)["logits"]}
    for split, a in arrays.items():
        put(r, args, a, said, say, split=split)


def run_corrupted(r, args, say):
    """The corrupted images whose clean versions do not calibrate."""
    clean = network(r.clean, r.backbone)
    d = sources.read(clean, args.raw)
    net = trained(clean, d, args, say)
    said = checked(clean, {p: outputs(clean, d, net, getattr(d, p), args.device) for p in ("cal", "test")}, args.check, say)
    for name in [args.corruption] if args.corruption else corruptions.CORRUPTIONS:
        for severity in [args.severity] if args.severity else range(1, 6):
            part = sources.corrupted(args.raw, name, severity, d.test.index)
            put(r, args, outputs(clean, d, net, part, args.device), said, say, split=None, shift=f"{name}/{severity}")


# --- check and export -----------------------------------------------------


def score(r, arrays):
    """Accuracy, or mean intersection over union, of all test rows: where halves of the test
    part calibrate and test, of both."""
    parts = [arrays["cal"], arrays["test"]] if r.cal == "half of test" else [arrays["test"]]
    logits, labels = (np.concatenate([p[k] for p in parts]) for k in ("logits", "labels"))
    return miou(logits, labels) if r.metric == "miou" else float((logits.argmax(1) == labels).mean()), len(labels)


def checked(r, arrays, strict, say):
    """Says how the score compares with the expected one. With strict it is a ValueError if it is
    farther off than the source allows plus two standard errors, and nothing is exported."""
    value, n = score(r, arrays)
    text = f"{r.metric} {value:.4f} on {n} test rows, expected {r.expected}"
    if r.expected == UNKNOWN:
        say(f"{r.name}: {text}: not checked")
        return text
    say(f"{r.name}: {text} by {r.expected_from}")
    error = 2 * (r.expected * (1 - r.expected) / n) ** 0.5 if r.metric == "accuracy" else 0
    if strict and abs(value - r.expected) > r.within + error:
        raise ValueError(f"{r.name}: {text}: more than {r.within + error:.4f} off, nothing is exported")
    return text


def put(r, args, arrays, said, say, split, shift=None):
    weights = f"trained by recipe {r.recipe['name']} from {r.source}" if r.is_trained else f"public weights {r.source}"
    calibrated = "" if split == "ood" else f", {r.cal} calibrates" if r.cal != "half of test" else ", rows of even index of the test part calibrate"
    described = {"from": f"networks of {r.library}", "stand-in": weights}
    if r.samples:
        described["samples"] = r.samples
    described["licence"] = f"weights: {r.licence}; images: {r.licence_of_images}"
    foreign.export_arrays(args.data, r.dataset, r.backbone, split, arrays, f"{weights}, {said}{calibrated}", shift=shift, **described)
    say(f"{r.name}/{shift or split}: " + ", ".join(f"{k} {v.shape}" for k, v in arrays.items()))
