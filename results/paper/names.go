package paper

import "github.com/qats-bench/qats/results"

// Name returns the name that the paper prints for an id in a column of results.csv. The specs in
// experiments/paper give the same names.
func Name(column, id string) string { return names.Name(column, id) }

// Names returns the names of the paper's data sets and networks.
func Names() results.Names { return names }

// names has the data sets of [Datasets], and the networks.
var names = results.Names{
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

	"resnet50":      "RN-50",
	"resnet18":      "RN-18",
	"densenet121":   "DN-121",
	"vit-s16":       "ViT-S",
	"vit-b16":       "ViT-B",
	"deeplabv3-r50": "DLV3-R50",
	"bert-b":        "BERT-B",
}
