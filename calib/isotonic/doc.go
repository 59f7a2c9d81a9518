// Package isotonic holds isotonic regression, by pooling adjacent violators, and the methods
// that rest on it: of all pairs, of the top label, of each class against all others, centred,
// and Venn-Abers predictors.
//
// Fits and maps do not keep or sort all n x k probabilities of a set. A tally counts the
// pairs that are not near a positive one, so that a fit takes memory for n numbers. A likelyRow
// tells which classes of a row can matter: without it, fit, map and NLL would each take the
// exponentials of all n k logits.
//
// All probabilities are stretched, and tied as package stretch says: those that differ by
// the rounding of logits are one point.
package isotonic
