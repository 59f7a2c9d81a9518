#!/usr/bin/python3
"""Draws the logits on which the speed of qats is measured.

usage: data.py DIR [w1 w2 w3 w4]     (3.3 GB, half a minute; seeded)

  w1  25,000 calibration and 25,000 test rows of 1,000 classes, float32: the size of ImageNet
  w2  5,000 and 10,000 rows of 100 classes, float32: CIFAR-100
  w3  20,000,000 rows of 21 classes, float32 and float16, labels uint8: pixels of VOC
  w4  162 sets of 10,000 and 10,000 rows of 10, 20, 50 or 100 classes: the paper's settings

Logits are W f scaled: f is the prototype of the class times a difficulty of the
row, plus noise. They serve speed measurements only.
"""
import os
import sys

import numpy as np


def prototypes(rng, k, d, groups):
    """k unit vectors of d features; classes of a group are alike."""
    group, own = rng.standard_normal((groups, d)), rng.standard_normal((k, d))
    w = np.sqrt(.55) * group[np.arange(k) % groups] + np.sqrt(.45) * own
    return (w / np.linalg.norm(w, axis=1, keepdims=True)).astype(np.float32)


def draw(rng, n, w, strength, scale, spread):
    """n rows of logits, their labels and features."""
    k, d = w.shape
    labels = rng.integers(0, k, n)
    level = (strength * np.exp(spread * rng.standard_normal(n))).astype(np.float32)
    features = w[labels] * level[:, None] + rng.standard_normal((n, d)).astype(np.float32)
    return ((features @ w.T) * scale).astype(np.float32), labels, features


def save(at, name, logits, labels, features, cal, keep=False):
    """The first cal rows are the calibration set, the others the test set. keep: the
    features of the calibration set too."""
    if keep:
        np.save(f"{at}/{name}_cal_features.npy", features[:cal])
    for split, rows in ("cal", slice(0, cal)), ("test", slice(cal, None)):
        np.save(f"{at}/{name}_{split}_logits.npy", logits[rows])
        np.save(f"{at}/{name}_{split}_labels.npy", labels[rows])


def w1(at):
    rng = np.random.default_rng(1001)
    save(at, "w1", *draw(rng, 50_000, prototypes(rng, 1000, 256, 60), 4.6, 5., .25), 25_000)


def w2(at):
    rng, scale = np.random.default_rng(1002), 6.
    w = prototypes(rng, 100, 128, 20)
    save(at, "w2", *draw(rng, 15_000, w, 4., scale, .30), 5_000, keep=True)
    np.save(f"{at}/w2_head_weight.npy", (w * scale).astype(np.float32))
    np.save(f"{at}/w2_head_bias.npy", np.zeros(len(w), np.float32))


def w3(at):
    n, k, block = 20_000_000, 21, 500_000
    rng = np.random.default_rng(1003)
    w = prototypes(rng, k, 32, 21)
    create = lambda name, dtype, shape: np.lib.format.open_memmap(f"{at}/{name}.npy", mode="w+", dtype=dtype, shape=shape)
    single, half, labels = create("w3_logits_f4", "<f4", (n, k)), create("w3_logits_f2", "<f2", (n, k)), create("w3_labels_u1", "u1", (n,))
    for lo in range(0, n, block):
        logits, y, _ = draw(rng, block, w, 4.2, 5., .40)
        single[lo:lo + block], half[lo:lo + block], labels[lo:lo + block] = logits, logits.astype(np.float16), y


def w4(at):
    os.makedirs(f"{at}/w4", exist_ok=True)
    for i in range(162):
        rng = np.random.default_rng(2000 + i)
        k = [10, 20, 50, 100][i % 4]
        w = prototypes(rng, k, 64, max(3, k // 5))
        strength, scale, spread = 3.2 + 1.6 * rng.random(), 4. + 3. * rng.random(), .2 + .2 * rng.random()
        save(f"{at}/w4", f"{i:03d}", *draw(rng, 20_000, w, strength, scale, spread), 10_000)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in sys.argv[2:] or ["w1", "w2", "w3", "w4"]:
        {"w1": w1, "w2": w2, "w3": w3, "w4": w4}[name](sys.argv[1])
