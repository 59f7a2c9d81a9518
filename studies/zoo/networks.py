"""The networks of paper.yaml: public weights, and untrained networks for its recipes.

A source is LIBRARY:NAME. Libraries are imported when a network needs them:

    edadaltocg:NAME     pytorch_model.bin of huggingface.co/edadaltocg/NAME. For 32 x 32 pixels
                        resnet and densenet have a 3 x 3 stem without pooling (DenseNet: growth 12)
    timm:NAME           weights of timm, with a new head unless it has the number of classes
    medmnist:FILE       weights_<data set>/FILE below the folder of raw files
    torchvision:NAME/WEIGHTS   a segmenter
    transformers:NAME   a text classifier, with a new head
    new:NAME            random weights
"""

from pathlib import Path

import torch
from torch import nn

from .data import find

HUB = "https://huggingface.co/edadaltocg/{}/resolve/main/pytorch_model.bin"
TIMM = {"vit-s16": "vit_small_patch16_224", "vit-b16": "vit_base_patch16_224"}
VIT_OF_HUB = "vit_base_patch16_224.orig_in21k_ft_in1k"


def load(row, raw):
    """The network of a row of paper.yaml, which begins with the weights of its source."""
    library, name = row.source.split(":", 1)
    return globals()[f"of_{library}"](row, name, raw)


def of_edadaltocg(row, name, raw):
    net = timm_model(VIT_OF_HUB, row.classes, pretrained=False) if row.backbone in TIMM else small(row.backbone, row.classes)
    net.load_state_dict(weights(HUB.format(name), f"edadaltocg-{name}.bin"))
    return net


def of_timm(row, name, raw):
    return timm_model(name, row.classes, pretrained=True)


def of_medmnist(row, name, raw):
    from torchvision import models

    net = getattr(models, row.backbone)(num_classes=row.classes)
    state = torch.load(find(raw, f"weights_{row.dataset}/{name}"), map_location="cpu", weights_only=True)
    net.load_state_dict(state["net"])
    return net


def of_torchvision(row, name, raw):
    from torchvision.models import segmentation

    builder, version = name.split("/")
    return getattr(segmentation, builder)(weights=version)


def of_transformers(row, name, raw):
    from transformers import AutoModelForSequenceClassification

    return Text(AutoModelForSequenceClassification.from_pretrained(name, num_labels=row.classes))


def of_new(row, name, raw):
    from torchvision import models

    if name in TIMM:
        return timm_model(TIMM[name], row.classes, pretrained=False)
    if row.crop <= 64:
        return small(name, row.classes)
    return getattr(models, name)(num_classes=row.classes)


def timm_model(name, classes, pretrained):
    import timm

    return timm.create_model(name, pretrained=pretrained, num_classes=classes)


def small(name, classes):
    """ResNet or DenseNet for images of 32 x 32 pixels, with the parameter names of timm and torchvision."""
    from torchvision import models

    if name == "densenet121":
        net = models.DenseNet(12, (6, 12, 24, 16), 24, num_classes=classes)
        net.features.conv0 = nn.Conv2d(3, 24, 3, padding=1, bias=False)
        for layer in ("norm0", "relu0", "pool0"):
            setattr(net.features, layer, nn.Identity())
        return net
    net = getattr(models, name)(num_classes=classes)
    net.conv1 = nn.Conv2d(3, 64, 3, padding=1, bias=False)
    net.maxpool = nn.Identity()
    return net


def weights(url, name):
    """A file of weights, downloaded once. It is read as tensors only: it cannot run code here."""
    path = Path(torch.hub.get_dir()) / "checkpoints" / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.hub.download_url_to_file(url, path)
    return torch.load(path, map_location="cpu", weights_only=True)


class Text(nn.Module):
    """A classifier of transformers on rows of word numbers, padded with 0."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(input_ids=x, attention_mask=(x != 0).long()).logits


def tokens(row, texts, length):
    """Word numbers of texts, n x length, padded with 0."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(row.source.split(":", 1)[1])
    if tokenizer.pad_token_id != 0:
        raise ValueError(f"{row.source}: padding is word {tokenizer.pad_token_id}, not 0")
    made = tokenizer(texts, truncation=True, padding="max_length", max_length=length, return_tensors="np")
    return made["input_ids"].astype("int32")
