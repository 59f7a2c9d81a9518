// Package table has the names and words of tables in print: what a reader sees in place of
// the ids of results.csv, and how numbers, lists and long texts are printed.
package table
