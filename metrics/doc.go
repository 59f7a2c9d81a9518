// Package metrics scores calibrated predictions.
//
// Scoring a test set is done in two steps that never meet. First every row is
// reduced to its Facts: confidence, prediction, label, NLL, Brier. They are
// small, they are kept, and they are all that is left of the n x k
// probabilities. Then every metric, binning, null band and paired interval is
// a function of facts. A new metric is one file and one line of Registry.
//
// Maps that divide a row by a temperature are reduced to facts without
// probabilities, many at a time (AppendScaled). A metric of all class
// probabilities declares it (Entry.Classes): then binned sums by class, 15 k of
// them, are filled while the set streams through the map and kept with the
// facts (ClassBins).
//
// # Conventions
//
// "ECE" names several numbers in public code. They differ in which side of a
// bin is closed, in what happens at confidence 1 (torchmetrics and relplot
// give it a bin of its own; with saturated float32 confidences that matters),
// and in precision (torchmetrics bins in float32). Ours is that of Guo et al.
// (2017) and its descendants (focal_calibration, MbLS): 15 bins (l, u] over
// the top-class confidence, an empty bin counts 0, in float64. See
// WidthBins for the edges.
//
// "AECE" names even more. Ours is the paper's: 15 bins of equal mass over the
// top-class confidence and the unweighted mean of |accuracy - confidence|.
// Public code splits by rounded index, by array_split or by interpolated value
// edges (which lose the least row), and lets the sort decide which of several
// tied rows goes to which side of a boundary. We split at round(i n/15) and
// give every row of a tied block the block's mean confidence and mean
// correctness, so no sort order can matter; see MassBins. It is not netcal's
// ACE (unweighted over equal-width bins) nor Nixon's (all classes).
//
// Brier is the sum over classes, in [0, 2], not divided by k. NLL is
// -ln max(p, Floor), in nats.
//
// # Rules
//
// Fractions everywhere; per cent is for print. Sums over rows are exact
// integers (exactSum), so metrics have the same bits for every order of the
// rows; only what is drawn at random (null bands, bootstrap) belongs to row
// numbers. What is drawn is a hash of the seed and the row, not a generator's
// state: the same for every method and any number of workers. A metric that
// is undefined for its facts is an error that says why, never a NaN.
//
// Everything here is safe for concurrent use as long as nobody appends to the
// facts in use.
package metrics
