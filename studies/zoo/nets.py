"""Small networks. Each is features(x) -> n x d followed by a linear head.

The names state the size: -wN the width of the first stage, -s2 a stem of
stride 2 (half the usual resolution for CIFAR, at a quarter of the cost), -kN a
growth rate, -pN a patch side, -dN a token width, -lN a number of layers.
resnet18-w64, resnet50-w64 and densenet121-k32 have the width of their namesakes, with a first convolution
of 3x3 and stride 1, as usual for 32x32 images. The others are far narrower.
"""

import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    """features, then a linear head; logits = features @ head.weight.T + head.bias."""

    def __init__(self, width, classes):
        super().__init__()
        self.width = width
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.features(x))


def conv(i, o, kernel=3, stride=1, dilation=1):
    return nn.Conv2d(i, o, kernel, stride, dilation * (kernel // 2), dilation, bias=False)


def conv_bn_relu(i, o, **how):
    return nn.Sequential(conv(i, o, **how), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


# --- VGG ------------------------------------------------------------------


class VGG(Net):
    """3x3 convolutions between poolings; `plan` holds widths and "M" for a pooling."""

    def __init__(self, channels, classes, plan):
        super().__init__(plan[-1], classes)
        layers = []
        for p in plan:
            layers.append(nn.MaxPool2d(2) if p == "M" else conv_bn_relu(channels, p))
            channels = channels if p == "M" else p
        self.body = nn.Sequential(*layers)

    def features(self, x):
        return self.body(x).mean((2, 3))


# --- ResNet ---------------------------------------------------------------


class Basic(nn.Module):
    expansion = 1

    def __init__(self, i, width, stride):
        super().__init__()
        self.residual = nn.Sequential(
            conv_bn_relu(i, width, stride=stride), conv(width, width), nn.BatchNorm2d(width)
        )
        self.shortcut = shortcut(i, width, stride)

    def forward(self, x):
        return F.relu(self.residual(x) + self.shortcut(x))


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, i, width, stride):
        super().__init__()
        o = 4 * width
        self.residual = nn.Sequential(
            conv_bn_relu(i, width, kernel=1),
            conv_bn_relu(width, width, stride=stride),
            conv(width, o, 1),
            nn.BatchNorm2d(o),
        )
        self.shortcut = shortcut(i, o, stride)

    def forward(self, x):
        return F.relu(self.residual(x) + self.shortcut(x))


def shortcut(i, o, stride):
    if i == o and stride == 1:
        return nn.Identity()
    return nn.Sequential(conv(i, o, 1, stride), nn.BatchNorm2d(o))


class ResNet(Net):
    def __init__(self, channels, classes, block, depths, width, stem_stride=1):
        super().__init__(width * 2 ** (len(depths) - 1) * block.expansion, classes)
        layers = [conv_bn_relu(channels, width, stride=stem_stride)]
        i = width
        for stage, depth in enumerate(depths):
            w = width * 2**stage
            for n in range(depth):
                layers.append(block(i, w, 2 if n == 0 and stage > 0 else 1))
                i = w * block.expansion
        self.body = nn.Sequential(*layers)

    def features(self, x):
        return self.body(x).mean((2, 3))


# --- DenseNet -------------------------------------------------------------


class Dense(nn.Module):
    """One layer of a dense block: it adds `growth` channels to its input. With a bottleneck, a
    1x1 convolution first reduces the input to 4 x growth channels."""

    def __init__(self, i, growth, bottleneck):
        super().__init__()
        narrow = [conv(i, 4 * growth, 1), nn.BatchNorm2d(4 * growth), nn.ReLU()] if bottleneck else []
        self.new = nn.Sequential(nn.BatchNorm2d(i), nn.ReLU(), *narrow, conv(4 * growth if bottleneck else i, growth))

    def forward(self, x):
        return torch.cat([x, self.new(x)], 1)


class DenseNet(Net):
    def __init__(self, channels, classes, depths, growth, stem_stride=1, bottleneck=False):
        i = 2 * growth
        layers = [conv(channels, i, stride=stem_stride)]
        for block, depth in enumerate(depths):
            if block > 0:
                layers += [nn.BatchNorm2d(i), nn.ReLU(inplace=True), conv(i, i // 2, 1), nn.AvgPool2d(2)]
                i //= 2
            for _ in range(depth):
                layers.append(Dense(i, growth, bottleneck))
                i += growth
        super().__init__(i, classes)
        self.body = nn.Sequential(*layers, nn.BatchNorm2d(i), nn.ReLU(inplace=True))

    def features(self, x):
        return self.body(x).mean((2, 3))


# --- transformers ---------------------------------------------------------


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, padding=None):
        n, t, d = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        score = q @ k.transpose(-2, -1) * (d // self.heads) ** -0.5
        if padding is not None:
            score = score.masked_fill(padding[:, None, None, :], -1e9)
        return self.out((score.softmax(-1) @ v).transpose(1, 2).reshape(n, t, d))


class Layer(nn.Module):
    """Pre-norm encoder layer."""

    def __init__(self, dim, heads, ratio):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(dim), Attention(dim, heads)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, ratio * dim), nn.GELU(), nn.Linear(ratio * dim, dim))

    def forward(self, x, padding=None):
        x = x + self.attention(self.norm1(x), padding)
        return x + self.mlp(self.norm2(x))


class ViT(Net):
    """Vision transformer with mean pooling instead of a class token."""

    def __init__(self, channels, classes, side, patch, dim, depth, heads, ratio=2):
        super().__init__(dim, classes)
        self.embed = nn.Conv2d(channels, dim, patch, patch)
        self.position = nn.Parameter(torch.randn(1, (side // patch) ** 2, dim) * 0.02)
        self.layers = nn.ModuleList(Layer(dim, heads, ratio) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)

    def features(self, x):
        x = self.embed(x.contiguous()).flatten(2).transpose(1, 2).contiguous() + self.position
        for layer in self.layers:
            x = layer(x)
        return self.norm(x).mean(1)


# --- text -----------------------------------------------------------------


class TfIdfMLP(Net):
    """Two-layer perceptron on l2-normalised tf-idf vectors of word numbers."""

    def __init__(self, idf, classes, hidden, drop=0.5):
        super().__init__(hidden, classes)
        idf = torch.as_tensor(idf).clone()
        idf[0] = 0  # padding
        self.register_buffer("idf", idf)
        self.first = nn.EmbeddingBag(len(idf), hidden, mode="sum")
        nn.init.normal_(self.first.weight, std=0.5)
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.drop = nn.Dropout(drop)

    def features(self, x):
        # A bag of embeddings with tf-idf weights is the product of the sparse
        # tf-idf row with the first weight matrix. The weights of a repeated
        # word add up, and the norm is the norm of the row of these sums.
        w = self.idf[x]
        same = x[:, :, None] == x[:, None, :]
        norm = (w[:, None, :] * w[:, :, None] * same).sum((1, 2)).sqrt().clamp_min(1e-6)
        return self.drop(F.relu(self.first(x, per_sample_weights=w / norm[:, None]) + self.bias))


class TextTransformer(Net):
    def __init__(self, words, classes, length, dim, depth, heads, ratio=2, drop=0.2):
        super().__init__(dim, classes)
        self.words = nn.Embedding(words, dim, padding_idx=0)
        nn.init.normal_(self.words.weight, std=0.1)
        self.position = nn.Parameter(torch.randn(1, length, dim) * 0.02)
        self.drop = nn.Dropout(drop)
        self.layers = nn.ModuleList(Layer(dim, heads, ratio) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)

    def features(self, x):
        padding = x == 0
        h = self.drop(self.words(x) + self.position)
        for layer in self.layers:
            h = layer(h, padding)
        keep = (~padding).unsqueeze(-1).float()
        # An empty message has no word to average: its features are zero.
        return self.drop((self.norm(h) * keep).sum(1) / keep.sum(1).clamp_min(1))


# --- segmentation ---------------------------------------------------------


class TinyDeepLab(Net):
    """Encoder of stride 8, atrous pyramid, one skip of stride 4, per-pixel head.

    Upsampling comes after the head in forward (cheaper) and before it in features;
    bilinear weights sum to one, so the two orders agree.
    """

    def __init__(self, classes, width=32):
        super().__init__(width, classes)
        w = width
        self.low = nn.Sequential(conv_bn_relu(3, w, stride=2), Basic(w, w, 2), Basic(w, w, 1))
        self.high = nn.Sequential(Basic(w, 2 * w, 2), Basic(2 * w, 3 * w, 1))
        self.pyramid = nn.ModuleList(
            [conv_bn_relu(3 * w, w, kernel=1)] + [conv_bn_relu(3 * w, w, dilation=r) for r in (2, 4, 8)]
        )
        self.whole = nn.Sequential(nn.Conv2d(3 * w, w, 1), nn.ReLU(inplace=True))
        self.join = conv_bn_relu(5 * w, 2 * w, kernel=1)
        self.fuse = conv_bn_relu(3 * w, w)

    def coarse(self, x):
        low = self.low(x)
        high = self.high(low)
        parts = [p(high) for p in self.pyramid]
        parts.append(self.whole(high.mean((2, 3), keepdim=True)).expand_as(parts[0]))
        up = F.interpolate(self.join(torch.cat(parts, 1)), low.shape[2:], mode="bilinear", align_corners=False)
        return self.fuse(torch.cat([low, up], 1))

    def features(self, x):
        return F.interpolate(self.coarse(x), x.shape[2:], mode="bilinear", align_corners=False)

    def forward(self, x):
        h = self.coarse(x)
        logits = F.conv2d(h, self.head.weight[:, :, None, None], self.head.bias)
        return F.interpolate(logits, x.shape[2:], mode="bilinear", align_corners=False)


# --- registry -------------------------------------------------------------


def _image(make):
    return lambda d: make(d.train.x.shape[3], d.classes, d.train.x.shape[1])


NETS = {
    "vgg7-w32": _image(lambda c, k, s: VGG(c, k, [32, "M", 64, "M", 128, 128, "M", 128, 128])),
    "resnet20-w16": _image(lambda c, k, s: ResNet(c, k, Basic, [3, 3, 3], 16)),
    "resnet18-w16-s2": _image(lambda c, k, s: ResNet(c, k, Basic, [2, 2, 2, 2], 16, stem_stride=2)),
    "resnet50-w8-s2": _image(lambda c, k, s: ResNet(c, k, Bottleneck, [3, 4, 6, 3], 8, stem_stride=2)),
    "densenet16-k12-s2": _image(lambda c, k, s: DenseNet(c, k, [4, 4, 4], 12, stem_stride=2)),
    "vit-p4-d96-l4": _image(lambda c, k, s: ViT(c, k, s, 4, 96, 4, 3)),
    "resnet18-w64": _image(lambda c, k, s: ResNet(c, k, Basic, [2, 2, 2, 2], 64)),
    "resnet50-w64": _image(lambda c, k, s: ResNet(c, k, Bottleneck, [3, 4, 6, 3], 64)),
    "densenet121-k32": _image(lambda c, k, s: DenseNet(c, k, [6, 12, 24, 16], 32, bottleneck=True)),
    "mlp-tfidf-h128": lambda d: TfIdfMLP(d.mean, d.classes, 128),
    "transformer-d64-l2": lambda d: TextTransformer(len(d.mean), d.classes, d.train.x.shape[1], 64, 2, 4),
    "deeplab-tiny-w32": lambda d: TinyDeepLab(d.classes, 32),
}
