"""Temperature scaling (Guo et al. 2017): softmax(z/T), with the T of the least NLL on the calibration rows."""

import numpy as np


def softmax(z):
    p = np.exp(z - z.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


def fit(logits, labels):
    z = logits.astype(float)
    right = z[np.arange(len(z)), labels]

    def slope(beta):  # of the mean NLL in beta = 1/T; it rises with beta
        return ((softmax(beta * z) * z).sum(1) - right).mean()

    low, high = -10.0, 10.0  # of ln beta
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(np.exp(middle)) < 0 else (low, middle)
    return np.exp((low + high) / 2)


def apply(beta, logits):
    return softmax(beta * logits.astype(float))
