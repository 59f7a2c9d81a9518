"""Run from the folder above the package: python3 -m pytest zoo/tests"""

import json
import os
import pickle
import sys
from collections import OrderedDict

import numpy as np
import pytest
import torch
import yaml
from torch import nn

from zoo import __main__ as command, files, foreign, readers

N, K, D = 24, 5, 7


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    h, w, b = rng.random((N, D), np.float32), rng.normal(size=(K, D)).astype(np.float32), rng.normal(size=K).astype(np.float32)
    return dict(features=h, head_weight=w, head_bias=b, logits=h @ w.T + b, labels=rng.integers(0, K, N))


def zoo(monkeypatch, *args):
    monkeypatch.setattr(sys, "argv", ["zoo", *map(str, args)])
    with pytest.raises(SystemExit) as e:
        command.main()
    assert not e.value.code, e.value.code


def safetensors_bytes(arrays):
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, (kind, raw, shape) in arrays.items():
        header[name] = dict(dtype=kind, shape=shape, data_offsets=[len(body), len(body) + len(raw)])
        body += raw
    h = json.dumps(header).encode()
    return len(h).to_bytes(8, "little") + h + body


def written(folder, form, a):
    """The logits and labels in a foreign form; returns the flags that name them."""
    if form == "pickle":  # as the files of NN_calibration: ((val, labels), (test, labels))
        (folder / "f.p").write_bytes(pickle.dumps(((a["logits"], a["labels"][:, None]), (a["logits"] + 1, a["labels"])), protocol=2))
        return folder / "f.p#0/0", folder / "f.p#0/1"
    if form == "pt":
        torch.save({"val": {"logits": torch.tensor(a["logits"])}, "y": torch.tensor(a["labels"])}, folder / "f.pt")
        return folder / "f.pt#val/logits", folder / "f.pt#y"
    if form == "npz":
        np.savez(folder / "f.npz", z=a["logits"], y=a["labels"])
        return folder / "f.npz#z", folder / "f.npz#y"
    if form == "csv":
        lines = [",".join(["y", *(f"c{j}" for j in range(K))])]
        lines += [",".join(map(repr, [int(y), *map(float, z)])) for y, z in zip(a["labels"], a["logits"])]
        (folder / "f.csv").write_text("\n".join(lines) + "\n")
        return folder / "f.csv#1:", folder / "f.csv#y"
    if form == "safetensors":
        y = a["labels"].astype("<i8")
        t = {"z": ("F32", a["logits"].astype("<f4").tobytes(), [N, K]), "y": ("I64", y.tobytes(), [N])}
        (folder / "f.safetensors").write_bytes(safetensors_bytes(t))
        return folder / "f.safetensors#z", folder / "f.safetensors#y"


@pytest.mark.parametrize("form", ["pickle", "pt", "npz", "csv", "safetensors"])
def test_command_takes_foreign_files(tmp_path, monkeypatch, numbers, form):
    logits, labels = written(tmp_path, form, numbers)
    out = tmp_path / "arrays"
    zoo(monkeypatch, "foreign", "arrays", "--logits", logits, "--labels", labels, "--split", "cal",
        "--data", out, "--dataset", "cifar100", "--backbone", "resnet56", "--note", "a colleague's")  # fmt: skip
    at = out / "cifar100/resnet56/cal"
    np.testing.assert_array_equal(np.load(at / "logits.npy"), numbers["logits"])
    np.testing.assert_array_equal(np.load(at / "labels.npy"), numbers["labels"])
    m = yaml.safe_load((out / "manifest.yaml").read_text())
    (described,) = m["sets"]
    assert described["set"] == "cifar100/resnet56/cal" and described["kind"] == "logits"
    assert described["source"] == "measured"
    source = readers.parts(logits)[0]
    assert described["note"] == f"a colleague's; from {source.name} (sha256 {files.sha256(source)[:16]})"
    record = m["files"]["cifar100/resnet56/cal/logits.npy"]
    assert record == dict(shape=[N, K], sha256=files.sha256(at / "logits.npy"))


def test_the_manifest_keeps_what_is_there(tmp_path, numbers):
    a = {k: numbers[k] for k in ("logits", "labels")}
    (tmp_path / "manifest.yaml").write_text("labels: {net: Net (w8)}\nsets: []\n")
    foreign.export_arrays(tmp_path, "a", "net", "cal", a, "one")
    foreign.export_arrays(tmp_path, "a", "net", "test", a, "two")
    foreign.export_arrays(tmp_path, "a", "net", "cal", a, "three", kind="log-probs")
    foreign.export_arrays(tmp_path, "a-c", "net", None, a, "four", shift="fog/3")
    m = yaml.safe_load((tmp_path / "manifest.yaml").read_text())
    assert [(s["set"], s["kind"], s["note"]) for s in m["sets"]] == [
        ("a-c/net/fog/3", "logits", "four"), ("a/net/cal", "log-probs", "three"), ("a/net/test", "logits", "two"),
    ]  # fmt: skip
    assert len(m["files"]) == 6 and m["labels"] == {"net": "Net (w8)"}


class Pictures(nn.Module):
    """In the manner of torchvision: convolutions, pooling, dropout, fc; a hidden linear layer besides."""

    def __init__(self, bias=True):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU())
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Linear(6, D), nn.ReLU(), nn.Dropout(0.5), nn.Linear(D, K, bias=bias))

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.conv(x)), 1))


def batches(x, y, size=7):
    return [(x[i : i + size], y[i : i + size]) for i in range(0, len(x), size)]


@pytest.fixture
def pictures():
    g = torch.Generator().manual_seed(1)
    return torch.randn(N, 3, 8, 8, generator=g), torch.randint(K, (N,), generator=g)


@pytest.mark.parametrize("bias", [True, False])
def test_module_with_features_head_views_and_shift(tmp_path, pictures, bias):
    torch.manual_seed(0)
    net, (x, y) = Pictures(bias), pictures
    net.train()
    loaders = dict(
        cal=batches(x, y), test=batches(x.flip(0), y.flip(0)), ood=[x[:9] * 0], **{"fog/3": batches(x / 2, y)},
        views=[batches(x.flip(0, 3), y.flip(0)), batches(x.flip(0, 2), y.flip(0))],
    )  # fmt: skip
    foreign.export_module(net, loaders, tmp_path, "pictures", "net", "a test", say=str)
    assert net.training
    at = tmp_path / "pictures/net"
    load = lambda f: np.load(at / f)
    w, b = load("head_weight.npy"), load("head_bias.npy")
    assert w.shape == (K, D) and b.shape == (K,)
    for part in ("cal", "test", "fog/3"):
        assert load(f"{part}/features.npy").shape == (N, D)
        np.testing.assert_allclose(load(f"{part}/features.npy") @ w.T + b, load(f"{part}/logits.npy"), rtol=1e-4, atol=1e-5)
    with torch.no_grad():
        # A row's place in its batch moves sums by a few float32 units in newer versions of torch.
        np.testing.assert_allclose(load("test/logits.npy")[::-1], load("cal/logits.npy"), rtol=1e-6, atol=1e-7)
        mirrored = net.eval()(x.flip(0, 3)).numpy()
    np.testing.assert_allclose(load("test/logits_aug.npy")[0], mirrored, rtol=1e-4, atol=1e-5)
    assert load("test/logits_aug.npy").shape == (2, N, K) and load("ood/logits.npy").shape == (9, K)
    assert not (at / "ood/labels.npy").exists()
    assert not [m for m in net.modules() if m._forward_pre_hooks]


def test_features_are_left_out_where_the_head_is_not_last(pictures):
    class Scaled(Pictures):
        def forward(self, x):
            return 3 * super().forward(x)

    out = foreign.outputs(Scaled(), batches(*pictures))
    assert set(out) == {"logits", "labels"}
    with pytest.raises(ValueError, match="not the output of classifier.3"):
        foreign.outputs(Scaled(), batches(*pictures), head="classifier.3")
    with pytest.raises(ValueError, match="no linear layer; there are classifier.0, classifier.3"):
        foreign.outputs(Pictures(), batches(*pictures), head="fc")


def test_segmentation_and_mappings():
    """A module that returns {"out": n x k x h x w}, as torchvision's do, and one fed by mappings."""

    class Maps(nn.Module):
        def forward(self, x):
            return OrderedDict(out=x, aux=-x)

    x = torch.randn(2, K, 4, 6)
    y = torch.randint(K, (2, 4, 6))
    y[0, 0, 0] = 255  # void
    out = foreign.outputs(Maps(), [(x, y)], step=2)
    assert out["logits"].shape == (2 * 2 * 3 - 1, K)
    np.testing.assert_array_equal(out["logits"][0], x[0, :, 0, 2])
    assert out["labels"][0] == y[0, 0, 2]

    class Text(nn.Module):
        def __init__(self):
            super().__init__()
            self.classifier = nn.Linear(D, K)

        def forward(self, input_ids, mask):
            return type("Output", (), {"logits": self.classifier(input_ids.float() * mask)})()

    out = foreign.outputs(Text(), [dict(input_ids=torch.ones(3, D), mask=torch.ones(3, 1), labels=torch.tensor([0, 1, 2]))])
    assert out["features"].shape == (3, D) and out["labels"].tolist() == [0, 1, 2]


def test_function_of_a_file(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "import torch\n"
        "def net():\n"
        "    x = torch.arange(12.0).reshape(4, 3)\n"
        "    return torch.nn.Linear(3, 2), {'test': [(x, torch.tensor([0, 1, 1, 0]))]}\n"
    )
    zoo(monkeypatch, "foreign", "module", f"{tmp_path}/mine.py:net", "--data", tmp_path / "out", "--dataset", "d", "--backbone", "b", "--note", "n")
    assert np.load(tmp_path / "out/d/b/test/features.npy").tolist() == np.arange(12.0).reshape(4, 3).tolist()


def test_arrays_that_are_rejected(tmp_path, numbers):
    put = lambda **changed: foreign.export_arrays(tmp_path, "d", "b", "cal", dict(numbers, **changed), "n")
    bad = numbers["logits"].copy()
    bad[3, 2] = np.nan
    for match, changed in [
        (r"d/b/cal: logits: not finite at \(3, 2\)", dict(logits=bad)),
        ("24 rows", dict(labels=numbers["labels"][:-1])),
        ("labels go from", dict(labels=numbers["labels"] + 1)),
        ("logits are not head_weight", dict(features=numbers["features"][::-1])),
        ("want 5 classes", dict(head_weight=numbers["head_weight"][:-1])),
        ("needs a weight and a bias", dict(head_bias=None)),
        ("views of shape", dict(logits_aug=np.zeros((2, N, K + 1)))),
    ]:
        with pytest.raises(ValueError, match=match):
            put(**changed)
    p = np.full((2, 2), 0.5)
    foreign.export_arrays(tmp_path, "d", "p", "cal", dict(logits=p, labels=[0, 1]), "n", kind="probs")
    np.testing.assert_allclose(np.load(tmp_path / "d/p/cal/logits.npy"), np.log(p), rtol=1e-6)
    with pytest.raises(ValueError, match="has no logarithm"):
        foreign.export_arrays(tmp_path, "d", "p", "cal", dict(logits=np.eye(2), labels=[0, 1]), "n", kind="probs")
    assert not (tmp_path / "d/b").exists()  # a rejected set leaves no file


class Evil:
    def __reduce__(self):
        return os.mkdir, ("evil",)


def test_files_that_are_rejected(tmp_path, monkeypatch, numbers):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.pkl").write_bytes(pickle.dumps(Evil()))
    torch.save(Evil(), tmp_path / "e.pt")
    (tmp_path / "b.csv").write_text("a,b\n1,2\n3,x\n")
    (tmp_path / "c.csv").write_text("1,2\n3\n")
    (tmp_path / "t.safetensors").write_bytes(b"\xff" * 20)
    np.savez(tmp_path / "two.npz", a=np.zeros(2), b=np.ones(2))
    for source, match in {
        "e.pkl": "only numpy arrays", "e.pt": "e.pt: ", "b.csv": "line 3, column 1: 'x' is not a number", "c.csv": "line 2: 1 columns",
        "t.safetensors": "truncated", "two.npz": "add # and one of a, b", "two.npz#c": "no 'c'; there are a, b", "x.txt": "unknown kind",
        "b.csv#q": "no column 'q'; there are a, b",
    }.items():  # fmt: skip
        with pytest.raises(ValueError, match=match):
            readers.read(source)
    assert not (tmp_path / "evil").exists()


def test_bfloat16(tmp_path):
    raw = (np.float32([1.5, -2]).view(np.uint32) >> 16).astype("<u2").tobytes()
    (tmp_path / "b.safetensors").write_bytes(safetensors_bytes({"x": ("BF16", raw, [2])}))
    assert readers.read(tmp_path / "b.safetensors").tolist() == [1.5, -2]


def test_torchvision(pictures):
    models = pytest.importorskip("torchvision.models")
    torch.manual_seed(0)
    for net, name, width in (
        (models.resnet18(num_classes=K), "fc", 512),
        (models.vgg11(num_classes=K, dropout=0.3), "classifier.6", 4096),
        (models.vit_b_16(num_classes=K, image_size=32), "heads.head", 768),
    ):
        x = torch.nn.functional.interpolate(pictures[0][:6], 32)
        out = foreign.outputs(net, batches(x, pictures[1][:6], 4))
        assert out["features"].shape == (6, width), name
        np.testing.assert_array_equal(out["head_weight"], net.get_submodule(name).weight.detach().numpy())
    net = models.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None, num_classes=K)
    out = foreign.outputs(net, [(torch.randn(1, 3, 64, 48), torch.randint(K, (1, 64, 48)))], step=8)
    assert out["logits"].shape == (8 * 6, K) and "features" not in out
