"""A scikit-learn classifier with calibrated probabilities."""

import copy
import numbers

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_outlier_detector, is_regressor
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_array, get_tags, indexable
from sklearn.utils._indexing import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _check_y, check_is_fitted, has_fit_parameter

from . import _arrays, _program
from ._calibrator import Calibrator, calibrator
from ._errors import InputError

_MOST_APART = 0.2  # share of rows whose outputs and predictions may differ


class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier whose probabilities a method of qats calibrates, as
    ``sklearn.calibration.CalibratedClassifierCV`` does with its methods.

    The logits are the classifier's ``decision_function``, else its probabilities, which
    are read as their logarithms. Of two classes, a decision d is the logits -d/2 and d/2.
    ``decision_function_shape`` is set to "ovr" in a copy: one-vs-one scores are of pairs of
    classes. A CalibrationWarning has the share of rows whose largest logit is not the class
    that the classifier predicts; it is an error if the share is above 20 % and the logits are
    less accurate by three standard errors.

    Parameters
    ----------
    estimator : classifier
        not fitted, unless cv is "prefit"
    method : str or Calibrator, default "qats"
        the method by its name, as ``qats doc methods`` lists it, or an estimator with its options
    cv : int, cross-validation generator or "prefit", default 5
        how the rows are divided. Rows that a classifier was fitted on have too confident
        logits, so each part is predicted by a classifier that was fitted on the others.
        "prefit": the classifier is fitted already, and all rows calibrate
    ensemble : bool, default False
        False: one calibrator of the predictions for all parts, and a classifier fitted on
        all rows. True: for each part a classifier with its calibrator, whose probabilities
        are averaged; this is the default of CalibratedClassifierCV
    ignore : value of y, list of them or None, default None
        rows with such a value have no class: they are left out of fit and score

    Attributes
    ----------
    classes_ : array
        the values of y, in ascending order
    calibrated_ : list
        pairs of a classifier and its calibrator: one, or one for each part
    """

    def __init__(self, estimator, *, method="qats", cv=5, ensemble=False, ignore=None):
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.ensemble = ensemble
        self.ignore = ignore

    def fit(self, X, y, groups=None, sample_weight=None):
        """Fit classifiers and calibrators on n rows X with the classes y. groups: a value for each row, such as
        its patient; rows with the same value stay in one part, and an int as cv is then
        StratifiedGroupKFold. sample_weight: a weight for each row, for the classifiers whose fit takes weights and
        for the calibrators. Returns the estimator."""
        if isinstance(self.estimator, type):
            raise InputError("a class, want an estimator", code="usage", where="estimator", hint=f"give {self.estimator.__name__}()")
        _a_classifier(self.estimator)
        _one_label_a_row(y)
        y = _check_y(y)  # as scikit-learn's own classifiers do: a column is taken as n values
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
            if (sample_weight < 0).any():
                raise InputError("a weight is below 0", code="input", where=f"sample_weight: row {np.argmax(sample_weight < 0)}")
        X, y, groups, sample_weight = indexable(X, y, groups, sample_weight)
        X, y, groups, sample_weight = self._with_class(X, y, groups, sample_weight)
        check_classification_targets(y)
        if 0 in getattr(X, "shape", ()):
            check_array(X, accept_sparse=True, dtype=None)  # raises scikit-learn's error
        if isinstance(self.cv, str) and self.cv == "prefit":
            if groups is not None:
                raise InputError("the classifier is fitted, so there are no parts", code="usage", where="groups", hint="leave it out")
            check_is_fitted(self.estimator)
            fitted = _one_vs_rest(self.estimator, copy.deepcopy)
            self.classes_ = np.sort(np.asarray(fitted.classes_))
            codes = _codes(y, self.classes_)
            z, kind = self._outputs(fitted, X)
            self._agree(z, kind, codes, _codes(fitted.predict(X), self.classes_))
            self.calibrated_ = [(fitted, self._calibrator(z, kind, codes, sample_weight))]
            return self._described(fitted)
        coder = LabelEncoder().fit(y)
        self.classes_, codes = coder.classes_, coder.transform(y)
        grouped = groups is not None and isinstance(self.cv, numbers.Integral)
        parts = StratifiedGroupKFold(self.cv) if grouped else check_cv(self.cv, y, classifier=True)
        folds = parts.get_n_splits(X, y, groups)
        if len(self.classes_) < 2:
            raise InputError("1 class, want 2 or more", code="input", where="y")
        counts = np.bincount(codes)
        if counts.min() < folds:
            rarest = counts.argmin()
            raise InputError(
                f"class {self.classes_[rarest]} has {counts[rarest]} rows, fewer than the {folds} parts",
                code="input",
                where="y",
                hint="set cv to fewer",
            )
        plain = _one_vs_rest(self.estimator, clone)
        weighs = sample_weight is not None and has_fit_parameter(plain, "sample_weight")
        if sample_weight is not None and not weighs:
            text = f"fit of {type(plain).__name__} takes no sample_weight: the weights are those of the calibration alone"
            _program.warn([{"kind": "classifier", "text": text}])
        of = lambda rows: {"sample_weight": sample_weight[rows]} if weighs else {}  # noqa: E731
        kept = []  # of each part: its classifier, rows, logits and predictions
        kinds = set()
        for train, test in parts.split(X, y, groups):
            part, held_out = clone(plain).fit(_safe_indexing(X, train), _safe_indexing(y, train), **of(train)), _safe_indexing(X, test)
            z, kind = self._outputs(part, held_out)
            kept.append((part, test, z, _codes(part.predict(held_out), self.classes_)))
            kinds.add(kind)
        if len(kinds) > 1:
            raise InputError("one part has a decision_function and another has none", code="input", where="estimator")
        kind, (parts, rows, zs, own) = kinds.pop(), zip(*kept)
        self._agree(np.concatenate(zs), kind, codes[np.concatenate(rows)], np.concatenate(own))
        if self.ensemble:
            self.calibrated_ = [(part, self._calibrator(z, kind, codes[test], _of(sample_weight, test))) for part, test, z, _ in kept]
        else:
            rows, z = np.concatenate(rows), np.concatenate(zs)
            order = np.argsort(rows, kind="stable")
            rows = rows[order]
            calibrated = self._calibrator(z[order], kind, codes[rows], _of(sample_weight, rows))
            self.calibrated_ = [(clone(plain).fit(X, y, **of(slice(None))), calibrated)]
        return self._described(self.calibrated_[0][0])

    def _described(self, fitted):
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        return self

    def _calibrator(self, z, kind, codes, sample_weight=None):
        c = clone(self.method) if isinstance(self.method, Calibrator) else calibrator(self.method)
        if c.kind is None:
            c.set_params(kind=kind)
        return c.fit(z, codes) if sample_weight is None else c.fit(z, codes, sample_weight=sample_weight)

    def _outputs(self, fitted, X):
        """Return (outputs, kind): n x k logits or probabilities, a column for each of classes_."""
        order = _arrays.ascending(np.asarray(fitted.classes_))
        if len(fitted.classes_) != len(self.classes_):
            raise InputError(
                f"a part of the rows has {len(fitted.classes_)} of the {len(self.classes_)} classes",
                code="input",
                where="y",
                hint="set cv to parts that have all of them",
            )
        if hasattr(fitted, "decision_function"):
            z = np.asarray(fitted.decision_function(X))
            if z.ndim == 1:
                z = np.stack([-z / 2, z / 2], axis=1)
            if z.shape[1] == len(fitted.classes_):
                return (z if order is None else z[:, order]), "logits"
        if not hasattr(fitted, "predict_proba"):
            raise InputError(
                f"{type(fitted).__name__} has neither a decision_function with a column for each class nor predict_proba",
                code="input",
                where="estimator",
            )
        p = np.asarray(fitted.predict_proba(X))
        return (p if order is None else p[:, order]), "probs"

    def _agree(self, z, kind, codes, own):
        """Warn of rows whose largest output is not the class that the classifier predicts, own,
        and raise InputError if they are many and the outputs are less accurate."""
        top = np.argmax(z, axis=1)
        share, gain = np.mean(top != own), (top == codes).astype(float) - (own == codes)
        if share == 0:
            return
        of = "largest of its scores" if kind == "logits" else "largest of its probabilities"
        text = f"in {100 * share:.3g} % of {len(own)} rows the {of} is of another class than the classifier predicts"
        if share > _MOST_APART and gain.mean() < -3 * gain.std(ddof=1) / np.sqrt(len(gain)):
            raise InputError(
                f"{text}, and less often right: {100 * np.mean(top == codes):.1f} % against {100 * np.mean(own == codes):.1f} %",
                code="input",
                where="estimator",
                hint="its decision_function may have scores of pairs of classes, or the classes in another order than classes_",
            )
        _program.warn([{"kind": "predictions", "text": text, "share": float(share), "rows": len(own)}])

    def _with_class(self, X, y, groups=None, weights=None):
        """Return the rows that have a class."""
        if self.ignore is None:
            return X, y, groups, weights
        left_out = np.zeros(len(y), bool)
        for v in self.ignore if isinstance(self.ignore, (list, tuple, set, frozenset, np.ndarray)) else [self.ignore]:
            left_out |= np.asarray(y == v, bool)
        if not left_out.any():
            return X, y, groups, weights
        if left_out.all():
            raise InputError("no row is left without those of ignore", code="input", where="y")
        kept = np.flatnonzero(~left_out)
        return _safe_indexing(X, kept), y[kept], None if groups is None else _safe_indexing(groups, kept), _of(weights, kept)

    def score(self, X, y, sample_weight=None):
        """Return the accuracy on the rows X with the classes y, without those of ``ignore``."""
        if self.ignore is not None:
            y = np.asarray(y)
            rows, y, _, _ = self._with_class(np.arange(len(y)), y)
            X = _safe_indexing(X, rows)
            sample_weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
        return super().score(X, y, sample_weight)

    def predict_proba(self, X, shares=None):
        """Return the calibrated probabilities of the rows X, n x k. shares: of the classes among these rows, in the
        order of ``classes_``, if they are known and not those of the rows of fit; as for the estimators."""
        check_is_fitted(self)
        total = None
        for fitted, c in self.calibrated_:
            p = c.predict_proba(self._outputs(fitted, X)[0], **({} if shares is None else {"shares": shares}))
            total = p if total is None else total + p
        return total / len(self.calibrated_)

    def predict(self, X):
        """Return the predicted class of each row of X."""
        check_is_fitted(self)
        if len(self.calibrated_) == 1:
            fitted, c = self.calibrated_[0]
            return self.classes_[c.predict(self._outputs(fitted, X)[0])]
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def __sklearn_tags__(self):
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.sparse, tags.input_tags.pairwise = inner.input_tags.sparse, inner.input_tags.pairwise
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags


def _of(weights, rows):
    """Return the weights of rows; None where there are none."""
    return None if weights is None else weights[rows]


def _a_classifier(estimator):
    """Raises an error for an estimator that predicts no classes."""
    others = (is_regressor, "a regressor, which predicts numbers"), (is_outlier_detector, "an outlier detector, which learns no classes")
    for is_other, what in others:
        if is_other(estimator):
            raise InputError(
                f"{type(estimator).__name__} is {what}, want a classifier",
                code="usage",
                where="estimator",
                hint="calibration here is of the probabilities of classes",
            )


def _one_label_a_row(y):
    """Raise InputError for rows with several labels, or None."""
    if y is None or hasattr(y, "nnz"):
        return  # scikit-learn's error
    a = _arrays.array_of_labels(y, "y")
    if a.ndim == 2 and a.shape[1] > 1:
        raise _arrays.not_one_label(a, len(a), "y", "y")


def _one_vs_rest(estimator, copied):
    """Return the classifier, or a copy of it whose scores are those of classes and not of pairs."""
    pairs = [n for n, v in estimator.get_params().items() if n.rpartition("__")[2] == "decision_function_shape" and v == "ovo"]
    return copied(estimator).set_params(**dict.fromkeys(pairs, "ovr")) if pairs else estimator


def _codes(y, classes):
    """Return the index in classes of every value of y."""
    known = {c: i for i, c in enumerate(classes.tolist())}
    try:
        return np.array([known[v] for v in np.asarray(y).tolist()])
    except KeyError as e:
        raise InputError(f"{e.args[0]!r} is no class of the fitted estimator", code="input", where="y") from None
