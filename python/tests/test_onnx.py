"""ONNX models: the same numbers as the program, in onnxruntime."""

import numpy as np
import pytest

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from test_predict import FORMS, fitted, rows  # noqa: E402, F401

from qatsbench import _maps  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::qatsbench.CalibrationWarning")


@pytest.mark.parametrize("name", FORMS)
def test_a_graph_has_the_probabilities_of_the_program(name, rows):  # noqa: F811
    z, y, zt = rows
    c = fitted(name, z, y)
    session = onnxruntime.InferenceSession(c.to_onnx().SerializeToString())
    for part in (z, zt, zt[:1]):
        np.testing.assert_allclose(session.run(None, {"logits": part})[0], c.predict_proba(part), atol=1e-6, rtol=0)
    masked = np.where(np.arange(20) == 3, np.float32(-np.inf), zt)
    got = session.run(None, {"logits": masked})[0]
    if name in _maps.MASKS:
        np.testing.assert_allclose(got, c.predict_proba(masked), atol=1e-6, rtol=0)
    else:
        assert np.isnan(got).all()


@pytest.mark.parametrize("by", [1e5, 1e-6])
@pytest.mark.parametrize("name", ["dirichlet", "hfe-noood", "ec", "irova", "platt-logits"])
def test_logits_of_an_unusual_size(name, by, rows):  # noqa: F811
    z = rows[0] * np.float32(by)
    c = fitted(name, z, rows[1])
    session = onnxruntime.InferenceSession(c.to_onnx().SerializeToString())
    np.testing.assert_allclose(session.run(None, {"logits": z})[0], c.predict_proba(z), atol=1e-6, rtol=0)
