"""Training losses: loss(logits n x k, labels n) -> scalar."""

import torch
import torch.nn.functional as F


def ce(logits, labels):
    return F.cross_entropy(logits, labels)


def brier(logits, labels):
    """Squared distance between the softmax and the one-hot label, summed over classes."""
    p = logits.softmax(1)
    return (p - F.one_hot(labels, logits.shape[1])).square().sum(1).mean()


def label_smoothing(logits, labels, epsilon=0.05):
    """epsilon is spread over all k classes, the label included (Szegedy et al. 2016)."""
    return F.cross_entropy(logits, labels, label_smoothing=epsilon)


def focal(logits, labels, gamma=3.0):
    """-(1-p)^gamma log p; gamma 3 as in Mukhoti et al. 2020."""
    logp = F.log_softmax(logits, 1).gather(1, labels[:, None])[:, 0]
    return (-((1 - logp.exp()) ** gamma) * logp).mean()


def mmce(logits, labels, weight=2.0, width=0.4):
    """Cross-entropy + weight * MMCE with a Laplacian kernel (Kumar et al. 2018).

    Whether a sample is right is a constant; only its confidence has a gradient.
    """
    confidence, top = logits.softmax(1).max(1)
    gap = (top == labels).to(confidence.dtype) - confidence
    kernel = (-(confidence[:, None] - confidence[None]).abs() / width).exp()
    squared = (gap[:, None] * gap[None] * kernel).mean()
    # The kernel is positive definite, so only rounding can bring the sum to zero or below.
    return F.cross_entropy(logits, labels) + weight * squared.clamp_min(1e-12).sqrt()


LOSSES = {"ce": ce, "brier": brier, "ls": label_smoothing, "focal": focal, "mmce": mmce}
