// Package engine makes scores of arrays: it fits a method, applies the fit to rows,
// scores the rows, and pairs methods. A number does not depend on the command that asks for it.
//
// The stages, a file each:
//
//	suits.go   says why a method cannot be used on a set, before or after its values are read
//	fit.go     makes the input of a fit, in memory or streamed, and measures the time of the fit
//	column.go  is one fit beside the rows of a set: probabilities, temperatures, pairs
//	bytes.go   counts the memory of all that, before it is taken
//	score.go   reads a set once, in blocks, and keeps a few numbers of each row under each column
//	pair.go    compares methods with a baseline on the same rows, with intervals and verdicts
//	metrics.go computes metrics of these numbers, and makes rows of the CSV files
//
// The engine knows arrays and methods. It knows neither specs, nor the store, nor flags, and
// it prints nothing.
//
// # Rows
//
// A set is read by data.Scan in blocks of about BlockBytes, whether it is in memory or in files
// that are larger than memory. Each column sees the arrays that the contract of its method
// names, and no others. A block is scored under all columns while it is in the cache. Columns
// that divide each row by a temperature are scored together, without probabilities. The result
// has the same bits for blocks of any size and for any number of workers.
//
// A column that fails keeps its error, and the others go on.
package engine
