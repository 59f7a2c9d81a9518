// Package metrics scores calibrated predictions.
//
// Samples hold n predictions with their labels. They are made once from
// probabilities (FromProbs), from logits (FromLogits) or from confidences
// (FromConfidences), and then every metric is a function of them:
//
//	samples, err := metrics.FromProbs(probs, test)
//	ece := metrics.ECE(samples, 15)
//	nll, err := metrics.NLL(samples)
//
// Registry lists all metrics, with name, label, range, direction and reference,
// for programs that enumerate them. A new metric is one file and one line there.
//
// The doc comment of a metric ends with its name there, its formula and reference, and what
// it was compared with. In formulas y is the label and p a row of probabilities, conf the
// largest of them, and hit is 1 if its class is y, else 0. In bin b, n_b is the number of
// rows, acc_b the mean of hit and conf_b the mean of conf.
//
// # Conventions
//
// "ECE" names several numbers in public code. They differ in which side of a bin
// is closed, in what happens at confidence 1 (torchmetrics and relplot give it a
// bin of its own, which matters with saturated float32 confidences), and in
// precision (torchmetrics bins in float32). Ours is that of Guo et al. (2017) and
// its descendants (focal_calibration, MbLS): bins (l, u] over the confidence of
// the predicted class, an empty bin counts 0, all in float64. WidthBins has the
// edges.
//
// "AECE" names even more. Ours is that of the QaTS paper: bins of equal mass over
// the confidence of the predicted class, and the unweighted mean of
// |accuracy - confidence|. Public code splits by rounded index, by array_split or
// by interpolated edges (which lose the sample of least confidence), and lets the
// sort decide on which side of an edge each of several tied samples falls. We
// split at round(i n/m) and give every sample of a tied block the mean confidence
// and mean correctness of the block, so the order of the sort cannot matter; see
// MassBins. It is neither the ACE of netcal (unweighted over bins of equal width)
// nor that of Nixon et al. (all classes).
//
// Brier is the sum over classes, in [0, 2], not divided by k. NLL is
// -ln max(p, 1e-300), in nats. A reader of files of probabilities writes data.ZeroProb, 2^-126,
// in the place of an exact 0.
//
// # Rules
//
// Values are fractions; per cent is for print. Sums over samples are exact
// (internal/exact), so a metric has the same bits for every order of the samples. Only
// random draws (consistency bands, folds, bootstrap, the groups of rows of class-wise
// verdicts) and the last bits of intervals depend on row numbers. A draw is a hash of the
// seed and the row, not the state of a generator, so it is the same for every method and
// any number of workers. A metric that is undefined for some samples is an error that says
// why, never a NaN. The constructors reject an empty set, so a metric always has one sample
// or more; for the zero Samples every metric is 0 or ErrNoSamples.
//
// Rows of one group are drawn together (cluster.go), so that intervals, verdicts and folds are by group. Weights are
// repeated rows, whose copies are a group.
//
// Pairs compares methods: it says by how much two of them differ, and by a Verdict
// whether the rows show a difference at all. Each metric declares what its verdicts rest
// on (Entry.Judge).
//
// Metrics of whole probability vectors need the n x k probabilities together, which
// samples do not keep. Samples.CrossFit computes a few numbers of each row from them.
//
// Samples never change, so everything here is safe for concurrent use.
package metrics
