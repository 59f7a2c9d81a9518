// Package isotonic holds isotonic regression by pooling adjacent violators. It can
// fit and apply it to the n x k probabilities of a set without keeping or sorting
// them all: a Tally counts the pairs that are not near a positive one, a Finder finds
// a knot by the leading bits of a number, and a LikelyRow tells which classes of a
// row can matter. Row P8 of results/speed needs all three.
//
// All probabilities are stretched, and tied as package stretch says: those that differ by
// the rounding of logits are one point.
package isotonic
