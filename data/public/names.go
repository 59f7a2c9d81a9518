package public

import "strings"

// datasetNames are the data sets as sources abbreviate them, and as the specs of
// this project name them.
var datasetNames = map[string]string{
	"c10": "cifar10", "cifar10": "cifar10",
	"c100": "cifar100", "cifar100": "cifar100",
	"SVHN": "svhn", "imgnet": "imagenet",
	"derma": "dermamnist", "oct": "octmnist", // CalArena's, with the rows of DermaMNIST and OCTMNIST
}

// datasetName returns the name of a data set in specs.
func datasetName(source string) string {
	if name, ok := datasetNames[source]; ok {
		return name
	}
	return id(source)
}

// backboneNames are the networks that specs name in another way than id would.
var backboneNames = map[string]string{"resnet_wide32": "wrn-32"}

// backboneName returns the name of a network in specs.
func backboneName(source string) string {
	if name, ok := backboneNames[source]; ok {
		return name
	}
	return id(source)
}

// id writes a name as specs do: in lower case, with hyphens.
func id(source string) string { return strings.ToLower(strings.ReplaceAll(source, "_", "-")) }

// Backbones and datasets of the paper. A network that has one of each stands in for
// the paper's.
var (
	paperBackbones = []string{"resnet50", "resnet18", "densenet121", "vit-s16", "vit-b16", "deeplabv3-r50", "bert-b"}
	paperDatasets  = []string{"cifar10", "cifar100", "cifar100-c", "cifar100-lt-r10", "cifar100-lt-r100", "imagenet", "imagenet-lt",
		"ham10000", "pathmnist", "bloodmnist", "breastmnist", "dermamnist", "organamnist", "organcmnist", "organsmnist",
		"pneumoniamnist", "retinamnist", "tissuemnist", "voc2012", "20newsgroups"}
)
