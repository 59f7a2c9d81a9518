"""Run from the folder above the package: python3 -m pytest zoo/tests

Images are made up, in the files of their sources; each has one colour, which is its class.
Networks are stubs that see the colour: no weights and no timm are needed.
"""

import csv
import dataclasses
import pickle
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from PIL import Image
from torch import nn

from zoo import __main__ as command, corruptions, data, networks, paper, settings, sources

torch.set_num_threads(1)


def test_the_table_is_consistent():
    table = yaml.safe_load(settings.TABLE.read_text())
    assert set(table["datasets"]) == {r.dataset for r in settings.rows()}
    for part, key in (("inputs", "input"), ("recipes", "recipe")):
        assert set(table[part]) == {n[key] for n in table["networks"] if key in n}
    for r in settings.rows():
        library = r.source.split(":")[0]
        assert hasattr(networks, f"of_{library}"), r.source
        # Weights that have seen the usual calibration images are calibrated on test images.
        assert r.cal == "half of test" if r.seen else r.cal in ("held out", "validation", "half of test"), r.name
        assert r.is_trained == (library == "new" or r.cal == "held out" or r.recipe is not None)
        assert not (r.is_trained and r.cal == "half of test"), f"{r.name}: its training images are here, so hold some out"
        assert r.expected == "unknown" or 0 < r.expected < 1
        assert r.hours > 0 and r.licence and r.get
        if r.is_trained:
            paper.training(r)
    assert table["datasets"]["cifar100-c"]["corruptions"] == list(corruptions.CORRUPTIONS)


# --- made-up files --------------------------------------------------------


def colour(c, classes):
    """Red, green and blue: a grey of few classes, else the digits of c to base 5."""
    if classes <= 25:
        return (int(20 + 200 * c / (classes - 1)),) * 3
    return tuple(20 + 50 * (c // 5**i % 5) for i in range(3))


def images(labels, classes, side=32, grey=False):
    x = np.stack([np.full((side, side, 3), colour(c, classes), np.uint8) for c in labels])
    return x[..., 0] if grey else x


def write_pickle(path, x, labels, key):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = x.transpose(0, 3, 1, 2).reshape(len(x), -1)
    path.write_bytes(pickle.dumps({b"data": rows, key: list(map(int, labels))}, protocol=2))


def cifar_files(raw, classes):
    y = np.arange(classes * 20) % classes  # 20 images of each class
    x = images(y, classes)
    if classes == 10:
        for i in range(5):
            write_pickle(raw / f"c/cifar-10-batches-py/data_batch_{i + 1}", x[i::5], y[i::5], b"labels")
        write_pickle(raw / "c/cifar-10-batches-py/test_batch", x[:30], y[:30], b"labels")
    else:
        write_pickle(raw / "cifar-100-python/train", x, y, b"fine_labels")
        write_pickle(raw / "cifar-100-python/test", x[:200], y[:200], b"fine_labels")
        (raw / "CIFAR-100-C").mkdir(exist_ok=True)
        for name in corruptions.CORRUPTIONS:
            np.save(raw / f"CIFAR-100-C/{name}.npy", np.concatenate([x[:200]] * 5))
        np.save(raw / "CIFAR-100-C/labels.npy", np.concatenate([y[:200].astype(np.uint8)] * 5))


def photograph(path, c, classes, size=(90, 70)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour(c, classes)).save(path, quality=95)


def imagenet_files(raw, classes):
    lines = []
    for c in range(classes):
        for i in range(20):
            name = f"train/n{c:08}/n{c:08}_{i}.JPEG"
            photograph(raw / name, c, classes, (50 + i, 70))
            lines.append(f"{name} {c}")
            if i < 6:
                photograph(raw / f"val/n{c:08}/ILSVRC2012_val_{c}{i}.JPEG", c, classes)
    (raw / "ImageNet_LT_train.txt").write_text("\n".join(lines) + "\n")


def medmnist_files(raw, name, classes, grey):
    parts = {}
    for part, n in (("train", 40), ("val", 12), ("test", 16)):
        y = np.arange(n) % classes
        parts |= {f"{part}_images": images(y, classes, 28, grey), f"{part}_labels": y[:, None].astype(np.uint8)}
    np.savez(raw / f"{name}.npz", **parts)


def ham_files(raw, one_hot):
    with open(raw / "HAM10000_metadata.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["lesion_id", "image_id", "dx"])
        for i in range(70):
            photograph(raw / f"HAM10000_images_part1/ISIC_{i:07}.jpg", i % 7, 7)
            w.writerow([f"HAM_{i // 2:07}", f"ISIC_{i:07}", sources.LESIONS[i % 7]])
    with open(raw / "ISIC2018_Task3_Test_GroundTruth.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["image", "MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC"] if one_hot else ["lesion_id", "image_id", "dx"])
        order = ("mel", "nv", "bcc", "akiec", "bkl", "df", "vasc")
        for i in range(100, 121):
            photograph(raw / f"test/ISIC_{i:07}.jpg", i % 7, 7)
            c = sources.LESIONS[i % 7]
            w.writerow([f"ISIC_{i:07}", *(float(c == o) for o in order)] if one_hot else ["HAM_9", f"ISIC_{i:07}", c])


def voc_files(raw, classes):
    root = raw / "VOCdevkit/VOC2012"
    for folder in ("ImageSets/Segmentation", "JPEGImages", "SegmentationClass"):
        (root / folder).mkdir(parents=True)
    names = [f"2007_{i:06}" for i in range(6)]
    (root / "ImageSets/Segmentation/val.txt").write_text("\n".join(names) + "\n")
    for i, name in enumerate(names):
        photograph(root / f"JPEGImages/{name}.jpg", i % classes, classes, (100, 75))
        labels = np.full((75, 100), i % classes, np.uint8)
        labels[:10] = 255
        Image.fromarray(labels).save(root / f"SegmentationClass/{name}.png")


def news_files(raw):
    for part, n in (("train", 10), ("test", 4)):
        for c in range(20):
            for i in range(n):
                f = raw / f"20news-bydate-{part}/group.{c:02}/{1000 + i}"
                f.parent.mkdir(parents=True, exist_ok=True)
                f.write_text(f"Subject: not to be read\n\n{c + 1} {c + 1}\n", "latin-1")


# --- stubs ----------------------------------------------------------------


class Colours(nn.Module):
    """Features are the mean of each channel; the nearest class colour has the largest logit."""

    def __init__(self, row, trained=True):
        super().__init__()
        self.fc = nn.Linear(3, row.classes)
        if trained:
            v = torch.tensor([colour(c, row.classes) for c in range(row.classes)]) / 255
            v = (v - torch.tensor(row.mean)) / torch.tensor(row.std)
            self.fc.weight.data, self.fc.bias.data = 40 * v, -20 * v.square().sum(1)

    def forward(self, x):
        return self.fc(x.mean((2, 3)))


class Segmenter(nn.Module):
    """In the manner of torchvision's: a coarse map, the head, then bilinear scaling; an auxiliary head runs last."""

    def __init__(self, row):
        super().__init__()
        head = nn.Conv2d(3, row.classes, 1)
        c = Colours(row)
        head.weight.data, head.bias.data = c.fc.weight.data[:, :, None, None], c.fc.bias.data
        self.classifier = nn.Sequential(nn.AvgPool2d(8), nn.Identity(), nn.Identity(), nn.ReLU(), head)
        self.classifier[3] = nn.Identity()
        self.aux_classifier = nn.Conv2d(3, row.classes, 1)

    def forward(self, x):
        scale = lambda maps: nn.functional.interpolate(maps, x.shape[2:], mode="bilinear", align_corners=False)
        return {"out": scale(self.classifier(x)), "aux": scale(self.aux_classifier(x))}


class Words(nn.Module):
    def __init__(self, row):
        super().__init__()
        self.words, self.classifier = nn.Embedding(50, 8), nn.Linear(8, row.classes)

    def forward(self, x):
        return self.classifier(self.words(x).mean(1))


def words(row, texts, length):
    """Numbers of words that are numbers, padded with 0."""
    x = np.zeros((len(texts), length), np.int32)
    for line, text in zip(x, texts):
        found = [int(w) for w in text.split()]
        line[: len(found)] = found
    return x


@pytest.fixture
def stubs(monkeypatch):
    """Stubs in the place of all networks; returns the rows for which they were asked."""
    asked = []

    def load(row, raw):
        asked.append(row)
        if row.dataset == "voc2012":
            return Segmenter(row)
        return Words(row) if row.dataset == "20newsgroups" else Colours(row, trained=not row.is_trained)

    monkeypatch.setattr(networks, "load", load)
    monkeypatch.setattr(networks, "tokens", words)
    return asked


def change(monkeypatch, **changed):
    """Rows with some values changed, for sets that are too large to make up."""
    original = settings.row

    def row(table, n):
        r = original(table, n)
        recipe = r.recipe and dict(r.recipe, batch=8)
        return dataclasses.replace(r, recipe=recipe, **changed)

    monkeypatch.setattr(settings, "row", row)


def zoo(monkeypatch, *args):
    monkeypatch.setattr(sys, "argv", ["zoo", "paper", *map(str, args)])
    with pytest.raises(SystemExit) as e:
        command.main()
    return e.value.code


def run(tmp_path, monkeypatch, dataset, backbone, *more):
    return zoo(
        monkeypatch, "--dataset", dataset, "--backbone", backbone, "--raw", tmp_path / "raw", "--data", tmp_path / "arrays",
        "--runs", tmp_path / "runs", "--device", "cpu", *more,
    )  # fmt: skip


@pytest.fixture
def raw(tmp_path):
    (tmp_path / "raw").mkdir()
    return tmp_path / "raw"


def exported(tmp_path, name):
    """The arrays of a network by their paths, after the checks of what every network has."""
    at = tmp_path / "arrays" / name
    a = {p.relative_to(at).as_posix(): np.load(p) for p in at.rglob("*.npy")}
    for path, value in a.items():
        if path.endswith(("logits.npy", "features.npy", "logits_aug.npy")):
            assert value.dtype == np.float16, path
    manifest = yaml.safe_load((tmp_path / "arrays/manifest.yaml").read_text())
    for s in manifest["sets"]:
        assert s["source"] == "measured" and s["stand-in"] and s["licence"] and s["from"], s
        dataset = s["set"].split("/")[0]
        assert s.get("samples") == (dataset.split("-")[0] if "-" in dataset else None)
        assert "paper" not in s
    assert {f"{name}/{p}" for p in a} <= set(manifest["files"])
    return a


def accuracy(a, part):
    return (a[f"{part}/logits.npy"].argmax(1) == a[f"{part}/labels.npy"]).mean()


# --- end to end -----------------------------------------------------------


@pytest.mark.parametrize("dataset, backbone", [("cifar10", "resnet18"), ("cifar100", "vit-b16")])
def test_weights_that_saw_the_training_images_calibrate_on_half_of_test(tmp_path, monkeypatch, stubs, raw, dataset, backbone):
    classes = 10 if dataset == "cifar10" else 100
    cifar_files(raw, classes)
    assert run(tmp_path, monkeypatch, dataset, backbone) is None
    a = exported(tmp_path, f"{dataset}/{backbone}")
    n = 30 if classes == 10 else 200
    assert a["cal/labels.npy"].tolist() == [i % classes for i in range(0, n, 2)]
    assert a["test/labels.npy"].tolist() == [i % classes for i in range(1, n, 2)]
    assert accuracy(a, "cal") == accuracy(a, "test") == 1  # so the scaling and the normalisation are those of the row
    assert a["test/logits_aug.npy"].shape == (paper.VIEWS, n // 2, classes) and "cal/logits_aug.npy" not in a
    again = a["test/features.npy"].astype(float) @ a["head_weight.npy"].T + a["head_bias.npy"]
    np.testing.assert_allclose(again, a["test/logits.npy"], atol=0.2, rtol=0.01)
    assert stubs[0].source.startswith("edadaltocg:")


def test_corrupted_images_are_those_that_do_not_calibrate(tmp_path, monkeypatch, stubs, raw):
    cifar_files(raw, 100)
    assert run(tmp_path, monkeypatch, "cifar100-c", "vit-b16", "--corruption", "fog", "--severity", 3) is None
    assert {p.rsplit("/", 1)[0] for p in exported(tmp_path, "cifar100-c/vit-b16") if "/" in p} == {"fog/3"}
    monkeypatch.setattr(corruptions, "CORRUPTIONS", {c: corruptions.CORRUPTIONS[c] for c in ("fog", "snow")})
    assert run(tmp_path, monkeypatch, "cifar100-c", "vit-b16") is None
    a = exported(tmp_path, "cifar100-c/vit-b16")
    assert {p.rsplit("/", 1)[0] for p in a if "/" in p} == {f"{c}/{s}" for c in ("fog", "snow") for s in range(1, 6)}
    assert a["fog/3/labels.npy"].tolist() == [i % 100 for i in range(1, 200, 2)]
    assert a["fog/3/features.npy"].shape == (100, 3) and accuracy(a, "fog/3") == 1


def test_check_rejects_another_accuracy_before_a_file_is_written(tmp_path, monkeypatch, capsys, stubs, raw):
    cifar_files(raw, 10)
    change(monkeypatch, expected=0.7)  # the stub is always right, and two standard errors of 30 rows are 0.167
    code = run(tmp_path, monkeypatch, "cifar10", "densenet121", "--check")
    assert "accuracy 1.0000 on 30 test rows, expected 0.7: more" in code and "more than 0.1723 off, nothing is exported" in code
    assert not (tmp_path / "arrays").exists()
    change(monkeypatch, expected=1 - 1e-9)
    assert run(tmp_path, monkeypatch, "cifar10", "densenet121", "--check") is None
    assert exported(tmp_path, "cifar10/densenet121")
    change(monkeypatch, expected="unknown")
    assert run(tmp_path, monkeypatch, "cifar10", "densenet121", "--check") is None
    assert "expected unknown: not checked" in capsys.readouterr().out


@pytest.mark.parametrize("backbone", ["resnet18", "vit-s16"])
def test_long_tails_are_trained_and_calibrated_with_the_same_tail(tmp_path, monkeypatch, stubs, raw, backbone):
    cifar_files(raw, 100)
    change(monkeypatch)
    assert run(tmp_path, monkeypatch, "cifar100-lt-r10", backbone, "--epochs", "1") is None
    a = exported(tmp_path, f"cifar100-lt-r10/{backbone}")
    held = data.hold_out(np.arange(2000) % 100, 0.1)[1]
    assert len(a["cal/labels.npy"]) == sum(data.long_tail_counts(2, 100, 10)) < len(held)
    assert len(a["test/labels.npy"]) == 200
    assert (tmp_path / "runs/cifar100-lt-r10" / backbone / "checkpoint.pt").exists()


def test_imagenet_in_folders(tmp_path, monkeypatch, stubs, raw):
    imagenet_files(raw, 4)
    change(monkeypatch, classes=4)
    (tmp_path / "ood").mkdir()
    for i in range(3):
        photograph(tmp_path / f"ood/{i}.png", i, 4)
    assert run(tmp_path, monkeypatch, "imagenet", "vit-s16", "--ood", tmp_path / "ood") is None
    a = exported(tmp_path, "imagenet/vit-s16")
    assert a["cal/labels.npy"].tolist() == sorted([0, 1, 2, 3] * 3) == a["test/labels.npy"].tolist()
    assert accuracy(a, "test") == 1 and a["ood/logits.npy"].shape == (3, 4) and "ood/labels.npy" not in a
    assert run(tmp_path, monkeypatch, "imagenet-lt", "resnet50", "--epochs", "1") is None
    a = exported(tmp_path, "imagenet-lt/resnet50")
    assert len(a["cal/labels.npy"]) == 8 and len(a["test/labels.npy"]) == 24


@pytest.mark.parametrize("name, classes, grey", [("organamnist", 11, True), ("bloodmnist", 8, False)])
def test_medmnist_archives(tmp_path, monkeypatch, stubs, raw, name, classes, grey):
    medmnist_files(raw, name, classes, grey)
    assert run(tmp_path, monkeypatch, name, "resnet50") is None
    a = exported(tmp_path, f"{name}/resnet50")
    assert len(a["cal/labels.npy"]) == 12 and len(a["test/labels.npy"]) == 16
    assert accuracy(a, "cal") == accuracy(a, "test") == 1
    change(monkeypatch)
    assert run(tmp_path, monkeypatch, name, "densenet121", "--epochs", "1") is None
    assert exported(tmp_path, f"{name}/densenet121")


@pytest.mark.parametrize("one_hot", [True, False])
def test_ham10000_splits_by_lesion(tmp_path, monkeypatch, stubs, raw, one_hot):
    ham_files(raw, one_hot)
    change(monkeypatch)
    r = settings.network("ham10000", "resnet18")
    d = sources.read(r, raw)
    lesion = lambda part: {i // 2 for i in part.index}
    assert not lesion(d.train) & lesion(d.cal) and len(d.train) + len(d.cal) == 70 and len(d.cal) == 8
    assert d.test.y.tolist() == [i % 7 for i in range(100, 121)]
    assert run(tmp_path, monkeypatch, "ham10000", "resnet18", "--epochs", "1") is None
    assert len(exported(tmp_path, "ham10000/resnet18")["test/labels.npy"]) == 21


def test_voc_has_features_and_no_void_pixels(tmp_path, monkeypatch, stubs, raw):
    voc_files(raw, 21)
    monkeypatch.setattr(paper, "STEP", 5)
    assert run(tmp_path, monkeypatch, "voc2012", "deeplabv3-r50") is None
    a = exported(tmp_path, "voc2012/deeplabv3-r50")
    pixels = 13 * 20  # of 75 x 100, every 5th row from the 10th and every 5th column
    assert a["cal/labels.npy"].tolist() == sorted([0, 2, 4] * pixels)
    assert accuracy(a, "test") == 1 and a["test/features.npy"].shape == (3 * pixels, 3)
    again = a["test/features.npy"].astype(float) @ a["head_weight.npy"].T + a["head_bias.npy"]
    np.testing.assert_allclose(again, a["test/logits.npy"], atol=0.3, rtol=0.01)


def test_20newsgroups_without_headers(tmp_path, monkeypatch, stubs, raw):
    news_files(raw)
    change(monkeypatch)
    assert run(tmp_path, monkeypatch, "20newsgroups", "bert-b", "--epochs", "1") is None
    a = exported(tmp_path, "20newsgroups/bert-b")
    assert len(a["cal/labels.npy"]) == 40 and len(a["test/labels.npy"]) == 80
    assert a["test/features.npy"].shape == (80, 8)


def test_what_is_missing_is_named(tmp_path, monkeypatch, stubs, raw):
    code = run(tmp_path, monkeypatch, "cifar100", "resnet50")
    assert "cifar-100-python/test not found" in code and "https://www.cs.toronto.edu" in code
    assert "there are resnet50, resnet18" in run(tmp_path, monkeypatch, "cifar100", "vgg")
    assert "give --dataset, --backbone" in zoo(monkeypatch)
    medmnist_files(raw, "bloodmnist", 8, False)
    assert "40 training samples are less than a batch of 128" in run(tmp_path, monkeypatch, "bloodmnist", "densenet121")


# --- images and networks --------------------------------------------------


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_scaling_equals_that_of_pil(mode):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, (2, 32, 32, 3), dtype=np.uint8)
    got = data.resized(torch.from_numpy(x), mode, 64, 56).numpy()
    for image, g in zip(x, got):
        want = np.asarray(Image.fromarray(image).resize((64, 64), sources.SCALES[mode]))[4:60, 4:60]
        assert np.abs(g - want.astype(float)).max() <= 1


def test_random_parts_keep_the_colour_and_are_seeded(tmp_path):
    for c in range(3):
        photograph(tmp_path / f"{c}.png", c, 3)
    x = sources.Files(np.array([tmp_path / f"{c}.png" for c in range(3)], object), "bilinear", 40, 32)
    draw = lambda: x.drawn(np.arange(3), torch.Generator().manual_seed(5))
    assert np.array_equal(draw(), draw()) and np.array_equal(draw(), images(range(3), 3))
    assert np.array_equal(x[:], images(range(3), 3))


def test_small_networks():
    """ResNet-18 for CIFAR-10 has 11,173,962 parameters; maps of 32 x 32 pixels leave 4 x 4."""
    pytest.importorskip("torchvision")
    resnet, dense = networks.small("resnet18", 10), networks.small("densenet121", 10)
    assert sum(p.numel() for p in resnet.parameters()) == 11_173_962
    assert dense.features(torch.zeros(1, 3, 32, 32)).shape[2:] == (4, 4) and dense(torch.zeros(1, 3, 32, 32)).shape == (1, 10)
    assert dense.features.conv0.out_channels == 24 and dense.features.denseblock1.denselayer1.norm1.num_features == 24


def test_downloaded_weights_are_read_as_tensors(tmp_path, monkeypatch):
    pytest.importorskip("torchvision")
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    (tmp_path / "checkpoints").mkdir()
    file = tmp_path / "checkpoints/edadaltocg-resnet18_cifar10.bin"
    there = networks.small("resnet18", 10)
    torch.save(there.state_dict(), file)
    r = settings.network("cifar10", "resnet18")
    got = networks.load(r, tmp_path)
    assert all(torch.equal(a, b) for a, b in zip(got.state_dict().values(), there.state_dict().values()))
    torch.save(networks.small("resnet18", 11).state_dict(), file)
    with pytest.raises(RuntimeError, match="size mismatch"):
        networks.load(r, tmp_path)
    file.write_bytes(pickle.dumps(print))
    with pytest.raises(Exception):
        networks.load(r, tmp_path)


def test_medmnist_weights(tmp_path):
    models = pytest.importorskip("torchvision.models")
    (tmp_path / "w/weights_breastmnist").mkdir(parents=True)
    there = models.resnet18(num_classes=2)
    torch.save({"net": there.state_dict()}, tmp_path / "w/weights_breastmnist/resnet18_224_1.pth")
    got = networks.load(settings.network("breastmnist", "resnet18"), tmp_path)
    assert torch.equal(got.fc.weight, there.fc.weight)


def test_libraries_get_the_names_of_the_table(tmp_path, monkeypatch):
    """timm and transformers are not installed where these tests run; they are stubs here."""
    pytest.importorskip("torchvision")
    made = []
    timm = types.SimpleNamespace(create_model=lambda name, **how: made.append((name, how)) or nn.Linear(1, 1))
    monkeypatch.setitem(sys.modules, "timm", timm)
    networks.load(settings.network("imagenet", "resnet50"), tmp_path)
    networks.load(settings.network("imagenet-lt", "vit-b16"), tmp_path)
    assert made == [
        ("resnet50.tv_in1k", dict(pretrained=True, num_classes=1000)),
        ("vit_base_patch16_224", dict(pretrained=False, num_classes=1000)),
    ]

    class Net(nn.Module):
        def forward(self, input_ids, attention_mask):
            return types.SimpleNamespace(logits=(input_ids * attention_mask).float())

    class Tokenizer:
        pad_token_id = 0

        def __call__(self, texts, max_length, **how):
            return {"input_ids": np.ones((len(texts), max_length), np.int64)}

    auto = lambda make: types.SimpleNamespace(from_pretrained=lambda name, **how: made.append((name, how)) or make())
    monkeypatch.setitem(
        sys.modules, "transformers", types.SimpleNamespace(AutoModelForSequenceClassification=auto(Net), AutoTokenizer=auto(Tokenizer))
    )
    r = settings.network("20newsgroups", "bert-b")
    net = networks.load(r, tmp_path)
    assert net(torch.tensor([[3, 0]])).tolist() == [[3, 0]]
    assert networks.tokens(r, ["a", "b"], 4).shape == (2, 4)
    assert made[2:] == [("bert-base-uncased", dict(num_labels=20)), ("bert-base-uncased", {})]


def test_schedules():
    from zoo.train import Recipe, rate

    steps = Recipe("d", "n", lr=1.0, warmup=0, schedule="steps 0.8 0.8 0.9")
    assert [rate(steps, s, 10) for s in (0, 7, 8, 9)] == pytest.approx([1, 1, 1e-2, 1e-3])
    linear = Recipe("d", "n", lr=1.0, warmup=0.2, schedule="linear")
    assert [rate(linear, s, 10) for s in (0, 2, 6, 10)] == pytest.approx([0.04, 1, 0.5, 0])
    cosine = Recipe("d", "n", lr=1.0, warmup=0, schedule="cosine")
    assert [rate(cosine, s, 10) for s in (0, 5, 10)] == pytest.approx([1, 0.5, 0], abs=1e-12)
