package table

import (
	"fmt"

	"github.com/qats-bench/qats/results"
)

// Place names the row and the column of the printed table in which the number
// of a method stands. Tables 7 and 8 have their methods in rows, and so has
// the ablation.
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

// Setting names what the numbers of a published row are about, as far as its
// table leaves it open.
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
