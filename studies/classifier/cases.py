"""The cases of the study, fixed before a result was seen: each is a classifier, rows to fit and rows to judge.

Five are those of newcomers who tried the package, and twenty are others. Made rows are drawn anew for each seed; tables that
scikit-learn carries are divided anew.
"""

from collections import namedtuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.ensemble import AdaBoostClassifier, ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

Case = namedtuple("Case", "name sets_of estimator rows")  # rows(seed) gives rows and labels to fit, and to judge


def made(train, test, classes=2, shares=None, separation=0.8, flip=0.005, informative=8):
    """Rows of make_classification, of which the first are fitted."""

    def rows(seed):
        x, y = make_classification(train + test, 20, n_informative=informative, n_classes=classes, weights=shares, class_sep=separation,
                                   flip_y=flip, random_state=1000 + seed)
        return x[:train], y[:train], x[train:], y[train:]

    return rows


def carried(load, train):
    """A table of scikit-learn, of which a share is fitted."""

    def rows(seed):
        x, y = load(return_X_y=True)
        x, xt, y, yt = train_test_split(x, y, train_size=train, stratify=y, random_state=seed)
        return x, y, xt, yt

    return rows


def text(train, test):
    """Texts of 40 words; a tenth of the 500 words is of one class alone, so that the classes can be told apart."""

    def rows(seed):
        rng = np.random.default_rng(seed)
        words = np.array([f"w{i:03d}" for i in range(500)])
        share = 1 / np.arange(3, 503)
        y = rng.integers(0, 2, train + test)
        drawn = []
        for label in y:
            p = share.copy()
            p[(25 if label else 0):(50 if label else 25)] *= 0.2
            drawn.append(" ".join(rng.choice(words, 40, p=p / p.sum())))
        x = np.array(drawn, object)
        return x[:train], y[:train], x[train:], y[train:]

    return rows


def scaled(m):
    return make_pipeline(StandardScaler(), m)


FIVE = [
    Case("fraud", "five", RandomForestClassifier(100, random_state=0), made(6000, 6000, shares=[.98])),
    Case("balanced", "five", LogisticRegression(class_weight="balanced"), made(3000, 3000, shares=[.95])),
    Case("forest", "five", RandomForestClassifier(100, random_state=0), made(3000, 5000, shares=[.9])),
    Case("svc", "five", SVC(class_weight="balanced"), made(3000, 3000, shares=[.95])),
    Case("text", "five", make_pipeline(TfidfVectorizer(), LinearSVC()), text(180, 2000)),
]
OTHERS = [
    Case("boosting-2 %", "others", HistGradientBoostingClassifier(max_iter=60, random_state=0), made(4000, 4000, shares=[.98])),
    Case("extra-trees-10 %", "others", ExtraTreesClassifier(100, random_state=0), made(2000, 4000, shares=[.9], flip=.05)),
    Case("extra-trees-balanced-5 %", "others", ExtraTreesClassifier(100, class_weight="balanced", min_samples_leaf=5, random_state=0),
         made(2000, 4000, shares=[.95], flip=.02)),
    Case("neighbours-20 %", "others", scaled(KNeighborsClassifier()), made(1500, 4000, shares=[.8], flip=.05)),
    Case("naive-bayes-10 %", "others", GaussianNB(), made(2000, 4000, shares=[.9])),
    Case("naive-bayes-4", "others", GaussianNB(), made(2000, 4000, 4, separation=1., flip=.05)),
    Case("logistic-even", "others", LogisticRegression(), made(1000, 4000, flip=.1)),
    Case("logistic-10 %-small", "others", LogisticRegression(), made(300, 4000, shares=[.9], flip=.02)),
    Case("logistic-balanced-4", "others", LogisticRegression(class_weight="balanced"), made(1500, 4000, 4, [.7, .2, .07], 1.)),
    Case("linear-svc-30 %", "others", scaled(LinearSVC()), made(1000, 4000, shares=[.7], flip=.05)),
    Case("svc-3", "others", SVC(), made(1000, 4000, 3, separation=1., flip=.05)),
    Case("forest-4", "others", RandomForestClassifier(100, random_state=0), made(2000, 4000, 4, separation=1., flip=.05)),
    Case("forest-30 %-small", "others", RandomForestClassifier(100, random_state=0), made(300, 4000, shares=[.7], flip=.02)),
    Case("tree-20 %", "others", DecisionTreeClassifier(random_state=0), made(2000, 4000, shares=[.8], flip=.02)),
    Case("network-even", "others", scaled(MLPClassifier((32,), max_iter=100, random_state=0)), made(800, 4000, flip=.1)),
    Case("network-5", "others", scaled(MLPClassifier((32,), max_iter=100, random_state=0)), made(1000, 4000, 5, separation=1., flip=.05)),
    Case("adaboost-20 %", "others", AdaBoostClassifier(random_state=0), made(1500, 4000, shares=[.8], flip=.02)),
    Case("breast-cancer-forest", "others", RandomForestClassifier(100, random_state=0), carried(load_breast_cancer, .6)),
    Case("digits-linear-svc", "others", scaled(LinearSVC()), carried(load_digits, .5)),
    Case("iris-naive-bayes", "others", GaussianNB(), carried(load_iris, .5)),
]
CASES = FIVE + OTHERS
assert len(FIVE) == 5 and len(OTHERS) == 20
