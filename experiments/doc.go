// Package experiments turns YAML specs into numbers.
//
// It works in four steps, a file or two each:
//
//	spec   YAML -> types; every mistake is reported at file:line:column
//	grid   lists of datasets, backbones, severities -> ordered settings
//	plan   settings x methods -> cells, each with its keys and what is in the store
//	run    a pool of workers fits, applies and scores what is missing
//
// and then assembles results.csv, bins.csv and pairs.csv from the store, in
// plan order. The rules that make this safe:
//
// One fit, many scores. A fit is keyed by the method, its options and the
// content of the arrays it reads, so the 75 corrupted sets of the paper share
// one fit a method. What scoring keeps of each row (scoring.SampleScores) is keyed by
// the fit and the test arrays, and the values by the facts and the metrics.
// Keys are digests of readable texts; neither dates nor file names are in them.
//
// Every result goes through the content-addressed store before it is used, so
// a run that was killed goes on where it stopped, a second run fits nothing,
// and the bytes of the CSV files do not depend on the number of workers.
//
// A cell that fails is a row that says so; the others go on. A method whose
// declared arrays are absent is a skip with its reason. Nothing is ever
// replaced silently.
//
// A method of a spec may be made outside: a program, which runs only where the
// user allows it, or probabilities in files. What they say is checked where it
// enters, and keyed by the bytes of program and files. The model that a program
// leaves is kept in the store as bytes, not as a path: the store stays whole
// when it is moved, and a damaged model is found.
//
// Specs are data: lists and grids, without includes, templates or expressions.
package experiments
