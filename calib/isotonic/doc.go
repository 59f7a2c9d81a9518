// Package isotonic holds isotonic regression, by pooling adjacent violators, and the
// methods that rest on it. They are isotonic regression of all pairs, of the top label
// and of each class against all others, centred isotonic regression, and Venn-Abers
// predictors.
//
// A set has n k probabilities, and few of them matter to an isotonic function. A tally
// keeps the pairs near a positive one, so that a fit takes memory for n numbers. A
// likelyRow tells which classes of a row can matter, so that the exponentials of the
// others are not computed.
//
// All probabilities are stretched and tied as package stretch says: those that differ
// by the rounding of logits are one point.
package isotonic
