"""Writes a trained network's outputs in the layout of qats.

    <arrays>/<dataset>/<net>[/<loss>]/{cal,test}/{logits,labels,features,logits_aug}.npy
    <arrays>/<dataset>/<net>[/<loss>]/{head_weight,head_bias}.npy, ood/logits.npy
    <arrays>/<dataset>-c/<net>[/<loss>]/<corruption>/<severity>/{logits,labels}.npy

The cross-entropy networks have no loss folder. Each network has an
entry.yaml; manifest.yaml has the parts of the entries that qats reads.
"""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
import yaml

from . import corruptions, data as sets, manifest
from .files import atomic, sha256
from .train import prepare

PIXEL_STEP = 6  # segmentation: every 6th pixel of every 6th row, since neighbours are nearly equal
FEATURES_UP_TO = 128  # wider features are left out: they would be larger than all other arrays
VIEWS = 4
CORRUPTED = 2000  # test images per corruption and severity


def save(path, array):
    with atomic(path) as f:
        np.save(f, array)


def place(arrays, dataset, r):
    folder = Path(arrays) / dataset / r.net
    return folder if r.loss == "ce" else folder / r.loss


@torch.no_grad()
def outputs(net, d, x, device, batch=250):
    """float32 logits and features of uint8 images or word numbers, in row order."""
    net.eval()
    logits, features = [], []
    for i in range(0, len(x), batch):
        f = net.features(prepare(torch.from_numpy(np.ascontiguousarray(x[i : i + batch])), d, device)).float()
        features.append(f.cpu().numpy())
        logits.append(net.head(f).cpu().numpy())
    return np.concatenate(logits), np.concatenate(features)


@torch.no_grad()
def pixels(net, d, part, device):
    """Like outputs for label maps: one row per kept, non-void pixel."""
    net.eval()
    logits, features, labels = [], [], []
    for x, y in zip(part.x, part.y):
        y = y[::PIXEL_STEP, ::PIXEL_STEP].ravel()
        f = net.features(prepare(torch.from_numpy(x[None]), d, device))[0]
        f = f[:, ::PIXEL_STEP, ::PIXEL_STEP].flatten(1).T[y < d.classes]
        features.append(f.cpu().numpy())
        logits.append(net.head(f).cpu().numpy())
        labels.append(y[y < d.classes])
    return np.concatenate(logits), np.concatenate(features), np.concatenate(labels)


def views(x, d):
    """The augmented views: mirrored (where the set allows), then seeded shifts."""
    t = torch.from_numpy(x)
    first = [t.flip(2)] if d.flip else []
    for v in range(VIEWS - len(first)):
        first.append(sets.crop_flip(t, d.crop, d.flip, torch.Generator().manual_seed(1000 + v)))
    return [v.numpy() for v in first]


def ece15(logits, labels):
    """ECE in 15 bins (lo, hi] of equal width, of the softmax of the float16 logits as stored."""
    z = logits.astype(np.float64)
    z -= z.max(1, keepdims=True)
    p = np.exp(z)
    p /= p.sum(1, keepdims=True)
    confidence, hit = p.max(1), p.argmax(1) == labels
    b = np.clip(np.ceil(15 * confidence).astype(int) - 1, 0, 14)
    gap = np.abs(np.bincount(b, hit - confidence, 15))
    return float(gap.sum() / len(labels))


def miou(logits, labels):
    top, k = logits.argmax(1), logits.shape[1]
    both = np.bincount(labels * k + top, minlength=k * k).reshape(k, k)
    union = both.sum(0) + both.sum(1) - both.diagonal()
    return float((both.diagonal()[union > 0] / union[union > 0]).mean())


def summary(logits, labels):
    z = logits.astype(np.float64)
    return dict(
        n=len(labels),
        accuracy=round(float((z.argmax(1) == labels).mean()), 6),
        ece15=round(ece15(logits, labels), 6),
    )


def digests(folder, files):
    """path, shape, type and SHA-256 of arrays that lie under folder."""
    out = {}
    for f in sorted(files):
        a = np.load(f, mmap_mode="r")
        out[str(f.relative_to(folder))] = dict(shape=list(a.shape), dtype=str(a.dtype), sha256=sha256(f))
    return out


def export(r, d, net, history, arrays, device="cpu", say=print):
    folder = place(arrays, d.name, r)
    entry = dict(
        dataset=d.name,
        net=r.net,
        loss=r.loss,
        source="measured",
        kind="logits",
        licence=d.licence,
        recipe=asdict(r),
        parameters=sum(p.numel() for p in net.parameters()),
        width=net.width,
        train_samples=r.limit or len(d.train),
        device=device,
        mixed_precision=device == "cuda",
        torch=str(torch.__version__),
        seconds=round(sum(h["seconds"] for h in history), 1),
        train_loss=round(history[-1]["loss"], 6),
    )
    files = []

    def put(path, array):
        save(folder / path, array)
        files.append(folder / path)

    w, b = net.head.weight.detach().cpu().numpy(), net.head.bias.detach().cpu().numpy()
    put("head_weight.npy", w)
    put("head_bias.npy", b)
    for name in ("cal", "test"):
        part = getattr(d, name)
        if d.kind == "segmentation":
            logits, features, labels = pixels(net, d, part, device)
        else:
            (logits, features), labels = outputs(net, d, part.x, device), part.y
        half = logits.astype(np.float16)
        if not np.isfinite(half).all():
            raise FloatingPointError(f"{r.name}: a logit does not fit float16")
        put(f"{name}/logits.npy", half)
        put(f"{name}/labels.npy", labels.astype(np.uint8))
        if net.width <= FEATURES_UP_TO:
            put(f"{name}/features.npy", features.astype(np.float16))
        if d.kind == "image":
            stack = [outputs(net, d, v, device)[0].astype(np.float16) for v in views(part.x, d)]
            put(f"{name}/logits_aug.npy", np.stack(stack))
        entry[name] = summary(half, labels)
        if d.kind == "segmentation":
            entry[name]["miou"] = round(miou(half, labels), 6)
    if d.ood is not None:
        put("ood/logits.npy", outputs(net, d, d.ood, device)[0].astype(np.float16))
    entry["splits"] = splits(arrays, d)
    entry["arrays"] = digests(folder, files)
    write_entry(arrays, folder, entry)
    say(f"{r.name} exported: test accuracy {entry['test']['accuracy']:.4f}, ECE {entry['test']['ece15']:.4f}")
    return entry


def splits(arrays, d):
    """Index lists of the set: rows of its sorted file list used for train and cal.

    Where the calibration part comes from the training files, the two lists share no
    row. Elsewhere, and for test, the split is that of the source.
    """
    held_out = d.kind == "text" or d.name.startswith("cifar10")
    if held_out and np.intersect1d(d.train.index, d.cal.index).size:
        raise ValueError(f"{d.name}: calibration and training samples overlap")
    seen = {row.tobytes() for row in d.train.x}
    out = dict(
        cal_from="held out of the training files" if held_out else "the official validation part",
        # The sources have different files with equal content.
        cal_equal_to_a_train_sample=sum(row.tobytes() in seen for row in d.cal.x),
        test_equal_to_a_train_sample=sum(row.tobytes() in seen for row in d.test.x),
    )
    for name in ("train", "cal", "test"):
        path = Path(arrays) / d.name / "splits" / f"{name}.npy"
        if not path.exists():
            save(path, getattr(d, name).index.astype(np.int32))
        out[name] = dict(n=len(getattr(d, name)), index_sha256=sets.digest(getattr(d, name).index))
    return out


def corrupted_images(x, name, severity, cache):
    """The images x, corrupted; built once."""
    build = lambda: {"x": corruptions.corrupt(x, name, severity)}
    return sets.cached(Path(cache) / "corrupted" / f"{name}-{severity}", build)["x"]


def export_corrupted(r, d, net, arrays, cache, device="cpu", say=print):
    """The 15 corruptions x 5 severities on a fixed choice of test images."""
    rows = np.sort(np.random.default_rng(11).permutation(len(d.test))[:CORRUPTED])
    x, y = d.test.x[rows], d.test.y[rows]
    folder = place(arrays, f"{d.name}-c", r)
    entry = dict(
        dataset=f"{d.name}-c", net=r.net, loss=r.loss, source="measured", kind="logits",
        licence=d.licence, calibrate_on=d.name, recipe=asdict(r),
        test_rows_sha256=sets.digest(rows), shifted={},
    )
    files = []
    for name in corruptions.CORRUPTIONS:
        for severity in range(1, 6):
            logits, features = outputs(net, d, corrupted_images(x, name, severity, cache), device)
            half = logits.astype(np.float16)
            at = folder / name / str(severity)
            save(at / "logits.npy", half)
            save(at / "labels.npy", y.astype(np.uint8))
            files += [at / "logits.npy", at / "labels.npy"]
            if net.width <= FEATURES_UP_TO:
                save(at / "features.npy", features.astype(np.float16))
                files.append(at / "features.npy")
            entry["shifted"][f"{name}/{severity}"] = summary(half, y)
        say(f"{r.name} {name}: accuracy " + " ".join(f"{entry['shifted'][f'{name}/{s}']['accuracy']:.3f}" for s in range(1, 6)))
    for f in ("head_weight.npy", "head_bias.npy"):
        a = np.load(place(arrays, d.name, r) / f)
        save(folder / f, a)
        files.append(folder / f)
    save(Path(arrays) / f"{d.name}-c" / "splits" / "test.npy", rows.astype(np.int32))
    entry["arrays"] = digests(folder, files)
    write_entry(arrays, folder, entry)


def write_entry(arrays, folder, entry):
    with atomic(folder / "entry.yaml") as f:
        f.write(yaml.safe_dump(entry, sort_keys=False).encode())
    write_manifest(arrays)


def entries(arrays):
    """The entries by the folders of their networks, sorted."""
    arrays = Path(arrays)
    return {p.parent.relative_to(arrays).as_posix(): yaml.safe_load(p.read_text()) for p in sorted(arrays.rglob("entry.yaml"))}


def write_manifest(arrays):
    """manifest.yaml: the parts of all entries that qats reads. The lock is held from the first
    read to the rename, so that two networks that end together keep both entries."""
    with manifest.locked(arrays):
        described, files = [], {}
        for at, e in entries(arrays).items():
            note = f"{e['net']}, loss {e['loss']}, seed {e['recipe']['seed']}, {e['recipe']['epochs']} epochs; {e['licence']}"
            described.append(manifest.describe(at, note))
            files.update({f"{at}/{f}": dict(shape=a["shape"], sha256=a["sha256"]) for f, a in e["arrays"].items()})
        manifest.write(arrays, described, files)
