// Package quantile holds the variants of QaTS, whose temperatures follow the rank of a row's
// confidence: with a temperature that may rise, in pieces, with ranks among unlabelled target
// rows, and by other readings of the paper. QaTS itself is in package calib.
package quantile
