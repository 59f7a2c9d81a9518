// Package scoring reduces the n x k probabilities of a calibrated test set to a few
// numbers a row, the SampleScores, from which package metrics computes every
// metric. They take 41 bytes a row, so they are kept while the probabilities are
// not: a run stores them, and a new metric needs no second pass over the test set.
//
// A map that divides each row by a temperature is scored without probabilities,
// and several such maps at a time (AppendScaled). A metric that reads the
// probabilities of all classes declares it (metrics.Entry.Classes): then a
// ClassTally fills 15 bins a class while the set streams through the map.
//
// A metric that recalibrates whole vectors declares it too (metrics.Entry.CrossFit). The
// probabilities of all rows are then in memory, for one map at a time, and
// VectorScores keep eight numbers a row of them.
//
// It is a package of its own because only runs score in blocks and store the scores. Other
// callers use metrics.FromProbs and similar functions.
package scoring
