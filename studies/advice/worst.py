"""Solves for the smallest rate of harm that any rule can promise, whatever temperature it answers.

    python studies/advice/worst.py > results/shown/advice-worst.csv

In the limit of many rows the estimate u of ln T, in units of its standard error, is normal around its true
value u0 with variance 1, and so is the best ln T of m test rows, with variance n/m. The NLL is a parabola in ln T. So
an answer t is shown to be worse than another one r (0, the network, or u, temperature scaling) by a paired test at 5 % on the
test rows where

    sign(t - r) ((t + r)/2 - u_test) > 1.96 sqrt(n/m).

A rule answers w u with probabilities a(u, w). Its rates of harm at u0 are P(shown to be worse than the network) and
P(shown to be worse than temperature scaling). The program prints the least value that the larger of the two can have at its worst
u0: over all rules that answer the network or temperature scaling (either), and over all with w from 0 to 1 (any), by linear programming.
"""

import numpy as np
from scipy.optimize import linprog
from scipy.stats import norm

TEST = 5000


def worst(n, weights):
    """The minimax rate at n calibration rows, over rules that answer weights * u."""
    step = .1
    u = np.arange(-10, 10 + step / 2, step)
    truths = np.arange(-6, 6.01, .2)
    s = np.sqrt(n / TEST)
    rows = []
    for u0 in truths:
        density = norm.pdf(u, u0, 1) * step
        for reference in (np.zeros_like(u), u):
            harm = []
            for w in weights:
                t = w * u
                harm.append(np.where(np.isclose(t, reference), 0, density * norm.cdf(np.sign(t - reference) * ((t + reference) / 2 - u0) / s - 1.96)))
            rows.append(np.r_[np.concatenate(harm), -1])
    size = len(u) * len(weights)
    every = np.hstack([np.tile(np.eye(len(u)), len(weights)), np.zeros((len(u), 1))])
    found = linprog(np.r_[np.zeros(size), 1], A_ub=np.stack(rows), b_ub=np.zeros(len(rows)), A_eq=every, b_eq=np.ones(len(u)), bounds=[(0, 1)] * (size + 1))
    return found.fun


if __name__ == "__main__":
    print("rows,test_rows,either,any")
    for n in (50, 100, 200, 500, 1000, 2000):
        print(f"{n},{TEST},{worst(n, (0., 1.)):.3f},{worst(n, np.linspace(0, 1, 11)):.3f}", flush=True)
