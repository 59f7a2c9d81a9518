"""The estimators, one for each method: written by tools/generate.py from `qats doc methods --json`."""

from typing import Any, Self

import numpy as np

from ._calibrator import Calibrator


class Uncal(Calibrator):
    """Uncal: softmax of the logits, nothing fitted.

    Formula: p = softmax(l)
    Reference: the network itself

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'uncal'
    _version = 1

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class TS(Calibrator):
    """TS: one temperature at the minimum of the calibration NLL.

    Formula: p = softmax(l/T), T in [0.001 min(1, spread), 1000 max(1, spread)] at the least mean
    NLL
    Reference: Guo, Pleiss, Sun and Weinberger 2017

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'ts'
    _version = 3

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class TSGuo50(Calibrator):
    """TS (Guo, 50): temperature after 50 LBFGS steps of 0.01 from 1.5, as the first public code;
    not converged.

    Formula: p = softmax(l/T), T after at most 50 steps of L-BFGS from 1.5 with rate 0.01
    Reference: github.com/gpleiss/temperature_scaling before July 2025

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'ts-guo50'
    _version = 2

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class TSECEGrid(Calibrator):
    """TS (ECE grid): temperature of 0.1, 0.2, ..., 10 with the least ECE-15 on the calibration set.

    Formula: p = softmax(l/T), T of 0.1, 0.2, ..., 10 with the least ECE-15
    Reference: Mukhoti, Kulharia, Sanyal, Golodetz, Torr and Dokania 2020, public code

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'ts-ecegrid'
    _version = 2

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class EC(Calibrator):
    """EC: one temperature at which the mean confidence equals the accuracy.

    Formula: p = softmax(l/T), T in [0.01, 10] with mean of max_j p_j = accuracy
    Reference: Clarte, Loureiro, Krzakala and Zdeborova 2023

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'ec'
    _version = 2

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class CTS(Calibrator):
    """CTS: a temperature for the logit of each class, found on a grid for the least ECE-15.

    Formula: p_j = exp(l_j/T_j) / sum over c of exp(l_c/T_c), T_j of 0.5, 0.6, ..., 5 found class by
    class for the least ECE-15
    Reference: Frenkel and Goldberger 2021
    It reads true logits: log-probabilities are an error.

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'cts'
    _version = 2

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class ETS(Calibrator):
    """ETS: mixture of the softmax at a temperature, at 1 and the uniform distribution, fitted by
    squared error.

    Formula: q = w_1 softmax(l/T) + w_2 softmax(l) + w_3/k, w >= 0, sum w = 1, T in [0.05 min(1,
    spread), 5 max(1, spread)], spread the mean gap of the two largest logits, by squared error:
    first T, then w
    Reference: Zhang, Kailkhura and Han 2020

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'ets'
    _version = 3

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class IR(Calibrator):
    """IR: isotonic regression on the pooled pairs of all classes (IRM); keeps the prediction.

    Formula: q_j = (g(p_j) + 1e-9 p_j) / sum of the same, g nondecreasing, fitted to all n k pairs
    (p_ij, 1[y_i = j])
    Reference: Zhang, Kailkhura and Han 2020; after Zadrozny and Elkan 2002

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'ir'
    _version = 4

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class IRTop(Calibrator):
    """IR-top: isotonic regression on the confidence of the prediction; a top-label method.

    Formula: confidence g(conf), g nondecreasing, fitted to the n pairs (conf, hit)
    Reference: Zadrozny and Elkan 2002
    It gives the predicted class a new confidence; the other classes share the rest in their old
    proportions.

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'ir-top'
    _version = 4
    _top_label = True

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class IROvA(Calibrator):
    """IR-OvA: isotonic regression of each class against all others, rows normalised.

    Formula: q_j = (g_j(p_j) + 1e-9 p_j) / sum of the same, g_j nondecreasing, fitted to the n pairs
    (p_ij, 1[y_i = j])
    Reference: Zadrozny and Elkan 2002; Zhang, Kailkhura and Han 2020

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'irova'
    _version = 5

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class CIR(Calibrator):
    """CIR: centred isotonic regression of each class against all others, rows normalised.

    Formula: q_j = (g_j(p_j) + 1e-9 p_j) / sum of the same, g_j linear through the mean score and
    the value of each block of the isotonic regression of (p_ij, 1[y_i = j]); flat at 0 and 1
    Reference: Oron and Flournoy 2017

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'cir'
    _version = 3

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class IVAP(Calibrator):
    """IVAP: inductive Venn-Abers predictor of each class against all others, or of each pair of
    classes.

    Formula: q_j = p / sum of the same, p = p1/(1-p0+p1), where p0 and p1 are the isotonic
    regressions at p_j of the n pairs (p_ij, 1[y_i = j]) and one more pair of outcome 0 or 1; or
    pairs of classes, coupled by q_i = 1 / (sum over j != i of 1/r_ij - (k-2))
    Reference: Vovk, Petej and Fedorova 2015; Manokhin 2017

    Parameters
    ----------
    coupling : str, default 'one-vs-rest'
        how several classes are made binary problems (one-vs-rest or one-vs-one)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'ivap'
    _version = 3
    _options = {'coupling': 'coupling'}

    def __init__(self, *, coupling: str = 'one-vs-rest', kind: str | None = None) -> None:
        self.coupling = coupling
        self.kind = kind


class CVAP(Calibrator):
    """CVAP: cross Venn-Abers predictor: inductive ones of disjoint folds, merged by geometric
    means.

    Formula: q_j = p / sum of the same, p = GM(p1)/(GM(1-p0) + GM(p1)), geometric means over the
    ivap of disjoint folds
    Reference: Vovk, Petej and Fedorova 2015; Manokhin 2017

    Parameters
    ----------
    coupling : str, default 'one-vs-rest'
        how several classes are made binary problems (one-vs-rest or one-vs-one)
    folds : int, default 5
        number of folds (2 to 100)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'cvap'
    _version = 3
    _options = {'coupling': 'coupling', 'folds': 'folds'}

    def __init__(self, *, coupling: str = 'one-vs-rest', folds: int = 5, kind: str | None = None) -> None:
        self.coupling = coupling
        self.folds = folds
        self.kind = kind


class HB(Calibrator):
    """HB: histogram binning of each class against all others, rows normalised.

    Formula: q_j = share of class j in the bin of p_j, divided by the sum over the classes
    Reference: Zadrozny and Elkan 2001; Guo, Pleiss, Sun and Weinberger 2017

    Parameters
    ----------
    bins : int, default 15
        number of bins of confidence (1 to 1000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'hb'
    _version = 2
    _options = {'bins': 'bins'}

    def __init__(self, *, bins: int = 15, kind: str | None = None) -> None:
        self.bins = bins
        self.kind = kind


class HBMass(Calibrator):
    """HB-mass: histogram binning with bins of equal numbers of rows, of each class against all
    others, rows normalised.

    Formula: q_j = share of class j in the bin of p_j, bins of equal numbers of calibration rows,
    divided by the sum over the classes
    Reference: Zadrozny and Elkan 2001

    Parameters
    ----------
    bins : int, default 10
        number of bins of equal numbers of rows (1 to 1000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'hb-mass'
    _version = 3
    _options = {'bins': 'bins'}

    def __init__(self, *, bins: int = 10, kind: str | None = None) -> None:
        self.bins = bins
        self.kind = kind


class HBTop(Calibrator):
    """HB-top: histogram binning of the confidence of the prediction; a top-label method.

    Formula: confidence = accuracy of the rows in the bin of conf
    Reference: Zadrozny and Elkan 2001; Gupta and Ramdas 2022
    It gives the predicted class a new confidence; the other classes share the rest in their old
    proportions.

    Parameters
    ----------
    bins : int, default 15
        number of bins of confidence (1 to 1000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'hb-top'
    _version = 3
    _options = {'bins': 'bins'}
    _top_label = True

    def __init__(self, *, bins: int = 15, kind: str | None = None) -> None:
        self.bins = bins
        self.kind = kind


class BBQ(Calibrator):
    """BBQ: average of histogram binnings with different numbers of bins, of each class against all
    others, rows normalised.

    Formula: q_j = g_j(p_j) / sum of the same, g_j = sum over m of w_m h_m, h_m the share of class j
    in m bins of equal width, w_m proportional to exp(-BIC_m/2), BIC_m = m log n - 2 log L_m, 1 to
    10 n^(1/3) bins; small weights are left out
    Reference: Naeini, Cooper and Hauskrecht 2015

    Parameters
    ----------
    score : str, default 'bic'
        criterion that weighs the numbers of bins (bic or aic)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'bbq'
    _version = 2
    _options = {'score': 'score'}

    def __init__(self, *, score: str = 'bic', kind: str | None = None) -> None:
        self.score = score
        self.kind = kind


class ScalingBinning(Calibrator):
    """Scaling-binning: sigmoid of each class against all others, replaced by its mean in bins of
    equal size, rows normalised.

    Formula: q_j = mean of g_j over the calibration rows in the bin of g_j(z_j), divided by the sum
    of the same; g_j(z) = sigmoid(a_j z + b_j), z_j = log(p_j/(1-p_j)), bins of equal numbers of
    rows
    Reference: Kumar, Liang and Ma 2019

    Parameters
    ----------
    bins : int, default 10
        number of bins of equal numbers of rows (1 to 1000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'scaling-binning'
    _version = 4
    _options = {'bins': 'bins'}

    def __init__(self, *, bins: int = 10, kind: str | None = None) -> None:
        self.bins = bins
        self.kind = kind


class ScalingBinningTop(Calibrator):
    """Scaling-binning-top: sigmoid of the confidence of the prediction, replaced by its mean in
    bins of equal size; a top-label method.

    Formula: new confidence = mean of g over the calibration rows in the bin of g(z), z the log odds
    of the confidence; g(z) = sigmoid(a z + b) fitted to the hits, bins of equal numbers of rows
    Reference: Kumar, Liang and Ma 2019
    It gives the predicted class a new confidence; the other classes share the rest in their old
    proportions.

    Parameters
    ----------
    bins : int, default 10
        number of bins of equal numbers of rows (1 to 1000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'scaling-binning-top'
    _version = 4
    _options = {'bins': 'bins'}
    _top_label = True

    def __init__(self, *, bins: int = 10, kind: str | None = None) -> None:
        self.bins = bins
        self.kind = kind


class Spline(Calibrator):
    """Spline: confidence corrected by the slope of a natural cubic spline; a top-label method.

    Formula: confidence conf + S'(t), S a natural cubic spline of 6 uniform knots through the
    cumulated hit - conf, t the rank in [0, 1]
    Reference: Gupta, Rahimi, Ajanthan, Mensink, Sminchisescu and Hartley 2021
    It gives the predicted class a new confidence; the other classes share the rest in their old
    proportions.

    Parameters
    ----------
    knots : int, default 6
        number of knots of the spline, uniform in [0, 1] (2 to 100)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'spline'
    _version = 5
    _options = {'knots': 'knots'}
    _top_label = True

    def __init__(self, *, knots: int = 6, kind: str | None = None) -> None:
        self.knots = knots
        self.kind = kind


class SmoothingSpline(Calibrator):
    """Smoothing spline: penalised spline of the log odds of each class against all others, rows
    normalised.

    Formula: q_j = sigmoid(s_j(z_j)) / sum of the same, z_j = log(p_j/(1-p_j)), s_j a natural cubic
    spline at the minimum of the logistic loss plus lambda/K sum of b^2, lambda by the loss on a
    fifth of the rows
    Reference: Lucena 2018

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'smoothing-spline'
    _version = 2

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class Kernel(Calibrator):
    """Kernel: class shares among calibration rows with similar probabilities, weighted by Dirichlet
    kernels.

    Formula: q_j = sum over calibration rows of class j of K_i(p) / sum over all rows, K_i the
    Dirichlet density with parameters p_i/b + 1, b = n^(-2/(d+4)), d = max(1, k-1)
    Reference: Popordanoska, Sayer and Blaschko 2022; probmetrics (Berta, Holzmueller, Jordan and
    Bach 2025)

    Parameters
    ----------
    bandwidth : float, default 0
        bandwidth b; 0: n^(-2/(d+4)), d = k-1, at least 1 (0.0001 to 100, or 0)
    rows : int, default 10000
        most calibration rows that are kept (1 to 1000000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'kernel'
    _version = 2
    _options = {'bandwidth': 'bandwidth', 'rows': 'rows'}

    def __init__(self, *, bandwidth: float = 0, rows: int = 10000, kind: str | None = None) -> None:
        self.bandwidth = bandwidth
        self.rows = rows
        self.kind = kind


class Platt(Calibrator):
    """Platt: logistic regression on the probability of each class against all others, rows
    normalised.

    Formula: q_j = sigmoid(a_j p_j + b_j) / sum of the same, a_j and b_j at the minimum of the
    logistic loss with targets (N+ + 1)/(N+ + 2) and 1/(N- + 2)
    Reference: Platt 1999; Lin, Lin and Weng 2007

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'platt'
    _version = 3

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class PlattLogits(Calibrator):
    """Platt (logits): logistic regression on the log odds of each class against all others, rows
    normalised.

    Formula: q_j = sigmoid(a_j z_j + b_j) / sum of the same, z_j = log(p_j/(1-p_j)) or log(p_j +
    1e-10), fitted as platt
    Reference: Platt 1999; Lin, Lin and Weng 2007

    Parameters
    ----------
    score : str, default 'log-odds'
        what the logistic regression sees (log-odds or log-prob)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'platt-logits'
    _version = 4
    _options = {'score': 'score'}

    def __init__(self, *, score: str = 'log-odds', kind: str | None = None) -> None:
        self.score = score
        self.kind = kind


class Quadratic(Calibrator):
    """Quadratic: logistic regression on the log odds and their square of each class against all
    others, rows normalised.

    Formula: q_j = sigmoid(a_j z_j + c_j z_j^2 + b_j) / sum of the same, z_j = log(p_j/(1-p_j)), at
    the minimum of the logistic loss
    Reference: probmetrics (Berta, Holzmueller, Jordan and Bach 2025)

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'quadratic'
    _version = 4

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class Beta(Calibrator):
    """Beta: beta calibration of each class against all others, rows normalised.

    Formula: q_j = sigmoid(a_j ln p_j - b_j ln(1-p_j) + c_j), divided by the sum over the classes;
    a, b in [0, 1000], |c| <= 1000
    Reference: Kull, Silva Filho and Flach 2017

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'beta'
    _version = 5

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class VS(Calibrator):
    """VS: vector scaling, a slope and an offset for each class.

    Formula: p = softmax(v l + b), v and b of length k, by mean NLL + ridge (sum (T v - 1)^2 + sum
    b^2), T of ts
    Reference: Guo, Pleiss, Sun and Weinberger 2017
    It reads true logits: log-probabilities are an error.

    Parameters
    ----------
    ridge : float, default 1e-06
        penalty of the squares of the parameters (1e-09 to 1e+09)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'vs'
    _version = 4
    _options = {'ridge': 'ridge'}

    def __init__(self, *, ridge: float = 1e-06, kind: str | None = None) -> None:
        self.ridge = ridge
        self.kind = kind


class SVS(Calibrator):
    """SVS: vector scaling held near temperature scaling by a ridge of k/n.

    Formula: p = softmax(v x + b), x = log((1-w) softmax(l/T) + w/k), w = 1/(n+1), T of ts, by mean
    NLL + (k/n) (diagonal sum (v-1)^2 + intercept sum b^2), diagonal = intercept = 1
    Reference: Berta, Holzmueller, Jordan and Bach 2026

    Parameters
    ----------
    diagonal : float, default 1
        ridge of the slopes, times k/n (1e-09 to 1e+09)
    intercept : float, default 1
        ridge of the offsets, times k/n (1e-09 to 1e+09)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'svs'
    _version = 3
    _options = {'diagonal': 'diagonal', 'intercept': 'intercept'}

    def __init__(self, *, diagonal: float = 1, intercept: float = 1, kind: str | None = None) -> None:
        self.diagonal = diagonal
        self.intercept = intercept
        self.kind = kind


class SMS(Calibrator):
    """SMS: matrix scaling held near temperature scaling by ridges of k/n and k(k-1)/n, at most 100
    classes.

    Formula: p = softmax(W x + b), x as in svs, by mean NLL + (k/n) (diagonal sum (W_cc-1)^2 +
    intercept sum b^2) + (k(k-1)/n) off_diagonal sum over c != j of W_cj^2, all three 1
    Reference: Berta, Holzmueller, Jordan and Bach 2026

    Parameters
    ----------
    diagonal : float, default 1
        ridge of the slopes, times k/n (1e-09 to 1e+09)
    intercept : float, default 1
        ridge of the offsets, times k/n (1e-09 to 1e+09)
    off_diagonal : float, default 1
        ridge of the other elements, times k(k-1)/n (1e-09 to 1e+09)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'sms'
    _version = 3
    _options = {'diagonal': 'diagonal', 'intercept': 'intercept', 'off_diagonal': 'off_diagonal'}

    def __init__(self, *, diagonal: float = 1, intercept: float = 1, off_diagonal: float = 1, kind: str | None = None) -> None:
        self.diagonal = diagonal
        self.intercept = intercept
        self.off_diagonal = off_diagonal
        self.kind = kind


class Dirichlet(Calibrator):
    """Dirichlet: linear map of the log-probabilities with penalties off the diagonal and of the
    offsets (Dir-ODIR), mean over folds; at most 100 classes.

    Formula: p = mean over folds of softmax(A x + b), x = log softmax(l), each by mean NLL + lambda
    sum over c != j of A_cj^2 + mu sum b^2
    Reference: Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song and Flach 2019

    Parameters
    ----------
    lambda_ : float, default 0
        penalty of the elements off the diagonal; 0: chosen by cross-validation (1e-09 to 1e+09, or
        0)
    mu : float, default 0
        penalty of the offsets; 0: the value of lambda (1e-09 to 1e+09, or 0)
    folds : int, default 5
        number of folds of the cross-validation (2 to 20)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'dirichlet'
    _version = 5
    _options = {'lambda': 'lambda_', 'mu': 'mu', 'folds': 'folds'}

    def __init__(self, *, lambda_: float = 0, mu: float = 0, folds: int = 5, kind: str | None = None) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.folds = folds
        self.kind = kind


class MSODIR(Calibrator):
    """MS-ODIR: dirichlet with the logits in place of the log-probabilities.

    Formula: p = mean over folds of softmax(A l + b), penalties as in dirichlet
    Reference: Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song and Flach 2019; after Guo, Pleiss,
    Sun and Weinberger 2017
    It reads true logits: log-probabilities are an error.

    Parameters
    ----------
    lambda_ : float, default 0
        penalty of the elements off the diagonal; 0: chosen by cross-validation (1e-09 to 1e+09, or
        0)
    mu : float, default 0
        penalty of the offsets; 0: the value of lambda (1e-09 to 1e+09, or 0)
    folds : int, default 5
        number of folds of the cross-validation (2 to 20)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'ms-odir'
    _version = 5
    _options = {'lambda': 'lambda_', 'mu': 'mu', 'folds': 'folds'}

    def __init__(self, *, lambda_: float = 0, mu: float = 0, folds: int = 5, kind: str | None = None) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.folds = folds
        self.kind = kind


class TTATS(Calibrator):
    """TTA-TS: temperature of ts for the mean of the logits of augmented test views.

    Formula: p = softmax(mean of l and its v augmented views / T), T of ts
    Reference: Hekler, Brinker and Buettner 2023; AdaTS in the QaTS paper

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'tta-ts'
    _version = 3
    _test = ('augmented',)

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind

    def predict_proba(self, logits: Any, *, augmented: Any, dtype: Any = np.float64) -> np.ndarray:
        """Return the probabilities of the rows, n x k. Besides logits it takes:

        augmented: v x n x k logits of augmented views of the rows
        """
        return self._apply(logits, {'augmented': augmented}, dtype)

    def predict(self, logits: Any, *, augmented: Any) -> np.ndarray:
        """Return the predicted class of every row. Besides logits it takes:

        augmented: v x n x k logits of augmented views of the rows
        """
        return self._predicted(logits, {'augmented': augmented})

    def temperature(self, logits: Any, *, augmented: Any) -> np.ndarray:
        """Return the temperature of every row. An error for a method that has none. Besides logits it takes:

        augmented: v x n x k logits of augmented views of the rows
        """
        return self._temperature(logits, {'augmented': augmented})

    def score(self, logits: Any, labels: Any, metrics: Any = None, *, augmented: Any, interval: str | None = None, ignore: Any = None) -> Any:
        """Return metrics of the calibrated rows, as Calibrator.score says. Besides it takes:

        augmented: v x n x k logits of augmented views of the rows
        """
        return self._score(logits, labels, {'augmented': augmented}, metrics, interval, ignore)


class AdaTS(Calibrator):
    """AdaTS (Joy): temperature from an autoencoder of the features.

    Formula: p = softmax(l/T), T = max(softplus(network(log p(w|y) for y = 1..k)), 0.001), w the
    code of an autoencoder of the features
    Reference: Joy, Pinto, Lim, Torr and Dokania 2023

    Parameters
    ----------
    epochs : int, default 100
        largest number of passes over the calibration set (1 or more)
    max_steps : int, default 1000
        minibatches after which training ends; 0 for no limit (0 or more)
    hidden : int, default 256
        width of the largest layer, an even number (2 to 8192)
    draws : int, default 10
        random draws of the code for a prediction; 0 for its mean (0 to 1000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'adats'
    _version = 3
    _options = {'epochs': 'epochs', 'max_steps': 'max_steps', 'hidden': 'hidden', 'draws': 'draws'}
    _cal = ('features',)
    _test = ('features',)

    def __init__(self, *, epochs: int = 100, max_steps: int = 1000, hidden: int = 256, draws: int = 10, kind: str | None = None) -> None:
        self.epochs = epochs
        self.max_steps = max_steps
        self.hidden = hidden
        self.draws = draws
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        features: n x d features of the rows
        """
        return self._fit(logits, labels, classes, ignore, {'features': features})

    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = np.float64) -> np.ndarray:
        """Return the probabilities of the rows, n x k. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._apply(logits, {'features': features}, dtype)

    def predict(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the predicted class of every row. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._predicted(logits, {'features': features})

    def temperature(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the temperature of every row. An error for a method that has none. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._temperature(logits, {'features': features})

    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None) -> Any:
        """Return metrics of the calibrated rows, as Calibrator.score says. Besides it takes:

        features: n x d features of the rows
        """
        return self._score(logits, labels, {'features': features}, metrics, interval, ignore)


class HTS(Calibrator):
    """HTS: temperature from the entropy of the row, softplus(w log h + b).

    Formula: p = softmax(l/T), T = max(softplus(w log h + b), 0.001), h = entropy(softmax(l)) / log
    k, by mean NLL
    Reference: Balanya, Maronas and Ramos 2024

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'hts'
    _version = 3

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class BTS(Calibrator):
    """BTS: a temperature for each bin of confidence, at the minimum of its NLL.

    Formula: p = softmax(l/T_b), b the bin of the confidence among 15 of equal mass, T_b at the
    least NLL of the bin
    Reference: Ji, Jung, Yoon, Kim and Shin 2019

    Parameters
    ----------
    bins : int, default 15
        number of bins of confidence (1 to 1000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'bts'
    _version = 3
    _options = {'bins': 'bins'}

    def __init__(self, *, bins: int = 15, kind: str | None = None) -> None:
        self.bins = bins
        self.kind = kind


class CBT(Calibrator):
    """CBT: a temperature for each bin of confidence, at which confidence equals accuracy.

    Formula: p = softmax(l/T_b), b the bin of the confidence among 15 of equal mass, T_b with mean
    confidence = accuracy in the bin
    Reference: Frenkel and Goldberger 2022

    Parameters
    ----------
    bins : int, default 15
        number of bins of confidence (1 to 1000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'cbt'
    _version = 2
    _options = {'bins': 'bins'}

    def __init__(self, *, bins: int = 15, kind: str | None = None) -> None:
        self.bins = bins
        self.kind = kind


class PTS(Calibrator):
    """PTS: temperature by a small network of the 10 largest logits, for the Brier score.

    Formula: p = softmax(l/T), T = |network(10 largest logits)|, in [0.001, 1000], two layers of 5,
    by Brier score
    Reference: Tomani, Cremers and Buettner 2022
    It reads true logits: log-probabilities are an error.

    Parameters
    ----------
    steps : int, default 5000
        number of minibatches (1 or more)
    rate : float, default 0.001
        learning rate of Adam (above 0, at most 1)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'pts'
    _version = 2
    _options = {'steps': 'steps', 'rate': 'rate'}

    def __init__(self, *, steps: int = 5000, rate: float = 0.001, kind: str | None = None) -> None:
        self.steps = steps
        self.rate = rate
        self.kind = kind


class SMART(Calibrator):
    """SMART: temperature by a small network of the logit gap, for a smooth ECE.

    Formula: p = softmax(l/T), T = softplus(network(standardised gap of the two largest logits)) +
    0.1, at most 1000, two layers of 16, by a smooth ECE
    Reference: Guo et al. 2026

    Parameters
    ----------
    epochs : int, default 2000
        largest number of passes over the calibration set (1 or more)
    patience : int, default 200
        epochs without a lower loss after which training ends (1 or more)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'smart'
    _version = 2
    _options = {'epochs': 'epochs', 'patience': 'patience'}

    def __init__(self, *, epochs: int = 2000, patience: int = 200, kind: str | None = None) -> None:
        self.epochs = epochs
        self.patience = patience
        self.kind = kind


class HCalibration(Calibrator):
    """h-calibration: mixture of temperatures, trained for small errors in windows of probabilities.

    Formula: p = sum_m w_m softmax(l/T_m), 16 temperatures, by the mean over 15 clusters of |mean p
    - mean outcome| in windows of 201 sorted probabilities of all classes
    Reference: Huang, Cao, Xia, Chen, Wang and Zhang 2025

    Parameters
    ----------
    temperatures : int, default 16
        number of temperatures of the mixture (1 to 1000)
    epochs : int, default 2000
        largest number of passes over the calibration set (1 or more)
    patience : int, default 160
        epochs in which the ECE is above its least value so far, after which training ends, with
        either select (1 or more)
    select : str, default 'ece'
        the epoch returned: the least debiased ECE, or the least NLL (ece or nll)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'h-calibration'
    _version = 2
    _options = {'temperatures': 'temperatures', 'epochs': 'epochs', 'patience': 'patience', 'select': 'select'}

    def __init__(self, *, temperatures: int = 16, epochs: int = 2000, patience: int = 160, select: str = 'ece', kind: str | None = None) -> None:
        self.temperatures = temperatures
        self.epochs = epochs
        self.patience = patience
        self.select = select
        self.kind = kind


class GC(Calibrator):
    """GC (one set): gc-split with groups and temperatures on the same calibration rows.

    Formula: gc-split with groups and temperatures on the same rows
    Reference: Yang, Zhan and Gan 2023

    Parameters
    ----------
    groups : int, default 2
        number of groups of a partition (1 to 100)
    partitions : int, default 20
        number of partitions, which are averaged (1 to 1000)
    weight_decay : float, default 0.1
        penalty of the mean of W^2 (0 to 1e+06)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'gc'
    _version = 5
    _options = {'groups': 'groups', 'partitions': 'partitions', 'weight_decay': 'weight_decay'}
    _cal = ('features',)
    _test = ('features',)

    def __init__(self, *, groups: int = 2, partitions: int = 20, weight_decay: float = 0.1, kind: str | None = None) -> None:
        self.groups = groups
        self.partitions = partitions
        self.weight_decay = weight_decay
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        features: n x d features of the rows
        """
        return self._fit(logits, labels, classes, ignore, {'features': features})

    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = np.float64) -> np.ndarray:
        """Return the probabilities of the rows, n x k. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._apply(logits, {'features': features}, dtype)

    def predict(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the predicted class of every row. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._predicted(logits, {'features': features})

    def temperature(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the temperature of every row. An error for a method that has none. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._temperature(logits, {'features': features})

    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None) -> Any:
        """Return metrics of the calibrated rows, as Calibrator.score says. Besides it takes:

        features: n x d features of the rows
        """
        return self._score(logits, labels, {'features': features}, metrics, interval, ignore)


class GCSplit(Calibrator):
    """GC: a temperature for each group of features, averaged over partitions; groups learnt on one
    half of the calibration set, temperatures on the other.

    Formula: p = mean over 20 partitions of softmax(l/T_g), g = argmax W h; W by the NLL of the
    mixture sum_g softmax(W h)_g softmax(l/tau_g) + 0.1 mean W^2, T_g that of ts on the rows of g
    Reference: Yang, Zhan and Gan 2023

    Parameters
    ----------
    groups : int, default 2
        number of groups of a partition (1 to 100)
    partitions : int, default 20
        number of partitions, which are averaged (1 to 1000)
    weight_decay : float, default 0.1
        penalty of the mean of W^2 (0 to 1e+06)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'gc-split'
    _version = 5
    _options = {'groups': 'groups', 'partitions': 'partitions', 'weight_decay': 'weight_decay'}
    _cal = ('features',)
    _test = ('features',)

    def __init__(self, *, groups: int = 2, partitions: int = 20, weight_decay: float = 0.1, kind: str | None = None) -> None:
        self.groups = groups
        self.partitions = partitions
        self.weight_decay = weight_decay
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        features: n x d features of the rows
        """
        return self._fit(logits, labels, classes, ignore, {'features': features})

    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = np.float64) -> np.ndarray:
        """Return the probabilities of the rows, n x k. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._apply(logits, {'features': features}, dtype)

    def predict(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the predicted class of every row. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._predicted(logits, {'features': features})

    def temperature(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the temperature of every row. An error for a method that has none. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._temperature(logits, {'features': features})

    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None) -> Any:
        """Return metrics of the calibrated rows, as Calibrator.score says. Besides it takes:

        features: n x d features of the rows
        """
        return self._score(logits, labels, {'features': features}, metrics, interval, ignore)


class FeatClip(Calibrator):
    """FeatClip: features clipped at one threshold, then the last layer of the network.

    Formula: p = softmax(W clip(h, -c, c) + b), c of 0.01, 0.02, ..., 20 with the least NLL that
    keeps 99 % of the accuracy
    Reference: Tao, Dong and Xu 2025

    Parameters
    ----------
    sides : int, default 2
        2 clips features to [-c, c], 1 to at most c (1 to 2)
    guard : float, default 0.99
        share of the original accuracy that must be exceeded (0 to 1)
    criterion : str, default 'nll'
        the criterion, which is minimised on the calibration set (nll or ece)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'featclip'
    _version = 1
    _options = {'sides': 'sides', 'guard': 'guard', 'criterion': 'criterion'}
    _cal = ('features', 'head_weight', 'head_bias')
    _test = ('features', 'head_weight', 'head_bias')

    def __init__(self, *, sides: int = 2, guard: float = 0.99, criterion: str = 'nll', kind: str | None = None) -> None:
        self.sides = sides
        self.guard = guard
        self.criterion = criterion
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, features: Any, head_weight: Any, head_bias: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        features: n x d features of the rows
        head_weight: k x d weights of the network's last layer
        head_bias: its k offsets
        """
        return self._fit(logits, labels, classes, ignore, {'features': features, 'head_weight': head_weight, 'head_bias': head_bias})

    def predict_proba(self, logits: Any, *, features: Any, head_weight: Any, head_bias: Any, dtype: Any = np.float64) -> np.ndarray:
        """Return the probabilities of the rows, n x k. Besides logits it takes:

        features: n x d features of the rows
        head_weight: k x d weights of the network's last layer
        head_bias: its k offsets
        """
        return self._apply(logits, {'features': features, 'head_weight': head_weight, 'head_bias': head_bias}, dtype)

    def predict(self, logits: Any, *, features: Any, head_weight: Any, head_bias: Any) -> np.ndarray:
        """Return the predicted class of every row. Besides logits it takes:

        features: n x d features of the rows
        head_weight: k x d weights of the network's last layer
        head_bias: its k offsets
        """
        return self._predicted(logits, {'features': features, 'head_weight': head_weight, 'head_bias': head_bias})

    def temperature(self, logits: Any, *, features: Any, head_weight: Any, head_bias: Any) -> np.ndarray:
        """Return the temperature of every row. An error for a method that has none. Besides logits it takes:

        features: n x d features of the rows
        head_weight: k x d weights of the network's last layer
        head_bias: its k offsets
        """
        return self._temperature(logits, {'features': features, 'head_weight': head_weight, 'head_bias': head_bias})

    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, head_weight: Any, head_bias: Any, interval: str | None = None, ignore: Any = None) -> Any:
        """Return metrics of the calibrated rows, as Calibrator.score says. Besides it takes:

        features: n x d features of the rows
        head_weight: k x d weights of the network's last layer
        head_bias: its k offsets
        """
        return self._score(logits, labels, {'features': features, 'head_weight': head_weight, 'head_bias': head_bias}, metrics, interval, ignore)


class DAC(Calibrator):
    """DAC: temperature linear in the distance of the features to their neighbours among the
    calibration rows.

    Formula: p = softmax(l/T), T = max(w s + w0, .001), s the squared distance of h/|h| to its K-th
    neighbour in the bank; by mean NLL
    Reference: Tomani, Waseda, Shen and Cremers 2023

    Parameters
    ----------
    neighbours : int | None
        K: distances are to the K-th neighbour; unset: 1 for each 1,000 rows of the bank (1 to
        100000)
    bank : int, default 10000
        most calibration rows among which neighbours are searched (1 to 1000000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'dac'
    _version = 4
    _options = {'neighbours': 'neighbours', 'bank': 'bank'}
    _cal = ('features',)
    _test = ('features',)

    def __init__(self, *, neighbours: int | None = None, bank: int = 10000, kind: str | None = None) -> None:
        self.neighbours = neighbours
        self.bank = bank
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        features: n x d features of the rows
        """
        return self._fit(logits, labels, classes, ignore, {'features': features})

    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = np.float64) -> np.ndarray:
        """Return the probabilities of the rows, n x k. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._apply(logits, {'features': features}, dtype)

    def predict(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the predicted class of every row. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._predicted(logits, {'features': features})

    def temperature(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the temperature of every row. An error for a method that has none. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._temperature(logits, {'features': features})

    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None) -> Any:
        """Return metrics of the calibrated rows, as Calibrator.score says. Besides it takes:

        features: n x d features of the rows
        """
        return self._score(logits, labels, {'features': features}, metrics, interval, ignore)


class ProCal(Calibrator):
    """ProCal: confidence by the densities of confidence and proximity among right and wrong rows; a
    top-label method.

    Formula: confidence n1 f1/(n1 f1 + n0 f0), f1 and f0 kernel densities of (confidence, r) among
    right and wrong rows, r the mean of exp(-s) over the 10 nearest neighbours, s as in dac
    Reference: Xiong, Deng, Koh, Wu, Li, Xu and Hooi 2023
    It gives the predicted class a new confidence; the other classes share the rest in their old
    proportions.

    Parameters
    ----------
    neighbours : int, default 10
        K: proximity is a mean over the K nearest neighbours (1 to 1000)
    bank : int, default 10000
        most calibration rows among which neighbours are searched (1 to 1000000)
    base : str, default 'none'
        where the confidence comes from: the softmax, or temperature scaling (none or ts)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'procal'
    _version = 3
    _options = {'neighbours': 'neighbours', 'bank': 'bank', 'base': 'base'}
    _cal = ('features',)
    _test = ('features',)
    _top_label = True

    def __init__(self, *, neighbours: int = 10, bank: int = 10000, base: str = 'none', kind: str | None = None) -> None:
        self.neighbours = neighbours
        self.bank = bank
        self.base = base
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        features: n x d features of the rows
        """
        return self._fit(logits, labels, classes, ignore, {'features': features})

    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = np.float64) -> np.ndarray:
        """Return the probabilities of the rows, n x k. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._apply(logits, {'features': features}, dtype)

    def predict(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the predicted class of every row. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._predicted(logits, {'features': features})

    def temperature(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the temperature of every row. An error for a method that has none. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._temperature(logits, {'features': features})

    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None) -> Any:
        """Return metrics of the calibrated rows, as Calibrator.score says. Besides it takes:

        features: n x d features of the rows
        """
        return self._score(logits, labels, {'features': features}, metrics, interval, ignore)


class ProCalBins(Calibrator):
    """ProCal (bins): isotonic regression (ir) in each of five groups of equal size by proximity.

    Formula: ir in each of 5 groups of rows, split at the quantiles of the proximity r of procal
    Reference: Xiong, Deng, Koh, Wu, Li, Xu and Hooi 2023

    Parameters
    ----------
    groups : int, default 5
        number of groups of equal size by proximity (1 to 100)
    neighbours : int, default 10
        K: proximity is a mean over the K nearest neighbours (1 to 1000)
    bank : int, default 10000
        most calibration rows among which neighbours are searched (1 to 1000000)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'procal-bins'
    _version = 3
    _options = {'groups': 'groups', 'neighbours': 'neighbours', 'bank': 'bank'}
    _cal = ('features',)
    _test = ('features',)

    def __init__(self, *, groups: int = 5, neighbours: int = 10, bank: int = 10000, kind: str | None = None) -> None:
        self.groups = groups
        self.neighbours = neighbours
        self.bank = bank
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        features: n x d features of the rows
        """
        return self._fit(logits, labels, classes, ignore, {'features': features})

    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = np.float64) -> np.ndarray:
        """Return the probabilities of the rows, n x k. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._apply(logits, {'features': features}, dtype)

    def predict(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the predicted class of every row. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._predicted(logits, {'features': features})

    def temperature(self, logits: Any, *, features: Any) -> np.ndarray:
        """Return the temperature of every row. An error for a method that has none. Besides logits it takes:

        features: n x d features of the rows
        """
        return self._temperature(logits, {'features': features})

    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None) -> Any:
        """Return metrics of the calibrated rows, as Calibrator.score says. Besides it takes:

        features: n x d features of the rows
        """
        return self._score(logits, labels, {'features': features}, metrics, interval, ignore)


class HFE(Calibrator):
    """HFE: temperature from the energy of the row, fitted with out-of-distribution samples.

    Formula: p = softmax(l/T), T = max(T0 - theta_1 N_o(F) + theta_2 N_x(F), 0.001), F =
    -logsumexp(l), N_o and N_x normal densities of the energies of right rows and of wrong and OOD
    rows, T0 of ts
    Reference: Kim and Kwon 2024
    It reads true logits: log-probabilities are an error.

    Parameters
    ----------
    m : int | None
        out-of-distribution rows used, 0 for all; unset: 2 % of the calibration rows for 10 classes,
        8 % for 100, 14 % for 1000 (0 or more)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'hfe'
    _version = 5
    _options = {'m': 'm'}
    _cal = ('ood_logits',)

    def __init__(self, *, m: int | None = None, kind: str | None = None) -> None:
        self.m = m
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, ood_logits: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        ood_logits: m x k logits of out-of-distribution rows
        """
        return self._fit(logits, labels, classes, ignore, {'ood_logits': ood_logits})


class HFENoOOD(Calibrator):
    """HFE (no OOD): temperature from the energy of the row, without out-of-distribution samples.

    Formula: hfe without OOD rows
    Reference: Kim and Kwon 2024
    It reads true logits: log-probabilities are an error.

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'hfe-noood'
    _version = 5

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class HFETarget(Calibrator):
    """HFE (target): temperature from the energy of the row, fitted with unlabelled target samples
    in place of out-of-distribution samples.

    Formula: hfe with unlabelled rows of the target domain in place of OOD rows
    Reference: Kim and Kwon 2024, as described in the QaTS paper
    It reads true logits: log-probabilities are an error.

    Parameters
    ----------
    m : int | None
        out-of-distribution rows used, 0 for all; unset: 2 % of the calibration rows for 10 classes,
        8 % for 100, 14 % for 1000 (0 or more)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'hfe-target'
    _version = 5
    _options = {'m': 'm'}
    _cal = ('target_logits',)

    def __init__(self, *, m: int | None = None, kind: str | None = None) -> None:
        self.m = m
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, target_logits: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        target_logits: m x k logits of unlabelled rows of the set that will be predicted
        """
        return self._fit(logits, labels, classes, ignore, {'target_logits': target_logits})


class LabelShift(Calibrator):
    """Label shift (EM): class shares of the target estimated by EM from unlabelled target samples,
    after bias-corrected temperature scaling.

    Formula: q_j = w_j p_j / sum of the same, p = softmax(l/T + b), w_j = pi_j / mean of p_j over
    the calibration rows, pi at the maximum of the likelihood of the target rows, by EM
    Reference: Saerens, Latinne and Decaestecker 2002; Alexandari, Kundaje and Shrikumar 2020

    Parameters
    ----------
    calibration : str, default 'bcts'
        calibration before the correction (bcts or ts or none)
    steps : int, default 100
        most steps of EM (1 to 100000)
    tolerance : float, default 1e-06
        largest change of a share in the last step of EM (1e-15 to 1)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'label-shift'
    _version = 4
    _options = {'calibration': 'calibration', 'steps': 'steps', 'tolerance': 'tolerance'}
    _cal = ('target_logits',)

    def __init__(self, *, calibration: str = 'bcts', steps: int = 100, tolerance: float = 1e-06, kind: str | None = None) -> None:
        self.calibration = calibration
        self.steps = steps
        self.tolerance = tolerance
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, target_logits: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        target_logits: m x k logits of unlabelled rows of the set that will be predicted
        """
        return self._fit(logits, labels, classes, ignore, {'target_logits': target_logits})


class QaTS(Calibrator):
    """QaTS: temperature linear in the confidence rank, a (1-q) + b with a >= 0, b >= 0.001.

    Formula: p = softmax(l/T), T = a (1-q) + b, a >= 0, b >= 0.001 min(1, spread), q the rank of the
    confidence among the calibration rows, by mean NLL; spread as in ts
    Reference: QaTS, Eqs. 5, 6 and 10

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'qats'
    _version = 3

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class QaTSPW(Calibrator):
    """QaTS-PW: falling temperature, piecewise linear in the confidence rank.

    Formula: p = softmax(l/T), T(q) piecewise linear and falling between S+1 uniform knots, by mean
    NLL
    Reference: QaTS, supplement, piecewise linear function

    Parameters
    ----------
    segments : int, default 4
        number of segments of the curve (1 to 100)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'qats-pw'
    _version = 3
    _options = {'segments': 'segments'}

    def __init__(self, *, segments: int = 4, kind: str | None = None) -> None:
        self.segments = segments
        self.kind = kind


class QaTSFree(Calibrator):
    """QaTS free: qats without a >= 0: the temperature may rise with confidence.

    Formula: qats with T >= 0.001 at both ends in place of a >= 0
    Reference: variant of QaTS, Eq. 6

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'qats-free'
    _version = 4

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class QaTSPWFree(Calibrator):
    """QaTS-PW free: rising or falling temperature, piecewise linear in the confidence rank.

    Formula: qats-pw whose T may rise, each knot >= 0.001
    Reference: variant of QaTS, supplement, piecewise linear function

    Parameters
    ----------
    segments : int, default 4
        number of segments of the curve (1 to 100)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'qats-pw-free'
    _version = 4
    _options = {'segments': 'segments'}

    def __init__(self, *, segments: int = 4, kind: str | None = None) -> None:
        self.segments = segments
        self.kind = kind


class QaTSTransductive(Calibrator):
    """QaTS (trans): a and b of qats, ranks among the unlabelled target rows.

    Formula: qats with q the rank of the confidence among unlabelled target rows
    Reference: variant of QaTS, Eq. 5

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'qats-transductive'
    _version = 3
    _cal = ('target_logits',)

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind

    def fit(self, logits: Any, labels: Any, *, target_logits: Any, classes: Any = None, ignore: Any = None) -> Self:
        """Fit the method, as Calibrator.fit says. Besides it takes:

        target_logits: m x k logits of unlabelled rows of the set that will be predicted
        """
        return self._fit(logits, labels, classes, ignore, {'target_logits': target_logits})


class QaTSReading(Calibrator):
    """QaTS (reading): qats by the Brier score, with a rising temperature, or by some steps of Adam.

    Formula: qats with the mean Brier score as the loss, with T = a q + b, with T = b, or after a
    number of steps of Adam from a = b = 1, where a = softplus(u), b = 0.001 + softplus(v)
    Reference: variant of QaTS, Eqs. 6 and 10

    Parameters
    ----------
    loss : str, default 'nll'
        what is minimised: the mean NLL, or the mean Brier score over all classes (nll or brier)
    form : str, default 'falling'
        the temperature: a (1-q) + b, a q + b, or b (falling or rising or constant)
    solver : str, default 'newton'
        Newton's method to the minimum, or steps of Adam from a = b = 1 (newton or adam)
    steps : int, default 200
        steps of Adam (1 to 10000)
    rate : float, default 0.01
        learning rate of Adam (above 0, at most 1)
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 'qats-reading'
    _version = 2
    _options = {'loss': 'loss', 'form': 'form', 'solver': 'solver', 'steps': 'steps', 'rate': 'rate'}

    def __init__(self, *, loss: str = 'nll', form: str = 'falling', solver: str = 'newton', steps: int = 200, rate: float = 0.01, kind: str | None = None) -> None:
        self.loss = loss
        self.form = form
        self.solver = solver
        self.steps = steps
        self.rate = rate
        self.kind = kind


class TConf(Calibrator):
    """T(conf): qats with the confidence in place of the confidence rank.

    Formula: qats with s = conf in place of q
    Reference: ablation of QaTS, Eq. 6

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 't-conf'
    _version = 2

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class TEntropy(Calibrator):
    """T(entropy): qats with the normalised entropy in place of the confidence rank.

    Formula: qats with s = 1 - entropy(softmax(l)) / log k in place of q
    Reference: ablation of QaTS, Eq. 6; covariate of Balanya, Maronas and Ramos 2024

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 't-entropy'
    _version = 2

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


class TGap(Calibrator):
    """T(gap): qats with the gap between the two largest logits in place of the confidence rank.

    Formula: qats with s = min(g/G, 1) in place of q, g the gap between the two largest logits, G
    the largest g of the calibration set
    Reference: ablation of QaTS, Eq. 6; covariate of Guo et al. 2026

    Parameters
    ----------
    kind : str | None
        what the rows are: logits, log-probs or probs; None: logits, and probabilities are an error
    """

    _name = 't-gap'
    _version = 2

    def __init__(self, *, kind: str | None = None) -> None:
        self.kind = kind


CLASSES = {
    'uncal': Uncal,
    'ts': TS,
    'ts-guo50': TSGuo50,
    'ts-ecegrid': TSECEGrid,
    'ec': EC,
    'cts': CTS,
    'ets': ETS,
    'ir': IR,
    'ir-top': IRTop,
    'irova': IROvA,
    'cir': CIR,
    'ivap': IVAP,
    'cvap': CVAP,
    'hb': HB,
    'hb-mass': HBMass,
    'hb-top': HBTop,
    'bbq': BBQ,
    'scaling-binning': ScalingBinning,
    'scaling-binning-top': ScalingBinningTop,
    'spline': Spline,
    'smoothing-spline': SmoothingSpline,
    'kernel': Kernel,
    'platt': Platt,
    'platt-logits': PlattLogits,
    'quadratic': Quadratic,
    'beta': Beta,
    'vs': VS,
    'svs': SVS,
    'sms': SMS,
    'dirichlet': Dirichlet,
    'ms-odir': MSODIR,
    'tta-ts': TTATS,
    'adats': AdaTS,
    'hts': HTS,
    'bts': BTS,
    'cbt': CBT,
    'pts': PTS,
    'smart': SMART,
    'h-calibration': HCalibration,
    'gc': GC,
    'gc-split': GCSplit,
    'featclip': FeatClip,
    'dac': DAC,
    'procal': ProCal,
    'procal-bins': ProCalBins,
    'hfe': HFE,
    'hfe-noood': HFENoOOD,
    'hfe-target': HFETarget,
    'label-shift': LabelShift,
    'qats': QaTS,
    'qats-pw': QaTSPW,
    'qats-free': QaTSFree,
    'qats-pw-free': QaTSPWFree,
    'qats-transductive': QaTSTransductive,
    'qats-reading': QaTSReading,
    't-conf': TConf,
    't-entropy': TEntropy,
    't-gap': TGap,
}

ALIASES = {
    'none': 'uncal',
    'uncalibrated': 'uncal',
    'softmax': 'uncal',
    'identity': 'uncal',
    'temperature-scaling': 'ts',
    'temperature': 'ts',
    'expectation-consistency': 'ec',
    'class-temperature-scaling': 'cts',
    'classwise-temperature-scaling': 'cts',
    'ensemble-temperature-scaling': 'ets',
    'isotonic': 'ir',
    'isotonic-regression': 'ir',
    'irm': 'ir',
    'isotonic-top': 'ir-top',
    'isotonic-ova': 'irova',
    'isotonic-one-vs-all': 'irova',
    'histogram-binning': 'hb',
    'hist-quantile': 'hb-mass',
    'spline-calibration': 'spline',
    'platt-scaling': 'platt',
    'sigmoid': 'platt',
    'beta-calibration': 'beta',
    'vector-scaling': 'vs',
    'dirichlet-calibration': 'dirichlet',
    'dir-odir': 'dirichlet',
    'matrix-scaling': 'ms-odir',
    'test-time-augmentation': 'tta-ts',
    'adaptive-temperature-scaling': 'adats',
    'entropy-temperature-scaling': 'hts',
    'bin-temperature-scaling': 'bts',
    'parameterized-temperature-scaling': 'pts',
    'hcal': 'h-calibration',
    'h-cal': 'h-calibration',
    'group-calibration': 'gc',
    'grouping-calibration': 'gc',
    'feature-clipping': 'featclip',
    'procal-dr': 'procal',
    'density-ratio': 'procal',
    'proximity': 'procal',
    'bin-mean-shift': 'procal-bins',
    'procal-bms': 'procal-bins',
    'helmholtz-free-energy': 'hfe',
    'quantile-adaptive-temperature-scaling': 'qats',
}

__all__ = [
    'Uncal',
    'TS',
    'TSGuo50',
    'TSECEGrid',
    'EC',
    'CTS',
    'ETS',
    'IR',
    'IRTop',
    'IROvA',
    'CIR',
    'IVAP',
    'CVAP',
    'HB',
    'HBMass',
    'HBTop',
    'BBQ',
    'ScalingBinning',
    'ScalingBinningTop',
    'Spline',
    'SmoothingSpline',
    'Kernel',
    'Platt',
    'PlattLogits',
    'Quadratic',
    'Beta',
    'VS',
    'SVS',
    'SMS',
    'Dirichlet',
    'MSODIR',
    'TTATS',
    'AdaTS',
    'HTS',
    'BTS',
    'CBT',
    'PTS',
    'SMART',
    'HCalibration',
    'GC',
    'GCSplit',
    'FeatClip',
    'DAC',
    'ProCal',
    'ProCalBins',
    'HFE',
    'HFENoOOD',
    'HFETarget',
    'LabelShift',
    'QaTS',
    'QaTSPW',
    'QaTSFree',
    'QaTSPWFree',
    'QaTSTransductive',
    'QaTSReading',
    'TConf',
    'TEntropy',
    'TGap',
]
