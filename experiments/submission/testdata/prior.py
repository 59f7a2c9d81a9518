"""A mixture of the network's probabilities at one temperature and the class shares."""
import numpy as np


def softmax(z):
    p = np.exp(z - z.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


def fit(logits, labels, weight=0.02):
    z = logits.astype(float)
    grid = np.exp(np.linspace(-1.5, 1.5, 61))
    nll = [-np.log(softmax(z / t)[np.arange(len(z)), labels] + 1e-300).mean() for t in grid]
    shares = np.bincount(labels, minlength=z.shape[1]) / len(labels)
    return {"T": grid[int(np.argmin(nll))], "shares": shares, "weight": weight}


def apply(model, logits):
    p = softmax(logits.astype(float) / model["T"])
    return (1 - model["weight"]) * p + model["weight"] * model["shares"]
