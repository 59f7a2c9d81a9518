// Package isotonic holds isotonic regression, by pooling adjacent violators, and the methods
// that rest on it: of all pairs, of the top label, of each class against all others, centred,
// and Venn-Abers predictors.
//
// Fits and maps do not keep or sort all n x k probabilities of a set. A tally counts the
// pairs that are not near a positive one. A finder finds a knot by the leading bits of a
// number. A likelyRow tells which classes of a row can matter.
//
// All probabilities are stretched, and tied as package stretch says: those that differ by
// the rounding of logits are one point.
package isotonic
