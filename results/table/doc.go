// Package table has tables as values and their writers. A view builds a [Table]: columns
// with alignment, unit and digits, rows in groups, marks, a legend and notes. Its
// methods write it for a terminal (Text), for LaTeX, as Markdown, HTML, CSV and JSON, and
// know no view.
//
// The package also has the names of tables in print: what a reader sees in place of the
// ids of results.csv, and how numbers are printed.
package table
