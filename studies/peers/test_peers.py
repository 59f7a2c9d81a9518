"""qats beside other Python packages, on the logits of a text transformer (data/bundle).

Each test says what differs and why. It is skipped where the package is not installed. docs/evidence.md has the differences
of the last run with --write, and the versions.
"""

import json

import numpy as np
import pytest

import qatsbench

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("program")]


@pytest.fixture(scope="module")
def rows(text):
    """Logits in float32 and their softmax in float64, of both sets."""
    z, y, zt, yt = text
    z, zt = z.astype(np.float32), zt.astype(np.float32)
    return z, softmax(z), y.astype(np.int64), zt, softmax(zt), yt.astype(np.int64)


def softmax(z):
    e = np.exp(z.astype(np.float64) - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def one(p, j):
    """Class j against the others."""
    return np.stack([1 - p[:, j], p[:, j]], axis=1)


def unmixed(fitted, z):
    """Probabilities without the mass of the map, as other packages have them."""
    q, mass = fitted.predict_proba(z), json.loads(fitted.model_)["params"].get("mass", 0)
    return (q - mass / q.shape[1]) / (1 - mass)


def test_temperature_of_scikit_learn(rows, agrees):
    base, calibration = pytest.importorskip("sklearn.base"), pytest.importorskip("sklearn.calibration")
    frozen = pytest.importorskip("sklearn.frozen")
    z, _, y, zt, _, _ = rows

    class Logits(base.ClassifierMixin, base.BaseEstimator):
        def fit(self, x, y):
            self.classes_ = np.unique(y)
            return self

        def decision_function(self, x):
            return x

        def predict(self, x):
            return x.argmax(1)

    ours = qatsbench.TS().fit(z, y)
    for dtype, tolerance, why in ((np.float32, 1e-4, "its search ends in the type of the logits"), (np.float64, 1e-6, "")):
        theirs = calibration.CalibratedClassifierCV(frozen.FrozenEstimator(Logits().fit(z, y)), method="temperature").fit(
            z.astype(dtype), y
        )
        beta = theirs.calibrated_classifiers_[0].calibrators[0].beta_
        agrees("scikit-learn", f"TS of {dtype.__name__} logits: T, relative", 1 / beta / ours.parameters_["T"], 1, tolerance, why)
        theirs_p = theirs.predict_proba(zt.astype(dtype))
        agrees("scikit-learn", f"TS of {dtype.__name__} logits: probabilities", ours.predict_proba(zt), theirs_p, tolerance, why)


def test_ece_of_torchmetrics(rows, agrees):
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torchmetrics.functional.classification")
    p, y = rows[4].astype(np.float32), rows[5]
    theirs = functional.multiclass_calibration_error(torch.tensor(p), torch.tensor(y), 20, n_bins=15).item()
    agrees("torchmetrics", "ECE against ece_tm", qatsbench.metrics(p, y, "ece_tm"), theirs, 1e-5, "it sums in float32")


@pytest.mark.parametrize("theirs, ours", [("ECE", "ece"), ("ACE", "ace_netcal"), ("MCE", "mce"), ("MMCE", "mmce")])
def test_metrics_of_netcal(rows, agrees, theirs, ours):
    """Equal to the digits that qats score prints."""
    metrics = pytest.importorskip("netcal.metrics")
    m = getattr(metrics, theirs)() if theirs == "MMCE" else getattr(metrics, theirs)(15)
    agrees("netcal", f"{theirs} against {ours}", qatsbench.metrics(rows[4], rows[5], ours), m.measure(rows[4], rows[5]), 2e-9)


def test_calibrators_of_netcal(rows, agrees):
    """Temperature, histogram binning and isotonic regression of each class."""
    scaling, binning = pytest.importorskip("netcal.scaling"), pytest.importorskip("netcal.binning")
    z, p, y, zt, pt, _ = rows
    for theirs, ours, tolerance in (
        (scaling.TemperatureScaling(), qatsbench.TS(), 1e-6),
        (binning.HistogramBinning(bins=15), qatsbench.HB(bins=15), 1e-12),
        (binning.IsotonicRegression(), qatsbench.IROvA(), 1e-8),
    ):
        theirs.fit(p, y)
        agrees("netcal", f"{type(theirs).__name__}: probabilities", unmixed(ours.fit(z, y), zt), theirs.transform(pt), tolerance)


@pytest.mark.parametrize(
    "name, ours, tolerance, why",
    [
        ("temp-scaling", qatsbench.TS, 1e-7, ""),
        ("ets", qatsbench.ETS, 1e-6, ""),
        ("isotonic", qatsbench.IROvA, 1e-8, ""),
        ("ivap", qatsbench.IVAP, 5e-4, "it rounds the probabilities of the calibration rows"),
        ("svs", qatsbench.SVS, 5e-4, "its solver stops earlier"),
        ("sms", qatsbench.SMS, 3e-3, "its solver stops earlier"),
    ],
)
def test_calibrators_of_probmetrics(rows, agrees, name, ours, tolerance, why):
    pytest.importorskip("numba")  # which probmetrics imports
    calibrators = pytest.importorskip("probmetrics.calibrators")
    z, p, y, zt, pt, _ = rows
    theirs = calibrators.ETSCalibrator() if name == "ets" else calibrators.get_calibrator(name)
    theirs.fit(p, y)
    got, want = unmixed(ours().fit(z, y), zt), theirs.predict_proba(pt)
    agrees("probmetrics", f"{name}: probabilities", got, want, tolerance, why)
    assert np.abs(got - want).mean() < tolerance / 20


def test_venn_abers(rows, agrees):
    """One class against the others: equal to the last bits."""
    venn_abers = pytest.importorskip("venn_abers")
    _, p, y, _, pt, _ = rows
    theirs = venn_abers.VennAbers()
    theirs.fit(one(p, 3), (y == 3).astype(int))
    ours = qatsbench.IVAP(kind="probs").fit(one(p, 3), y == 3)
    got, want = ours.predict_proba(one(pt, 3)), theirs.predict_proba(one(pt, 3))[0]
    agrees("venn-abers", "inductive Venn-Abers of a class: probabilities", got, want, 1e-12)


def test_betacal(rows, agrees):
    """It is a regression with a small ridge (C = 1e8) that stops at scikit-learn's tolerance. Both reach the same NLL of the
    calibration rows, ours not the higher."""
    betacal = pytest.importorskip("betacal")
    _, p, y, _, pt, _ = rows
    hit = y == 3
    theirs = betacal.BetaCalibration("abm").fit(p[:, 3].reshape(-1, 1), hit.astype(int))
    ours = qatsbench.Beta(kind="probs").fit(one(p, 3), hit)
    got, want = ours.predict_proba(one(pt, 3))[:, 1], theirs.predict(pt[:, 3])
    agrees("betacal", "beta calibration of a class: probabilities", got, want, 1e-3, "it has a small ridge and stops earlier")

    def nll(q):
        return -np.mean(np.log(np.where(hit, q, 1 - q)))

    assert nll(ours.predict_proba(one(p, 3))[:, 1]) <= nll(theirs.predict(p[:, 3])) + 1e-9
