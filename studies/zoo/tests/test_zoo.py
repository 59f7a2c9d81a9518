"""Run from the folder above the package: python3 -m pytest zoo/tests"""

import numpy as np
import pytest
import torch

from zoo import corruptions, data, export, losses, nets, train

torch.set_num_threads(1)


def tiny_set(n=256, side=32, classes=4, seed=0):
    """Noise images whose class is the brightest quadrant: learnable in a few steps."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    x = rng.integers(0, 160, (n, side, side, 3), dtype=np.uint8)
    half = side // 2
    for image, c in zip(x, y):
        image[(c // 2) * half : (c // 2 + 1) * half, (c % 2) * half : (c % 2 + 1) * half] += 90
    cut = lambda a, b: data.Split(x[a:b], y[a:b].astype(np.int64), np.arange(a, b))
    return data.Dataset(
        "tiny", "image", classes, cut(0, n // 2), cut(n // 2, 3 * n // 4), cut(3 * n // 4, n),
        mean=np.float32([0.4] * 3), std=np.float32([0.25] * 3), flip=False, ood=x[:16, ::-1].copy(),
    )  # fmt: skip


@pytest.mark.parametrize("net", ["resnet18-w16-s2", "vit-p4-d96-l4"])
def test_resumed_run_equals_uninterrupted(tmp_path, net):
    d, r = tiny_set(128), train.recipe("tiny", net, epochs=3, batch=32)
    quiet = lambda line: None
    whole, history = train.train(r, d, tmp_path / "whole", say=quiet)
    train.train(r, d, tmp_path / "cut", say=quiet, stop_after=1)
    resumed, again = train.train(r, d, tmp_path / "cut", say=quiet)
    for (name, a), b in zip(whole.state_dict().items(), resumed.state_dict().values()):
        assert torch.equal(a, b), name
    assert [h["loss"] for h in history] == [h["loss"] for h in again]


def test_checkpoint_of_another_recipe_is_rejected(tmp_path):
    d = tiny_set(64)
    train.train(train.recipe("tiny", "resnet18-w16-s2", epochs=1, batch=32), d, tmp_path, say=str)
    with pytest.raises(ValueError, match="another recipe"):
        train.train(train.recipe("tiny", "resnet18-w16-s2", epochs=2, batch=32), d, tmp_path, say=str)


@pytest.mark.parametrize("name", losses.LOSSES)
def test_gradient_against_finite_differences(name):
    g = torch.Generator().manual_seed(3)
    logits = (2 * torch.randn(12, 5, generator=g, dtype=torch.float64)).requires_grad_()
    labels = torch.randint(5, (12,), generator=g)
    assert torch.autograd.gradcheck(lambda z: losses.LOSSES[name](z, labels), logits, eps=1e-6, atol=1e-7)


def test_losses_at_known_places():
    flat, y = torch.zeros(3, 4), torch.tensor([0, 1, 2])
    assert losses.ce(flat, y).item() == pytest.approx(np.log(4), rel=1e-6)
    assert losses.brier(flat, y).item() == pytest.approx(0.75, rel=1e-6)
    assert losses.focal(flat, y).item() == pytest.approx(0.75**3 * np.log(4), rel=1e-6)
    confident = 50 * torch.nn.functional.one_hot(y, 4).double()
    assert losses.mmce(confident, y).item() < 1e-5  # confident and right: no gap


def test_long_tail_counts():
    counts = data.long_tail_counts(4500, 10, 100)
    assert counts[0] == 4500 and counts[-1] == 45
    assert all(a > b for a, b in zip(counts, counts[1:]))
    labels = np.repeat(np.arange(10), 5000)
    fit, cal = data.hold_out(labels, 0.1)
    tail = data.long_tail(fit, labels, 100)
    assert np.bincount(labels[tail]).tolist() == counts
    assert len(fit) == 45000 and len(cal) == 5000
    # Calibration keeps the skew of training, and the parts stay apart.
    skewed = data.long_tail(cal, labels, 100)
    assert np.bincount(labels[skewed]).tolist() == data.long_tail_counts(500, 10, 100)
    assert not np.intersect1d(tail, skewed).size


def smooth_images(n=6, side=32):
    rng = np.random.default_rng(5)
    x = corruptions.blur(rng.random((n, side, side, 3)), 2.0)
    x = (x - x.min()) / (x.max() - x.min())
    return (x * 200 + 20).astype(np.uint8)


# Mean absolute pixel change does not follow severity here; see the module's comment.
NOT_MONOTONE = {"glass_blur", "elastic_transform", "frost"}


@pytest.mark.parametrize("name", corruptions.CORRUPTIONS)
def test_corruption_keeps_shape_and_grows(name):
    x = smooth_images()
    before = x.copy()
    change = []
    for severity in range(1, 6):
        y = corruptions.corrupt(x, name, severity)
        assert y.shape == x.shape and y.dtype == np.uint8
        assert np.array_equal(y, corruptions.corrupt(x, name, severity))  # seeded
        change.append(np.abs(y.astype(float) - x).mean())
    assert np.array_equal(x, before)
    assert min(change) > 0
    if name not in NOT_MONOTONE:
        assert all(a < b + 0.25 for a, b in zip(change, change[1:])), change
        assert change[4] > change[0]


def test_glass_blur_rounds_reach_further():
    x = smooth_images()
    levels = [np.abs(corruptions.corrupt(x, "glass_blur", s).astype(float) - x).mean() for s in (1, 5)]
    assert levels[1] > levels[0]


def test_frost_covers_more():
    """The weight of the frost layer against that of the image rises with severity."""
    share = [w / k for k, w in corruptions.CORRUPTIONS["frost"][1]]
    assert share == sorted(share)


def test_elastic_local_part_grows():
    strength = [c[0] for c in corruptions.CORRUPTIONS["elastic_transform"][1]]
    assert strength == sorted(strength)


def test_export_layout(tmp_path):
    d = tiny_set()
    r = train.recipe("tiny", "resnet18-w16-s2", epochs=1, batch=32)
    net, history = train.train(r, d, tmp_path / "run", say=str)
    entry = export.export(r, d, net, history, tmp_path / "arrays", say=str)
    at = tmp_path / "arrays/tiny/resnet18-w16-s2"
    load = lambda f: np.load(at / f).astype(np.float64)
    for part, n in (("cal", 64), ("test", 64)):
        z = load(f"{part}/logits.npy")
        assert z.shape == (n, 4) and np.load(at / f"{part}/logits.npy").dtype == np.float16
        again = load(f"{part}/features.npy") @ load("head_weight.npy").T + load("head_bias.npy")
        np.testing.assert_allclose(again, z, atol=0.01 * max(1, abs(z).max()))
        assert load(f"{part}/logits_aug.npy").shape == (4, n, 4)
        assert entry[part]["accuracy"] == pytest.approx((z.argmax(1) == load(f"{part}/labels.npy")).mean(), abs=1e-6)
    assert load("ood/logits.npy").shape == (16, 4)
    for path, record in entry["arrays"].items():
        assert list(np.load(at / path).shape) == record["shape"]


def test_ece_of_a_confident_but_half_right_classifier():
    logits = np.tile([20.0, 0.0], (10, 1))
    assert export.ece15(logits, np.array([0, 1] * 5)) == pytest.approx(0.5, abs=1e-6)


def test_segmentation_orders_of_upsampling_agree():
    torch.manual_seed(0)
    net = nets.TinyDeepLab(11, 8).eval()
    x = torch.randn(1, 3, 48, 64)
    with torch.no_grad():
        late = net(x)
        early = torch.nn.functional.conv2d(net.features(x), net.head.weight[:, :, None, None], net.head.bias)
    torch.testing.assert_close(late, early, rtol=1e-4, atol=1e-5)
