"""The three words of CalibratedClassifierCV are its maps."""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.svm import SVC, LinearSVC  # noqa: E402

import qatsbench  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::qatsbench.CalibrationWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

HAS_TEMPERATURE = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8)
needs_temperature = pytest.mark.skipif(not HAS_TEMPERATURE, reason='"temperature" needs scikit-learn 1.8')
WORDS = ["isotonic", "sigmoid", pytest.param("temperature", marks=needs_temperature)]
ESTIMATORS = {
    "forest": RandomForestClassifier(20, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=10, random_state=0),
    "svc": SVC(class_weight="balanced"),
    "linear-svc": LinearSVC(),
    "logistic": LogisticRegression(class_weight="balanced"),
    "naive-bayes": GaussianNB(),
}


def made(classes):
    x, y = make_classification(
        1600,
        12,
        n_informative=8,
        n_classes=classes,
        weights=[0.8] if classes == 2 else [0.5, 0.3, 0.1],
        class_sep=0.8,
        random_state=classes,
    )
    return x[:800], y[:800], x[800:], y[800:]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_word_is_the_map_of_scikit_learn(program, name, classes, word):
    x, y, xt, _ = made(classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = qatsbench.CalibratedClassifier(ESTIMATORS[name], method=word).fit(x, y)
        theirs = CalibratedClassifierCV(ESTIMATORS[name], method=word, cv=5, ensemble=False).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(xt), theirs.predict_proba(xt), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(xt), theirs.predict(xt))


@pytest.mark.parametrize("word", WORDS)
def test_an_ensemble_and_weights_are_those_of_scikit_learn(word):
    x, y, xt, _ = made(4)
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    names = np.array(["a", "b", "c", "d"])[y]
    ours = qatsbench.CalibratedClassifier(GaussianNB(), method=word, cv=3, ensemble=True).fit(x, names, sample_weight=weights)
    theirs = CalibratedClassifierCV(GaussianNB(), method=word, cv=3, ensemble=True).fit(x, names, sample_weight=weights)
    np.testing.assert_allclose(ours.predict_proba(xt), theirs.predict_proba(xt), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(xt), theirs.predict(xt))


@pytest.mark.filterwarnings("default::qatsbench.CalibrationWarning")
@pytest.mark.parametrize(
    "word, former", [("isotonic", "ir"), ("sigmoid", "platt"), pytest.param("temperature", "ts", marks=needs_temperature)]
)
def test_a_word_says_which_method_it_was(word, former):
    x, y, _, _ = made(2)
    with pytest.warns(qatsbench.CalibrationWarning, match=f'method="{word}" is scikit-learn\'s own map; .*method="{former}" of qats'):
        qatsbench.CalibratedClassifier(GaussianNB(), method=word, cv=2).fit(x, y)


def test_elsewhere_the_words_are_methods_of_qats():
    assert [qatsbench.calibrator(w)._name for w in ("isotonic", "sigmoid", "temperature")] == ["ir", "platt", "ts"]


def test_a_class_without_a_calibration_row_is_an_error_that_names_it():
    x, y, _, _ = made(4)
    fitted = GaussianNB().fit(x, y)
    some = y != 2
    with pytest.raises(qatsbench.InputError, match='^y: class 2 has no calibration row, and "sigmoid" of scikit-learn needs one'):
        qatsbench.CalibratedClassifier(fitted, method="sigmoid", cv="prefit").fit(x[some], y[some])


def test_an_older_scikit_learn_has_no_temperature(monkeypatch):
    x, y, _, _ = made(2)
    monkeypatch.setattr(sklearn, "__version__", "1.7.2")
    with pytest.raises(qatsbench.InputError, match='^method: scikit-learn 1.7.2 has no method "temperature"; 1.8 has; method="ts"'):
        qatsbench.CalibratedClassifier(GaussianNB(), method="temperature", cv=2).fit(x, y)
