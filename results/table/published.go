package table

import (
	"fmt"

	"github.com/qats-bench/qats/results"
)

// Place names the row and the column of the paper's table that hold the number of
// a method. Tables 7 and 8 and the ablation have their methods in rows.
func Place(s results.PublishedSetting, label string) (row, column string) {
	switch s.Table {
	case "shift-full":
		return fmt.Sprintf("severity %d, %s", s.Severity, label), Name("corruption", s.Corruption)
	case "medical-full":
		return Name("backbone", s.Backbone) + ", " + label, Name("dataset", s.Dataset)
	case "ablation":
		return label, Name("dataset", s.Dataset)
	}
	return Setting(s), label
}

// Setting names the setting of a published row, without the parts that all rows of
// its table share.
func Setting(s results.PublishedSetting) string {
	switch s.Table {
	case "shift":
		return fmt.Sprintf("severity %d", s.Severity)
	case "shift-full":
		return fmt.Sprintf("severity %d, %s", s.Severity, Name("corruption", s.Corruption))
	case "medical":
		return Name("backbone", s.Backbone)
	case "medical-full":
		return Name("backbone", s.Backbone) + ", " + Name("dataset", s.Dataset)
	case "ablation":
		return Name("dataset", s.Dataset)
	}
	return Name("dataset", s.Dataset) + ", " + Name("backbone", s.Backbone)
}
