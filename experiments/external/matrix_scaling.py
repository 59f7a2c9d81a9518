"""Matrix scaling (Guo et al. 2017) as an external calibrator; needs numpy only.

    python3 matrix_scaling.py fit DIR      DIR/cal/{logits,labels}.npy -> DIR/model/map.npz
    python3 matrix_scaling.py apply DIR    DIR/test/logits.npy, DIR/model -> DIR/probs.npy

p = softmax(z W + b), where W and b minimise the mean NLL plus RIDGE/2 times the
squared distance to the identity map, by damped Newton. The sum is strictly
convex. The paper does not have the second term. Without it the Hessian would be
singular, because adding a constant to all classes changes no probability.
"""

import sys
from pathlib import Path

import numpy as np

RIDGE = 1e-3


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def objective(theta, start, x, hot):
    z = x @ theta
    z -= z.max(1, keepdims=True)
    nll = np.log(np.exp(z).sum(1)) - (z * hot).sum(1)
    return nll.mean() + RIDGE / 2 * ((theta - start) ** 2).sum()


def newton_step(theta, start, x, hot):
    """The gradient and the step -H^-1 g, both of the shape of theta."""
    (n, d), k = x.shape, hot.shape[1]
    p = softmax(x @ theta)
    gradient = x.T @ (p - hot) / n + RIDGE * (theta - start)
    hessian = np.empty((k, d, k, d))
    for a in range(k):
        for b in range(a, k):
            weight = p[:, a] * ((a == b) - p[:, b]) / n
            hessian[a, :, b] = hessian[b, :, a] = (x * weight[:, None]).T @ x
    hessian = hessian.reshape(k * d, k * d) + RIDGE * np.eye(k * d)
    step = np.linalg.solve(hessian, gradient.T.ravel()).reshape(k, d).T
    return gradient, -step


def fit(folder):
    z = np.load(folder / "cal/logits.npy").astype(np.float64)
    hot = np.eye(z.shape[1])[np.load(folder / "cal/labels.npy")]
    x = np.hstack([z, np.ones((len(z), 1))])
    start = np.vstack([np.eye(z.shape[1]), np.zeros(z.shape[1])])
    theta = start.copy()
    for _ in range(100):
        gradient, step = newton_step(theta, start, x, hot)
        if np.abs(gradient).max() < 1e-9:
            break
        now, share = objective(theta, start, x, hot), 1.0
        while share > 1e-8 and objective(theta + share * step, start, x, hot) > now + 1e-4 * share * (gradient * step).sum():
            share /= 2
        theta = theta + share * step
    else:
        sys.exit(f"no convergence: the gradient is {np.abs(gradient).max():.3g}")
    np.savez(folder / "model/map.npz", weight=theta[:-1], bias=theta[-1])


def apply(folder):
    m = np.load(folder / "model/map.npz")
    z = np.load(folder / "test/logits.npy").astype(np.float64)
    np.save(folder / "probs.npy", softmax(z @ m["weight"] + m["bias"]))


if __name__ == "__main__":
    verb, folder = sys.argv[1:]
    {"fit": fit, "apply": apply}[verb](Path(folder))
