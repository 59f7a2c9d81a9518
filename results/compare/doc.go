// Package compare compares methods with one of them over many settings, from
// results.csv and pairs.csv; settings.csv says which test samples settings share, and methods.csv
// which methods are ranked. It computes the numbers behind qats compare.
//
// # Per setting
//
// A difference is the metric of a method minus that of the method compared against, on the
// same rows. The verdict of pairs.csv decides which of the two is better: the interval of a
// difference in the metric itself or in another quantity ([metrics.Basis] says why). A
// setting is a win where the whole interval lies on the better side of zero, a loss where
// it lies on the worse side, and a tie where it contains zero, or where the values differ
// by rounding ([results.Alike]). Beside each count is the number that remains after Holm's
// correction for all verdicts of the comparison. Verdicts are conditional on the fits
// (metrics.Pairs); Splits is about the fits.
//
// # Over settings
//
// The settings are those that count ([results.Counts]): rescaled logits and redrawn splits do
// so only where [Options] names their variants.
//
// Settings that share test samples are not independent trials: the 75 corruptions of one
// set are not 75 data sets, and DermaMNIST has images of HAM10000. So settings are grouped
// into blocks, by default one for all data sets that may have test samples in common. Three
// things show which these are: the digests of row ids in manifests, the key samples of a
// manifest or the spec, or else the names of the data sets, by a table of families of
// published ones ([results.Families]). A comparison says which block rests on which.
// Different names do not prove that two data sets have nothing in common, and equal labels
// do not join them. The differences of a block are averaged first, over the settings of
// each data set and then over data sets, and a block counts once in every test.
//
// # What is concluded
//
// One rule concludes, in every view: [Judgement]. NLL and Brier score decide, all other metrics are described. Its
// sentences are those of [Conclusion]. [Floor] says which methods are ranked.
//
// Over the blocks, each method is tested by Wilcoxon's signed-rank test, with zeros as in
// Pratt (1959). p of a score has Holm's correction over the methods of a table and both scores; a metric that decides
// nothing has no p. With few blocks and many methods no result can be significant; the sentence says so, and how many
// blocks would change it. The interval beside the mean difference is that of
// Hodges and Lehmann, which inverts the same test. Where no difference is shown, two one-sided
// tests say whether the method is alike to Against, within margins that were fixed beforehand
// ([Comparison.Margins]). All methods together are ranked in each
// block, and the mean ranks are tested by Friedman's test, with Nemenyi's critical
// difference (package significance has the sources). The tests treat the data sets as a
// random sample, which they are not.
//
// # What is missing
//
// A method is compared on the settings where both have a value, and their number stands
// beside it. A ranking needs a value of every method: a setting without one is left out for
// all. So that no method empties the ranking, a method is left out of it that was not asked
// for by name and lacks a value in more than a fifth of the settings, or all values in more
// than a fifth of the blocks. Both are listed with the reason. Missing numbers are not
// replaced. A mean over fewer settings than that of the method compared with has a sign.
//
// Methods that see unlabelled rows of the domain that they are tested on (Options.Target) are
// compared like the others, and not ranked; the sentence does not count them.
//
// Measured and simulated settings never meet: they make two comparisons. That of the
// simulated settings has values, differences and ranks, but no tests, intervals or verdicts
// ([Comparison.Judged]).
package compare
