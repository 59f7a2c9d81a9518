"""Headers of C: the same numbers as the program, by the compiler of the system."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from test_predict import FORMS, fitted, rows  # noqa: F401

import qatsbench
from qatsbench import _maps

pytestmark = [
    pytest.mark.filterwarnings("ignore::qatsbench.CalibrationWarning"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc"),
]

CALLER = """
#include "map.h"
#ifdef __cplusplus
extern "C"
#endif
void all(const float *logits, double *p, int n) {
    for (int i = 0; i < n; i++) mine_probabilities(logits + i * MINE_CLASSES, p + i * MINE_CLASSES);
}
"""


def compiled(c, folder, language="c", options=()):
    (folder / "map.h").write_text(c.to_c("mine"))
    (folder / f"map.{language}").write_text(CALLER)
    words = ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", *options, "-o", f"{language}.so", f"map.{language}", "-lm"]
    subprocess.run(words, cwd=folder, check=True)
    call = ctypes.CDLL(str(folder / f"{language}.so")).all

    def probabilities(z):
        z = np.ascontiguousarray(z, np.float32)
        p = np.empty(z.shape)
        call(z.ctypes.data_as(ctypes.c_void_p), p.ctypes.data_as(ctypes.c_void_p), len(z))
        return p

    return probabilities


@pytest.mark.parametrize("name", [n for n in FORMS if n != "uncal"])
def test_a_header_has_the_probabilities_of_the_program(name, rows, tmp_path):  # noqa: F811
    z, y, zt = rows
    c = fitted(name, z, y)
    p = compiled(c, tmp_path)
    for part in (z, zt):
        np.testing.assert_allclose(p(part), c.predict_proba(part), atol=1e-9, rtol=0)
    masked = np.where(np.arange(20) == 3, np.float32(-np.inf), zt)
    if name in _maps.MASKS:
        np.testing.assert_allclose(p(masked), c.predict_proba(masked), atol=1e-9, rtol=0)
    else:
        assert np.isnan(p(masked)).all()


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("name", ["qats", "irova", "svs", "platt-logits"])
def test_a_header_is_of_cpp_too(name, rows, tmp_path):  # noqa: F811
    c = fitted(name, *rows[:2])
    np.testing.assert_allclose(compiled(c, tmp_path, "cpp")(rows[2]), c.predict_proba(rows[2]), atol=1e-9, rtol=0)


def test_names_and_maps_that_c_has_not(rows):  # noqa: F811
    with pytest.raises(qatsbench.InputError, match="'my map' is no name in C"):
        qatsbench.TS().fit(*rows[:2]).to_c("my map")
    with pytest.raises(NotImplementedError, match="^kernel has no header"):
        qatsbench.Kernel().fit(*rows[:2]).to_c()
