// Package comparison compares methods with one of them over many settings, from
// results.csv and pairs.csv alone: the numbers behind qats compare.
//
// # Per setting
//
// A difference is the metric of a method less that of the method compared
// against, on the same rows, with the paired bootstrap interval of pairs.csv.
// A setting is a win where the whole interval lies on the better side of zero, a
// loss where it lies on the worse one, and a tie where it holds zero. The
// intervals are conditional on the fits (metrics.Pairs says how they are made);
// Splits is about the fits.
//
// # Over settings
//
// Settings that share test images are not independent trials: the 75 corruptions
// of one set are no 75 data sets. So settings are put together in blocks, by
// default those of one dataset, the differences of a block are averaged first,
// and a block counts once in every test. Over the blocks, each method is tested
// by Wilcoxon's signed-rank test, its zeros treated as Pratt does, and Holm's
// correction over the methods that are compared; the interval beside the mean difference is
// that of Hodges and Lehmann, which inverts the same test. All methods together
// are ranked in each block, and the mean ranks are tested by Friedman's test,
// with Nemenyi's critical difference (package significance has the sources).
// What the tests say is about data sets like these, as far as these were drawn
// from such; nobody drew them.
//
// # What is missing
//
// A method is compared on the settings where both have a value, and their number
// stands beside it. A ranking needs a value of every method: a setting without
// one is left out for all. Methods that were not asked for by name, and that
// lack a value in more than a fifth of the settings or have none in more than a
// fifth of the blocks, are left out of the ranking instead, so that they do not
// empty it. Both are listed with the reason. No missing number is replaced.
//
// Measured and simulated settings never meet: they make two comparisons.
package comparison
