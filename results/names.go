package results

import (
	"fmt"

	"github.com/qats-bench/qats/metrics"
)

// Names are the names in print of data sets, networks, losses and corruptions, by id. Manifests
// and specs give them. What they lack has the word of the field ([Name]) or its id.
type Names map[string]string

// Name returns the name of an id in a column of results.csv.
func (l Names) Name(column, id string) string {
	if name, ok := l[id]; ok {
		return name
	}
	return Name(column, id)
}

// Setting returns what is printed for a setting: the data set, the network, the loss where it is
// not cross-entropy, the corruption with its severity and the variant, with sep between them.
func (l Names) Setting(c Setting, sep string) string {
	return l.Name("dataset", c.Dataset) + sep + l.InDataset(c, sep)
}

// InDataset is Setting without the data set, for views of one.
func (l Names) InDataset(c Setting, sep string) string {
	name := l.Name("backbone", c.Backbone)
	if c.Loss != "" && c.Loss != "ce" {
		name += sep + l.Name("loss", c.Loss)
	}
	if c.Corruption != "" {
		name += fmt.Sprintf("%s%s %d", sep, l.Name("corruption", c.Corruption), c.Severity)
	}
	if c.Variant != (Variant{}) {
		name += sep + variantName(c.Variant)
	}
	return name
}

// Name returns the word of the field for an id in a column of results.csv, or the id itself where
// there is none: data sets, networks and methods have no words, but labels ([Names], methods.csv). For column
// "metric" it returns the label in package metrics, or that of TimeMetric. An
// empty id, for example the severity of a clean set, is "-".
func Name(column, id string) string {
	if id == "" {
		return "-"
	}
	if column == "metric" {
		if id == TimeMetric {
			return "Fit time (ms)"
		}
		if _, output, ok := metrics.LookupOutput(id); ok {
			return output.Label
		}
	}
	if name, ok := names[column][id]; ok {
		return name
	}
	if v, err := ParseVariant(id); err == nil && column == "variant" {
		return variantName(v)
	}
	return id
}

// variantName returns what is printed for a variant: "x 2" for logits times 2.
func variantName(v Variant) string {
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

var names = map[string]map[string]string{
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
}
