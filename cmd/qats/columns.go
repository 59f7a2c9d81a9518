package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/results/compare"
)

// columns is the flag --columns: the names of the columns of a CSV file of another program.
type columns struct{ *compare.Columns }

func (c columns) String() string {
	if c.Columns == nil {
		return ""
	}
	text := "setting=" + strings.Join(c.Setting, "+")
	if c.Method != "" {
		text += ",method=" + c.Method
	}
	if c.Value != "" {
		text += ",value=" + c.Value
	}
	return text
}

func (c columns) Type() string { return "NAMES" }

func (c columns) Set(text string) error {
	for _, part := range strings.Split(text, ",") {
		switch key, name, _ := strings.Cut(part, "="); {
		case name == "":
			return fmt.Errorf("write setting=dataset+model,method=who,value=brier, or value=*_brier where each method has a column")
		case key == "setting":
			c.Setting = strings.Split(name, "+")
		case key == "method":
			c.Method = name
		case key == "value":
			c.Value = name
		default:
			return fmt.Errorf("unknown key %q (known: setting, method, value)", key)
		}
	}
	return nil
}

// sources divides what --from names into folders of results and CSV files of other programs, of which a pattern
// can name several.
func sources(from []string) (folders, tables []string) {
	for _, name := range from {
		matches, err := filepath.Glob(name)
		switch pattern := strings.ContainsAny(name, `*?[`); {
		case isFolder(name):
			folders = append(folders, name)
		case pattern && err == nil && matches != nil && !slices.ContainsFunc(matches, func(m string) bool { return !isFolder(m) }):
			folders = append(folders, matches...)
		case pattern || isFile(name) || data.Forms().Is(name, formats.Rows):
			tables = append(tables, name)
		default: // which the reader of a folder says
			folders = append(folders, name)
		}
	}
	return folders, tables
}
