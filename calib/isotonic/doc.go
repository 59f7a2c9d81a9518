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
// An isotonic function is often 0 or 1 at its ends. The methods of one class against all others and that of the top
// label have a mass then (calib.Mass). That of all pairs, ir, has none: it is what the paper's tables have, and
// its term 1e-9 p keeps every class above 0. Venn-Abers predictors are never 0 or 1.
//
// All probabilities are stretched and tied as package stretch says: those that differ
// by the rounding of logits are one point.
package isotonic
