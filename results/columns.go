package results

import "slices"

// SettingColumns returns the columns that name a setting, in the order of the
// files.
func SettingColumns() []string { return settingColumns()[1:] }

// Column returns the text of one of the setting's columns, experiment or one of
// SettingColumns, as the files have it: a severity of 0 and no variant are empty. Any other column
// is empty.
func (c Setting) Column(name string) string {
	if i := slices.Index(settingColumns(), name); i >= 0 {
		return c.fields()[i]
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
