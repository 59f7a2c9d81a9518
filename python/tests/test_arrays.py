"""What users pass as arrays."""

import json
import os
import struct
import sys

import numpy as np
import pytest

import qatsbench
from qatsbench import _arrays, _safetensors


def stream(arrays):
    """Decode a stream by the format's description."""
    raw = b"".join(bytes(part) for part in _safetensors.stream(arrays))
    length = struct.unpack("<Q", raw[:8])[0]
    assert length % 8 == 0
    body, at, out = raw[8 + length :], 0, {}
    for name, t in json.loads(raw[8 : 8 + length]).items():
        lo, hi = t["data_offsets"]
        assert lo == at
        at = hi
        kind = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I64": "<i8", "U8": "u1", "BOOL": "?"}[t["dtype"]]
        out[name] = np.frombuffer(body[lo:hi], kind).reshape(t["shape"])
    assert at == len(body)
    return out


BASE = np.arange(24, dtype=np.float64).reshape(6, 4) / 7


@pytest.mark.parametrize(
    "a",
    [
        BASE,
        BASE.astype(np.float32),
        BASE.astype(np.float16),
        BASE.astype(">f4"),
        np.asfortranarray(BASE),
        BASE[::2],
        BASE[:, ::-1],
        BASE.T,
        np.arange(6),
        np.arange(6, dtype=np.uint8),
        np.array([True, False]),
        BASE.reshape(2, 3, 4),
        BASE.reshape(2, 3, 4).transpose(2, 1, 0),
    ],
    ids=lambda a: f"{a.dtype.str}{a.shape}{a.strides}",
)
def test_a_stream_holds_the_numbers_of_every_layout(a):
    np.testing.assert_array_equal(stream({"x": a, "y": np.arange(3)})["x"], a)


def test_a_contiguous_array_is_not_copied():
    parts = list(_safetensors.stream({"x": BASE}))
    assert np.shares_memory(np.frombuffer(parts[1], np.float64), BASE)


def test_an_array_in_another_order_is_copied_in_blocks():
    a = np.asfortranarray(np.ones((300_000, 4)))
    assert max(len(part) for part in _safetensors.stream({"x": a})) <= 1 << 20


@pytest.mark.parametrize(
    "value, want",
    [
        ([[1, 2], [3, 4]], np.float64),
        (np.ones((2, 2), np.float16), np.float16),
        (np.ones((2, 2), np.int8), np.float64),
        (np.ones((2, 2), np.longdouble), np.float64),
        (np.asmatrix([[1.0, 2], [3, 4]]), np.float64),
    ],
)
def test_what_a_table_can_be(value, want):
    a = _arrays.table(value, "logits")
    assert a.dtype == want and a.shape == (2, 2)


@pytest.mark.parametrize(
    "value, says",
    [
        (np.ones((2, 3, 4)), "logits: 3 dimensions, want n x k; reshape it by logits.reshape(-1, 4)"),
        (np.ones(3), "logits: 1 dimension, want n x k; of two classes in one number a row, kind='probs' or kind='logits' says what it is"),
        (1.0, "logits: a number, want n x k"),
        (None, "logits: None, want n x k"),
        ({"a": [1.0]}, "logits: dict, want an array"),
        (iter([[1.0, 2.0]]), "logits: list_iterator, want an array"),
        (
            np.c_[np.zeros((10, 2)), np.arange(10)],
            "logits: column 2 is an index of the rows and no class; leave it out: np.delete(logits, 2, 1)",
        ),
        (np.ones((0, 3)), "logits: shape (0, 3) has no numbers, want n x k"),
        ([[1, 2], [3]], "logits: rows of different lengths"),
        (np.ones((2, 2), complex), "logits: dtype complex128, want floating-point numbers"),
        (np.ones((2, 2), bool), "logits: dtype bool, want floating-point numbers"),
        ([["a", "b"]], "logits: dtype <U1, want floating-point numbers"),
        ([[None, 1.0], [{}, 2.0]], "logits: dtype object, want numbers"),
        (np.ma.masked_equal([[1.0, 2], [3, 4]], 3), "logits: a masked array with masked numbers; remove their rows"),
        ([np.ma.masked_equal([1.0, 2], 2), [3, 4]], "logits: a masked array with masked numbers; remove their rows"),
        ([[1.0, np.ma.masked], [3, 4]], "logits: a masked array with masked numbers; remove their rows"),
        (np.ones((2, 3, 4, 5)), "logits: 4 dimensions, want n x k; reshape it by np.moveaxis(logits, 1, -1).reshape(-1, 3)"),
    ],
)
def test_what_is_no_table_names_the_argument(value, says):
    with pytest.raises(qatsbench.InputError) as e:
        _arrays.table(value, "logits")
    assert str(e.value) == says
    assert isinstance(e.value, ValueError)


def test_columns_of_a_frame_that_are_no_classes_are_named():
    pandas = pytest.importorskip("pandas")
    z = pandas.DataFrame(np.random.default_rng(0).normal(size=(12, 3)), columns=list("abc"))
    for frame, says in {
        "index": (z.reset_index(), "column 'index' is an index of the rows and no class; leave it out: logits.drop(columns='index')"),
        "a part": (
            z.reset_index(names="Unnamed: 0").iloc[[5, 3]],
            "column 'Unnamed: 0' is an index of the rows and no class; leave it out: logits.drop(columns='Unnamed: 0')",
        ),
        "from 1": (
            z.assign(row=range(1, 13)),
            "column 'row' is an index of the rows and no class; leave it out: logits.drop(columns='row')",
        ),
        "words": (z.assign(file="x.png"), "column 'file' has 'x.png', want numbers; leave it out: logits.drop(columns='file')"),
        "words alone": (z.astype(str)[["a"]].assign(a="cat"), "column 'a' has 'cat', want numbers; leave it out: logits.drop(columns='a')"),
    }.values():
        with pytest.raises(qatsbench.InputError) as e:
            _arrays.table(frame, "logits")
        assert str(e.value) == "logits: " + says


def test_tensors_that_are_no_table():
    torch = pytest.importorskip("torch")
    z, y = torch.zeros(4, 3), torch.tensor([0, 1, 2, 0])
    np.testing.assert_array_equal(_arrays.table(z.to(torch.float8_e4m3fn), "logits"), z)
    for value, says in {
        "batches": ([z, z[:2]], "^logits: 2 tables, want one; join them by torch.cat\\(logits\\)$"),
        "arrays": ([z.numpy(), z.numpy()], "^logits: 2 tables, want one; join them by np.concatenate\\(logits\\)$"),
        "sparse": (z.to_sparse(), "^logits: .*Sparse.*to_dense"),
        "no data": (z.to("meta"), "^logits: .*no data"),
    }.values():
        with pytest.raises(qatsbench.InputError, match=says):
            _arrays.table(value, "logits")
    with pytest.raises(qatsbench.InputError, match=r"convert them by \.long\(\)$"):
        _arrays.labels(y.float(), 4, 3)


def test_exchanged_arguments_are_said(small):
    z, y = small
    with pytest.raises(
        qatsbench.InputError, match="^logits: these look like labels, and labels has 3 numbers a row; exchange the two: logits comes first"
    ):
        qatsbench.TS().fit(y, z)
    with pytest.raises(qatsbench.InputError, match="^cal_logits: these look like labels, and .*: logits comes first, then labels$"):
        qatsbench.recommend((y, z))
    for score in (qatsbench.metrics, qatsbench.ece, qatsbench.reliability):
        with pytest.raises(
            qatsbench.InputError, match="^p: these look like labels, and y has 3 numbers a row; exchange the two: p comes first, then y$"
        ):
            score(y, z)


def test_a_sparse_matrix_is_an_error():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(qatsbench.InputError, match="logits: a sparse matrix"):
        _arrays.table(sparse.eye(3).tocsr(), "logits")


def test_tensors_and_frames_are_tables():
    torch, pandas = pytest.importorskip("torch"), pytest.importorskip("pandas")
    want = np.array([[1.0, 2], [3, 4]])
    values = [
        torch.tensor(want),
        torch.tensor(want, requires_grad=True),
        torch.tensor(want).half(),
        torch.tensor(want).bfloat16(),
        torch.tensor(want.T).T,
        pandas.DataFrame(want),
        pandas.DataFrame({"a": pandas.array([1.0, 3.0], "Float64"), "b": [2, 4]}),
        pandas.DataFrame(want).astype(np.float32),
    ]
    for value in values:
        np.testing.assert_array_equal(_arrays.table(value, "logits"), want)


@pytest.mark.parametrize(
    "value, k, classes, codes, named",
    [
        ([0, 2, 1], 3, None, [0, 2, 1], [0, 1, 2]),
        (np.array([1, 0], np.uint8), 2, None, [1, 0], [0, 1]),
        ([True, False], 2, None, [1, 0], [False, True]),
        (["b", "a"], 3, ["a", "b", "c"], [1, 0], ["a", "b", "c"]),
        (["dog", "cat"], 2, ["dog", "cat"], [0, 1], ["dog", "cat"]),
        ([30, 10], 3, [10, 20, 30], [2, 0], [10, 20, 30]),
    ],
)
def test_what_labels_can_be(value, k, classes, codes, named):
    got, names = _arrays.labels(value, len(value), k, classes)
    assert got.tolist() == codes and names.tolist() == named


@pytest.mark.parametrize(
    "value, n, k, classes, says",
    [
        ([0, 1], 3, 2, None, "labels: 2 labels for 3 rows; rows and classes look exchanged: transpose the other array by .T"),
        (np.array([[0], [1]]), 2, 2, None, "labels: 2 dimensions, want n class indices; reshape it by labels.reshape(-1)"),
        ([[0], [1]], 2, 2, None, "labels: 2 dimensions, want n class indices; reshape it by np.asarray(labels).reshape(-1)"),
        (None, 2, 2, None, "labels: None, want n labels"),
        ({0: 1}, 2, 2, None, "labels: dict, want an array"),
        ([0.0, 1.0], 2, 2, None, "labels: dtype float64, want integers from 0; convert them by .astype(int)"),
        ([0.0, 1.5], 2, 2, None, "labels: row 1: 1.5 is no class; want integers from 0"),
        ([0.0, float("nan")], 2, 2, None, "labels: row 1: NaN is no class; remove such rows"),
        (
            np.array([[0.5, 0.5], [0.1, 0.9]]),
            2,
            2,
            None,
            "labels: 2 dimensions, want n class indices; if the largest number of a row is its class, give labels.argmax(1)",
        ),
        (
            ["a", "b"],
            2,
            2,
            None,
            "labels: strings, want integers from 0; classes= names the k columns in their order (of a scikit-learn classifier: classes=clf.classes_)",
        ),
        ([True, False], 2, 3, None, "labels: booleans are labels of 2 classes, and there are 3"),
        (["a", "x"], 2, 2, ["a", "b"], "labels: row 1: 'x' is not one of classes"),
        (["a", "b"], 2, 3, ["a", "b"], "classes: 2 names for 3 columns of logits"),
        (["a", "b"], 2, 2, ["a", "a"], "classes: a name occurs twice"),
        (["a", "b"], 2, 2, ["a", None], "classes: None is no name of a class"),
        ([1, 2], 2, 2, [1, float("nan")], "classes: nan is no name of a class"),
        (["a", None], 2, 2, ["a", "b"], "labels: row 1: None is no class; remove such rows"),
        ([0, None], 2, 2, None, "labels: row 1: None is no class; remove such rows"),
        (
            [1, -1],
            2,
            2,
            None,
            "labels: row 1: label -1 is outside 0..1; labels of -1 and 1 are 0 and 1 by (np.asarray(labels) + 1) // 2, or name the columns by classes=[-1, 1]",
        ),
        ([1, 0, -1], 3, 2, None, "labels: row 2: label -1 is outside 0..1; if rows of this label have no class, ignore=-1 leaves them out"),
        (
            [1, 2, 3],
            3,
            3,
            None,
            "labels: row 2: label 3 is outside 0..2; the smallest label is 1, so they count from 1: give np.asarray(labels) - 1",
        ),
        (
            np.array([1, 2, 3]),
            3,
            3,
            None,
            "labels: row 2: label 3 is outside 0..2; the smallest label is 1, so they count from 1: give labels - 1",
        ),
        (
            [0, 7],
            2,
            3,
            None,
            "labels: row 1: label 7 is outside 0..2; if rows of this label have no class, ignore=7 leaves them out; otherwise give a column for every class",
        ),
        (
            [[1, 0], [1, 1]],
            2,
            2,
            None,
            "labels: several labels a row are not supported; give one label for each row, the index of its class",
        ),
        (
            [[1, 0], [0, 0]],
            2,
            2,
            None,
            "labels: several labels a row are not supported; give one label for each row, the index of its class",
        ),
        (np.eye(2), 2, 2, None, "labels: 2 dimensions, want n class indices; each row has one 1: give labels.argmax(1)"),
        ([[1, 0], [0, 1]], 2, 2, None, "labels: 2 dimensions, want n class indices; each row has one 1: give np.asarray(labels).argmax(1)"),
        ([[0, 1], [1]], 2, 2, None, "labels: several labels a row are not supported; give one label for each row, the index of its class"),
        (
            [{"a"}, {"a", "b"}],
            2,
            2,
            ["a", "b"],
            "labels: several labels a row are not supported; give one label for each row, the index of its class",
        ),
        (np.zeros((2, 3), int) + 2, 6, 4, None, "labels: 2 dimensions, want n class indices; reshape it by labels.reshape(-1)"),
    ],
)
def test_what_labels_cannot_be(value, n, k, classes, says):
    with pytest.raises(qatsbench.InputError) as e:
        _arrays.labels(value, n, k, classes)
    assert str(e.value).replace("np.str_('x')", "'x'") == says


def test_columns_of_a_frame_are_in_the_order_of_the_classes(small):
    """Columns are taken by their place, so names in another order are an error at every door."""
    pd = pytest.importorskip("pandas")
    z, y = small
    k = z.shape[1]
    order = list(reversed(range(k)))
    words = [f"class {i}" for i in range(k)]
    for frame, labels, classes in (
        (pd.DataFrame(z[:, order], columns=order), y, None),
        (pd.DataFrame(z[:, order], columns=[words[i] for i in order]), np.array(words)[y], words),
    ):
        for door in (
            lambda **o: qatsbench.TS().fit(frame, labels, **o),
            lambda **o: qatsbench.metrics(frame, labels, "nll", kind="logits", **o),
            lambda **o: qatsbench.recommend((frame, labels), methods="ts", progress=False, **o),
        ):
            with pytest.raises(qatsbench.InputError, match="the columns have the names .*, and the classes have another order"):
                door(classes=classes)
        named = order if classes is None else list(frame.columns)
        assert qatsbench.metrics(frame, labels, "nll", kind="logits", classes=named) == pytest.approx(
            qatsbench.metrics(z, y, "nll", kind="logits")
        )


def test_bfloat16_of_jax():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert _arrays.table(np.eye(3, dtype=ml_dtypes.bfloat16), "logits").dtype == np.float32


def test_pandas_labels():
    pandas = pytest.importorskip("pandas")
    for series in (pandas.Series([0, 1]), pandas.Series([0, 1], dtype="Int8")):
        assert _arrays.labels(series, 2, 2)[0].tolist() == [0, 1]
    for series in (pandas.Series(["b", "a"]), pandas.Series(["b", "a"], dtype="category")):
        assert _arrays.labels(series, 2, 2, ["a", "b"])[0].tolist() == [1, 0]


def test_a_whole_memory_map_is_read_from_its_file(tmp_path):
    np.save(tmp_path / "a.npy", BASE)
    whole = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert _arrays.table(whole, "logits").path == str(tmp_path / "a.npy")
    for part in (whole[1:], whole[:, ::-1], whole.astype(np.float32), np.load(tmp_path / "a.npy", mmap_mode="c")):
        got = _arrays.table(part, "logits")
        np.testing.assert_array_equal(got, part)
    np.save(tmp_path / "a.npy", BASE[:3])  # the file changed under the map
    assert not isinstance(_arrays.table(whole, "logits"), _arrays.File)


def test_a_memory_map_of_a_file_that_was_replaced_is_read_from_memory(small, tmp_path):
    z, y = small
    path = tmp_path / "z.npy"
    np.save(path, z)
    mapped = np.load(path, mmap_mode="r")
    want = qatsbench.TS().fit(z, y).parameters_
    assert qatsbench.TS().fit(mapped, y).parameters_ == want
    np.save(tmp_path / "new.npy", 3 * z)
    os.replace(tmp_path / "new.npy", path)  # the map has the old rows
    np.testing.assert_array_equal(mapped, z)
    assert qatsbench.TS().fit(mapped, y).parameters_ == want
    os.unlink(path)
    np.save(path, z)  # a file of equal shape, and of another number
    assert not isinstance(_arrays.table(mapped, "logits"), _arrays.File)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_where_the_system_does_not_say_what_is_mapped_rows_are_streamed(tmp_path, monkeypatch):
    np.save(tmp_path / "a.npy", BASE)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert isinstance(_arrays.table(mapped, "logits"), _arrays.File)
    real = open
    monkeypatch.setattr("builtins.open", lambda path, *a, **k: real("/nowhere" if path == "/proc/self/maps" else path, *a, **k))
    np.testing.assert_array_equal(_arrays.table(mapped, "logits"), BASE)


@pytest.mark.parametrize(
    "z, y, says",
    [
        (np.ones((2, 5, 3)), np.ones((2, 5), int), "logits.reshape(-1, 3), and labels by labels.reshape(-1)"),
        (np.ones((2, 3, 5)), np.ones((2, 5), int), "np.moveaxis(logits, 1, -1).reshape(-1, 3), and labels by labels.reshape(-1)"),
        (np.ones((2, 3, 4, 5)), np.ones((2, 4, 5), int), "np.moveaxis(logits, 1, -1).reshape(-1, 3), and labels by labels.reshape(-1)"),
        (np.ones((2, 4, 5, 3)), np.ones((2, 4, 5), int), "logits.reshape(-1, 3), and labels by labels.reshape(-1)"),
    ],
)
def test_the_line_that_reshapes_arrays_of_pixels_and_tokens(z, y, says, program):
    with pytest.raises(qatsbench.InputError) as e:
        qatsbench.TS().fit(z, y)
    assert e.value.hint == "reshape it by " + says
    first, second = says.split(", and labels by ")
    logits, labels = eval(first, {"np": np, "logits": z}), eval(second, {"labels": y})
    assert len(logits) == len(labels) and logits.shape[1] == 3
    assert qatsbench.metrics(logits, labels, "nll", kind="logits") == pytest.approx(np.log(3))


def test_rows_of_labels_that_are_ignored(small):
    z, y = small
    names = np.array(["c", "a", "b"])
    y = np.where(np.arange(len(y)) < 20, -100, y)
    kept = y >= 0
    with pytest.warns(qatsbench.CalibrationWarning, match="20 of 200 rows have the label -100 and are left out"):
        got = qatsbench.TS().fit(z, y, ignore=-100)
    want = qatsbench.TS().fit(z[kept], y[kept])
    assert got.parameters_ == want.parameters_
    with pytest.warns(qatsbench.CalibrationWarning):
        named = qatsbench.TS().fit(z, np.where(kept, names[np.maximum(y, 0)], "none"), classes=names, ignore="none")
        assert named.parameters_ == want.parameters_
        assert named.score(z, np.where(kept, names[np.maximum(y, 0)], "none"), "nll", ignore=["none"]) == want.score(
            z[kept], y[kept], "nll"
        )
        assert qatsbench.metrics(z, y, "nll", kind="logits", ignore=[-100, -1]) == qatsbench.metrics(z[kept], y[kept], "nll", kind="logits")
        compared = qatsbench.recommend((z, y), methods="ts", ignore=-100, progress=False)
        assert compared.choice["rows"] == kept.sum()
    with pytest.raises(qatsbench.InputError, match="ignore: 'none', want an integer"):
        qatsbench.TS().fit(z, y, ignore="none")


def test_read_only_arrays_are_read(small):
    z, y = small[0].copy(), small[1].copy()
    z.flags.writeable = y.flags.writeable = False
    assert qatsbench.TS().fit(z, y).parameters_ == qatsbench.TS().fit(*small).parameters_


def test_every_layout_gives_the_same_bytes(small, tmp_path):
    z, y = small
    want = qatsbench.QaTS().fit(z, y).model_
    np.save(tmp_path / "z.npy", z)
    np.save(tmp_path / "y.npy", y)
    variants = [
        (z.astype(np.float64), y),
        (np.asfortranarray(z), y.astype(np.uint8)),
        (z.astype(">f4"), y),
        (z.tolist(), y.tolist()),
        (tmp_path / "z.npy", tmp_path / "y.npy"),
        (np.load(tmp_path / "z.npy", mmap_mode="r"), y),
    ]
    for Z, labels in variants:
        assert qatsbench.QaTS().fit(Z, labels).model_ == want


class TestFramesOfStrangers:
    """What indexes and titles of data frames say of the order of rows and of classes is heard."""

    P = np.random.default_rng(0).dirichlet(np.ones(3), 40)
    Y = P.argmax(1)

    def test_indexes_of_what_stands_beside_labels(self):
        pd = pytest.importorskip("pandas")
        other = np.arange(40)[::-1]
        for name in ("sample_weight", "groups"):
            with pytest.raises(qatsbench.InputError, match="has the rows in another order than that of"):
                qatsbench.metrics(self.P, pd.Series(self.Y), **{name: pd.Series(np.arange(40), index=other)})
        with pytest.raises(qatsbench.InputError, match="has the rows in another order than that of correct"):
            qatsbench.metrics(confidence=pd.Series(self.P.max(1)), correct=pd.Series(np.ones(40), index=other))

    def test_indexes_with_other_rows(self):
        pd = pytest.importorskip("pandas")
        p, y = pd.DataFrame(self.P, index=np.arange(40) + 10), pd.Series(self.Y, index=np.arange(40) + 20)
        with pytest.raises(qatsbench.InputError, match="has other rows than that of y.*if the places are right, give y.to_numpy"):
            qatsbench.metrics(p, y)
        assert qatsbench.metrics(p, y.reset_index(drop=True), "accuracy") == 1  # numbers alone are no index

    @pytest.mark.parametrize("title", ["p_{}", "{} score", "class {} (rf)"])
    def test_titles_that_have_the_classes_in_another_order(self, title):
        pd = pytest.importorskip("pandas")
        names = ["cat", "cow", "owl"]
        frame = pd.DataFrame(self.P[:, [2, 0, 1]], columns=[title.format(names[j]) for j in (2, 0, 1)])
        with pytest.raises(qatsbench.InputError, match=r"the classes have another order; give classes=\['owl', 'cat', 'cow'\]"):
            qatsbench.metrics(frame, np.array(names)[self.Y], classes=names)
        frame.columns = [title.format(j) for j in (2, 0, 1)]
        with pytest.raises(qatsbench.InputError, match="give its columns in ascending order"):
            qatsbench.metrics(frame, self.Y)
        assert qatsbench.metrics(frame.iloc[:, [1, 2, 0]], self.Y, "accuracy") == 1

    def test_class_numbers_with_gaps(self):
        y = np.array([3, 17, 40])[self.Y]
        with pytest.raises(qatsbench.InputError, match=r"3 labels with gaps: name the columns by classes=\[3, 17, 40\]"):
            qatsbench.metrics(self.P, y)
        assert qatsbench.metrics(self.P, y, "accuracy", classes=[3, 17, 40]) == 1

    @pytest.mark.parametrize("members", [np.stack([P] * 5), np.stack([P] * 5, 1), [P] * 5], ids=["m n k", "n m k", "list"])
    def test_members_of_an_ensemble(self, members):
        with pytest.raises(qatsbench.InputError, match="of 5 members of an ensemble or passes of dropout, give the mean of their softmax"):
            qatsbench.metrics(members, self.Y)

    def test_predictions_of_another_type_than_the_labels(self):
        with pytest.raises(qatsbench.InputError, match="none is equal; write classes in one way"):
            qatsbench.metrics(confidence=self.P.max(1), predicted=self.Y.astype(str), y=self.Y)
