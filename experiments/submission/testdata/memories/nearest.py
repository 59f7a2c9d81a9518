"""A bank of public rows: half of a probability is the share of the class among the labels of the 15 nearest logits."""

import numpy as np
from public import public, softmax, temperature


def fit(logits, labels, bundle=""):
    z, y = (np.concatenate(a) for a in zip(*public(logits, bundle)))
    return {"t": temperature(logits.astype(float), labels), "z": z, "y": y}


def apply(model, logits):
    p, z, y = softmax(logits.astype(float) / model["t"]), model["z"].astype(float), model["y"]
    for lo in range(0, len(p), 256):
        of = logits[lo : lo + 256].astype(float)
        far = (of**2).sum(1)[:, None] - 2 * of @ z.T + (z**2).sum(1)
        near = y[np.argpartition(far, 15, axis=1)[:, :15]]
        p[lo : lo + 256] += np.stack([(near == c).mean(1) for c in range(p.shape[1])], axis=1)
    return p / 2
