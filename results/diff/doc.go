// Package diff sets the published numbers beside the reproduced ones: cell by
// cell, ranking by ranking, and claim by claim.
//
// It reads published numbers and results.csv and nothing else. Differences are
// of numbers as printed, in points (per cent), reproduced less published.
//
// # Which record answers which number
//
// A number of Tables 1 to 10 is answered by the record of its table's
// experiment with loss ce and the same dataset, backbone, corruption, severity
// and method. Nothing else is asked: a network of the same name in another
// experiment is another network. A published mean is answered by the mean over
// the same corruptions or datasets, and only if each of them has a value and
// all are of one source.
//
// # Measured and simulated
//
// They have separate summaries. Simulated records show differences and never
// get a verdict, and a row that holds both has neither ranking nor verdict.
//
// # Rankings
//
// The paper's winner is the method with the lowest printed number, whatever is
// bold; HFE is not ranked. Equal printed numbers share a place, here too. A
// method without a value here shifts no rank: the ranking is then over the
// methods that have one, in both columns, it says of how many, and it is
// counted apart from complete rankings. If the paper's winner itself has no
// value there is no verdict.
//
// Kendall's tau-b (1945) is over all pairs of ranked methods within a row that
// have both numbers, pooled over the rows of a table.
//
// # Claims
//
// Claims are sentences of the paper's text as predicates. Each is judged twice:
// on the published numbers, and on measured records, with the figures. How an
// imprecise sentence is read is part of the claim. "Cannot be judged" is a
// verdict: the numbers are not printed, or too few rows are measured to
// support a sentence about all of them. One row is enough to refute it.
//
// # Other data sets
//
// [Akin] asks the claims of data sets that are not the paper's but declared to
// be like them, and says which. It compares no cells and ranks nothing.
package diff
