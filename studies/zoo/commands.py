"""The commands that train and export networks: prepare, run (one network), queue, table, bundle, foreign, language, tabular."""

import fcntl
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import torch
import yaml

from . import data as sets, foreign, language, tabular
from .bundle import add as add_to_bundle, bundle as write_bundle
from .export import entries, export, export_corrupted, place, write_manifest
from .files import atomic
from .losses import LOSSES
from .nets import NETS
from .train import done, recipe, train


def say(line):
    print(line, flush=True)


def run(args):
    """Trains one network as far as needed and exports it; does nothing if it is done."""
    r = recipe(args.dataset, args.net, loss=args.loss, epochs=args.epochs, seed=args.seed, lr=args.lr, limit=args.limit)
    folder = args.out / "runs" / r.dataset / r.net / r.loss
    shifted = place(args.out / "arrays", f"{r.dataset}-c", r) / "entry.yaml"
    folder.mkdir(parents=True, exist_ok=True)
    # One process per network: a second one waits, and then finds the work done.
    lock = open(folder / "lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    finished = done(folder, r)
    if finished and (shifted.exists() or not args.corrupted):
        return
    torch.set_num_threads(args.threads)
    d = sets.SETS[r.dataset](args.raw, args.out / "cache")
    net, history = train(r, d, folder, args.device, say)
    if not finished:
        export(r, d, net, history, args.out / "arrays", args.device, say)
        with atomic(folder / "done.json") as f:
            f.write(json.dumps(asdict(r)).encode())
    if args.corrupted:
        export_corrupted(r, d, net, args.out / "arrays", args.out / "cache", args.device, say)


def queue(args):
    """Runs the list of a plan, in order, `workers` at a time, each in its own process.

    Each run has a process of its own, so that a failure does not end the others. To resume after a
    kill, start the queue again: finished runs are skipped, unfinished ones continue
    from their last epoch, and a run that another process still trains is waited for.
    """
    plan = yaml.safe_load(args.plan.read_text())["runs"]

    def one(line):
        flags = [f for k, v in line.items() for f in ([f"--{k}"] if v is True else [f"--{k}", str(v)])]
        command = [sys.executable, "-m", "zoo", "run", *flags]
        command += ["--raw", str(args.raw), "--out", str(args.out), "--device", args.device, "--threads", str(args.threads)]
        # OpenBLAS has threads of its own, outside torch's count.
        env = dict(os.environ, OMP_NUM_THREADS=str(args.threads), OPENBLAS_NUM_THREADS=str(args.threads))
        code = subprocess.run(command, env=env).returncode
        if code:
            say(f"FAILED ({code}): {' '.join(flags)}")
        return code

    with ThreadPoolExecutor(args.workers) as pool:
        codes = list(pool.map(one, plan))
    write_manifest(args.out / "arrays")
    say(f"queue: {len(codes) - sum(map(bool, codes))} of {len(codes)} runs succeeded")
    return int(any(codes))


def prepare(args):
    for name, load in sets.SETS.items():
        d = load(args.raw, args.out / "cache")
        say(f"{name}: train {len(d.train)}, cal {len(d.cal)}, test {len(d.test)}, {d.train.x.shape[1:]}")


def table(args):
    """Prints the finished networks as a Markdown table."""
    say("| dataset | net | loss | epochs | train | test accuracy | ECE-15 | seconds |")
    say("|---|---|---|---:|---:|---:|---:|---:|")
    for e in entries(args.out / "arrays").values():
        if "test" in e:
            score = f"{e['test']['accuracy']:.4f}" + (f" (mIoU {e['test']['miou']:.4f})" if "miou" in e["test"] else "")
            say(
                f"| {e['dataset']} | {e['net']} | {e['loss']} | {e['recipe']['epochs']} | {e['train_samples']} "
                f"| {score} | {e['test']['ece15']:.4f} | {e['seconds']:.0f} |"
            )


def bundle(args):
    """Writes the finished networks, cut to size, into the folder that is committed."""
    if args.add:
        add_to_bundle(args.out / "arrays", args.raw, args.out / "cache", args.bundle, args.add, say)
    else:
        write_bundle(args.out / "arrays", args.raw, args.out / "cache", args.bundle, say)


def arguments(commands):
    """The parsers of the commands."""
    for name, act in dict(prepare=prepare, run=run, queue=queue, table=table, bundle=bundle).items():
        c = commands.add_parser(name, help=(act.__doc__ or "Decodes every set into the cache.").splitlines()[0])
        c.set_defaults(act=act)
        c.add_argument("--raw", type=Path, required=name != "table", help="folder with the unpacked raw sets")
        c.add_argument("--out", type=Path, required=True, help="folder for cache, checkpoints and arrays")
        c.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=["cpu", "cuda"])
        c.add_argument("--threads", type=int, default=torch.get_num_threads())
        if name == "run":
            c.add_argument("--dataset", required=True, choices=sets.SETS)
            c.add_argument("--net", required=True, choices=NETS)
            c.add_argument("--loss", default="ce", choices=LOSSES)
            c.add_argument("--epochs", type=int)
            c.add_argument("--seed", type=int)
            c.add_argument("--lr", type=float)
            c.add_argument("--limit", type=int)
            c.add_argument("--corrupted", action="store_true", help="also export the corrupted test images")
        if name == "bundle":
            c.add_argument("--bundle", type=Path, required=True, help="folder to write; an earlier bundle there is replaced")
            c.add_argument("--add", metavar="DATASET/NET", help="add one network to the existing bundle, and change nothing else")
        if name == "queue":
            c.add_argument("--plan", type=Path, required=True)
            c.add_argument("--workers", type=int, default=1)
    foreign.arguments(commands.add_parser("foreign", help=foreign.act.__doc__))
    language.arguments(commands.add_parser("language", help=language.act.__doc__))
    tabular.arguments(commands.add_parser("tabular", help=tabular.act.__doc__))
