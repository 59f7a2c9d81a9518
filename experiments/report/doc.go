// Package report shows what a run has found: the tables and figures of specs, comparisons of
// methods with their figures, and the page of an output folder. All of them are made from the
// files of a [results.Folder] and from nothing else.
package report
