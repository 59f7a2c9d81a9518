// Package pivot turns records into the tables of a paper, from results.csv alone.
//
// A [crosstab.Spec] says which columns of the file make the rows of the table and which
// make its columns, what is averaged, and how to mark. Of makes all decisions and finds
// all errors; the [table.Table] of the [Pivot] that it returns is ready to be written. A
// Document puts the tables and figures of a report into one LaTeX file.
//
// # Methods as columns or as rows
//
// Methods are columns unless a spec makes them rows. In that case the columns are
// something else, for example corruptions. Marks rank methods either way: along a
// row, or, in each column by itself, down the rows that differ in the method
// only. Where methods are neither rows nor columns, the columns are ranked.
//
// # What may share a cell
//
// The columns of the file that are neither rows nor columns of the table, and are
// not averaged over, are the residue (the idea is from benchproc in
// golang.org/x/perf). All records of a ranking must agree in the residue. Two
// losses in one cell would be an average of different things, two losses in one
// row a ranking of different things. Both are errors that name the column and
// show both values. Nothing is ever averaged or dropped in silence.
//
// # Averages
//
// An average needs a value from every setting that any method of its ranking has,
// because a mean over fewer settings is not comparable. Where one is missing, the
// cell is "--" and says how many are. The number of settings of an average is
// always printed. Settings that do not count ([results.Counts]) are left out beside others,
// and the legend says how many, unless the table asks for variants by name. An average is
// the plain mean over settings. Several trainings of a network, which differ in the seed, are
// one setting with their mean, also where no average is asked for, unless variants make rows
// or columns. A mean over the trainings of one network has their standard deviation after it;
// other means have none, since networks and redrawn splits differ by other things. The mean of
// a whole table is its last row, or its last column where methods are rows.
//
// # Marks
//
// Marks are computed from the printed numbers, which have two decimals in per cent and
// in milliseconds and four otherwise, because a reader sees no others. Equal printed
// numbers share a mark: all best numbers are bold, all second best are underlined. So do
// numbers that are [results.Alike] and lie on two sides of a rounding. A
// single ranked number has no mark. The gap, a subscript, is the printed number of
// the highlighted method minus the best one of the other ranked methods. So a gap
// below zero is better where lower is better; the colour says which is better. At
// a tie there is no gap, because the shared mark shows it. (The paper has no tie
// to follow.) Unranked methods, for example those that see the target domain, are
// shown without marks.
//
// A double dagger marks a method whose argmax_change is above zero in any cell
// that is shown. Where these records are missing, the table says that it does not
// know. A method that sees the target domain has a star. Where such a method is shown, or
// one that reads out-of-distribution samples, a line or column of ticks says which methods
// do neither.
//
// # Measured and simulated
//
// The line at the top counts both kinds, and says in capitals that numbers are
// simulated. Where a table has both kinds, every simulated number has an s. An
// average over both is not made: its cell is "--" with the reason, so that a report
// is complete when only a few settings are measured. A ranking over both is an
// error that names two of the cells. A run cannot produce it, because all methods
// of a setting have the same source.
//
// # Stand-ins
//
// In a table of the paper (crosstab.Spec.Number) a measured number is a stand-in unless its note
// says that it is of the paper's own network ([results.Record.StandsIn]). It has an o,
// and the legend says which training it is, or that the manifest does not say. It is not
// ranked, and no average mixes it with numbers of the paper's networks. In other tables
// only a number whose note says stand-in has an o, and it is ranked like any measured
// number, because there it stands for nothing but itself.
//
// # Footnotes
//
// Warnings of a record, and the reasons of skips and failures, become numbered
// footnotes. Notes of one kin ([results.Note.Kin]) share one. A footnote that
// holds for all numbers of a method is at the method's label.
//
// Everything that the package itself prints is ASCII: in a text table "#" is the
// dagger, "^" the star and "+-" the sign before a deviation. Labels keep their characters in text. LaTeX is plain
// ASCII, and a character without a LaTeX name becomes "?".
package pivot
