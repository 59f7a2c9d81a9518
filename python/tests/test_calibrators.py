"""The estimators: scikit-learn's conventions, and agreement with the shell."""

import inspect
import json
import pickle
import re
import subprocess
import warnings

import numpy as np
import pytest

import qatsbench
from qatsbench import _methods

CLASSES = list(_methods.CLASSES.values())


def shell(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, check=True)
    return done.stdout


@pytest.mark.parametrize("kind", CLASSES, ids=lambda c: c.__name__)
def test_every_class_follows_the_conventions(kind):
    c = kind()
    assert repr(c) == f"{kind.__name__}()"
    assert set(c.get_params()) == {p for p in inspect.signature(kind.__init__).parameters if p != "self"}
    for name, value in c.get_params().items():
        assert getattr(c.set_params(**{name: value}), name) is value
    assert pickle.loads(pickle.dumps(c)).get_params() == c.get_params()
    assert c._name in kind.__doc__ or kind.__doc__
    assert qatsbench.calibrator(kind._name).__class__ is kind


def test_clone_and_search_of_scikit_learn(small):
    base = pytest.importorskip("sklearn.base")
    from sklearn.model_selection import GridSearchCV, cross_val_predict

    c = base.clone(qatsbench.QaTSPW(segments=2).fit(*small))
    assert (repr(c), hasattr(c, "model_"), base.is_classifier(c)) == ("QaTSPW(segments=2)", False, True)
    p = cross_val_predict(qatsbench.TS(), *small, cv=3, method="predict_proba")
    assert p.shape == (200, 3)
    search = GridSearchCV(qatsbench.HB(), {"bins": [2, 50]}, scoring="neg_log_loss", cv=3).fit(*small)
    assert search.best_params_["bins"] == 2


def test_an_unknown_parameter_lists_the_known():
    with pytest.raises(qatsbench.InputError, match="'bin' is no parameter of HB, which has bins, kind"):
        qatsbench.HB().set_params(bin=3)
    with pytest.raises(qatsbench.InputError, match="unknown method 'qat'; did you mean 'qats'"):
        qatsbench.calibrator("qat")
    assert isinstance(qatsbench.calibrator("temperature-scaling"), qatsbench.TS)


def test_before_fit_there_is_an_error(small):
    errors = pytest.importorskip("sklearn.exceptions")
    with pytest.raises(errors.NotFittedError, match="this QaTS is not fitted"):
        qatsbench.QaTS().predict_proba(small[0])


def test_the_model_and_the_probabilities_are_those_of_the_shell(program, text, tmp_path):
    z, y, zt, yt = text
    for name, a in (("z", z), ("y", y), ("zt", zt), ("yt", yt)):
        np.save(tmp_path / f"{name}.npy", a)
    shell(program, "fit", "qats", "--logits", tmp_path / "z.npy", "--labels", tmp_path / "y.npy", "-o", tmp_path / "m.json")
    shell(program, "apply", tmp_path / "m.json", "--logits", tmp_path / "zt.npy", "-o", tmp_path / "p.npy")
    c = qatsbench.QaTS().fit(z, y)
    assert json.loads(c.model_) == json.loads((tmp_path / "m.json").read_text())
    np.testing.assert_allclose(c.predict_proba(zt), np.load(tmp_path / "p.npy"), atol=1e-9, rtol=0)
    want = json.loads(shell(program, "score", "--probs", tmp_path / "p.npy", "--labels", tmp_path / "yt.npy", "--json"))
    assert c.score(zt, yt, ["accuracy", "ece", "aece", "nll", "brier"]) | {"n": 7532} == want
    # docs/README has these: a regression of either side shows.
    assert round(c.score(zt, yt, "ece"), 4) == 0.0524
    assert c.parameters_ == pytest.approx({"a": 1.618398, "b": 0.553733}, abs=1e-6)


def test_save_and_load(small, tmp_path, program):
    c = qatsbench.QaTSPW(segments=3).fit(*small)
    c.save(tmp_path / "m.json")
    again = qatsbench.load(tmp_path / "m.json")
    assert again.get_params() == c.get_params()
    np.testing.assert_array_equal(again.predict_proba(small[0]), c.predict_proba(small[0]))
    np.save(tmp_path / "z.npy", small[0])
    shell(program, "apply", tmp_path / "m.json", "--logits", tmp_path / "z.npy", "-o", tmp_path / "p.npy")
    np.testing.assert_allclose(np.load(tmp_path / "p.npy"), c.predict_proba(small[0]), atol=1e-9, rtol=0)
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(qatsbench.InputError, match="no model that qats saved"):
        qatsbench.load(tmp_path / "bad.json")
    for wrong in ({"method": ["ts"]}, {"method": {}}, {"method": None}, {"version": "2"}, {"classes": "three"}, {"options": [1]}):
        (tmp_path / "bad.json").write_text(json.dumps(json.loads(c.model_) | wrong))
        with pytest.raises(qatsbench.InputError, match="no model that qats saved"):
            qatsbench.load(tmp_path / "bad.json")
    (tmp_path / "bad.json").write_text("[" * 100_000)
    with pytest.raises(qatsbench.InputError, match="no model that qats saved"):
        qatsbench.load(tmp_path / "bad.json")
    (tmp_path / "old.json").write_text(json.dumps(json.loads(c.model_) | {"version": 0}))
    with pytest.raises(qatsbench.InputError, match="fitted by version 0 of qats-pw.*fit it again"):
        qatsbench.load(tmp_path / "old.json")


def test_a_fitted_estimator_can_be_pickled(small):
    c = pickle.loads(pickle.dumps(qatsbench.QaTS().fit(*small)))
    np.testing.assert_array_equal(c.predict_proba(small[0]), qatsbench.QaTS().fit(*small).predict_proba(small[0]))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda state: {k: v for k, v in state.items() if k not in ("_package", "columns_", "_order")},  # of the package before it had these
        lambda state: {k: v for k, v in state.items() if k != "segments"},
        lambda state: state | {"model_": re.sub(rb'"version": \d+', b'"version": 0', state["model_"])},
        lambda state: state | {"model_": b"{"},
    ],
    ids=["attributes", "parameter", "version", "broken"],
)
def test_a_pickle_of_another_package_is_an_error_that_says_so(small, spoil):
    c = qatsbench.QaTSPW(segments=3).fit(*small)
    state = spoil(c.__getstate__())
    with pytest.raises(qatsbench.InputError, match="this QaTSPW was pickled by .*qats.*; fit it again") as e:
        qatsbench.QaTSPW.__new__(qatsbench.QaTSPW).__setstate__(state)
    assert e.value.code == "version"


def test_classes_that_do_not_ascend(small, program, tmp_path):
    """scikit-learn expects ascending classes; the model, qats apply and to_torch have the order of the logits."""
    torch = pytest.importorskip("torch")
    metrics = pytest.importorskip("sklearn.metrics")
    from sklearn.model_selection import cross_val_score

    z, y = small
    names = np.array(["b", "c", "a"])  # of the columns
    plain, c = qatsbench.VS().fit(z, y), qatsbench.VS().fit(z, names[y], classes=names)
    assert c.model_ == plain.model_
    assert c.classes_.tolist() == ["a", "b", "c"] and c.columns_.tolist() == ["b", "c", "a"]
    order = [2, 0, 1]
    p, want = c.predict_proba(z), plain.predict_proba(z)
    np.testing.assert_array_equal(p, want[:, order])
    np.testing.assert_array_equal(c.predict(z), names[plain.predict(z)])
    np.testing.assert_array_equal(c.predict(z), c.classes_[p.argmax(1)])
    assert c.score(z, names[y], ["nll", "ece", "accuracy"]) == plain.score(z, y, ["nll", "ece", "accuracy"])
    assert metrics.log_loss(names[y], p, labels=c.classes_) == pytest.approx(c.score(z, names[y], "nll"), abs=1e-6)
    a = cross_val_score(qatsbench.TS(), z, y, scoring="neg_log_loss", cv=3)
    b = cross_val_score(qatsbench.TS(), z, names[y], scoring="neg_log_loss", cv=3, params={"classes": list(names)})
    np.testing.assert_allclose(a, b, atol=1e-12)
    # The other three, through the permutation.
    c.save(tmp_path / "m.json")
    np.save(tmp_path / "z.npy", z)
    shell(program, "apply", tmp_path / "m.json", "--logits", tmp_path / "z.npy", "-o", tmp_path / "p.npy")
    np.testing.assert_allclose(np.load(tmp_path / "p.npy")[:, order], p, atol=1e-9, rtol=0)
    np.testing.assert_allclose(c.to_torch()(torch.tensor(z)).numpy()[:, order], p, atol=1e-6)
    again = qatsbench.load(tmp_path / "m.json", classes=names)
    np.testing.assert_array_equal(again.predict_proba(z), p)
    top = qatsbench.Spline().fit(z, names[y], classes=names)
    assert top.score(z, names[y]) == qatsbench.Spline().fit(z, y).score(z, y)
    np.testing.assert_array_equal(top.predict(z), names[z.argmax(1)])


def test_named_classes(small):
    names = np.array(["no", "maybe", "yes"])
    c = qatsbench.TS().fit(small[0], names[small[1]], classes=names)
    assert c.model_ == qatsbench.TS().fit(*small).model_
    np.testing.assert_array_equal(c.predict(small[0]), names[np.argmax(small[0], 1)])
    assert c.score(small[0], names[small[1]]) == np.mean(np.argmax(small[0], 1) == small[1])
    few = small[1] != 2  # no row of the class "yes"
    c = qatsbench.TS().fit(small[0][few], names[small[1][few]], classes=names)
    assert c.predict_proba(small[0]).shape == (200, 3)


def test_types_of_probabilities_and_temperatures(text):
    z, y, zt, _ = text
    c = qatsbench.QaTS().fit(z, y)
    p = c.predict_proba(zt)
    assert p.dtype == np.float64
    single = c.predict_proba(zt, dtype=np.float32)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, p, atol=1e-7)
    t = c.temperature(zt)
    scaled = zt.astype(np.float64) / t[:, None]
    q = np.exp(scaled - scaled.max(1, keepdims=True))
    np.testing.assert_allclose(q / q.sum(1, keepdims=True), p, atol=1e-12)
    with pytest.raises(qatsbench.Error):
        qatsbench.Dirichlet().fit(z, y).temperature(zt)
    with pytest.raises(qatsbench.InputError, match="dtype: float16, want float64 or float32"):
        c.predict_proba(zt, dtype=np.float16)


def test_what_rows_are_is_seen_said_or_given(small):
    z, y = small
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        logits, given = qatsbench.TS().fit(z, y), qatsbench.TS().fit(p, y, kind="probs")
    with pytest.warns(
        qatsbench.CalibrationWarning,
        match=r"^logits: every row is in \[0, 1\] and sums to 1, so they are taken as prob.*kind=\"probs\" says so",
    ):
        seen = qatsbench.TS().fit(p, y)
    assert logits.kind is None and seen.kind == given.kind == "probs"
    for c in (seen, given, qatsbench.TS(kind="probs").fit(p, y), pickle.loads(pickle.dumps(seen))):
        assert c.parameters_["T"] == pytest.approx(logits.parameters_["T"], rel=1e-5)
        np.testing.assert_allclose(c.predict_proba(p), logits.predict_proba(z), atol=1e-5)
    again = seen.fit(z, y)  # what an earlier fit saw holds for its rows
    assert again.kind is None and again.parameters_ == logits.parameters_
    with pytest.warns(qatsbench.CalibrationWarning, match="^cal: every row is in"):
        r = qatsbench.recommend((p, y), methods="ts", progress=False)
    assert r.choice == qatsbench.recommend((p, y), methods="ts", kind="probs", progress=False).choice
    for wrong in (lambda: qatsbench.TS(kind="prob").fit(p, y), lambda: qatsbench.TS().fit(p, y, kind="prob")):
        with pytest.raises(qatsbench.InputError, match="kind: 'prob', want one of"):
            wrong()
    with pytest.raises(qatsbench.InputError, match="^kind: 'logits', and the constructor has 'probs'; give it once"):
        qatsbench.TS(kind="probs").fit(p, y, kind="logits")
    with pytest.raises(qatsbench.InputError, match="no logits, kind, classes or ignore"):
        qatsbench.PlattTop().fit(confidence=p.max(1), correct=p.argmax(1) == y, kind="probs")


def test_metrics_and_diagrams_see_what_rows_are(small):
    z, y = small
    p = np.exp(z.astype(float))
    p /= p.sum(1, keepdims=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        want = qatsbench.ece(p, y)
    for of in (qatsbench.ece, lambda *rows: qatsbench.reliability(*rows).ece, lambda *rows: qatsbench.metrics(*rows, "ece")):
        with pytest.warns(qatsbench.CalibrationWarning, match="^p: numbers below 0, so they are taken as logits; kind="):
            assert of(z, y) == pytest.approx(want, abs=1e-6)
    with pytest.warns(qatsbench.CalibrationWarning, match="taken as logits"):
        odds = qatsbench.metrics(z[:, 0] - z[:, 1], y == 0, "nll")
    assert odds == qatsbench.metrics(z[:, 0] - z[:, 1], y == 0, "nll", kind="logits")
    wrong = p.copy()
    wrong[3, 1] -= 1
    with pytest.raises(qatsbench.InputError, match="^p: row 3, class 1: .* is not a probability"):
        qatsbench.ece(wrong, y)


def test_n_bins_is_called_bins_too(small):
    z, y = small
    p = qatsbench.TS().fit(z, y).predict_proba(z)
    assert qatsbench.ece(p, y, bins=10) == qatsbench.ece(p, y, n_bins=10) == qatsbench.reliability(p, y, bins=10).ece
    assert repr(qatsbench.HB(n_bins=7)) == repr(qatsbench.calibrator("hb", n_bins=7)) == "HB(bins=7)"
    with pytest.raises(qatsbench.InputError, match="^bins: 10, and n_bins is 5"):
        qatsbench.ece(p, y, 5, bins=10)
    with pytest.raises(TypeError, match="unexpected keyword argument 'n_bins'"):
        qatsbench.TS(n_bins=3)


def test_what_the_rows_may_be_is_said_in_words_of_python(small):
    z, y = small
    with pytest.raises(qatsbench.InputError, match='not a probability; if these are logits, give kind="logits"$'):
        qatsbench.metrics(z, y, kind="probs")
    with pytest.raises(qatsbench.InputError, match='not a probability; if these are log odds, give kind="logits"$'):
        qatsbench.metrics(z[:, 0], y == 0, kind="probs")
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    with pytest.warns(qatsbench.CalibrationWarning, match=r"^every row is in \[0, 100\] .*; divide them by 100, and give kind=\"probs\"$"):
        qatsbench.TS().fit(100 * p.astype(float), y)
    with pytest.raises(qatsbench.InputError, match=r"^logits: 1 dimension, want n x k; one row is logits.reshape\(1, -1\)$"):
        qatsbench.TS().fit(z, y).predict_proba(z[0])
    with pytest.raises(
        qatsbench.InputError, match="^y: row .* one number a row is of class 1 of two: give a column for every class, or confidence="
    ):
        qatsbench.metrics(p.max(1), y)
    with pytest.raises(qatsbench.InputError, match="^dtype: 'half-ish', want float64 or float32$"):
        qatsbench.TS().fit(z, y).predict_proba(z, dtype="half-ish")


def test_a_name_that_is_nearly_one_is_suggested():
    for given in ("QaTS", "QATS", "qats ", "qatz", qatsbench.QaTS()):
        with pytest.raises(qatsbench.InputError, match="did you mean 'qats'"):
            qatsbench.calibrator(given)
    with pytest.raises(qatsbench.InputError, match="^methods: .*QaTS.*, want the name of a method; 'qats' is its name$"):
        qatsbench.recommend((np.eye(3), [0, 1, 2]), methods=[qatsbench.QaTS()])
    with pytest.raises(AttributeError) as e:
        qatsbench.recomend
    assert e.value.name == "recomend" and e.value.obj is qatsbench  # of which Python makes "Did you mean: 'recommend'?"


def test_another_number_of_classes_is_an_error(small):
    with pytest.raises(qatsbench.InputError, match="logits: 2 columns, and the model is of 3 classes"):
        qatsbench.TS().fit(*small).predict_proba(small[0][:, :2])


def test_a_top_label_method_is_scored_by_its_pairs(text):
    z, y, zt, yt = text
    c = qatsbench.Spline().fit(z, y)
    p = c.predict_proba(zt)
    top = zt.astype(np.float32).argmax(1)
    np.testing.assert_array_equal(c.predict(zt), top)
    conf = p[np.arange(len(p)), top]
    bins = np.clip(np.ceil(conf * 15).astype(int) - 1, 0, 14)
    hit = top == yt
    want = sum(abs(np.sum(hit[bins == b]) - np.sum(conf[bins == b])) for b in range(15)) / len(p)
    assert c.score(zt, yt, "ece") == pytest.approx(want, abs=1e-8)
    assert c.score(zt, yt) == pytest.approx(hit.mean())


def test_methods_with_more_arrays(small):
    z, y = small
    rng = np.random.default_rng(2)
    features = rng.normal(size=(200, 5))
    c = qatsbench.DAC(neighbours=3).fit(z, y, features=features)
    assert c.predict_proba(z[:20], features=features[:20]).shape == (20, 3)
    with pytest.raises(qatsbench.InputError, match="features: 7 rows, and logits have 200"):
        qatsbench.DAC().fit(z, y, features=features[:7])
    with pytest.raises(TypeError, match="features"):
        qatsbench.DAC().fit(z, y)
    t = qatsbench.QaTSTransductive().fit(z, y, target_logits=3 * z)
    assert t.predict_proba(z).shape == (200, 3)
    assert qatsbench.TTATS().fit(z, y).predict_proba(z, augmented=np.stack([z, z])).shape == (200, 3)
    head = rng.normal(size=(3, 5))
    c = qatsbench.FeatClip().fit(features @ head.T, y, features=features, head_weight=head, head_bias=np.zeros(3))
    assert c.predict_proba(features @ head.T, features=features, head_weight=head, head_bias=np.zeros(3)).shape == (200, 3)


def test_options_reach_the_program(small):
    model = json.loads(qatsbench.SVS(diagonal=2.5, intercept=np.float64(3)).fit(*small).model_)
    assert model["options"] == {"diagonal": 2.5, "intercept": 3}
    with pytest.raises(qatsbench.InputError, match="bins"):
        qatsbench.HB(bins=0).fit(*small)
    with pytest.raises(qatsbench.InputError, match=r"bins: \[3\] is neither a number nor a word"):
        qatsbench.HB(bins=[3]).fit(*small)


def test_metrics(small):
    z, y = small
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    nll = -np.log(p[np.arange(200), y]).mean()
    assert qatsbench.metrics(p, y, "nll") == pytest.approx(nll, rel=1e-6)
    assert qatsbench.metrics(z, y, ["nll"], kind="logits")["nll"] == pytest.approx(nll, rel=1e-6)
    assert set(qatsbench.metrics(p, y, "nll", interval="standard")) == {"nll", "nll_lo", "nll_hi"}
    assert qatsbench.ece(p, y) == qatsbench.metrics(p, y)["ece"]
    binned = qatsbench.metrics(p, y, "@binned")
    assert {"ece", "aece", "mce"} <= set(binned) and "nll" not in binned
    with pytest.raises(qatsbench.InputError, match="eec"):
        qatsbench.metrics(p, y, "eec")
    with pytest.raises(qatsbench.InputError, match="p: 1 dimension, want n x k"):
        qatsbench.ece(p[0], y, kind="log-probs")


# A probability of exactly 0 was rounded away. It counts as 2^-126 whatever p is called, and the
# user hears how many there are. What a fitted map gives 0 counts as the floor of the NLL.
def test_zeros_of_probabilities_have_one_nll():
    p = np.tile([1.0, 0, 0], (100, 1))
    p[-1] = [0, 1, 0]
    y = np.zeros(100, int)
    want = 126 * np.log(2) / 100
    with pytest.warns(qatsbench.CalibrationWarning, match="200 probabilities of exactly 0 count as 2\\^-126"):
        assert qatsbench.metrics(p, y, "nll") == pytest.approx(want, rel=1e-9)
    c = qatsbench.Uncal(kind="probs").fit(p, y)
    with pytest.warns(qatsbench.CalibrationWarning, match="200 probabilities of exactly 0 count as 2\\^-126"):
        assert c.score(p, y, "nll") == pytest.approx(want, rel=1e-7)
    p[-1, 0] = 1e-200
    with pytest.warns(qatsbench.CalibrationWarning, match="199 probabilities"):
        assert qatsbench.metrics(p, y, "nll") == pytest.approx(2 * np.log(10), rel=1e-9)
    z = np.array([[0, -2000.0], [0, 1]], np.float32)
    applied = qatsbench.Uncal().fit(z, [0, 1]).predict_proba(z)
    assert applied[0, 1] == 1e-300
    assert qatsbench.metrics(applied, [1, 1], "nll") == pytest.approx((300 * np.log(10) + np.log1p(np.exp(-1))) / 2, rel=1e-9)


@pytest.mark.parametrize("shape", ["n", "n x 1"])
@pytest.mark.parametrize("kind", ["probs", "logits"])
def test_two_classes_in_one_number_a_row(kind, shape, tmp_path):
    """It is the same everywhere as both columns are, which hold the same numbers."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=400) * 2
    y = (rng.random(400) < 1 / (1 + np.exp(-x))).astype(int)
    q = 1 / (1 + np.exp(-x))
    one = (q if kind == "probs" else x).reshape((-1,) if shape == "n" else (-1, 1))
    two = np.stack([1 - q, q], 1) if kind == "probs" else np.stack([np.zeros(400), x], 1)
    for name in ("ts", "ir-top"):
        a, b = qatsbench.calibrator(name, kind=kind).fit(one, y), qatsbench.calibrator(name, kind=kind).fit(two, y)
        assert a.predict_proba(one).shape == (400, 2) and a.n_features_in_ == 2
        assert np.allclose(a.predict_proba(one), b.predict_proba(two), atol=1e-6)
        assert np.array_equal(a.predict(one), b.predict(two))
        assert a.score(one, y, "ece") == pytest.approx(b.score(two, y, "ece"), abs=1e-6)
        if name == "ts":
            assert a.score(one, y, "nll") == pytest.approx(b.score(two, y, "nll"), abs=1e-6)
            assert np.allclose(a.temperature(one), b.temperature(two), atol=1e-5)
    assert qatsbench.metrics(one, y, "nll", kind=kind) == pytest.approx(qatsbench.metrics(two, y, "nll", kind=kind), abs=1e-6)
    u = 2 * x
    against = [
        qatsbench.metrics(p, y, "phi", kind=kind, uncal=uncal) for p, uncal in ((one, u.reshape(one.shape)), (two, np.stack([0 * u, u], 1)))
    ]
    assert against[0] == pytest.approx(against[1], abs=1e-6)
    r = qatsbench.recommend((one[:200], y[:200]), test=(one[200:], y[200:]), kind=kind, methods="ts", progress=False)
    assert len(r.methods) == 2
    np.save(tmp_path / "z.npy", one)
    assert qatsbench.calibrator("ts", kind=kind).fit(str(tmp_path / "z.npy"), y).predict_proba(str(tmp_path / "z.npy")).shape == (400, 2)
    with pytest.raises(qatsbench.InputError, match="kind"):
        qatsbench.TS().fit(one, y)


def test_probabilities_that_were_rounded():
    p = np.random.default_rng(0).dirichlet(np.ones(10), 200).round(2)
    assert abs(p.sum(1) - 1).max() > 0.01
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qatsbench.CalibrationWarning)
        assert 0 < qatsbench.metrics(p, np.zeros(200, int), "brier") < 2
        qatsbench.TS(kind="probs").fit(p, np.arange(200) % 10)
    assert qatsbench.metrics([[1.0000000000000002, 0.0], [0.3, 0.7]], [0, 1], "nll") == pytest.approx(-np.log(0.7) / 2)
    with pytest.raises(qatsbench.InputError, match="sum to 1.12, which is not 1 within 0.095"):
        qatsbench.metrics([[0.06] * 18 + [0.04]] * 20 + [[0.06] * 18 + [0.0]] * 20, [0] * 40, "brier")


def test_masked_classes(small):
    z, y = small[0].astype(float), small[1]
    z[::2, 0], z[np.arange(len(y)), y] = -np.inf, small[0][np.arange(len(y)), y]
    masked = int(np.isinf(z).sum())
    with pytest.warns(qatsbench.CalibrationWarning, match=f"{masked} of {z.size} logits are -Inf: masked classes"):
        c = qatsbench.TS().fit(z, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p = c.predict_proba(z)
        assert (p[np.isinf(z)] == 0).all() and (p[~np.isinf(z)] > 0).all()
        scores = qatsbench.metrics(z, y, ["nll"], kind="logits")
        logs = z - np.logaddexp.reduce(z, axis=1, keepdims=True)
        np.testing.assert_allclose(scores["nll"], -logs[np.arange(len(y)), y].mean(), rtol=1e-8)
        np.testing.assert_allclose(qatsbench.metrics(logs, y, ["nll"], kind="log-probs")["nll"], scores["nll"], rtol=1e-6)
        half = len(y) // 2
        text = str(qatsbench.recommend((z[:half], y[:half]), (z[half:], y[half:])))
        assert "left out: ets: needs the logit of every class" in text
    for spoil, message in [
        ((slice(7, 8), slice(None), -np.inf), "row 7, class 0: all logits of the row are -Inf"),
        ((7, y[7], -np.inf), f"row 7: class {y[7]} is the label of the row"),
        ((7, 1, np.nan), "row 7, class 1: NaN"),
        ((7, 1, np.inf), r"row 7, class 1: \+Inf"),
    ]:
        bad = z.copy()
        bad[spoil[0], spoil[1]] = spoil[2]
        with pytest.raises(qatsbench.InputError, match=message):
            qatsbench.TS().fit(bad, y)
