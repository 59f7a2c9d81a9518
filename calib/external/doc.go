// Package external holds calibrators that are not part of this program: it
// runs programs, in whatever language, and reads tables of probabilities that
// were made elsewhere.
//
// A program is called twice, with a folder of .npy files each time:
//
//	ARGV... fit DIR      once for each calibration set
//	ARGV... apply DIR    once for each test set
//
//	DIR/cal/logits.npy, labels.npy     n x k '<f4' and n '<i4'; for fit
//	DIR/test/logits.npy                n x k '<f4'; for apply
//	DIR/{cal,test}/features.npy, logits_aug.npy, DIR/head_weight.npy,
//	DIR/head_bias.npy, DIR/ood/logits.npy
//	                                   the arrays that it has declared, as in
//	                                   a folder of arrays
//	DIR/model/                         files that fit leaves and apply finds
//	DIR/probs.npy or DIR/logits.npy    n x k floats; what apply writes
//
// The model is kept as the bytes of its files, so that one fit serves many test
// sets and a later run needs none. Labels of a test set are never handed out.
// The working folder is the root of the project. QATS_SEED in the environment
// is a number that names the fit: a program that draws numbers seeds them with
// it, and so gives the same bytes again.
//
// This is no sandbox: a program may do what its user may. What is bounded is
// what a mistake costs: the time of a call (after which the whole process group
// is killed), the bytes written into the folder, and what is read back. A
// program that calls setsid escapes the group.
package external
