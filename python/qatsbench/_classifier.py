"""A scikit-learn classifier with calibrated probabilities."""

import copy
import numbers
import os
import sys
from collections import namedtuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_outlier_detector, is_regressor
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_array, get_tags, indexable
from sklearn.utils._indexing import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight, _check_y, check_is_fitted, has_fit_parameter

from . import _arrays, _program, _scikit
from ._calibrator import Calibrator, calibrator
from ._errors import InputError

_MOST_APART = 0.2  # share of rows whose outputs and predictions may differ


class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier whose probabilities a method of qats calibrates, as
    ``sklearn.calibration.CalibratedClassifierCV`` does with its methods. As it comes it also chooses the method.

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
    method : str or Calibrator, default "auto"
        "auto": the method that ``recommend`` chooses on the rows that calibrate; without an answer the probabilities
        stay as they are, with a warning. Else a method by its name, as ``qats doc methods`` lists it, or an estimator
        with its options. "isotonic", "sigmoid" and "temperature" are the maps of CalibratedClassifierCV, fitted by
        scikit-learn itself
    cv : int, cross-validation generator or "prefit", default 5
        how the rows are divided. Rows that a classifier was fitted on have too confident
        logits, so each part is predicted by a classifier that was fitted on the others.
        "prefit": the classifier is fitted already, and all rows calibrate
    ensemble : bool, default False
        False: one calibrator of the predictions for all parts, and a classifier fitted on
        all rows. True: for each part a classifier with its calibrator, whose probabilities
        are averaged; this is the default of CalibratedClassifierCV. The method is the same for all parts
    ignore : value of y, list of them or None, default None
        rows with such a value have no class: they are left out of fit and score
    n_jobs : int or None, default None
        how many classifiers are fitted at once, as in scikit-learn
    verbose : bool, default True
        "auto" says its choice in one line on standard error

    Attributes
    ----------
    classes_ : array
        the values of y, in ascending order
    calibrated_ : list
        pairs of a classifier and its calibrator: one, or one for each part
    method_ : str
        the name of the method
    report_ : Recommendation
        of "auto": the table of the methods that were tried; ``plot`` draws it
    """

    def __init__(self, estimator, *, method="auto", cv=5, ensemble=False, ignore=None, n_jobs=None, verbose=True):
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.ensemble = ensemble
        self.ignore = ignore
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y, groups=None, sample_weight=None):
        """Fit classifiers and calibrators on n rows X with the classes y. groups: a value for each row, such as
        its patient; rows with the same value stay in one part, and an int as cv is then
        StratifiedGroupKFold. sample_weight: a weight for each row, for the classifiers whose fit takes weights and
        for the calibrators. If a fit raises the NLL or the ECE of the rows that calibrate, the first warning says so,
        with the method to take instead. Returns the estimator."""
        with _program.held() as found:
            rows = self._held_out(X, y, groups, sample_weight)
            for name in ("report_", "method_"):
                vars(self).pop(name, None)
            method = self.method
            if isinstance(method, str) and method == "auto":
                method = self._chosen(rows)
            elif isinstance(method, str) and method in _scikit.WORDS:
                found.append({"kind": "method", "text": _scikit.WORDS[method]})
            of = [(fitted, self._calibrator(method, rows, at)) for fitted, at in rows.parts]
            self.calibrated_ = of
            self.method_ = of[0][1]._name
            if any(w.get("kind") == "worse" for w in found) and not hasattr(self, "report_"):
                found[:] = self._with_instead(found, rows)
            found[:] = [w for w in found if w.get("oddity") != "equal-logits"]  # of rows of a file that were never filled
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(of[0][0], name):
                setattr(self, name, getattr(of[0][0], name))
        if self.verbose and hasattr(self, "report_"):
            print("qatsbench: " + self._choice_in_words(len(rows.codes)), file=sys.stderr)
        return self

    def _held_out(self, X, y, groups=None, sample_weight=None):
        """Fit the classifiers, and return what they say of rows that they have not seen."""
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
            z, kind = _outputs(fitted, X, self.classes_)
            _agree(z, kind, codes, _codes(fitted.predict(X), self.classes_))
            return _Rows(z, kind, codes, None, sample_weight, [(fitted, slice(None))])
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
        splits = [*parts.split(X, y, groups), *([] if self.ensemble else [(None, None)])]  # the last one: all rows
        kept = Parallel(n_jobs=self.n_jobs)(
            delayed(_part)(clone(plain), X, y, train, test, sample_weight if weighs else None, self.classes_) for train, test in splits
        )
        whole = [] if self.ensemble else [kept.pop()[0]]
        if len({kind for _, _, kind, _ in kept}) > 1:
            raise InputError("one part has a decision_function and another has none", code="input", where="estimator")
        rows, z = np.concatenate([test for _, test in splits[: len(kept)]]), np.concatenate([z for _, z, _, _ in kept])
        kind, own = kept[0][2], np.concatenate([own for _, _, _, own in kept])
        _agree(z, kind, codes[rows], own)
        order = np.argsort(rows, kind="stable")
        place = np.empty(len(rows), int)
        place[order] = np.arange(len(rows))
        ends = np.cumsum([len(test) for _, test in splits[: len(kept)]])[:-1]
        of = [(c, slice(None)) for c in whole] or [(c, at) for (c, *_), at in zip(kept, np.split(place, ends))]
        rows = rows[order]
        return _Rows(z[order], kind, codes[rows], None if groups is None else _safe_indexing(groups, rows), _of(sample_weight, rows), of)

    def _calibrator(self, method, rows, at):
        """Return the method, fitted to some of the rows."""
        if isinstance(method, str) and method in _scikit.WORDS:
            return _scikit.ScikitMap(method).fit(rows.z[at], rows.kind, rows.codes[at], _of(rows.weights, at), self.classes_)
        c = clone(method) if isinstance(method, Calibrator) else calibrator(method)
        if c.kind is None:
            c.set_params(kind=rows.kind)
        weights = {} if rows.weights is None else {"sample_weight": rows.weights[at]}
        return c.fit(rows.z[at], rows.codes[at], **weights)

    def _chosen(self, rows):
        """Return the name of the method that the rows choose, and keep the table."""
        try:
            self.report_ = rows.recommended()
        except InputError as e:
            if e.code != "input":
                raise
            _program.warn([{"kind": "choice", "text": f"{e.what}: no method is chosen, and the probabilities stay as they are"}])
            return "uncal"
        of = {m["method"]: m["nll"] for m in self.report_.methods}
        before, after = of.get("uncal"), of.get(self.report_.best)
        if before is not None and after is not None and after > before:
            text = f'NLL of the cross-fitted rows rises from {before:.4g} to {after:.4g} by {self.report_.best}; take method="uncal", or more rows'
            _program.warn([{"kind": "worse", "text": text, "parameter": "NLL", "before": before, "value": after, "instead": "uncal"}])
        if self.report_.best is None:
            _program.warn([{"kind": "choice", "text": f"{self.report_.choice['answer']} The probabilities stay as they are"}])
        return self.report_.best or "uncal"

    def _with_instead(self, found, rows):
        """Return warnings, of which those of a score that rises name the method to take instead."""
        try:
            best = rows.recommended().best or "uncal"
        except InputError:  # too few rows to choose by
            best = "uncal"
        if best == self.method_:
            return found
        hint = f'; take method="{best}", which method="auto" chooses'
        return [w | {"text": w["text"] + hint, "instead": best} if w.get("kind") == "worse" else w for w in found]

    def _choice_in_words(self, n):
        of = {m["method"]: m for m in self.report_.methods}
        plain, best = of.get("uncal"), of.get(self.method_)
        if self.method_ == "uncal" or plain is None or best is None:
            return f"method {self.method_}: no calibration, by {n} rows; report_ has the table"
        ece = "ece" if best.get("ece_positive") is None else "ece_positive"
        changes = [f"NLL {plain['nll']:.3f} -> {best['nll']:.3f}"]
        if plain.get(ece) is not None and best.get(ece) is not None:
            changes.append(f"ECE {100 * plain[ece]:.1f} -> {100 * best[ece]:.1f} %")
        return f"method {self.method_}, by cross-fitting on {n} rows: {', '.join(changes)}; report_ has the table"

    def plot(self, title=None, ax=None):
        """Draw the methods that "auto" tried, as ``Recommendation.plot`` does, and return the matplotlib axes."""
        check_is_fitted(self)
        if not hasattr(self, "report_"):
            raise InputError(
                "nothing was chosen, so there is nothing to draw", code="usage", where="method", hint='method="auto" tries methods'
            )
        return self.report_.plot(title=title, ax=ax)

    # Files.

    def save(self, path):
        """Write the fitted classifier and its calibrator to a file, by joblib. ``CalibratedClassifier.load`` reads it."""
        import joblib

        check_is_fitted(self)
        joblib.dump(self, path)

    @classmethod
    def load(cls, path):
        """Return what ``save`` wrote. Like every pickle, the file can run code: load only files that you trust, with the
        versions of scikit-learn and qatsbench that wrote them."""
        import joblib

        it = joblib.load(path)
        if not isinstance(it, cls):
            raise InputError(f"a {type(it).__name__}, want a {cls.__name__}", code="model", where=os.fspath(path))
        return it

    def __setstate__(self, state):
        super().__setstate__({"n_jobs": None, "verbose": True, **state})  # an older version pickled it without

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
        with _of_fit():
            for fitted, c in self.calibrated_:
                p = c.predict_proba(_outputs(fitted, X, self.classes_)[0], **({} if shares is None else {"shares": shares}))
                total = p if total is None else total + p
        return total / len(self.calibrated_)

    def predict(self, X):
        """Return the predicted class of each row of X."""
        check_is_fitted(self)
        if len(self.calibrated_) == 1:
            fitted, c = self.calibrated_[0]
            with _of_fit():
                return self.classes_[c.predict(_outputs(fitted, X, self.classes_)[0])]
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def __sklearn_tags__(self):
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.sparse, tags.input_tags.pairwise = inner.input_tags.sparse, inner.input_tags.pairwise
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags


class _Rows(namedtuple("_Rows", "z kind codes groups weights parts")):
    """What classifiers say of n rows that they have not seen: outputs z, n x k, of a kind; the codes of the classes, groups and
    weights of the rows; and parts, pairs of a classifier and the places of the rows that calibrate it."""

    def recommended(self):
        """Return the Recommendation of these rows. Its warnings, which are of all methods, are in it alone."""
        from ._recommendation import recommend

        with _program.held() as found:
            r = recommend((self.z, self.codes), kind=self.kind, groups=self.groups, sample_weight=self.weights, progress=False)
            found.clear()
        return r


def recommended(estimator, X, y, test, of, groups, sample_weight, more):
    """Return the Recommendation of the rows of a classifier. of: arguments of CalibratedClassifier; more: those of recommend."""
    from ._recommendation import recommend

    wrapped = CalibratedClassifier(estimator, **of)
    rows = wrapped._held_out(X, y, groups, sample_weight)
    if test is not None:
        if isinstance(test, dict) or not hasattr(test, "__len__") or len(test) != 2:
            raise InputError("want a pair of X and y", code="input", where="test", hint="recommend(estimator, X, y, test=(Xt, yt))")
        xt, yt, _, _ = wrapped._with_class(*indexable(test[0], _check_y(test[1])))
        test = _outputs(rows.parts[0][0], xt, wrapped.classes_)[0], _codes(yt, wrapped.classes_)
    if more["positive"] is not None:
        more["positive"] = int(_codes([more["positive"]], wrapped.classes_, "positive")[0])
    return recommend((rows.z, rows.codes), test=test, kind=rows.kind, groups=rows.groups, sample_weight=rows.weights, **more)


class _of_fit(_program.held):
    """Gives no warning that fit has given: of the form of the classifier's outputs."""

    def __exit__(self, *_):
        self.found[:] = [w for w in self.found if w.get("kind") != "file"]
        super().__exit__(*_)


def _part(estimator, X, y, train, test, weights, classes):
    """Fit a classifier to the rows train, and return it with its outputs on the rows test, their kind, and its predictions."""
    if train is None:
        return (estimator.fit(X, y, **({} if weights is None else {"sample_weight": weights})),)
    of = {} if weights is None else {"sample_weight": weights[train]}
    fitted, held_out = estimator.fit(_safe_indexing(X, train), _safe_indexing(y, train), **of), _safe_indexing(X, test)
    z, kind = _outputs(fitted, held_out, classes)
    return fitted, z, kind, _codes(fitted.predict(held_out), classes)


def _outputs(fitted, X, classes):
    """Return (outputs, kind): n x k logits or probabilities, a column for each of classes, which ascend."""
    order = _arrays.ascending(np.asarray(fitted.classes_))
    if len(fitted.classes_) != len(classes):
        raise InputError(
            f"a part of the rows has {len(fitted.classes_)} of the {len(classes)} classes",
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


def _agree(z, kind, codes, own):
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


def _codes(y, classes, name="y"):
    """Return the index in classes of every value of y."""
    known = {c: i for i, c in enumerate(classes.tolist())}
    try:
        return np.array([known[v] for v in np.asarray(y).tolist()])
    except KeyError as e:
        raise InputError(f"{e.args[0]!r} is no class of the fitted estimator", code="input", where=name) from None
