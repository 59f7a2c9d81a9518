"""Files in the form of LLM-Uncertainty-Bench: a pickle of mappings with id and array for each model, a JSON file of labels for each set."""

import json
import os
import pickle
import re

import numpy as np
import pytest
import yaml

import qatsbench.datasets
from qatsbench.datasets import formats, splits, table
from qatsbench.datasets.errors import DatasetError

N = 60


def write(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    return str(path)


def labels(seed, n=N, **changed):
    rng = np.random.default_rng(seed)
    rows = [
        {"source": "MMLU", "id": i, "question": "?", "choices": {c: "-" for c in "ABCDEF"}, "answer": "ABCD"[rng.integers(4)]}
        for i in range(n)
    ]
    rows[7] |= changed
    return rows


def scores(seed, n=N, **changed):
    """As generate_logits.py writes them."""
    rng = np.random.default_rng(seed)
    rows = [{"id": i, "logits_options": rng.normal(size=6).astype("f4")} for i in range(n)]
    rows[7] |= changed
    return rows


def made(tmp_path, pickled=None, answers=None):
    return [
        write(tmp_path, "Qwen-1_8B_mmlu_10k_base_icl1.pkl", pickle.dumps(scores(1) if pickled is None else pickled, 4)),
        write(tmp_path, "mmlu_10k.json", json.dumps(labels(2) if answers is None else answers).encode()),
    ]


def read(files, **options):
    skipped = []
    return {n.name: n for n in formats.read("llm-uncertainty", files, formats.Options(**options), skipped)}, skipped


def test_rows_and_labels(tmp_path):
    """The examples in the prompts are left out, and half of the rows of each class calibrate."""
    nets, skipped = read(made(tmp_path))
    (n,) = nets.values()
    assert n.name == "mmlu-10k-6/qwen-1-8b" and n.kind == "logits" and n.licence == "MIT"
    assert skipped == ["mmlu-10k: an example in the prompts (rows: 5)"] and "an example in the prompts (5)" in n.note
    kept = [i for i in range(N) if i not in (1, 3, 5, 7, 9)]
    y = np.array(["ABCD".index(q["answer"]) for q in labels(2)])[kept]
    z = np.array([r["logits_options"] for r in scores(1)])[kept]
    digests = np.array([int(splits.digest("mmlu-10k-6", "test", str(i))[:16], 16) for i in kept], np.uint64)
    cal = splits.stratified(digests, y)
    for part, side in ((n.cal, cal), (n.test, ~cal)):
        assert part.scores.dtype == np.float32 and np.array_equal(part.scores, z[side]) and np.array_equal(part.labels, y[side])


def test_networks_of_several_files(tmp_path):
    """Sets share their labels; another prompt is another network; the longest name of a set counts; order does not matter."""
    files = made(tmp_path)
    for name in ("Yi-6B_mmlu_10k_shared_icl1", "Yi-6B_halu_dialogue_base_icl0_cot", "Yi-6B_10k_task_icl1"):
        files.insert(0, write(tmp_path, name + ".pkl", pickle.dumps(scores(3), 4)))
    for name in ("halu_dialogue", "10k"):
        files.append(write(tmp_path, name + ".json", json.dumps(labels(4)).encode()))
    nets, skipped = read(files)
    assert set(nets) == {"mmlu-10k-6/qwen-1-8b", "mmlu-10k-6/yi-6b-shared", "halu-dialogue-6/yi-6b-cot", "10k-6/yi-6b-task"}
    assert len(skipped) == 3  # a line a set
    assert np.array_equal(nets["mmlu-10k-6/qwen-1-8b"].test.labels, nets["mmlu-10k-6/yi-6b-shared"].test.labels)
    assert set(read(files, select=["mmlu_10k/Qwen*"])[0]) == {"mmlu-10k-6/qwen-1-8b"}


def test_rows_in_another_order_and_without_numbers(tmp_path):
    """Rows meet their labels by id. A logit that is not finite leaves its row out."""
    nets, _ = read(made(tmp_path, answers=labels(2)[::-1]))
    straight, _ = read(made(tmp_path))
    assert np.array_equal(nets["mmlu-10k-6/qwen-1-8b"].cal.labels, straight["mmlu-10k-6/qwen-1-8b"].cal.labels)
    rows = scores(1)
    rows[20]["logits_options"][2] = np.nan
    _, skipped = read(made(tmp_path, rows))
    assert "mmlu-10k: a logit is not finite (rows: 1)" in skipped


f4 = np.zeros(6, "f4")


@pytest.mark.parametrize(
    "pickled,answers,want",
    [
        ({"a": 1}, None, "holds a dict of 1; want a list with a mapping for each question"),
        ([f4], None, "row 0: an array; want a mapping with id and logits_options"),
        ([{"id": 0}], None, "row 0: a dict of 1; want a mapping"),
        (scores(1, id=True), None, "row 7: a dict of 2; want a mapping"),
        (scores(1, id=99), None, "row 7: the file of labels has no question 99"),
        (scores(1, id=6), None, "row 7: question 6 is there already"),
        (scores(1, logits_options=[0.5] * 6), None, "row 7, logits_options: a list of 6; want an array"),
        (scores(1, logits_options=f4.reshape(2, 3)), None, "row 7: logits of shape [2, 3] and type float32"),
        (scores(1, logits_options=f4.astype("f8")), None, "row 7: logits of shape [6] and type float64"),
        (scores(1, logits_options=f4[:0]), None, "row 7: logits of shape [0]"),
        (None, {"a": 1}, "want a list of questions"),
        (None, labels(2, answer="AB"), "question 7: want an id, which is an integer, and an answer, which is a letter"),
        (None, labels(2, id="7"), "question 7: want an id"),
        (None, labels(2, id=6), "question 7: the id 6 is that of another one too"),
        (scores(1), labels(2, answer="Z"), "row 7: logits of shape [6]"),
    ],
)
def test_faults(tmp_path, pickled, answers, want):
    with pytest.raises(DatasetError, match=re.escape(want)):
        read(made(tmp_path, pickled, answers))


def test_faults_of_names(tmp_path):
    good = made(tmp_path)
    for files in (good[:1], [write(tmp_path, "Qwen_mmlu_10k.pkl", b""), good[1]], [write(tmp_path, "x_base_icl1.pkl", b""), good[1]]):
        with pytest.raises(DatasetError, match="want <model>_<data set>_<prompt>_icl<examples>.pkl and <data set>.json"):
            read(files)
    with pytest.raises(DatasetError, match="not JSON"):
        read([good[0], write(tmp_path, "mmlu_10k.json", b"[")])


def test_a_pickle_that_imports_is_rejected(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.system, ("exit 1",)

    with pytest.raises(DatasetError, match="the pickle imports 'system'"):
        read(made(tmp_path, [{"id": 0, "logits_options": Evil()}]))


def test_the_table_has_a_pickle_for_each_setting_of_the_spec(tmp_path):
    """The files of the table, read by their names with made rows, are the settings of experiments/llm-uncertainty.yaml."""
    source = table.Table().source("llm-uncertainty")
    files = []
    for name in (f.split("/")[-1] for f in source.files):
        data = json.dumps(labels(2, 24)).encode() if name.endswith(".json") else pickle.dumps(scores(1, 24), 4)
        files.append(write(tmp_path, name, data))
    s = qatsbench.datasets.import_files("llm-uncertainty", files, into=str(tmp_path / "arrays"), least=10)
    spec = os.path.join(os.path.dirname(__file__), "..", "..", "..", "experiments", "llm-uncertainty.yaml")
    if not os.path.exists(spec):
        pytest.skip("not in a clone")
    with open(spec, encoding="utf-8") as f:
        (grid,) = yaml.safe_load(f)["settings"]
    assert {n["entry"]["set"] for n in s.networks} == {f"{d}/{b}" for d in grid["dataset"] for b in grid["backbone"]}
