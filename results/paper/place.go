package paper

import "fmt"

// Namer returns what tables print for an identifier in a column of results.csv,
// such as CIFAR-10 for the dataset cifar10.
type Namer func(column, id string) string

// Title names the setting within its table: it leaves out the parts that are the
// same in all rows of the table.
func (s Setting) Title(name Namer) string {
	switch s.Table {
	case "shift":
		return fmt.Sprintf("severity %d", s.Severity)
	case "shift-full":
		return fmt.Sprintf("severity %d, %s", s.Severity, name("corruption", s.Corruption))
	case "medical":
		return name("backbone", s.Backbone)
	case "medical-full":
		return name("backbone", s.Backbone) + ", " + name("dataset", s.Dataset)
	case "ablation":
		return name("dataset", s.Dataset)
	}
	return name("dataset", s.Dataset) + ", " + name("backbone", s.Backbone)
}

// Place names the row and the column of the printed table that have the number of
// the method with the label. Tables 6, 7 and 8 print their methods in rows.
func (s Setting) Place(label string, name Namer) (row, column string) {
	switch s.Table {
	case "shift-full":
		return fmt.Sprintf("severity %d, %s", s.Severity, label), name("corruption", s.Corruption)
	case "medical-full":
		return name("backbone", s.Backbone) + ", " + label, name("dataset", s.Dataset)
	case "ablation":
		return label, name("dataset", s.Dataset)
	}
	return s.Title(name), label
}
