// Package significance holds the tests that compare methods over several data sets,
// as Demsar (2006, "Statistical Comparisons of Classifiers over Multiple Data Sets",
// JMLR 7) recommends them. Distributions are exact where that is feasible.
//
// The input is one number for each block and method. A block is one independent
// trial; the caller decides what counts as one. All tests are of ranks, so the
// numbers need not be normally distributed or comparable between blocks.
//
// The results are not random, and only rounding depends on the order of the blocks. Normal,
// chi-squared and F distributions are those of gonum, which has neither signed-rank nor
// rank-sum tests nor a studentized range.
package significance
