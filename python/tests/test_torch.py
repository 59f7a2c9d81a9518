"""Modules: the same numbers as the program, without it."""

import json
import os
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import qatsbench  # noqa: E402
from qatsbench import _maps, _methods  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::qatsbench.CalibrationWarning")

MODULES = sorted(_maps.MAPS)
TARGET = {"qats-transductive", "label-shift", "hfe-target"}


def fitted(name, z, y):
    kind = _methods.CLASSES[name]
    more = (
        {"target_logits": z[:100] * np.float32(0.7)}
        if name in TARGET
        else {"ood_logits": z[:100] * np.float32(0.5)}
        if name == "hfe"
        else {}
    )
    options = {"steps": 50} if name == "pts" else {"epochs": 20} if name == "smart" else {}
    return kind(**options).fit(z, y, **more)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_the_probabilities_of_the_program(name, rows):
    z, y, zt = rows
    c = fitted(name, z, y)
    module = c.to_torch()
    scripted = torch.jit.script(module)
    for part in (z, zt):  # calibration rows find their own rank
        np.testing.assert_allclose(module(torch.tensor(part)).numpy(), c.predict_proba(part), atol=1e-6, rtol=0)
        np.testing.assert_array_equal(scripted(torch.tensor(part)).numpy(), module(torch.tensor(part)).numpy())
        double = module(torch.tensor(part, dtype=torch.float64))
        assert double.dtype == torch.float64
        np.testing.assert_allclose(double.numpy(), c.predict_proba(part), atol=1e-9, rtol=0)


@pytest.mark.parametrize("by", [1e5, 1e-6])
@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_the_probabilities_of_the_program_for_logits_of_an_unusual_size(name, by, rows):
    z, y, zt = rows[0] * np.float32(by), rows[1], rows[2] * np.float32(by)
    c = fitted(name, z, y)
    module = c.to_torch()
    # Tails of tiny logits are all near k - 1: a few agree to more digits than two programs do, which is one rank.
    ties = 2 if name.startswith("qats") and by < 1 else 0
    for part in (z, zt):
        got = module(torch.tensor(part, dtype=torch.float64)).numpy()
        np.testing.assert_allclose(got, c.predict_proba(part), atol=2e-3 if ties else 1e-9, rtol=0)
        assert (np.abs(got - c.predict_proba(part)) > 1e-9).any(axis=1).sum() <= ties


def test_logits_of_an_unusual_size_have_a_divisor_in_the_model(rows):
    z, y, _ = rows
    for kind in (qatsbench.Dirichlet, qatsbench.MSODIR, qatsbench.PlattLogits):
        assert "divisor" not in json.loads(kind().fit(z, y).model_)["params"]
        assert np.log2(json.loads(kind().fit(z * np.float32(1e5), y).model_)["params"]["divisor"]) in range(15, 22)


def test_a_module_wants_the_columns_of_its_fit(rows):
    z, y, _ = rows
    for name in ("ts", "qats", "vs", "ets"):
        module, tensor = fitted(name, z, y).to_torch(), torch.tensor(z)
        for wrong in (tensor[:, :3], tensor[0], tensor[None]):
            with pytest.raises(ValueError, match=r"^logits of shape \[.*\], want n x 20$"):
                module(wrong)


def test_a_module_needs_no_program(rows, monkeypatch):
    module = qatsbench.QaTS().fit(*rows[:2]).to_torch()
    monkeypatch.setenv("QATS_BIN", os.devnull)
    state = module.state_dict()
    assert module(torch.tensor(rows[2])).shape == (500, 20)
    assert {name: v.dtype for name, v in state.items()} == {
        f"inner.{name}": torch.int64 if name in ("classes", "at") else torch.float64 for name in ("c", "classes", "ends", "at", "y")
    }


def test_types_and_moves(rows):
    module = qatsbench.QaTS().fit(*rows[:2]).to_torch()
    z = torch.tensor(rows[2])
    want = module(z)
    assert module.half()(z.half()).dtype == torch.float32
    torch.testing.assert_close(module.float()(z), want, rtol=0, atol=0)
    assert not module.training


def test_gradients_flow_to_the_logits(rows):
    z = torch.tensor(rows[2][:5], requires_grad=True)
    qatsbench.TS().fit(*rows[:2]).to_torch()(z)[:, 0].sum().backward()
    assert z.grad.abs().sum() > 0


@pytest.mark.parametrize("name", sorted(set(_methods.CLASSES) - set(MODULES)))
def test_other_methods_say_why_they_have_no_module(name):
    c = _methods.CLASSES[name]()
    c._keep({"method": name, "version": c._version, "options": {}, "classes": 3, "params": {}, "report": {}}, None, {})
    with pytest.raises(NotImplementedError, match=f"^{name} has no module: .{{20,}}"):
        c.to_torch()


def test_a_fit_on_probabilities_has_no_module(small):
    z, y = small
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    with pytest.raises(NotImplementedError, match="was fitted on probabilities"):
        qatsbench.TS(kind="probs").fit(p, y).to_torch()


@pytest.mark.parametrize(
    "name,by",
    [
        (name, 1)
        for name in (
            "qats",
            "qats-pw",
            "bts",
            "hts",
            "t-entropy",
            "t-gap",
            "hfe-noood",
            "ets",
            "dirichlet",
            "svs",
            "label-shift",
            "smart",
            "pts",
        )
    ]
    + [(name, by) for name in ("dirichlet", "ms-odir", "hfe-noood", "ec") for by in (1e5, 1e-6)],
)
def test_onnx_has_the_same_probabilities(name, by, rows, tmp_path):
    pytest.importorskip("onnxscript")
    onnxruntime = pytest.importorskip("onnxruntime")
    z, y, zt = rows[0] * np.float32(by), rows[1], rows[2] * np.float32(by)
    c = fitted(name, z, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            c.to_torch(),
            (torch.tensor(z[:8]),),
            tmp_path / "m.onnx",
            dynamo=True,
            input_names=["logits"],
            dynamic_shapes=({0: torch.export.Dim("n")},),
        )
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    for part in (z, zt):
        np.testing.assert_allclose(session.run(None, {"logits": part})[0], c.predict_proba(part), atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", MODULES)
def test_masked_classes_have_probability_0(name, rows):
    z, y, zt = (x.copy() for x in rows)
    whole = fitted(name, z, y)
    for part in (z, zt):
        part[::3, ::2] = -np.inf
    z[np.arange(len(y)), y] = rows[0][np.arange(len(y)), y]  # no label is masked
    try:
        c = fitted(name, z, y)
    except qatsbench.InputError as error:
        assert "needs the logit of every class" in str(error)
        with pytest.raises(qatsbench.InputError, match="needs the logit of every class"):
            whole.predict_proba(zt)
        got = whole.to_torch()(torch.tensor(zt)).numpy()
        assert np.isnan(got[::3]).all() and not np.isnan(got[1::3]).any()
        return
    p = c.predict_proba(zt)
    got = c.to_torch()(torch.tensor(zt, dtype=torch.float64)).numpy()
    assert (p[np.isinf(zt)] == 0).all() and (got[np.isinf(zt)] == 0).all()
    np.testing.assert_allclose(got, p, atol=1e-9, rtol=0)
