package table

import (
	"fmt"
	"maps"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Name returns the name that the paper prints for an id in a column of
// results.csv, or the id itself where the paper has no name for it. For column
// "metric" it returns the label in package metrics, or that of results.TimeMetric. An
// empty id, for example the severity of a clean set, is "-".
//
// The paper's AdaTS is the test-time augmentation of Hekler et al. Two other
// methods have that name, so it is printed here as TTA-TS. Where a label calls it
// AdaTS nevertheless, the table says which method it is.
func Name(column, id string) string {
	if id == "" {
		return "-"
	}
	if column == "metric" {
		if id == results.TimeMetric {
			return "Fit time (ms)"
		}
		if _, output, ok := metrics.LookupOutput(id); ok {
			return output.Label
		}
	}
	if name, ok := paperNetworks[id]; ok && column == "backbone" {
		return name
	}
	if name, ok := names[column][id]; ok {
		return name
	}
	if v, err := results.ParseVariant(id); err == nil && column == "variant" {
		return variantName(v)
	}
	return id
}

// variantName returns what is printed for a variant: "x 2" for logits times 2.
func variantName(v results.Variant) string {
	switch {
	case v.Rescale != 0:
		return fmt.Sprintf("x %g", v.Rescale)
	case v.Split != 0:
		return fmt.Sprintf("split %d", v.Split)
	case v.Training != 0:
		return fmt.Sprintf("seed %d", v.Training-1)
	}
	return "class shares of the calibration set"
}

// PaperNetworks returns the names that the paper prints for its networks, by id. Only what
// shows the paper's settings prints them: a reader knows a network of their own by the name
// that they gave it.
func PaperNetworks() map[string]string { return maps.Clone(paperNetworks) }

// network is what is printed for a network of any spec: its id, or the short name of a
// network of data/bundle.
func network(id string) string {
	if _, ok := paperNetworks[id]; ok {
		return id
	}
	return Name("backbone", id)
}

// SettingName returns what is printed for a setting: the data set, the network by its id, the
// loss where it is not cross-entropy, the corruption with its severity and the variant,
// with sep between them.
func SettingName(c results.Setting, sep string) string {
	return settingName(c, network(c.Backbone), sep)
}

// SettingInDataset is SettingName without the data set, for views of one.
func SettingInDataset(c results.Setting, sep string) string {
	return settingInDataset(c, network(c.Backbone), sep)
}

// PaperSettingName is SettingName for the paper's settings: with the paper's names of
// networks.
func PaperSettingName(c results.Setting, sep string) string {
	return settingName(c, Name("backbone", c.Backbone), sep)
}

func settingName(c results.Setting, network, sep string) string {
	return Name("dataset", c.Dataset) + sep + settingInDataset(c, network, sep)
}

func settingInDataset(c results.Setting, network, sep string) string {
	name := network
	if c.Loss != "" && c.Loss != "ce" {
		name += sep + Name("loss", c.Loss)
	}
	if c.Corruption != "" {
		name += fmt.Sprintf("%s%s %d", sep, Name("corruption", c.Corruption), c.Severity)
	}
	if c.Variant != (results.Variant{}) {
		name += sep + variantName(c.Variant)
	}
	return name
}

// paperNetworks are the names of the paper's networks.
var paperNetworks = map[string]string{
	"resnet50":      "RN-50",
	"resnet18":      "RN-18",
	"densenet121":   "DN-121",
	"vit-s16":       "ViT-S",
	"vit-b16":       "ViT-B",
	"deeplabv3-r50": "DLV3-R50",
	"bert-b":        "BERT-B",
}

var names = map[string]map[string]string{
	"dataset": {
		"cifar10":          "CIFAR-10",
		"cifar100":         "CIFAR-100",
		"imagenet":         "ImageNet",
		"cifar100-c":       "CIFAR-100-C",
		"cifar100-lt-r10":  "CIFAR-100-LT R-10",
		"cifar100-lt-r100": "CIFAR-100-LT R-100",
		"imagenet-lt":      "ImageNet-LT",
		"ham10000":         "HAM10000",
		"bloodmnist":       "BloodMNIST",
		"breastmnist":      "BreastMNIST",
		"dermamnist":       "DermaMNIST",
		"organamnist":      "OrganAMNIST",
		"organcmnist":      "OrganCMNIST",
		"organsmnist":      "OrganSMNIST",
		"pathmnist":        "PathMNIST",
		"pneumoniamnist":   "PneumoniaMNIST",
		"retinamnist":      "RetinaMNIST",
		"tissuemnist":      "TissueMNIST",
		"voc2012":          "VOC-2012",
		"20newsgroups":     "NewsGroup-20",

		// of data/bundle
		"20newsgroups-body":    "20 Newsgroups (body)",
		"camvid-240":           "CamVid-240",
		"cifar10-jpeg":         "CIFAR-10 (JPEG)",
		"cifar10-jpeg-c":       "CIFAR-10-C (JPEG)",
		"cifar10-jpeg-lt-r10":  "CIFAR-10-LT R-10 (JPEG)",
		"cifar10-jpeg-lt-r100": "CIFAR-10-LT R-100 (JPEG)",
		"pneumoniamnist-28":    "PneumoniaMNIST-28",
	},
	"backbone": {
		// The networks of data/bundle: w is the width of the first layer, k the
		// growth, p the patch, d the dimension, h the hidden layer.
		"deeplab-tiny-w32":   "DeepLab (w32)",
		"densenet121-k32":    "DN-121 (k32)",
		"densenet16-k12-s2":  "DN-16 (k12)",
		"mlp-tfidf-h128":     "MLP (h128)",
		"resnet18-w16-s2":    "RN-18 (w16)",
		"resnet18-w64":       "RN-18 (w64)",
		"resnet50-w64":       "RN-50 (w64)",
		"resnet50-w8-s2":     "RN-50 (w8)",
		"transformer-d64-l2": "Transformer (d64)",
		"vgg7-w32":           "VGG-7 (w32)",
		"vit-p4-d96-l4":      "ViT (p4, d96)",
	},
	"loss": {
		"ce":      "CE",
		"brier":   "Brier",
		"focal":   "Focal",
		"mmce":    "MMCE",
		"ls":      "LS",
		"ls-0.05": "LS-0.05",
	},
	"corruption": {
		"defocus_blur":      "defocus blur",
		"elastic_transform": "elastic transform",
		"gaussian_noise":    "gaussian noise",
		"glass_blur":        "glass blur",
		"impulse_noise":     "impulse noise",
		"jpeg_compression":  "jpeg compression",
		"motion_blur":       "motion blur",
		"shot_noise":        "shot noise",
		"zoom_blur":         "zoom blur",
	},
	"method": {
		"uncal":      "Uncal",
		"ts":         "TS",
		"ir":         "IR",
		"tta-ts":     "TTA-TS",
		"gc":         "GC (one set)",
		"gc-split":   "GC",
		"featclip":   "FeatClip",
		"hfe":        "HFE",
		"hfe-target": "HFE (target)",
		"qats":       "QaTS",
		"qats-pw2":   "QaTS-PW2",
		"qats-pw4":   "QaTS-PW4",
		"qats-pw10":  "QaTS-PW10",
		"qats-pws":   "QaTS-PWs",
	},
}
