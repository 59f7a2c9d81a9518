// Package audit checks the published tables against themselves: marks, gaps
// and averages recomputed from the printed numbers, and entries that cannot
// both be right.
//
// It sees printed numbers alone, of two decimals, and computes in whole
// hundredths of a per cent, so that equal means equal. A finding says that two
// printed things do not fit; it does not say which of them is right, and
// nothing here is a statement about a method.
//
// # The rules
//
// Best: the lowest printed number of a row is to be bold, all of them if they
// are equal, and no other. A row whose best is not marked breaks the rule.
// HFE stands outside the ranking, since it sees the target domain.
//
// Second: all of the next lowest numbers, and no other, are to be underlined.
// It is judged only where the best mark is right, because a wrong best shifts
// the second, and only in tables that underline at all.
//
// Gap: the number beside QaTS is to be QaTS less the lowest other ranked
// number, with its sign.
//
// Average: the mean of n entries, each rounded to 0.01, is known to 0.005, and
// the printed mean is rounded once more: a distance above 0.01 is a finding.
// Every place where an average is printed is judged.
//
// Tables that disagree: one cell printed with two values.
//
// One fit: let P and N be the parts of an ECE from overconfident and from
// underconfident bins, so ECE = P + N, and g = P - N the mean confidence less
// the accuracy, which no binning changes. AECE, over bins of equal mass, is at
// least |g|. Hence min(P, N) = (ECE - |g|)/2 >= (ECE - AECE)/2: if both numbers
// are of one fit, at least so much of the ECE comes from bins of the rarer
// sign. With the two exchanged the same holds of the AECE. (Bins of equal mass
// weigh the same up to one row in n.) Above two points it is a finding. Where it
// occurs the uncalibrated ECE and AECE are nearly equal, as they are if every
// bin is overconfident, and a temperature that leaves most of that error leaves
// few bins of the other sign.
//
// Repeats, two fits and captions are what reading the tables side by side
// shows; each is computed by the rule that its group states.
package audit
