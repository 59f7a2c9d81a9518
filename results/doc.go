// Package results holds the numbers of a run and the files in which the
// stages of the program meet.
//
// Scoring produces Records; results.csv, bins.csv and pairs.csv hold them, and
// every table, figure and page is a function of those three files alone. Any
// stage can be replaced by a spreadsheet, so the files are plain: one header
// line, one number a row, identifiers instead of labels, fractions instead of
// per cent.
//
// # The files
//
// Columns and their order are fixed and given by the writers. Lines end in LF.
// A number has at most nine significant digits and no more digits than it
// needs, in plain decimals where its magnitude lies in [1e-9, 1e15) and with an
// exponent outside: 0.0129, 0.00000012, 3.1e-12. Nine digits tell any two
// float32 apart and are well below the differences between processors; both
// writer and reader round to them, so a file read and written again is the same
// file. An absent number is an empty field, never NaN and never 0.
//
// The readers are strict, since a shifted column is a wrong number in a paper:
// the header must match, numbers must be finite and lie where their metric can
// lie, a value stands in a row exactly if its status is ok, and no cell occurs
// twice. What is refused on reading is refused on writing too. Two things that
// spreadsheets do are tolerated: a byte order mark and CRLF line ends.
//
// A row of status skip or fail says in its note why. Its source may be empty,
// because a set that does not exist is neither measured nor simulated.
//
// Files are replaced whole (package whole): a reader sees the old file or the new
// one, whatever happens to the writer.
//
// # The store
//
// Store keeps what is expensive, under a name that says what went into it: see
// there. It is a cache: deleting it loses time and no result.
//
// # Published numbers
//
// A number printed in a paper is another type and lives in published.csv. It
// can never become a Record.
package results
