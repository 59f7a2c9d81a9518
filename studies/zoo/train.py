"""Seeded training with one resumable checkpoint.

Everything random in epoch e comes from (seed, run name, e), so a run resumed
from the checkpoint of epoch e-1 repeats the uninterrupted one exactly, and the
checkpoint needs no states of generators.
"""

import json
import math
import time
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from . import data as sets
from .files import atomic
from .losses import LOSSES
from .nets import NETS


@dataclass
class Recipe:
    dataset: str
    net: str
    loss: str = "ce"
    epochs: int = 10
    seed: int = 0
    batch: int = 128
    optimizer: str = "sgd"  # sgd (Nesterov 0.9) | momentum (0.9, not Nesterov) | adam | adamw
    lr: float = 0.2  # the peak of the schedule
    weight_decay: float = 5e-4
    warmup: float = 0.25  # share of the steps in which the rate rises
    schedule: str = "one-cycle"  # after the warm-up, see rate
    clip: float = 0.0  # largest gradient norm; 0 = none
    limit: int = 0  # train on this number of samples only; 0 = all (trials, tests)

    @property
    def name(self):
        return f"{self.dataset}/{self.net}/{self.loss}"


ADAM = dict(optimizer="adamw", weight_decay=0.05, clip=1.0)
DEFAULTS = {  # differences from the defaults of Recipe, by the start of the net's name
    "vit": dict(lr=2e-3, **ADAM),
    "transformer": dict(lr=2e-3, batch=64, **ADAM),
    "mlp-tfidf": dict(lr=3e-3, batch=64, optimizer="adamw", weight_decay=1e-2),
    "deeplab": dict(lr=3e-3, batch=8, optimizer="adamw", weight_decay=1e-2),
}


def recipe(dataset, net, **given):
    chosen = {}
    for start, values in DEFAULTS.items():
        if net.startswith(start):
            chosen.update(values)
    chosen.update({k: v for k, v in given.items() if v is not None})
    return Recipe(dataset, net, **chosen)


def epoch_seed(r, epoch):
    return zlib.crc32(f"{r.seed}/{r.name}/{epoch}".encode())


def rate(r, step, steps):
    """Learning rate of a step: linear rise to r.lr, then one of

    one-cycle   cosine fall to almost zero
    cosine      cosine fall to zero
    linear      linear fall to zero
    steps A B   a tenth after the share A of all steps, a tenth of that after B, and so on
    """
    rise = r.warmup * steps
    if step < rise:
        return r.lr * (0.04 + 0.96 * step / rise)
    kind, *shares = r.schedule.split()
    if kind == "steps":
        return r.lr * 0.1 ** sum(step >= float(s) * steps for s in shares)
    if kind == "linear":
        return r.lr * (steps - step) / (steps - rise)
    fall = 0.5 * (1 + math.cos(math.pi * (step - rise) / (steps - rise)))
    return r.lr * (max(1e-3, fall) if kind == "one-cycle" else fall)


def make_optimizer(r, net):
    # Norms, biases and positions are not decayed.
    decayed = [p for n, p in net.named_parameters() if p.ndim > 1 and "position" not in n]
    rest = [p for n, p in net.named_parameters() if p.ndim <= 1 or "position" in n]
    groups = [dict(params=decayed, weight_decay=r.weight_decay), dict(params=rest, weight_decay=0.0)]
    if r.optimizer in ("adam", "adamw"):
        return dict(adam=torch.optim.Adam, adamw=torch.optim.AdamW)[r.optimizer](groups, lr=r.lr)
    return torch.optim.SGD(groups, lr=r.lr, momentum=0.9, nesterov=r.optimizer == "sgd")


def build(r, dataset, device, make=None):
    """The untrained network of a recipe; make() builds it where NETS does not have it."""
    torch.manual_seed(epoch_seed(r, -1))
    net = (make() if make else NETS[r.net](dataset)).to(device)
    return net.to(memory_format=torch.channels_last) if dataset.kind != "text" else net


def batches(r, d, kept, epoch):
    """Augmented, shuffled minibatches of the kept rows; the last, partial one is left out."""
    g = torch.Generator().manual_seed(epoch_seed(r, epoch))
    order = kept[torch.randperm(len(kept), generator=g).numpy()]
    x, y = d.train.x, torch.from_numpy(d.train.y)
    for start in range(0, len(kept) - r.batch + 1, r.batch):
        rows = order[start : start + r.batch]
        if hasattr(x, "drawn"):  # images in files, which are cut and mirrored while they are decoded
            yield torch.from_numpy(x.drawn(rows, g)), y[rows]
            continue
        bx, by = torch.from_numpy(x[rows]), y[rows]
        if d.kind == "image":
            bx = sets.crop_flip(bx, d.crop, d.flip, g)
        elif d.kind == "segmentation":
            bx, by = window(bx, by, d.crop, g)
        yield bx, by


def window(x, y, side, g):
    """The same random window and mirroring for a batch of frames and their label maps."""
    top = int(torch.randint(x.shape[1] - side + 1, (), generator=g))
    left = int(torch.randint(x.shape[2] - side + 1, (), generator=g))
    x, y = x[:, top : top + side, left : left + side], y[:, top : top + side, left : left + side]
    mirrored = (torch.rand(len(y), generator=g) < 0.5)
    x, y = x.clone(), y.clone()
    x[mirrored], y[mirrored] = x[mirrored].flip(2), y[mirrored].flip(2)
    return x, y


def prepare(x, d, device):
    """A batch in the form that the network takes."""
    x = x.to(device)
    return x.long() if d.kind == "text" else sets.normalise(x, d)


def flat(logits, y):
    """Per-pixel outputs as rows, void pixels left out; images and text as they are."""
    if logits.ndim == 4:
        logits, y = logits.permute(0, 2, 3, 1).flatten(0, 2), y.flatten()
        keep = y < logits.shape[1]
        logits, y = logits[keep], y[keep]
    return logits, y


@torch.no_grad()
def accuracy(net, d, part, device, limit=2000):
    net.eval()
    hit = n = 0
    step = 8 if d.kind == "segmentation" else 250
    for i in range(0, min(len(part), limit), step):
        x, y = torch.from_numpy(part.x[i : i + step]), torch.from_numpy(part.y[i : i + step])
        logits, y = flat(net(prepare(x, d, device)).cpu(), y)
        hit, n = hit + int((logits.argmax(1) == y).sum()), n + len(y)
    return hit / n


def train(r, d, folder, device="cpu", say=print, stop_after=None, make=None):
    """Trains r on d, going on from folder/checkpoint.pt if there is one.

    Returns (net, history). stop_after ends the call early after that many epochs,
    as a kill between two epochs would. make is that of build.
    """
    folder = Path(folder)
    torch.use_deterministic_algorithms(device == "cpu")
    net = build(r, d, device, make)
    optimizer = make_optimizer(r, net)
    loss_of = LOSSES[r.loss]
    n = len(d.train)
    # A limit takes evenly spread rows, because the files are sorted by class.
    kept = torch.linspace(0, n - 1, r.limit).long().numpy() if r.limit else np.arange(n)
    per_epoch = len(kept) // r.batch
    if per_epoch == 0:
        raise ValueError(f"{r.name}: {len(kept)} training samples are less than a batch of {r.batch}")
    steps = r.epochs * per_epoch
    history = []
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=device)
        if not same(state["recipe"], r):
            raise ValueError(f"{checkpoint} is of another recipe: {state['recipe']}")
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        history = state["history"]
    half = torch.cuda.amp.GradScaler(enabled=device == "cuda")
    for epoch in range(len(history), r.epochs):
        if stop_after is not None and epoch >= stop_after:
            break
        torch.manual_seed(epoch_seed(r, epoch))  # dropout
        net.train()
        began, total, step = time.time(), 0.0, epoch * per_epoch
        for bx, by in batches(r, d, kept, epoch):
            for group in optimizer.param_groups:
                group["lr"] = rate(r, step, steps)
            with torch.autocast("cuda", enabled=device == "cuda"):
                logits = net(prepare(bx, d, device))
            loss = loss_of(*flat(logits.float(), by.to(device)))
            optimizer.zero_grad(set_to_none=True)
            half.scale(loss).backward()
            if r.clip:
                half.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(net.parameters(), r.clip)
            half.step(optimizer)
            half.update()
            total, step = total + loss.item(), step + 1
        if not math.isfinite(total):
            raise FloatingPointError(f"{r.name}: the loss is {total} in epoch {epoch + 1}")
        row = dict(
            epoch=epoch + 1,
            loss=total / per_epoch,
            cal_accuracy=accuracy(net, d, d.cal, device),
            seconds=round(time.time() - began, 1),
        )
        history.append(row)
        with atomic(checkpoint) as f:
            torch.save(dict(recipe=asdict(r), net=net.state_dict(), optimizer=optimizer.state_dict(), history=history), f)
        say(f"{r.name} epoch {epoch + 1}/{r.epochs} loss {row['loss']:.4f} cal {row['cal_accuracy']:.4f} {row['seconds']:.0f} s")
    return net, history


def done(folder, r):
    """Whether this recipe has been trained and exported into the run's folder."""
    mark = Path(folder) / "done.json"
    return mark.exists() and same(json.loads(mark.read_text()), r)


def same(stored, r):
    """Whether a stored recipe is r. A field that it lacks, because it is older, has its default."""
    return asdict(Recipe(**stored)) == asdict(r)
