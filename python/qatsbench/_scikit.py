"""The maps of ``CalibratedClassifierCV``, fitted by scikit-learn itself to outputs that are at hand."""

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV

from ._errors import InputError

_SAYS = 'method="{}" is scikit-learn\'s own map; in earlier versions it was method="{}" of qats, which you can give by that name'
WORDS = {word: _SAYS.format(word, former) for word, former in {"isotonic": "ir", "sigmoid": "platt", "temperature": "ts"}.items()}


class ScikitMap(BaseEstimator):
    """A map of scikit-learn, "isotonic", "sigmoid" or "temperature", from the outputs of a classifier to probabilities."""

    def __init__(self, method):
        self.method = method

    @property
    def _name(self):
        return self.method

    def fit(self, z, kind, codes, weights=None, classes=None):
        """Fit the map to n x k outputs z of a kind, whose classes are codes from 0; classes are their names."""
        if self.method == "temperature" and tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8):
            raise InputError(
                f'scikit-learn {sklearn.__version__} has no method "temperature"; 1.8 has',
                code="usage",
                where="method",
                hint='method="ts" is the temperature of qats',
            )
        counts = np.bincount(codes, minlength=z.shape[1])
        if counts.min() == 0:
            name = counts.argmin() if classes is None else classes[counts.argmin()]
            raise InputError(
                f'class {name} has no calibration row, and "{self.method}" of scikit-learn needs one',
                code="input",
                where="y",
                hint='method="auto" does without',
            )
        self.kind_ = kind
        every = np.arange(len(codes))
        given = _Probabilities() if kind == "probs" else _Decisions()
        weights = {} if weights is None else {"sample_weight": weights}
        of = CalibratedClassifierCV(given, method=self.method, cv=[(every, every)], ensemble=False)
        self.map_ = of.fit(self._stored(z), codes, **weights)
        return self

    def _stored(self, z):
        """Return the outputs as the classifier gave them: of two classes, one decision a row."""
        return z[:, 1:] - z[:, :1] if self.kind_ == "logits" and z.shape[1] == 2 else z

    def predict_proba(self, z, shares=None):
        if shares is not None:
            raise InputError(f'"{self.method}" of scikit-learn takes no shares', code="usage", where="shares", hint="take a method of qats")
        return self.map_.predict_proba(self._stored(z))

    def predict(self, z):
        return np.argmax(self.predict_proba(z), axis=1)


class _Given(ClassifierMixin, BaseEstimator):
    """A classifier whose rows are its outputs."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int) if X.shape[1] == 1 else np.argmax(X, axis=1)]


class _Decisions(_Given):
    def decision_function(self, X):
        return X[:, 0] if X.shape[1] == 1 else X


class _Probabilities(_Given):
    def predict_proba(self, X):
        return X
