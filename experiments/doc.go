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
//	specs.go     where a spec is, and what it may name: methods, metrics, and their groups (groups.go)
//	inputs.go    notes on the arrays of a setting, such as test rows that are calibration rows
//	describe.go  run.json, and the rows of methods.csv
//	options.go   what a caller may ask of a plan and of a run, and how a run tells how far it is
//
// The other files are for messages (reasons.go, manifests.go, slow.go) and for methods that are
// programs or files (program.go, served.go, precomputed.go).
//
// # From a spec to a figure
//
// The way of one number, the ECE of TS at severity 3 in a severity figure: the functions that it
// passes, each with its file.
//
// The spec becomes settings. The severity is a field of results.Setting, which every later step has.
//
//	cmd/qats/run.go                    execute         reads the flags, plans, runs, and says what was done
//	experiments/specs.go               ReadSpec        finds the file, or the spec that the program carries
//	experiments/spec/spec.go           Parse           decodes the YAML by data/keyed, and checks what stands in it
//	experiments/spec/method.go         build           makes TS of its entry in calib/all, with its options
//	experiments/spec/setting.go        expand          multiplies the lists of a grid
//	experiments/spec/figure.go         figure          reads what the figure is of
//
// Settings become cells, one for each method. All severities of a network share the key of one
// fit, since they share the calibration set.
//
//	experiments/plan.go                MakePlan        does all of this part; newUnit is a setting with its arrays
//	experiments/sources.go             sources         opens the folders that the spec names
//	data/folder/folder.go              Has, Digest     finds the arrays of a set, and hashes them
//	experiments/cell.go                plan, inStore   makes the cells, and asks the store what is missing
//	experiments/keys.go                fitText         has the texts whose digests are the keys
//
// A missing fit is made, and stored.
//
//	experiments/run.go                 Run             workers take the settings
//	experiments/unit.go                unit, do        brings the cells of a setting into the store
//	experiments/fit.go                 fit, makeFit    makes a fit once for all settings that share it
//	experiments/engine/fit.go          Input, Fit      hands the method the arrays that it may see
//	calib/ts.go                        Fit             asks for the temperature of the least NLL
//	calib/internal/fit/temperature.go  Temperature     finds it
//
// The fit is applied to the test set of the setting, block by block; a few numbers of each row remain.
//
//	experiments/unit.go                apply           opens the test set, and stores the numbers of its rows
//	data/folder/folder.go              Open            opens the arrays; data/reader.go ReadInto reads rows
//	experiments/engine/score.go        Score           reads the set once for all methods
//	calib/ts.go                        Scales          says by which number the logits of each row are multiplied
//	metrics/scoring/scaled.go          AppendScaled    keeps confidence, prediction, NLL and Brier score
//
// The numbers of the rows become metrics, and pairs with the baseline.
//
//	experiments/scores.go              score, pair     stores both
//	experiments/engine/metrics.go      Compute         computes all metrics of the spec
//	metrics/ece.go                     ECE             is one of them
//	metrics/pairs.go                   Pairs           compares two methods on the same rows
//
// They are written to the CSV files, and from these alone to everything that people look at.
//
//	experiments/assemble.go            assemble        collects the rows of a setting from the store
//	results/writer.go                  Write           writes them; results/record.go has the columns of results.csv
//	cmd/qats/report.go                 makePage        makes index.html, by experiments/report/page.go WritePage
//	experiments/report/views.go        WriteViews      makes the tables and figures of a spec, for qats report
//	results/folder.go                  Read            reads the files again
//	results/counting.go                Counts          says which settings count
//	results/seeds.go                   OverSeeds       says that trainings of a network are one
//	plots/values.go                    values          arranges the values by setting and method
//	plots/severity.go                  Severity        draws the figure
//	results/table/pivot/pivot.go       Of              makes a table
//
// qats compare takes another way from the files on.
//
//	experiments/report/comparison.go   Each            compares by each metric
//	results/cube.go                    NewCube         arranges the values of settings that count
//	results/compare/compare.go         Of              counts the verdicts of pairs.csv
//	results/compare/ranking.go         rank            ranks the methods
//	results/compare/judgement.go       Judge           applies the rule: NLL and Brier score decide
//	results/compare/conclusion.go      Statement       is the answer
//	results/compare/summary.go         Summary         has the printed tables
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
