"""CalibratedClassifier as it comes: it chooses as recommend does."""

import io
import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.ensemble import IsolationForest, RandomForestClassifier  # noqa: E402
from sklearn.linear_model import LinearRegression, LogisticRegression  # noqa: E402
from sklearn.metrics import log_loss  # noqa: E402
from sklearn.model_selection import StratifiedKFold, cross_val_predict  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

import qatsbench  # noqa: E402

quiet = pytest.mark.filterwarnings("ignore::qatsbench.CalibrationWarning")


@pytest.fixture(scope="module")
def rare(program):
    """Rows of which one in ten is of class 1."""
    x, y = make_classification(3000, 12, n_informative=8, weights=[0.9], class_sep=0.8, random_state=3)
    return x[:1500], y[:1500], x[1500:], y[1500:]


@pytest.fixture(scope="module")
def forest(rare):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return qatsbench.CalibratedClassifier(RandomForestClassifier(40, random_state=0)).fit(*rare[:2])


def test_the_choice_is_that_of_recommend_on_the_cross_fitted_rows(forest, rare):
    x, y, xt, yt = rare
    p = cross_val_predict(forest.estimator, x, y, method="predict_proba", cv=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = qatsbench.recommend((p, y), kind="probs", progress=False)
        of_rows = qatsbench.recommend(forest.estimator, x, y, progress=False)
    assert forest.method == "auto" and forest.method_ == forest.report_.best == want.best == of_rows.best == "platt"
    assert forest.report_.choice == want.choice == of_rows.choice
    direct = qatsbench.calibrator(want.best, kind="probs").fit(p, y)
    raw = forest.calibrated_[0][0].predict_proba(xt)
    np.testing.assert_array_equal(forest.predict_proba(xt), direct.predict_proba(raw))
    assert log_loss(yt, forest.predict_proba(xt)) < log_loss(yt, raw)


@quiet
def test_the_choice_is_one_line(rare, capsys):
    c = qatsbench.CalibratedClassifier(LogisticRegression(class_weight="balanced")).fit(*rare[:2])
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    plain, best = (next(m for m in c.report_.methods if m["method"] == name) for name in ("uncal", c.method_))
    assert err.startswith(
        f"qatsbench: method {c.method_}, by cross-fitting on 1500 rows: NLL {plain['nll']:.3f} -> {best['nll']:.3f}, ECE "
    )
    qatsbench.CalibratedClassifier(LogisticRegression(), verbose=False).fit(*rare[:2])
    qatsbench.CalibratedClassifier(LogisticRegression(), method="ts").fit(*rare[:2])
    assert capsys.readouterr().err == ""


@quiet
def test_an_ensemble_has_one_method(rare):
    x, y, xt, _ = rare
    one = qatsbench.CalibratedClassifier(GaussianNB(), cv=3).fit(x, y)
    several = qatsbench.CalibratedClassifier(GaussianNB(), cv=3, ensemble=True).fit(x, y)
    assert several.method_ == one.method_ and {c._name for _, c in several.calibrated_} == {one.method_}
    assert several.report_.choice == one.report_.choice
    for (part, c), (_, at) in zip(several.calibrated_, StratifiedKFold(3).split(x, y)):
        direct = qatsbench.calibrator(one.method_, kind="probs").fit(part.predict_proba(x[at]), y[at])
        np.testing.assert_array_equal(c.predict_proba(part.predict_proba(xt)), direct.predict_proba(part.predict_proba(xt)))


@quiet
def test_parts_of_any_order_keep_their_rows(rare):
    x, y, xt, _ = rare
    parts = StratifiedKFold(3, shuffle=True, random_state=0)
    c = qatsbench.CalibratedClassifier(GaussianNB(), method="platt", cv=parts, ensemble=True).fit(x, y)
    for (part, of), (_, at) in zip(c.calibrated_, parts.split(x, y)):
        direct = qatsbench.Platt(kind="probs").fit(part.predict_proba(x[np.sort(at)]), y[np.sort(at)])
        np.testing.assert_array_equal(of.predict_proba(part.predict_proba(xt)), direct.predict_proba(part.predict_proba(xt)))


@quiet
def test_jobs_change_no_number(rare):
    x, y, xt, _ = rare
    one, two = (qatsbench.CalibratedClassifier(GaussianNB(), method="platt", n_jobs=n).fit(x, y).predict_proba(xt) for n in (None, 2))
    np.testing.assert_array_equal(one, two)


def test_rows_without_an_answer_keep_their_probabilities(program):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    with pytest.warns(qatsbench.CalibrationWarning, match="The probabilities stay as they are$"):
        c = qatsbench.CalibratedClassifier(LogisticRegression()).fit(x, y)
    assert c.method_ == "uncal" and c.report_.best is None
    np.testing.assert_allclose(c.predict_proba(x), c.calibrated_[0][0].predict_proba(x), atol=1e-6)


def test_a_fit_that_harms_is_the_first_warning_with_the_method_to_take(rare):
    x, y, _, _ = rare
    forest = RandomForestClassifier(40, random_state=0)
    with pytest.warns(qatsbench.CalibrationWarning) as caught:
        qatsbench.CalibratedClassifier(forest, method="qats").fit(x, y)
    first, *others = [w.message for w in caught]
    assert first.kind == "worse" and first.value["instead"] == "platt" and others and "worse" not in {w.kind for w in others}
    assert str(first).endswith('by the fit; take method="platt", which method="auto" chooses')
    with pytest.warns(qatsbench.CalibrationWarning) as caught:
        qatsbench.TS(kind="probs").fit(cross_val_predict(forest, x, y, method="predict_proba"), y)
    assert caught[0].message.kind == "worse" and "take method" not in str(caught[0].message)


@quiet
def test_the_table_is_drawn(forest, rare):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert forest.plot(title="A forest").get_title() == "A forest"
    with pytest.raises(qatsbench.InputError, match="nothing was chosen"):
        qatsbench.CalibratedClassifier(GaussianNB(), method="ts").fit(*rare[:2]).plot()


def test_without_a_choice_none_is_the_method_to_take(rare, monkeypatch):
    def refused(self):
        raise qatsbench.InputError("9 rows are too few", code="input")

    monkeypatch.setattr("qatsbench._classifier._Rows.recommended", refused)
    with pytest.warns(qatsbench.CalibrationWarning) as caught:
        qatsbench.CalibratedClassifier(RandomForestClassifier(40, random_state=0), method="qats").fit(*rare[:2])
    assert caught[0].message.kind == "worse" and caught[0].message.value["instead"] == "uncal"


def test_a_choice_that_harms_says_so_first(program):
    """Of 20 rows the rule takes ts, and their folds show no gain."""
    x, y = np.random.RandomState(0).uniform(size=(60, 10))[40:], np.repeat([0, 1], [3, 17])
    with pytest.warns(qatsbench.CalibrationWarning) as caught:
        c = qatsbench.CalibratedClassifier(LogisticRegression(), cv=2).fit(x, y)
    before, after = (next(m["nll"] for m in c.report_.methods if m["method"] == name) for name in ("uncal", c.method_))
    assert c.method_ == "ts" and after > before
    first = caught[0].message
    assert first.kind == "worse" and (first.value["before"], first.value["value"], first.value["instead"]) == (before, after, "uncal")


def test_too_few_rows_choose_nothing(program):
    x, y = np.random.RandomState(0).uniform(size=(8, 3)), np.arange(8) % 2
    with pytest.warns(qatsbench.CalibrationWarning, match="^8 rows are too few .*: no method is chosen, and the probabilities stay"):
        c = qatsbench.CalibratedClassifier(LogisticRegression(), cv=2).fit(x, y)
    assert c.method_ == "uncal" and not hasattr(c, "report_")


@quiet
@pytest.mark.parametrize("name", ["ts", "qats", "platt", "platt-logits", "ir", "irova", "svs", "platt-scaling", "isotonic-regression"])
def test_a_method_given_by_name_is_fitted_to_the_cross_fitted_rows(rare, name):
    x, y, xt, _ = rare
    for estimator, outputs in ((GaussianNB(), "predict_proba"), (LogisticRegression(), "decision_function")):
        c = qatsbench.CalibratedClassifier(estimator, method=name).fit(x, y)
        z, zt = cross_val_predict(estimator, x, y, method=outputs, cv=5), getattr(c.calibrated_[0][0], outputs)(xt)
        if z.ndim == 1:
            z, zt = np.c_[-z / 2, z / 2], np.c_[-zt / 2, zt / 2]
        direct = qatsbench.calibrator(name, kind="probs" if outputs == "predict_proba" else "logits").fit(z, y)
        np.testing.assert_array_equal(c.predict_proba(xt), direct.predict_proba(zt))
        assert not hasattr(c, "report_")


# recommend(estimator, X, y)


@quiet
def test_recommend_takes_a_classifier_and_test_rows(rare):
    x, y, xt, yt = rare
    names = np.array(["no", "yes"])
    r = qatsbench.recommend(GaussianNB(), x, names[y], test=(xt, names[yt]), methods=["platt"], positive="yes", progress=False)
    fitted = GaussianNB().fit(x, y)
    p = cross_val_predict(fitted, x, y, method="predict_proba", cv=5)
    want = qatsbench.recommend((p, y), (fitted.predict_proba(xt), yt), kind="probs", methods=["platt"], progress=False)
    assert r.choice == want.choice and [m["nll"] for m in r.methods] == [m["nll"] for m in want.methods]
    half = qatsbench.recommend(fitted, xt, yt, cv="prefit", methods=["platt"], progress=False)
    direct = qatsbench.recommend((fitted.predict_proba(xt), yt), kind="probs", methods=["platt"], progress=False)
    assert half.choice == direct.choice


def test_mistakes_in_the_rows_of_a_classifier(rare):
    x, y, xt, yt = rare
    with pytest.raises(qatsbench.InputError, match=r"recommend\(estimator, X, y\)"):
        qatsbench.recommend(GaussianNB(), (x, y))
    with pytest.raises(qatsbench.InputError, match="^kind: the classifier says it"):
        qatsbench.recommend(GaussianNB(), x, y, kind="probs")
    with pytest.raises(qatsbench.InputError, match="^test: want a pair of X and y"):
        qatsbench.recommend(GaussianNB(), x, y, test=xt)
    with pytest.raises(qatsbench.InputError, match=r"^estimator: a class, want an estimator; give GaussianNB\(\)"):
        qatsbench.recommend(GaussianNB, x, y)
    with pytest.raises(qatsbench.InputError, match="^positive: 'maybe' is no class"):
        qatsbench.recommend(GaussianNB(), x, y, positive="maybe")
    with pytest.raises(TypeError, match="cal, test and methods by place"):
        qatsbench.recommend((x, y), (xt, yt), "ts", 3)


# Estimators and methods that are none, and files.


@pytest.mark.parametrize(
    "estimator, says",
    [
        (LinearRegression(), "^estimator: LinearRegression is a regressor, which predicts numbers, want a classifier"),
        (IsolationForest(), "^estimator: IsolationForest is an outlier detector, which learns no classes, want a classifier"),
    ],
    ids=["regressor", "outliers"],
)
def test_an_estimator_without_classes_gets_a_sentence(rare, estimator, says):
    with pytest.raises(qatsbench.InputError, match=says):
        qatsbench.CalibratedClassifier(estimator).fit(*rare[:2])


def test_a_method_that_is_a_class(rare):
    says = r"^method: TS is a class, want an estimator; write TS\(\)$"
    with pytest.raises(qatsbench.InputError, match=says):
        qatsbench.calibrator(qatsbench.TS)
    with pytest.raises(qatsbench.InputError, match=says):
        qatsbench.CalibratedClassifier(GaussianNB(), method=qatsbench.TS).fit(*rare[:2])


def test_a_file_has_the_whole(forest, rare, tmp_path):
    path = tmp_path / "forest.joblib"
    forest.save(path)
    again = qatsbench.CalibratedClassifier.load(path)
    np.testing.assert_array_equal(again.predict_proba(rare[2]), forest.predict_proba(rare[2]))
    assert repr(again.report_) == repr(forest.report_)
    with pytest.raises(qatsbench.InputError, match="CalibratedClassifier.load reads"):
        qatsbench.load(path)
    import joblib

    joblib.dump([1], path)
    with pytest.raises(qatsbench.InputError, match="a list, want a CalibratedClassifier"):
        qatsbench.CalibratedClassifier.load(path)


@quiet
def test_a_pickle_of_an_earlier_version_predicts_as_before(rare):
    """Its attributes are those before n_jobs and verbose, and its three words methods of qats."""
    x, y, xt, _ = rare
    fitted = GaussianNB().fit(x, y)
    old = qatsbench.CalibratedClassifier(fitted, method="isotonic", cv="prefit")
    old.classes_ = np.array([0, 1])
    old.calibrated_ = [(fitted, qatsbench.IR(kind="probs").fit(fitted.predict_proba(x), y))]
    del old.n_jobs, old.verbose
    again = pickle.load(io.BytesIO(pickle.dumps(old)))
    np.testing.assert_array_equal(again.predict_proba(xt), old.calibrated_[0][1].predict_proba(fitted.predict_proba(xt)))
    assert again.n_jobs is None and clone(again).method == "isotonic"


@pytest.mark.parametrize(
    "estimator, check",
    [(e, c) for e, c in estimator_checks_generator(qatsbench.CalibratedClassifier(LogisticRegression(C=1), cv=2))],
    ids=lambda v: getattr(getattr(v, "func", v), "__name__", ""),
)
def test_scikit_learns_checks(estimator, check, program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
