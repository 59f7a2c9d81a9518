// Package external serves calibrators that are not part of this program: it runs
// programs, in any language, and reads tables of probabilities that other programs
// wrote.
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
//	DIR/model/                         files that fit writes and apply reads
//	DIR/probs.npy or DIR/logits.npy    n x k floats that apply writes
//
// A process that has started this one can also serve methods over two pipes (Server), with
// the same folders: one process for a whole run.
//
// The model is kept as the bytes of its files. So one fit serves many test sets, and
// a later run does not fit again. A program never gets the labels of a test set. The
// working folder is the root of the project. The environment has the variables of Passed,
// those that the caller names, and QATS_SEED. QATS_SEED is a number that
// identifies the fit. A program that draws random numbers uses it as the seed, so that it
// writes the same bytes again.
//
// This is not a sandbox: a program can do everything that its user can do. There are
// limits against mistakes: for the time of a call, after which the whole process
// group is killed, for the bytes written into the folder, and for the bytes read
// back. Child processes end with the call, if they stay in the process group. A child that
// leaves it, by setsid, lives on, and so do all children on Windows, which has no groups.
package external
