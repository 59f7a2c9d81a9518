package paper

import "fmt"

// Title names the setting within its table: it leaves out the parts that are the
// same in all rows of the table.
func (s Setting) Title() string {
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

// Place names the row and the column of the printed table that have the number of
// the method with the label. Tables 6, 7 and 8 print their methods in rows.
func (s Setting) Place(label string) (row, column string) {
	switch s.Table {
	case "shift-full":
		return fmt.Sprintf("severity %d, %s", s.Severity, label), Name("corruption", s.Corruption)
	case "medical-full":
		return Name("backbone", s.Backbone) + ", " + label, Name("dataset", s.Dataset)
	case "ablation":
		return label, Name("dataset", s.Dataset)
	}
	return s.Title(), label
}
