"""Other people's networks in the layout of qats.

    export_module   runs any PyTorch module over loaders: logits, labels, views,
                    OOD and corrupted sets, and features and head by a hook on the
                    last linear layer
    export_arrays   takes numbers that exist already; read finds them in files

Both make the checks that qats makes, write the arrays, and add the set with
digests and provenance to manifest.yaml.
"""

import importlib.util
from pathlib import Path

import numpy as np
import torch
from torch import nn

from . import manifest, readers
from .export import save
from .files import sha256

KINDS = (*manifest.KINDS, "probs")


def checked(arrays, where):
    """The arrays in the types that are stored, or a ValueError that names the fault."""

    def wrong(text):
        raise ValueError(f"{where}: {text}")

    def real(name, dims):
        a = np.asarray(arrays[name])
        if a.dtype.kind not in "fiu" or a.ndim != dims:
            wrong(f"{name} is {a.dtype} of shape {a.shape}; want {dims} dimensions of numbers")
        if not np.isfinite(a).all():
            wrong(f"{name}: not finite at {tuple(int(i) for i in np.argwhere(~np.isfinite(a))[0])}")
        return a if a.dtype == np.float16 else a.astype(np.float32)

    dims = dict(logits=2, features=2, logits_aug=3, head_weight=2, head_bias=1)
    out = {name: real(name, dims[name]) for name in dims if arrays.get(name) is not None}
    n, k = out["logits"].shape
    if arrays.get("labels") is not None:
        y = np.asarray(arrays["labels"]).reshape(-1)
        if len(y) != n:
            wrong(f"{len(y)} labels for {n} rows of logits")
        if not (y == np.floor(y)).all() or y.min() < 0 or y.max() >= k:
            wrong(f"labels go from {y.min()} to {y.max()}; want whole numbers 0 to {k - 1}")
        out["labels"] = y.astype(np.int32)
    if "features" in out and len(out["features"]) != n:
        wrong(f"{len(out['features'])} rows of features, {n} of logits")
    if "logits_aug" in out and out["logits_aug"].shape[1:] != (n, k):
        wrong(f"views of shape {out['logits_aug'].shape}; want views x {n} x {k}")
    if ("head_weight" in out) != ("head_bias" in out):
        wrong("the head needs a weight and a bias; if the layer has no bias, give zeros")
    if "head_weight" in out:
        if out["head_bias"].shape != (k,) or len(out["head_weight"]) != k:
            wrong(f"head {out['head_weight'].shape} and {out['head_bias'].shape}; want {k} classes")
        if "features" in out and not is_head(out["features"], out["head_weight"], out["head_bias"], out["logits"]):
            wrong("logits are not head_weight x features + head_bias: this is another layer, or the network changes its output")
    return out


def is_head(features, weight, bias, logits):
    """Whether this layer gives these logits, within the rounding of the least exact array."""
    if features.shape[1] != weight.shape[1]:
        return False
    w, h = weight.astype(np.float64), features.astype(np.float64)
    half = np.float16 in (features.dtype, logits.dtype)
    size = abs(h) @ abs(w).T + abs(logits)
    return bool((abs(h @ w.T + bias - logits) <= (2**-10 if half else 1e-4) * size + 1e-4).all())


def export_arrays(data, dataset, backbone, split, arrays, note, loss="ce", kind="logits", shift=None, **described):
    """Writes arrays of one set below data and returns its folder.

    arrays: logits n x k, labels n, and optionally features n x d, logits_aug v x n x k,
    head_weight k x d, head_bias k. split: cal, test or ood (logits alone); shift, as fog/3, in
    place of a split is a corrupted test set. kind: logits, log-probs, or probs, which are stored as
    log-probs. note: one line on the origin of the numbers. described: see manifest.describe.
    """
    network = Path(data) / dataset / backbone / ("" if loss == "ce" else loss)
    name = network.relative_to(data).as_posix()
    if not note.strip():
        raise ValueError(f"{name}: give the origin of the numbers in a note")
    if (shift is None) == (split is None) or split not in (None, "cal", "test", "ood"):
        raise ValueError(f"{name}: give split cal, test or ood, or a shift as fog/3")
    if shift and not (len(s := shift.split("/")) == 2 and s[0] and s[1].isdecimal() and int(s[1]) > 0):
        raise ValueError(f"{name}: shift {shift!r}; want corruption/severity, as fog/3")
    arrays = dict(arrays)
    if kind == "probs":
        p = np.asarray(arrays["logits"], np.float64)
        if not (p > 0).all():
            raise ValueError(f"{name}: probability {p.min():g} in row {int(np.argwhere(p <= 0)[0][0])} has no logarithm")
        arrays["logits"], kind = np.log(p), "log-probs"
    out = checked(arrays, f"{name}/{shift or split}")
    if split != "ood" and "labels" not in out:
        raise ValueError(f"{name}/{shift or split}: no labels")
    paths = []
    for array, value in out.items():
        at = network if array.startswith("head") else network / (shift or split)
        save(at / f"{array}.npy", value)
        paths.append(at / f"{array}.npy")
    manifest.update(data, manifest.describe(f"{name}/{shift or split}", note, kind, **described), paths)
    return network


# --- modules --------------------------------------------------------------


def is_linear(layer):
    """Whether a layer is linear in its input, or in the channels of each pixel."""
    return isinstance(layer, nn.Linear) or isinstance(layer, nn.Conv2d) and layer.kernel_size == (1, 1) and layer.groups == 1


class LastLinear:
    """Keeps the layer and the input of the last linear layer that ran. head names the layer
    instead; then it can be a convolution of 1 x 1 pixels, the last layer of a segmenter."""

    def __init__(self, module, head=None):
        layers = dict(module.named_modules())
        if head is not None and not is_linear(layers.get(head)):
            known = [n for n, m in layers.items() if isinstance(m, nn.Linear)]
            raise ValueError(f"{head!r} is no linear layer; there are {', '.join(known) or 'none'}")
        watched = [layers[head]] if head else [m for m in layers.values() if isinstance(m, nn.Linear)]
        self.layer = self.input = None
        self.hooks = [m.register_forward_pre_hook(self.keep) for m in watched]

    def keep(self, layer, inputs):
        self.layer, self.input = layer, inputs[0].detach()

    def remove(self):
        for h in self.hooks:
            h.remove()


def logits_of(output):
    """The tensor of logits in the output of a module."""
    for name in ("logits", "out"):
        if isinstance(output, dict) and name in output:
            return output[name]
        if not isinstance(output, torch.Tensor) and hasattr(output, name):
            return getattr(output, name)
    output = output[0] if isinstance(output, (tuple, list)) else output
    if not isinstance(output, torch.Tensor):
        raise TypeError(f"the module returns {type(output).__name__}; want a tensor, or one under logits or out")
    return output


def parted(batch, device):
    """A batch as arguments, keyword arguments and labels: (x, y), or a mapping with labels."""
    move = lambda v: v.to(device) if isinstance(v, torch.Tensor) else v
    if hasattr(batch, "items"):
        inputs = {k: move(v) for k, v in batch.items()}
        return (), inputs, inputs.pop("labels", None)
    if isinstance(batch, torch.Tensor):
        return (move(batch),), {}, None
    return (move(batch[0]),), {}, batch[1] if len(batch) > 1 else None


def pixel_rows(logits, labels, step, features=None):
    """n x k x h x w as rows: every step-th pixel of every step-th row, pixels of no class left
    out. features n x d x h' x w' are scaled to h x w as segmenters scale their logits: bilinear
    weights sum to 1, so a linear layer gives the same before and after."""
    rows = lambda maps: maps[:, :, ::step, ::step].permute(0, 2, 3, 1).flatten(0, 2)
    size, logits, labels = logits.shape[2:], rows(logits), labels[:, ::step, ::step].flatten()
    keep = (labels >= 0) & (labels < logits.shape[1])
    if features is not None:
        features = rows(nn.functional.interpolate(features, size, mode="bilinear", align_corners=False))[keep]
    return logits[keep], labels[keep], features


@torch.no_grad()
def outputs(module, loader, device="cpu", head=None, step=1):
    """logits, labels (if the loader has them) and, of a module that ends in a linear layer,
    features, head_weight and head_bias. Rows follow the loader: it must not shuffle."""
    was_training = module.training
    module.eval().to(device)
    kept = {"logits": [], "labels": [], "features": []}
    last = LastLinear(module, head)
    try:
        for batch in loader:
            args, named, labels = parted(batch, device)
            last.layer = last.input = None
            logits = logits_of(module(*args, **named)).float().cpu()
            if labels is not None:
                labels = torch.as_tensor(labels).cpu()
            if logits.ndim == 4:
                maps = last.input.float().cpu() if last.input is not None and last.input.ndim == 4 else None
                logits, labels, features = pixel_rows(logits, labels, step, maps)
                if features is not None:
                    kept["features"].append(features.numpy())
            elif last.input is not None and last.input.shape[:-1] == logits.shape[:1]:
                kept["features"].append(last.input.float().cpu().numpy())
            kept["logits"].append(logits.numpy())
            if labels is not None:
                kept["labels"].append(labels.numpy().reshape(-1))
    finally:
        last.remove()
        module.train(was_training)
    if not kept["logits"]:
        raise ValueError("the loader is empty")
    out = {name: np.concatenate(v) for name, v in kept.items() if len(v) == len(kept["logits"])}
    if "features" in out:
        weight = last.layer.weight.detach().float().flatten(1).cpu().numpy()
        bias = np.zeros(len(weight), np.float32) if last.layer.bias is None else last.layer.bias.detach().float().cpu().numpy()
        if len(weight) == out["logits"].shape[1] and is_head(out["features"], weight, bias, out["logits"]):
            out.update(head_weight=weight, head_bias=bias)
        elif head is not None:
            raise ValueError(f"the logits are not the output of {head}")
        else:
            del out["features"]
    return out


def export_module(module, loaders, data, dataset, backbone, note, loss="ce", device="cpu", head=None, step=1, say=print):
    """Exports a network. loaders: by cal, test, ood, or a shift as fog/3; under views a list of
    loaders over the test samples in the same order, each with another augmentation."""
    for name, loader in loaders.items():
        if name == "views":
            continue
        arrays = outputs(module, loader, device, head, step)
        if name == "test" and loaders.get("views"):
            views = [outputs(module, v, device, head, step) for v in loaders["views"]]
            for i, v in enumerate(views):
                if not np.array_equal(v["labels"], arrays["labels"]):
                    raise ValueError(f"view {i} has other labels than the test set: another order?")
            arrays["logits_aug"] = np.stack([v["logits"] for v in views])
        if name == "ood":
            arrays = {"logits": arrays["logits"]}
        where = dict(split=None, shift=name) if "/" in name else dict(split=name)
        export_arrays(data, dataset, backbone, arrays=arrays, note=note, loss=loss, **where)
        shapes = ", ".join(f"{k} {v.shape}" for k, v in arrays.items())
        say(f"{dataset}/{backbone}/{name}: {shapes}" + ("" if "features" in arrays else "; no features"))


# --- the command ----------------------------------------------------------


def load_function(spec):
    """FILE.py:FUNCTION, called."""
    file, _, name = spec.rpartition(":")
    module_spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    if not file or module_spec is None:
        raise ValueError(f"{spec!r}: want FILE.py:FUNCTION")
    made = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(made)
    return getattr(made, name)()


def arguments(parser):
    """The flags of `zoo foreign`."""
    ways = parser.add_subparsers(dest="way", required=True)
    module = ways.add_parser("module", help="run a PyTorch module")
    module.add_argument("function", help="FILE.py:FUNCTION, which returns the module and its loaders")
    module.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    module.add_argument("--head", help="name of the last linear layer (default: the one that runs last)")
    module.add_argument("--step", type=int, default=1, help="for segmentation: take every step-th pixel of every step-th row")
    arrays = ways.add_parser("arrays", help="take numbers from files: .npy .npz .pt .pkl .csv .safetensors")
    for name in ("logits", "labels", "features", "logits-aug", "head-weight", "head-bias"):
        arrays.add_argument(f"--{name}", metavar="FILE[#PLACE]", required=name == "logits")
    arrays.add_argument("--split", choices=["cal", "test", "ood"])
    arrays.add_argument("--shift", help="corruption/severity, as fog/3, in place of a split")
    arrays.add_argument("--kind", default="logits", choices=KINDS)
    for way in (module, arrays):
        way.add_argument("--data", type=Path, required=True, help="folder of arrays to add to")
        way.add_argument("--dataset", required=True)
        way.add_argument("--backbone", required=True)
        way.add_argument("--loss", default="ce")
        way.add_argument("--note", required=True, help="one line: the origin of the network or the numbers")
    parser.set_defaults(act=act)


def act(args):
    """Brings other people's networks or logits into the layout."""
    if args.way == "module":
        module, loaders = load_function(args.function)
        return export_module(module, loaders, args.data, args.dataset, args.backbone, args.note, args.loss, args.device, args.head, args.step)
    names = ("logits", "labels", "features", "logits_aug", "head_weight", "head_bias")
    given = {n: getattr(args, n) for n in names if getattr(args, n)}
    files = sorted({readers.parts(source)[0] for source in given.values()})
    note = args.note + "; from " + ", ".join(f"{f.name} (sha256 {sha256(f)[:16]})" for f in files)
    read = {n: readers.read(source) for n, source in given.items()}
    export_arrays(args.data, args.dataset, args.backbone, args.split, read, note, args.loss, args.kind, args.shift)
