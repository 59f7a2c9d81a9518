"""Starts the program in its arguments with --serve, and serves it methods that do what their names say."""

import ast
import json
import struct
import subprocess
import sys

qats = subprocess.Popen([*sys.argv[1:], "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def say(value):
    qats.stdin.write((json.dumps(value) + "\n").encode())
    qats.stdin.flush()


def shape(path):
    with open(path, "rb") as f:
        head = f.read(10)
        return ast.literal_eval(f.read(struct.unpack("<H", head[8:])[0]).decode())["shape"]


def prior(folder):
    """The share of each class, whatever the row."""
    n, k = shape(f"{folder}/test/logits.npy")
    with open(f"{folder}/model/prior.json") as f:
        p = json.load(f)
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {k}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(f"{folder}/probs.npy", "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{k}d", *p) * n)


def count(folder):
    with open(f"{folder}/cal/labels.npy", "rb") as f:
        n, k = shape(f"{folder}/cal/logits.npy")
        labels = struct.unpack(f"<{n}i", f.read()[-4 * n:])
    with open(f"{folder}/model/prior.json", "w") as f:
        json.dump([(labels.count(j) + 1) / (n + k) for j in range(k)], f)


say({"methods": [
    {"name": "prior", "label": "Prior", "source": "0123abcd"},
    {"name": "raises", "version": "1"},
    {"name": "hangs", "version": "1", "limit": "200ms"},
]})
for line in qats.stdout:
    r = json.loads(line)
    if "cancel" in r or r["method"] == "hangs":
        continue
    try:
        if r["method"] == "raises":
            raise ValueError("no rows are good enough")
        (count if r["call"] == "fit" else prior)(r["dir"])
        say({"id": r["id"]})
    except Exception as e:
        say({"id": r["id"], "error": f"{type(e).__name__}: {e}", "line": f"serve.py:{e.__traceback__.tb_lineno}"})
sys.exit(qats.wait())
