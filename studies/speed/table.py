#!/usr/bin/python3
"""Times qats beside its peers and writes results/shown/speed.csv, the table of docs/evidence.md#speed.

usage: table.py DATA [--rounds 5] [--clock wall|cpu] [--only P1,P9] [--slow] [--csv FILE]

DATA holds the sets of data.py, which are drawn if they are absent. Programs are
built into DATA/bin. In every round qats and the peer run one after the other, each
in its own process, which gives one ratio; the table has the median, the least and
the largest ratio of the rounds. A row that is measured replaces the row of the same machine, goal
and quantity in the file; make docs writes the page. --clock cpu measures processor time: useful on a
busy machine, for work on one thread; the other rows are then left out. --slow adds
peers that take minutes.
"""
import argparse
import atexit
import csv
import datetime
import importlib.metadata
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Absent(Exception):
    """A program or package of a measurement is not on this machine."""


class Bench:
    def __init__(self, at, clock):
        self.at, self.clock = os.path.abspath(at), clock
        self.bin = os.path.join(self.at, "bin")
        # Outputs of qats run. They are removed at the end: removing many files slows
        # the runs that follow on ext4.
        os.makedirs(self.at, exist_ok=True)
        self.scratch = tempfile.mkdtemp(dir=self.at)
        atexit.register(shutil.rmtree, self.scratch)

    def build(self):
        """Builds the programs without cgo, as the releases are built."""
        os.makedirs(self.bin, exist_ok=True)
        env = dict(os.environ, CGO_ENABLED="0")
        for name, package, tags in (("qats", "cmd/qats", ""), ("measure", "studies/speed/measure", ""),
                                    ("measure-purego", "studies/speed/measure", "purego")):
            subprocess.run(["go", "build", "-trimpath", "-buildvcs=false", "-tags", tags, "-o", f"{self.bin}/{name}", "."], cwd=f"{ROOT}/{package}", env=env, check=True)
        cc = shutil.which("cc") or shutil.which("gcc")
        if cc and platform.machine() == "x86_64":
            subprocess.run([cc, "-O3", "-march=native", "-ffp-contract=fast", f"{HERE}/limits.c", "-o", f"{self.bin}/limits", "-lm"], check=True)

    def run(self, command, threads=1):
        """Runs a command; returns its output, seconds by the clock, and peak resident MiB."""
        env = dict(os.environ, SPEED_CLOCK=self.clock)
        for name in "GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS":
            env[name] = str(threads)
        begin = time.perf_counter()
        p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=ROOT)
        out = p.stdout.read()
        errors = p.stderr.read()
        _, status, used = os.wait4(p.pid, 0)
        wall = time.perf_counter() - begin
        p.returncode = os.waitstatus_to_exitcode(status)
        if p.returncode == 3:
            raise Absent(json.loads(out)["absent"])
        if p.returncode:
            raise RuntimeError(f"{' '.join(command)}: {errors.decode()}")
        seconds = used.ru_utime + used.ru_stime if self.clock == "cpu" else wall
        return out.decode(), seconds, used.ru_maxrss / 1024

    def line(self, command, threads=1):
        return json.loads(self.run(command, threads)[0].strip().splitlines()[-1])

    def peer(self, task, name="", threads=1):
        return self.line([sys.executable, f"{HERE}/peers.py", self.at, task, name], threads)

    def measure(self, task, name="w1", threads=1, tool="measure"):
        return self.line([f"{self.bin}/{tool}", self.at, task, name], threads)

    def limit(self, isa):
        if not os.path.exists(f"{self.bin}/limits"):
            raise Absent("cc on amd64")
        return self.line([f"{self.bin}/limits", f"{self.at}/w1_cal_logits.npy", "25000", "1000", isa])["seconds"]

    def spec(self, settings, workers, layout, dataset):
        """Seconds and MiB of qats run over a folder: load, TS, QaTS, ECE and AECE of three methods."""
        out = tempfile.mkdtemp(dir=self.scratch)
        path = os.path.join(out, "speed.yaml")
        with open(path, "w") as f:
            f.write(f'name: speed\ndata: []\nlayout: "{layout}"\nmethods: [uncal, ts, qats]\nmetrics: [ece, aece]\nbaseline: none\n'
                    f"settings: {{dataset: {dataset}, backbone: [{', '.join(json.dumps(s) for s in settings)}]}}\n")
        _, s, mib = self.run([f"{self.bin}/qats", "run", path, "--data", self.at, "--out", os.path.join(out, "out"), "--workers", str(workers)], workers)
        for folder, _, files in os.walk(out):
            for name in files:
                os.truncate(os.path.join(folder, name), 0)
        return s, mib

    def w4(self, workers):
        return self.spec([f"{i:03d}" for i in range(162)], workers, "{dataset}/{backbone}_{split}_{array}.npy", "w4")[0]

    def w3(self, workers, method="ts"):
        """Seconds and MiB of a fit on the float16 file, streamed."""
        _, s, mib = self.run([f"{self.bin}/qats", "fit", method, "--logits", f"{self.at}/w3_logits_f2.npy", "--labels", f"{self.at}/w3_labels_u1.npy",
                              "--max-memory", "256MiB", "-o", os.devnull], workers)
        return s, mib

    def w2(self):
        return self.spec(["w2"], 1, "{backbone}_{split}_{array}.npy", "any")[0]


# A row: goal, text, limit, whether the ratio must be at least or at most it,
# whether it needs the wall clock, and the ratio of one round.

def rows(b, slow):
    fit = lambda name="w1", **k: b.measure("fit", name, **k)
    whole = lambda f: f["seconds"]
    total = lambda f: f["load_s"] + f["rank_s"] + f["ts_s"] + f["qats_s"]
    python = lambda task: b.run([sys.executable, f"{HERE}/peers.py", b.at, task, ""])[1]
    least, most = "at least", "at most"
    list = [
        ("P1", "w1 TS: numpy Newton / qats", 15, least, False, lambda: b.peer("ts_numpy", "w1")["seconds"] / fit()["ts_s"]),
        ("P1", "w1 TS: scikit-learn's algorithm / qats", 35, least, False, lambda: b.peer("ts_sklearn", "w1")["seconds"] / fit()["ts_s"]),
        ("P1", "w1 TS: torch L-BFGS / qats", None, least, False, lambda: b.peer("ts_torch", "w1")["seconds"] / fit()["ts_s"]),
        ("P1", "w1 TS: T against that of numpy, relative", 1e-8, most, False, lambda: abs(fit()["T"] / b.peer("ts_numpy", "w1")["T"] - 1)),
        ("P2", "w1 QaTS after TS: scipy L-BFGS-B / qats", 28, least, False, lambda: b.peer("qats_scipy", "w1")["seconds"] / fit()["qats_s"]),
        ("P2", "w1 QaTS: NLL minus that of scipy", 1e-10, most, False, lambda: fit()["nll"] - b.peer("qats_scipy", "w1")["nll"]),
        ("P3", "w2 TS: numpy Newton / qats", 8, least, False, lambda: b.peer("ts_numpy", "w2")["seconds"] / fit("w2")["ts_s"]),
        ("P3", "w2 QaTS after TS: scipy L-BFGS-B / qats", 18, least, False, lambda: b.peer("qats_scipy", "w2")["seconds"] / fit("w2")["qats_s"]),
        ("P4", "w4, whole process, 1 worker: numpy / qats run", 5, least, False, lambda: python("w4_numpy") / b.w4(1)),
        ("P4", "w4, whole process: numpy / qats run with 2 workers", 9, least, True, lambda: python("w4_numpy") / b.w4(2)),
        ("P5", "w3 TS from the float16 file, 2 workers: numpy float32 in memory / qats fit", 15, least, True, lambda: b.peer("ts_numpy32", "w3")["seconds"] / b.w3(2)[0]),
        ("P5", "w3 TS from the float16 file: peak MiB resident", 300, most, False, lambda: b.w3(2)[1]),
        ("P5", "w3 QaTS from the float16 file: peak MiB resident, 8 bytes a row among them", 439, most, False, lambda: b.w3(2, "qats")[1]),
        ("P7", "1,000 resamples of 25,000 rows: numpy (ECE) / qats (ECE and AECE)", 2.2, least, False, lambda: b.peer("boot_numpy", "w1")["seconds"] / b.measure("boot")["seconds"]),
        ("P7", "seven methods on the same resamples / one", 3, most, False, lambda: (lambda f: f["seven"] / f["seconds"])(b.measure("boot"))),
        ("P9", "w1, one pass of TS / C", 1.2, most, False, lambda: b.measure("pass")["seconds"] / b.limit(isa())),
        ("P9", "w1 TS / one C pass", 4, most, False, lambda: fit()["ts_s"] / b.limit(isa())),
        ("P9", "w1 QaTS after TS / one C pass", 6.5, most, False, lambda: fit()["qats_s"] / b.limit(isa())),
        ("P9", "w1 load, ranks, TS and QaTS / one C pass", 12, most, False, lambda: total(fit()) / b.limit(isa())),
        ("P12", "w1 TS and QaTS: 1 worker / 2", 1.7, least, True, lambda: whole(fit()) / whole(fit(threads=2))),
        ("P12", "w3 TS: 1 worker / 2", 1.7, least, True, lambda: b.w3(1)[0] / b.w3(2)[0]),
        ("P12", "w4: 1 worker / 2", 1.7, least, True, lambda: b.w4(1) / b.w4(2)),
        ("P14", "w1 TS without vector code: numpy Newton / qats", 2, least, False, lambda: b.peer("ts_numpy", "w1")["seconds"] / fit(tool="measure-purego")["ts_s"]),
        ("P15", "w1 load and first pass / numpy.load alone", 1.5, most, False, lambda: b.measure("load")["seconds"] / b.peer("load_numpy", "w1")["seconds"]),
        ("P15", "the same in blocks that are not kept", 1, most, False, lambda: b.measure("load")["scan"] / b.peer("load_numpy", "w1")["seconds"]),
        ("P15", "the same with 2 workers", 1, most, True, lambda: b.measure("load", threads=2)["scan"] / b.peer("load_numpy", "w1")["seconds"]),
        ("P16", "w2, whole process: import torch / qats run", 20, least, False, lambda: b.peer("import_torch")["seconds"] / b.w2()),
    ]
    if slow:
        list.insert(10, ("P4", "w4, whole process: torch, 200 steps of 0.01 / qats run", 100, least, False, lambda: python("w4_torch") / b.w4(1)))
    return list


def show(x):
    return f"{x:.2g}" if abs(x) < .1 else f"{x:.2f}" if x < 10 else f"{x:.0f}"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("data")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    p.add_argument("--only", default="")
    p.add_argument("--slow", action="store_true")
    p.add_argument("--csv", default=f"{ROOT}/results/shown/speed.csv")
    a = p.parse_args()
    b = Bench(a.data, a.clock)
    if not os.path.exists(f"{b.at}/w4/161_test_labels.npy"):
        subprocess.run([sys.executable, f"{HERE}/data.py", b.at], check=True)
    b.build()
    only = a.only.split(",") if a.only else None
    todo = [r for r in rows(b, a.slow) if (not only or r[0] in only) and not (r[4] and a.clock == "cpu")]
    values, gone = [[] for _ in todo], {}
    for round in range(a.rounds):
        for i, (goal, text, *_, ratio) in enumerate(todo):
            if i in gone:
                continue
            try:
                values[i].append(ratio())
            except Absent as e:
                gone[i] = f"absent: {e}"
            except (RuntimeError, KeyError) as e:
                gone[i] = f"failed: {e}".strip().splitlines()[0]
            print(f"round {round + 1}: {goal} {text}: {gone.get(i) or show(values[i][-1])}", file=sys.stderr, flush=True)
    print(f"load average {os.getloadavg()[1]:.1f}", file=sys.stderr)
    said = [str(datetime.date.today()), machine(), versions(), str(a.rounds)]
    measured = {}
    for i, (goal, text, limit, side, *_) in enumerate(todo):
        if i not in gone:
            spread = [show(f(values[i])) for f in (statistics.median, min, max)]
            met = "" if limit is None else "yes" if (float(spread[0]) >= limit) == (side == "at least") or float(spread[0]) == limit else "no"
            measured[machine(), goal, text] = said + [goal, text, side if limit is not None else "", f"{limit:g}" if limit is not None else "", *spread, met]
    replace(a.csv, COLUMNS, measured, lambda row: (row["machine"], row["goal"], row["quantity"]), lambda row: int(row["goal"][1:]))


COLUMNS = "date machine versions rounds goal quantity side limit median least most met".split()


def isa():
    flags = open("/proc/cpuinfo").read() if os.path.exists("/proc/cpuinfo") else ""
    return "avx512" if " avx512f " in flags else "avx2"


def machine():
    model = platform.processor()
    if os.path.exists("/proc/cpuinfo"):
        model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), model)
    return f"{os.cpu_count()} x {model} ({isa()})"


def versions():
    """Of the packages of the peers that are installed."""
    found = []
    for name in "numpy", "scipy", "scikit-learn", "torch":
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    return ", ".join(found)


def replace(path, columns, measured, key, order=lambda row: 0):
    """Puts rows in the place of those with the same key in a CSV file, and new ones after all of the same order."""
    rows = []
    if os.path.exists(path):
        with open(path, newline="") as f:
            rows = [measured.pop(key(row), list(row.values())) for row in csv.DictReader(f)]
    with open(path + ".part", "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(columns)
        out.writerows(sorted(rows + list(measured.values()), key=lambda row: order(dict(zip(columns, row)))))
    os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
