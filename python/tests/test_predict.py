"""Predictions in numpy: the same numbers as the program, without it."""

import os

import numpy as np
import pytest

import qatsbench
from qatsbench import _arrays, _maps, _methods, _program, _table

pytestmark = pytest.mark.filterwarnings("ignore::qatsbench.CalibrationWarning")

FORMS = sorted(_maps.MAPS)
TARGET = {"qats-transductive", "label-shift", "hfe-target"}


def fitted(name, z, y, kind=None):
    more = {"target_logits": z[:100]} if name in TARGET else {"ood_logits": z[:100]} if name == "hfe" else {}
    options = {"steps": 50} if name == "pts" else {"epochs": 20} if name == "smart" else {}
    return _methods.CLASSES[name](kind=kind, **options).fit(z, y, **more)


def by_program(c, rows, *words):
    return c._applied(c._rows(rows, {}), *words)


def in_numpy(c, rows, what="probabilities"):
    return c._in_numpy(c._rows(rows, {}), np.dtype(np.float64), what)


def agree(c, rows):
    got, want = in_numpy(c, rows), by_program(c, rows)
    np.testing.assert_allclose(got, want, atol=1e-9, rtol=0)
    np.testing.assert_array_equal(got == 0, want == 0)
    return got


@pytest.mark.parametrize("name", FORMS)
def test_probabilities_and_temperatures_are_those_of_the_program(name, rows):
    z, y, zt = rows
    c = fitted(name, z, y)
    for part in (z, zt, zt.astype(np.float16), zt.astype(np.float64)):
        p = agree(c, part)
    for i in range(0, len(zt), 83):  # a row alone has the numbers that it has among others
        np.testing.assert_allclose(in_numpy(c, zt[i : i + 1])[0], p[i], atol=1e-12, rtol=0)
    if name in _maps._TEMPERED:
        np.testing.assert_allclose(in_numpy(c, zt, "temperature"), by_program(c, zt, "--temperature"), rtol=1e-9)
    two = fitted(name, z[:, :2], y % 2)
    agree(two, z[:, :2])


@pytest.mark.parametrize("name", FORMS)
def test_rows_with_masked_classes(name, rows):
    z, y, zt = rows
    c, zt = fitted(name, z, y), zt.copy()
    zt[::3, ::2] = -np.inf
    zt[7], zt[7, 3] = -np.inf, 0  # one class is left
    if name in _maps.MASKS:
        assert (agree(c, zt)[np.isinf(zt)] == 0).all()
    else:
        assert in_numpy(c, zt) is None
        with pytest.raises(qatsbench.InputError, match="needs the logit of every class"):
            c.predict_proba(zt)


@pytest.mark.parametrize("by", [1e5, 1e-6])
@pytest.mark.parametrize("name", FORMS)
def test_logits_of_an_unusual_size(name, by, rows):
    z, y, zt = rows[0] * np.float32(by), rows[1], rows[2] * np.float32(by)
    c = fitted(name, z, y)
    agree(c, zt)
    got, want = in_numpy(c, z), by_program(c, z)
    off = (np.abs(got - want) > 1e-9).any(axis=1).sum()
    # Tails of tiny logits are all near k - 1: a few agree to more digits than two programs do, which is one rank.
    assert off <= (2 if by < 1 and name.startswith("qats") else 0)


@pytest.mark.parametrize("name", sorted({*FORMS} - TARGET - {"hfe"}))
def test_probabilities_with_zeros(name, rows):
    z, y, _ = rows
    p = np.exp(z - z.max(axis=1, keepdims=True).astype(float))
    p[p < 1e-3] = 0
    p /= p.sum(axis=1, keepdims=True)
    if _methods.CLASSES[name]._true_logits:
        with pytest.raises(qatsbench.InputError, match="true logits"):
            fitted(name, p, y, "probs")
        return
    c = fitted(name, p, y, "probs")
    agree(c, p)
    one = fitted(name, p[:, 0], y == 0, "probs")
    agree(one, p[:, 0])
    log_odds = fitted(name, z[:, 0] - z[:, 1], y == 0, "logits")
    agree(log_odds, z[:, 0] - z[:, 1])


def test_ranks_are_those_of_the_program_on_many_rows(program):
    rng = np.random.default_rng(3)
    z = rng.normal(size=(20_000, 50)).astype(np.float32) * 4
    z[::2] = np.roll(z[1::2], 7, axis=1)  # pairs of rows with the same confidence, summed in another order
    c = qatsbench.QaTS().fit(z, z.argmax(1) ^ (rng.random(20_000) < 0.2))
    t = in_numpy(c, z, "temperature")
    np.testing.assert_array_equal(t[::2], t[1::2])
    np.testing.assert_allclose(t, by_program(c, z, "--temperature"), rtol=1e-12)  # one rank would be 5e-5


def test_no_process_is_started(rows, monkeypatch):
    z, y, zt = rows
    made = [fitted(name, z, y) for name in ("ts", "qats", "platt-logits", "irova", "vs")]
    monkeypatch.setenv("QATS_BIN", os.devnull)
    for c in made:
        assert c.predict_proba(zt).shape == (500, 20) and c.predict_proba(zt, dtype=np.float32).dtype == np.float32
        assert len(c.predict(zt[:1])) == 1
    assert made[1].temperature(zt).shape == (500,)
    with pytest.raises(qatsbench.ProgramError):
        made[0].predict_proba(zt, shares=np.full(20, 0.05))


@pytest.mark.parametrize(
    "spoil,message",
    [
        (lambda z: np.where(np.arange(20) == 3, np.nan, z), "row 0, class 3: NaN"),
        (lambda z: np.where(np.arange(20) == 3, np.inf, z), r"row 0, class 3: \+Inf"),
        (lambda z: np.full_like(z, -np.inf), "all logits of the row are -Inf"),
        (lambda z: np.exp(z) / np.exp(z).sum(1, keepdims=True), "these are probabilities"),
        (lambda z: z.astype(float) * 1e300, "row 0"),
    ],
)
def test_mistakes_are_named_by_the_program(spoil, message, rows):
    with pytest.raises(qatsbench.InputError, match=message):
        qatsbench.TS().fit(*rows[:2]).predict_proba(spoil(rows[2]))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda z: np.where(np.arange(20) == 3, -65504, z),  # a fill of masked classes
        lambda z: np.where(np.arange(20) == 3, -5e6, z),
        lambda z: z.astype(float) + 1e6,  # float32 loses the differences
        lambda z: np.abs(z) / np.abs(z).max(),
        lambda z: 100 * np.exp(z) / np.exp(z).sum(1, keepdims=True),
    ],
)
def test_what_the_program_reads_in_another_way_goes_to_it(spoil, rows):
    c, z = qatsbench.QaTS().fit(*rows[:2]), spoil(rows[2])
    assert in_numpy(c, z) is None
    with pytest.warns(qatsbench.CalibrationWarning):
        c.predict_proba(z)


def test_notes_are_those_of_the_program(rows):
    z, y, zt = rows
    p = np.round(np.exp(zt.astype(float)) / np.exp(zt.astype(float)).sum(1, keepdims=True), 4)
    masked = np.where(np.arange(20) == 3, -np.inf, zt)
    for c, part in ((qatsbench.TS().fit(z, y), masked), (qatsbench.TS(kind="probs").fit(p, rows[1][:500]), p)):
        said = []
        for ask in (in_numpy, by_program):
            with pytest.warns(qatsbench.CalibrationWarning) as w:
                ask(c, part)
            said.append([(str(x.message), x.message.kind, x.message.value) for x in w])
        assert said[0] == said[1] and said[0]


@pytest.mark.parametrize("name", FORMS)
def test_the_source_of_a_function_has_the_same_numbers(name, rows):
    z, y, zt = rows
    c = fitted(name, z, y)
    space = {}
    exec(c.to_numpy(), space)
    for part in (z, zt, zt[:1]):
        np.testing.assert_allclose(space["predict"](part), by_program(c, part), atol=1e-9, rtol=0)
    masked = np.where(np.arange(20) == 3, -np.inf, zt)
    if name in _maps.MASKS:
        np.testing.assert_allclose(space["predict"](masked), by_program(c, masked), atol=1e-9, rtol=0)
    else:
        with pytest.raises(ValueError, match="needs the logit of every class"):
            space["predict"](masked)


def test_a_curve_finds_its_pieces():
    rng = np.random.default_rng(0)
    for n, size in ((0, 300), (1, 300), (7, 300), (8, 1), (1000, 5000)):
        ends = np.sort(rng.random(n))
        x = np.concatenate([rng.random(size), ends])
        np.testing.assert_array_equal(_table._below(ends, x), np.searchsorted(ends, x))
        y, slope, anchor = rng.random((3, n + 1))
        slope[0] = 0
        i = np.array([(ends < v).sum() for v in x])
        want = y[i] + slope[i] * (2 * x - anchor[i])
        for order in "CF":
            both = np.asarray(np.stack([x, x[::-1]], 1), order=order)
            one = _table.curve(both, ends, np.array([0, n]), y, slope, anchor, 2 * both)
            two = _table.curve(both, np.tile(ends, 2), np.array([0, n, 2 * n]), *(np.tile(v, 2) for v in (y, slope, anchor)), 2 * both)
            np.testing.assert_array_equal(one, np.stack([want, want[::-1]], 1))
            np.testing.assert_array_equal(two, one)


def test_files_go_to_the_program(rows, tmp_path):
    np.save(tmp_path / "z.npy", rows[2])
    c = qatsbench.TS().fit(*rows[:2])
    np.testing.assert_allclose(c.predict_proba(tmp_path / "z.npy"), c.predict_proba(rows[2]), atol=1e-12)
    assert isinstance(_arrays.table(tmp_path / "z.npy", "logits"), _arrays.File) and _program.PROTOCOL
