// Package experiments runs the experiments that specs describe.
//
// Package spec reads the YAML files, and package report makes tables, figures and pages from
// the files of a run. This package does what is between, in stages:
//
//	plan      settings x methods -> cells, each with its keys and its state in the store
//	run       a pool of workers fits, applies and scores what is missing
//	assemble  results.csv, bins.csv, pairs.csv, fits.csv and times.csv, from the store, in plan order
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
