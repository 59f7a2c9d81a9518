"""qatsbench.ece with options, and qatsbench.reliability, against plain loops over rows."""

import numpy as np
import pytest

import qatsbench


@pytest.fixture(scope="module")
def rows(program):
    """1200 rows of 3 classes; a multiple of every number of bins here."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(3), 1200)
    return p, rng.integers(0, 3, 1200)


def binned(conf, hit, n_bins, strategy):
    """(weights, gaps) of the bins with rows, by scikit-learn's edges, right-closed as ours."""
    if strategy == "uniform":
        edges = np.linspace(0, 1, n_bins + 1)
    else:
        edges = np.percentile(conf, np.linspace(0, 1, n_bins + 1) * 100)
    at = np.searchsorted(edges[1:-1], conf)
    n = np.bincount(at, minlength=n_bins)
    gap = (np.bincount(at, hit, n_bins) - np.bincount(at, conf, n_bins))[n > 0] / n[n > 0]
    return n[n > 0] / len(conf), np.abs(gap)


@pytest.mark.parametrize("positive", [None, 2])
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n_bins", [1, 10, 15, 30])
def test_ece_with_options_is_that_of_the_rows(rows, n_bins, strategy, positive):
    p, y = rows
    conf, hit = (p.max(1), p.argmax(1) == y) if positive is None else (p[:, positive], y == positive)
    weight, gap = binned(conf, hit, n_bins, strategy)
    want = {"l1": (weight * gap).sum(), "l2": np.sqrt((weight * gap**2).sum()), "max": gap.max()}
    for norm, value in want.items():
        assert qatsbench.ece(p, y, n_bins, strategy, norm, positive=positive) == pytest.approx(value, abs=1e-8), norm


def test_bins_are_those_of_scikit_learn(rows):
    calibration = pytest.importorskip("sklearn.calibration")
    p, y = rows
    share, mean = calibration.calibration_curve(y == 1, p[:, 1], n_bins=10, strategy="quantile")
    f = qatsbench.reliability(p, y, n_bins=10, strategy="quantile", positive=1).frame
    np.testing.assert_allclose(f["acc"], share, atol=1e-8)
    np.testing.assert_allclose(f["conf"], mean, atol=1e-8)


def test_one_class_of_two_in_every_form(rows):
    q, y = rows[0][:, 0], (rows[1] > 0).astype(int)
    want = qatsbench.ece(np.c_[1 - q, q], y, positive=1)
    assert qatsbench.ece(q, y, positive=1) == want
    assert qatsbench.ece(q, y == 1, positive=True) == want
    assert qatsbench.ece(q, np.array(["no", "yes"])[y], positive="yes", classes=["no", "yes"]) == want
    assert qatsbench.ece(1 - q, 1 - y, positive=0) == pytest.approx(want, abs=1e-8)


@pytest.mark.parametrize(
    "options, says",
    [
        ({"n_bins": 0}, "^n_bins: 0, want an integer from 1 to 10000$"),
        ({"n_bins": 2.5}, "^n_bins: 2.5, want an integer"),
        ({"strategy": "mass"}, "^strategy: 'mass', want one of uniform, quantile$"),
        ({"norm": "l3"}, "^norm: 'l3', want one of l1, l2, max$"),
        ({"positive": 7}, "^positive: 7 is no class; the classes are 0, 1, 2$"),
        ({"positive": 1, "kind": "logits"}, "^positive: needs p and y as arrays, with probabilities; load the file, or give softmax"),
    ],
)
def test_mistakes_in_options(rows, options, says):
    for call in (qatsbench.ece,) if "norm" in options else (qatsbench.ece, qatsbench.reliability):
        with pytest.raises(qatsbench.InputError, match=says):
            call(*rows, **options)


def test_a_number_that_is_no_probability_names_its_row(rows):
    p = rows[0].copy()
    p[5, 1] = 40
    with pytest.raises(
        qatsbench.InputError, match="^p: row 5: 40 is not a probability; of logits, give their softmax; of per cent, divide"
    ):
        qatsbench.ece(p, rows[1], positive=1)


def test_reliability_has_rows_gaps_and_intervals(rows):
    p, y = rows
    r = qatsbench.reliability(p, y)
    f = r.frame
    n, conf, acc = (np.asarray(f[c]) for c in ("n", "conf", "acc"))
    some = n > 0
    assert n.sum() == 1200 and list(f["lo"][1:]) == list(f["hi"][:-1])
    assert (n[some] / 1200 * np.abs(acc - conf)[some]).sum() == pytest.approx(r.ece, abs=1e-8) and r.ece == qatsbench.ece(p, y)
    np.testing.assert_allclose(np.asarray(f["gap"])[some], (acc - conf)[some])
    assert (np.asarray(f["acc_lo"])[some] <= acc[some]).all() and (acc[some] <= np.asarray(f["acc_hi"])[some]).all()
    z = 1.959963984540054
    i = int(np.argmax(n))
    middle, half = (
        (acc[i] + z**2 / 2 / n[i]) / (1 + z**2 / n[i]),
        z / (1 + z**2 / n[i]) * np.sqrt(acc[i] * (1 - acc[i]) / n[i] + z**2 / 4 / n[i] ** 2),
    )
    assert (f["acc_lo"][i], f["acc_hi"][i]) == pytest.approx((middle - half, middle + half), abs=1e-8)  # Wilson
    assert np.isnan(np.asarray(f["acc"], float)[~some]).all()


def test_mistakes_name_the_argument(rows):
    p, y = rows
    for args, place in {"before": ((2 * p, y, p), "p: row 0"), "after": ((p, y, 2 * p), "after: row 0")}.values():
        with pytest.raises(qatsbench.InputError, match="^" + place):
            qatsbench.reliability(*args)
    with pytest.raises(qatsbench.InputError, match=r"^p\['b'\]: row 0"):
        qatsbench.reliability({"a": p, "b": 2 * p}, y)
    with pytest.raises(qatsbench.InputError, match="^after: 10 rows, and y has"):
        qatsbench.reliability(p, y, p[:10])


def test_before_and_after_are_side_by_side(rows):
    pytest.importorskip("matplotlib").use("agg")
    import matplotlib.pyplot as plt

    p, y = rows
    q = 0.5 * p + 0.5 / 3
    r = qatsbench.reliability(p, y, after=q, n_bins=10)
    assert r.ece == {"before": qatsbench.ece(p, y, 10), "after": qatsbench.ece(q, y, 10)}
    assert list(dict.fromkeys(r.frame["name"])) == ["before", "after"] and len(r.frame["name"]) == 20
    assert repr(r).splitlines()[1].startswith("Reliability(after: ECE ")
    axes = r.plot()
    assert [a.get_title().splitlines()[0] for a in axes] == ["before", "after"] and len(axes[0].figure.axes) == 4
    heights = [bar.get_height() for bar in axes[1].patches]
    assert heights == [a for a, n in zip(r.frame["acc"][10:], r.frame["n"][10:]) if n]
    _, mine = plt.subplots()
    assert qatsbench.reliability({"mine": p}, y, positive=1).plot(mine) is mine and mine.get_ylabel() == "share of 1"
    with pytest.raises(qatsbench.InputError, match="^ax: one axes for 2 diagrams"):
        r.plot(mine)
    plt.close("all")


def inside(figure):
    """Whether all texts of a figure are inside it."""
    figure.canvas.draw()
    box = figure.get_tightbbox()
    return 0 <= box.x0 and box.x1 <= figure.get_figwidth() and 0 <= box.y0 and box.y1 <= figure.get_figheight()


def test_an_outlier_does_not_flatten_the_rest_and_nothing_is_cut(text):
    pytest.importorskip("matplotlib").use("agg")
    import matplotlib.pyplot as plt

    r = qatsbench.recommend(cal=text[:2], test=text[2:], methods=["qats", "platt-logits"], progress=False)
    of = {p["method"]: p for p in r._pairs if p["metric"] == "nll"}
    before = r.plot().get_xlim()
    of["uncal"].update(difference=1e6, lo=9e5, hi=2e6)
    ax = r.plot()
    assert ax.get_xlim()[1] < 10 * abs(before[1]) and "+1e+06" in [t.get_text() for t in ax.texts]
    assert of["qats"]["lo"] >= ax.get_xlim()[0] and inside(ax.figure)
    assert inside(r.reliability()[0].figure) and [a.get_title().splitlines()[0] for a in r.reliability("qats")] == ["Uncal", "QaTS"]
    plt.close("all")


def test_a_figure_takes_a_title(rows):
    pytest.importorskip("matplotlib").use("agg")
    import matplotlib.pyplot as plt

    p, y = rows
    r = qatsbench.reliability(p, y)
    assert r.plot(title="Before").figure.get_suptitle() == "Before"
    _, mine = plt.subplots()
    assert r.plot(ax=mine, title="Mine").get_title() == "Mine"
    plt.close("all")
