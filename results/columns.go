package results

import (
	"slices"
	"strconv"
)

// SettingColumns returns the columns that name a setting, in the order of the
// files.
func SettingColumns() []string {
	return []string{"dataset", "backbone", "loss", "corruption", "severity"}
}

// Column returns the text of one of the setting's columns, experiment or one of
// SettingColumns, as the files have it: a severity of 0 is empty. Any other column
// is empty.
func (c Setting) Column(name string) string {
	switch name {
	case "experiment":
		return c.Experiment
	case "dataset":
		return c.Dataset
	case "backbone":
		return c.Backbone
	case "loss":
		return c.Loss
	case "corruption":
		return c.Corruption
	case "severity":
		if c.Severity > 0 {
			return strconv.Itoa(c.Severity)
		}
	}
	return ""
}

// A Filter keeps the rows that have one of the listed values in each named column.
// A column is one of Setting.Column or "method".
type Filter map[string][]string

// Keeps reports whether the filter keeps the rows of a method on a setting.
func (f Filter) Keeps(c Setting, method string) bool {
	for column, values := range f {
		value := method
		if column != "method" {
			value = c.Column(column)
		}
		if !slices.Contains(values, value) {
			return false
		}
	}
	return true
}
