// Package simulate serves the arrays of virtual networks: logits, labels,
// features, head, augmented views and out-of-distribution logits that agree with
// each other, of any size, from a few parameters. It is a test bench, not
// evidence: it shows what methods do to a network whose faults are known, never
// that a method is good. Whatever is computed of its arrays says "simulated".
//
// # The model
//
// A network has k prototypes w_j, random unit vectors of R^d: its last layer. An
// image has a class y, drawn from the class shares p, and a signal m, the
// network's mean signal times a level uniform on [0.5, 1.5). The network sees
//
//	z = m w_y + e,    e standard normal in R^d
//
// By Bayes' rule P(y = j | z, m) = softmax(u)_j with u_j = m w_j.z + log p_j,
// for all w_j have one length. So logits u are calibrated: the confidence c =
// max softmax(u) is the probability of being right. What the network says is
//
//	logits = s u,    s = 1 + A (1 + tilt (1/2 - c)),    A >= 0
//
// which is overconfident in every row where tilt is within (-2, 2), in unsure
// rows by more where tilt is positive (a > 0 in QaTS), in sure ones where it is
// negative (the bound a >= 0 is active and QaTS is TS). The ECE is then the mean
// confidence less the accuracy whatever the bins, and so is the AECE.
//
// The features are s m z, and the head is w with no bias. Where classes are
// skewed there is one feature more, s - (1+A), and for it the head has a column
// log p, as it has a bias (1+A) log p: head and features give s u again. They do
// so up to rounding: s and u are float64 and each array is rounded once, so
// |logits - (W h + B)| is at most 2^-24 (|logits| + sum |W h| + |B|) or so.
//
// # Long tails, shifts, views, outliers
//
// Trained on a long tail of R = 10, say, the network has p_j proportional to
// R^(-j/(k-1)) and so has its calibration set, while test images are balanced.
// There it favours the head classes and is overconfident by that alone. Where
// this would be more than half of the ECE asked for, a share of log p is all
// that it adds.
//
// A corruption takes a share x of the signal and adds noise of variance x, so
// z = (1-x) m w_y + sqrt(1+x) e, and multiplies s by a factor; head, signals and
// what the network believes stay. Clean and corrupted sets have the same images.
//
// A view of an image keeps 0.96 of its signal, and its noise has a correlation
// of 0.97 with the image's: the mean over image and views is a little less
// peaked than the image's own logits, and about as often right (where classes
// are skewed, about as peaked). An image of no
// class is noise alone, at the lower half of the levels.
//
// # Targets
//
// Accuracy and ECE are asked for; the mean signal, A, x and the factor are
// solved for, once a network, on a probe of 24,000 rows that is the same for
// every trial. It counts probabilities of being right, which the model knows,
// instead of outcomes, and spreads its rows evenly: the standard error is below
// 0.1 points of accuracy and of ECE for k up to 1000 (between two probes of
// different seeds: 0.08 and 0.06). A set that is drawn differs from its targets
// by sampling besides: a small one has an ECE above that of its model.
//
// # Rows
//
// Nothing is stored. Row i is a function of the parameters, the split and i, so
// any block gives the same bits in any order, and memory is that of the block.
// The bits are the same on all processors: the random numbers, exp, log and the
// matrix product are ours, and no product is fused with a sum.
package simulate
