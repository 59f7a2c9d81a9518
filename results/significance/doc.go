// Package significance holds the tests that compare methods over several data
// sets: what Demsar (2006, "Statistical Comparisons of Classifiers over
// Multiple Data Sets", JMLR 7) recommends, with exact distributions where they
// can be had.
//
// One number a block and method goes in; a block is whatever may count as one
// independent trial, which is for the caller to say. All tests are of ranks: no
// number needs to be normally distributed or commensurable between blocks.
//
// Nothing here is random, and nothing depends on the order of the blocks but
// for rounding.
package significance
