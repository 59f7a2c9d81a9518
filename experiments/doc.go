// Package experiments runs the experiments that specs describe.
//
// Package spec reads the YAML files, and package report makes tables, figures and pages from
// the files of a run. This package does what is between: it plans, runs and assembles. Its
// files, from the outside in:
//
//	run.go       workers take the units of a plan, and the rows are written in its order
//	assemble.go  results.csv, bins.csv, pairs.csv, fits.csv, classes.csv and times.csv, from the store
//	unit.go      what is missing of one setting is fitted, applied, scored and paired
//	scores.go    metrics and pairings of the rows of each cell
//	fit.go       a fit is found in the store or made, once for all settings that share it, and by
//	             one of the tasks that run at a time (claim.go)
//	work.go      the state that these share
//	plan.go      settings x methods -> cells; task.go divides them, memory.go bounds them
//	cell.go      a cell: its keys (keys.go), and its state in the store
//	sources.go   the arrays and the programs (external.go) that a spec names
//
// # From a spec to a figure
//
// The path of one number, the ECE of TS at severity 3 in a severity figure:
//
//  1. spec/setting.go lists the settings of the grids of a YAML file; the severity is a field of
//     results.Setting. spec/figure.go reads what the figure is of.
//  2. plan.go finds the arrays of each setting (sources.go) and makes its cells, one for each method
//     (cell.go). All severities of a network share the key of one fit, since they share the
//     calibration set.
//  3. unit.go does the work on one setting. fit.go fits the method: calib/ts.go calls
//     calib/internal/fit/temperature.go, which finds the temperature.
//  4. Package engine applies the fitted map to the test set of the setting, block by block
//     (engine/score.go); metrics/scoring keeps a few numbers of each row.
//  5. scores.go computes the metrics of these rows: metrics/ece.go.
//  6. assemble.go collects the rows, and results/writer.go writes them: results/record.go has the
//     columns of results.csv, settings.go and methods.go those of settings.csv and methods.csv.
//  7. report/views.go reads them again (results/folder.go). results/counting.go says which settings
//     count, results/seeds.go that trainings of a network are one. plots/severity.go draws the figure
//     from plots/values.go, the values by setting and method; results/table/pivot makes the tables.
//
// qats compare takes another way from step 7: report/comparison.go asks results/compare, which reads
// the values of a results.Cube (results/cube.go), counts the verdicts of pairs.csv (compare.go), ranks
// (ranking.go), and makes the answer (sentence.go) and the printed table (summary.go).
//
// # Rules
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
