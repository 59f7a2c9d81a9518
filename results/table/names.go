package table

import "github.com/qats-bench/qats/metrics"

// Name returns the name that the paper prints for an id in a column of
// results.csv, or the id itself where the paper has no name for it. For column
// "metric" it returns the label in package metrics. An empty id, for example the
// severity of a clean set, is "-".
//
// The paper's AdaTS is the test-time augmentation of Hekler et al. Two other
// methods have that name, so it is printed here as TTA-TS. Where a label calls it
// AdaTS nevertheless, the table says which method it is.
func Name(column, id string) string {
	if id == "" {
		return "-"
	}
	if column == "metric" {
		if _, output, ok := metrics.LookupOutput(id); ok {
			return output.Label
		}
	}
	if name, ok := names[column][id]; ok {
		return name
	}
	return id
}

// remark is the sentence that explains the label of a method, empty if none is
// needed.
func remark(method, label string) string {
	if method == "tta-ts" && label == "AdaTS" {
		return "AdaTS: the TTA-extended TS of Hekler et al. (2023) that the paper cites under this name."
	}
	return ""
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
	},
	"backbone": {
		"resnet50":      "RN-50",
		"resnet18":      "RN-18",
		"densenet121":   "DN-121",
		"vit-s16":       "ViT-S",
		"vit-b16":       "ViT-B",
		"deeplabv3-r50": "DLV3-R50",
		"bert-b":        "BERT-B",
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

// headings of the columns that label rows.
var headings = map[string]string{
	"experiment": "Experiment",
	"dataset":    "Dataset",
	"backbone":   "Backbone",
	"loss":       "Loss",
	"corruption": "Corruption",
	"severity":   "Severity",
	"method":     "Method",
}
