// Package table turns records into the tables of a paper, as LaTeX and as
// plain text, from results.csv alone.
//
// A Spec says which columns of the file make the rows and which the columns,
// which are averaged over, and how to mark. Pivot does all the work and all
// the refusing; LaTeX and Text only print the Table that it returns. A
// Document puts the tables of a report, and its figures, into one LaTeX file.
//
// # Methods across or down
//
// Methods are columns unless a spec makes them rows; the columns are then, for
// example, corruptions. Marks rank methods either way: along a row, or down
// the rows that differ in their methods alone, in each column by itself. Where
// methods are neither, the columns are ranked.
//
// # What meets in a cell
//
// The columns of the file that are neither rows, columns nor averaged over are
// the residue (the idea is that of benchproc in golang.org/x/perf). All
// records of a ranking must agree in them: two losses in one cell would be an
// average of unlike things, two losses in one row a ranking of unlike things.
// Both are errors that name the column and show both values. Nothing is ever
// averaged or dropped in silence.
//
// # Averages
//
// An average needs a value from every setting that any method of its ranking
// has; where one is missing the cell is "--" and says how many are, since a
// mean over fewer settings is not comparable. How many settings an average has
// is always printed. It is the plain mean over settings. The mean of a whole
// table is its last row, or its last column where methods are rows.
//
// # Marks
//
// Marks are computed from the numbers as printed, two decimals for per cent
// and four otherwise, because a reader sees no other. Equal printed numbers
// share a mark: all of the best are bold, all of the next best number are
// underlined. A single ranked number has no mark. The gap, a subscript, is the
// highlighted method less the best of the other ranked ones, in printed
// numbers, so that below zero is better where lower is; it is coloured as
// better or worse. At a tie there is none: the shared mark says it all. (The
// paper has no tie to follow.) Unranked methods, such as those that see the
// target domain, are shown and take no part.
//
// A double dagger stands at a method whose argmax_change is above zero in any
// cell that is shown. Where those records are missing the table says that this
// is not known. Where a method that sees the target domain is shown, it bears
// a star, and a line or column of ticks says which methods do without.
//
// # Measured and simulated
//
// Every simulated number bears an s and the line on top counts both kinds. An
// average over both is not made: its cell is "--" and says why, so that a
// report stands in which a few settings are measured. A ranking over both is
// an error that names two of the cells; it cannot come from a run, where all
// methods of a setting have one source.
//
// # Footnotes
//
// Warnings of a record, and the reasons of skips and fails, become numbered
// footnotes. Texts that differ only in their numbers share one. What holds for
// all numbers of a method stands at its label.
//
// All that the package itself prints is ASCII: in a text table "#" is the
// dagger and "^" the star. Labels keep their characters in text; in LaTeX,
// which is plain ASCII, a character without a LaTeX name becomes "?".
package table
