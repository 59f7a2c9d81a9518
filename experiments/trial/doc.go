// Package trial answers which calibrator to use for one network, from its arrays alone:
// it fits some methods, chooses one of them, and judges the choice.
//
// # The choice
//
// It is made on the calibration rows by cross-fitting. The rows are dealt into five folds by a
// hash of their number. Each method is fitted on four folds and predicts the fifth, so that no prediction is
// of a row that its fit has seen. Advice is a claim, so it begins with one method ([Begin]), and
// another one takes its place only if it is shown to be better:
//
//  1. Candidates are no calibration ([Plain]) and each method that has probabilities of all
//     classes and reads no row of the deployment domain, whose fit of all rows converged and has
//     no temperature at a bound. Where a class has no calibration row, a method that can change
//     predictions is none. Nor is a method whose NLL is far above that of Reference ([MostAbove]): it has too
//     many parameters for the rows. [Exclusion] names the reasons.
//     Of probabilities of several classes without many zeros quadratic is none.
//  2. The method to begin with is Sigmoid where probabilities are exactly 0, Offset (of several classes Offsets)
//     where the mean probability of a class is not its share, Plain where T of temperature scaling ([Reference]) is
//     below 1 and the rows do not show that, and else Reference. Of probabilities of several classes it is Sigmoid or Reference.
//     Where the method is no candidate, it is Reference.
//  3. If all calibration rows are right, if they have one label, or if the method to begin with is
//     no candidate, the answer is Plain. The candidates are compared with that method by the paired verdict
//     on the NLL (or the Brier score) of the predictions by cross-fitting (package metrics), at 95 % after the
//     correction of Holm (1979) for all of them. Of probabilities of several classes it is the NLL of (1 - e)p + e/k, e = 1/(n + 2). If none is better, it is the answer.
//  4. Of those that are better the smallest is taken: one that keeps every prediction before one
//     that does not, then the one with fewer parameters. A larger candidate takes its place if it is
//     better than that by the same verdict, corrected for the larger candidates; of several the
//     smallest; and so on.
//
// The lowest cross-fitted value alone would be a worse rule: of several methods on a few hundred
// rows it takes the luckiest, which then is often worse than Reference. docs/choose.md has the
// simulation of both, and of what to begin with (studies/advice). The verdict takes the rows as independent, although
// the fits of two folds share rows.
//
// # The judgement
//
// Test rows have no part in the choice. They judge it: [Trial.ToPlain] and [Trial.ToReference] are
// its paired comparisons on the test rows. Where there is one set only, the predictions by
// cross-fitting judge it too. The same rows then choose and judge, and an interval would be too
// short: there is none, and no verdict.
package trial
