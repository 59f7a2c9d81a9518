"""Beside its input, Python holds blocks of it and the output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import qatsbench

CHILD = """
import numpy as np, qatsbench

def peak(work):
    open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
    of = lambda name: next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith(name)) / 1024
    before = of("VmRSS")
    value = work()
    return value, of("VmHWM") - before

n, k = 100_000, 100
draw = np.random.default_rng(0)
y = draw.integers(0, k, n).astype(np.int32)
z = draw.standard_normal((n, k), dtype=np.float32)
z[np.arange(n), y] += 2
if {fortran}:
    z = np.asfortranarray(z)
qatsbench.TS().fit(z[:2000], y[:2000])  # whatever the first call loads
c, fit = peak(lambda: qatsbench.TS().fit(z, y))
p, apply = peak(lambda: c.predict_proba(z))
print(fit, apply, z.nbytes / 2**20, p.nbytes / 2**20)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of a process is read from /proc")
@pytest.mark.parametrize("fortran", [False, True])
def test_peak_of_fit_and_apply(fortran, program):
    env = dict(os.environ, PYTHONPATH=str(Path(qatsbench.__file__).parent.parent))
    out = subprocess.run(
        [sys.executable, "-c", CHILD.replace("{fortran}", str(fortran))], env=env, check=True, capture_output=True, text=True
    ).stdout
    fit, apply, given, returned = map(float, out.split())
    some = 8  # MiB: blocks, pages of the allocator
    assert fit <= some, f"fit: {fit:.0f} MiB beside {given:.0f} MiB of logits"
    assert apply <= returned + some, f"predict_proba: {apply:.0f} MiB beside {given:.0f} of logits and {returned:.0f} of probabilities"
