// Package isotonic is isotonic regression by pooling adjacent violators, and the
// means to apply it to the n x k probabilities of a set without keeping or
// sorting them all: a Tally counts the pairs that are not near any positive one,
// a Finder finds a knot by the leading bits of a number, a LikelyRow tells which
// classes of a row can matter at all. Row P8 of results/speed needs them.
package isotonic
