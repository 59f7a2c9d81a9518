// Package simulate serves the arrays of virtual networks: logits, labels, features, head,
// augmented views and out-of-distribution logits that agree with each other, of any size,
// from a few parameters. It is a test bench, not evidence. It shows what methods do to a
// network whose faults are known, not that a method is good. Every number computed from its
// arrays says "simulated".
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
// since all w_j have the same length. So the logits u are calibrated: the
// confidence c = max softmax(u) is the probability that the prediction is right.
// The network's output is
//
//	logits = s u,    s = 1 + A (1 + tilt (1/2 - c)),    A >= 0
//
// For tilt in (-2, 2) every row is overconfident. A positive tilt makes unsure rows
// more overconfident (a > 0 in QaTS); a negative tilt makes sure rows more
// overconfident (the bound a >= 0 is active and QaTS is TS). The ECE is then the
// mean confidence minus the accuracy for any bins, and so is the AECE.
//
// The features are s m z, and the head is w with no bias. If classes are skewed,
// there is one more feature, s - (1+A). Its column in the head is log p, and the
// bias is (1+A) log p, so that head and features give s u again. This holds up to
// rounding: s and u are float64 and each array is rounded once, so
// |logits - (W h + B)| is at most about 2^-24 (|logits| + sum |W h| + |B|).
//
// # Long tails, shifts, views, outliers
//
// A network that was trained on a long tail of R = 10, say, has p_j proportional
// to R^(-j/(k-1)). Its calibration set has the same shares, while its test images
// are balanced. On these it favours the head classes, and this alone makes it
// overconfident. If this accounts for more than half of the required ECE, the
// network adds only a share of log p.
//
// A corruption takes a share x of the signal and adds noise of variance x, so
// z = (1-x) m w_y + sqrt(1+x) e, and multiplies s by a factor. The head, the
// signals and the prior of the network stay. Clean and corrupted sets have the same
// images.
//
// A view of an image keeps 0.96 of its signal, and its noise has a correlation
// of 0.97 with the image's noise. The mean over image and views is a little less
// peaked than the image's own logits (about as peaked if classes are skewed), and
// about as often right. An image of no class is noise alone, at the lower half of
// the levels.
//
// # Targets
//
// Accuracy and ECE are given. The mean signal, A, x and the factor (Constants) are solved for on a
// probe of 24,000 rows (Probe). This package does not search: it reads constants.jsonl, in which the
// program studies/networks has written them, and a test says that they are still right. The probe adds up
// the probabilities that predictions are right, which the model knows, instead of outcomes,
// and spreads its rows evenly. The standard error is below 0.1 points of accuracy and of
// ECE for k up to 1000 (between two probes of different seeds: 0.08 and 0.06). A drawn set
// also differs from its targets by sampling: a small set has an ECE above that of its
// model.
//
// # Rows
//
// Rows are not stored. Row i is a function of the parameters, the split and i, so any block
// gives the same bits in any order, and only the block is in memory. The bits are the same
// on all processors: the random numbers, exp, log and the matrix product are our own, and
// no product is fused with a sum.
package simulate
