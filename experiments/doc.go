// Package experiments runs the experiments that specs describe.
//
// Package spec reads the YAML files, and package report makes tables, figures and pages from
// the files of a run. This package does what is between: it plans, runs and assembles. No
// file uses a file that stands above it here:
//
//	run.go       workers take the units of a plan, and the rows are written in its order
//	assemble.go  results.csv, bins.csv, pairs.csv, fits.csv, classes.csv and times.csv, from the store
//	unit.go      what is missing of one setting is fitted, applied, scored and paired
//	scores.go    metrics and pairings of the rows of each cell
//	stream.go    the test set streams once through the maps of all cells
//	fit.go       a fit is found in the store or made, once for all settings that share it
//	work.go      the state that these share
//	plan.go      settings x methods -> cells; deal.go shares them out, memory.go bounds them
//	cell.go      a cell: its keys (keys.go), and its state in the store
//	sources.go   the arrays and the programs (external.go) that a spec names
//
// The rules that make this safe:
//
// One fit, many scores. A fit has a key made of the method, its options and the
// content of the arrays that it reads, so the 75 corrupted sets of the paper share
// one fit for each method. The sample scores, from which metrics are computed, have
// a key made of the fit and the test arrays. The values of the metrics have a key
// made of the sample scores and the metrics. Keys are digests of readable texts,
// which contain neither dates nor file names.
//
// Every result goes through the content-addressed store before it is used.
// Therefore a run that was killed continues where it stopped, a second run fits
// nothing, and the bytes of the CSV files do not depend on the number of
// workers. The time of a fit is stored beside it when it is made, and no key and no
// other result depends on it: only times.csv differs between runs.
//
// A cell that fails is a row with the error; the others go on. A method whose declared
// arrays are absent is a skip with the reason. Nothing is replaced silently.
//
// A spec may name an external method: a program, which runs only where the user
// allows it, or probabilities in files. Its numbers are checked where they enter,
// and its keys contain the bytes of program and files. The store keeps the model
// that a program leaves as bytes, not as a path. So the store is complete when it
// is moved, and a damaged model is noticed.
package experiments
