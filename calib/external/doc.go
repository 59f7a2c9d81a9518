// Package external asks calibrators that are not part of this program: it calls
// programs, in any language, and reads tables of probabilities that other programs
// wrote.
//
// A call has a folder of .npy files. There are fits, one for each calibration set, and
// applications, one for each test set:
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
// Calls makes them, in a session with a calibrator: a request, its reply, and an end. There
// are three kinds:
//
//   - A process for each call, ARGV... fit DIR or ARGV... apply DIR: to start it is the
//     request, and its end is the reply (once).
//   - A process that answers many calls, ARGV... serve, by lines of JSON on its standard
//     input and output (link). There is one for each call at a time (Programs). It is killed
//     where it does not answer, and the next call starts another one.
//   - The process that has started this one, at the other ends of the standard input and
//     output of this one (Parent). It cannot be killed, so that it is told of a call which is
//     cancelled.
//
// The model is kept as the bytes of its files. So one fit serves many test sets, and
// a later run does not fit again. A program never gets the labels of a test set. The
// working folder is the root of the project. The environment has the variables of Passed,
// those that the caller names, and QATS_SEED (or the request has the seed), a number that
// identifies the fit. A program that draws random numbers uses it as the seed, so that it
// writes the same bytes again.
//
// This is not a sandbox: a program can do everything that its user can do. There are
// limits against mistakes: for the time of a call, after which the whole process
// group is killed, for the bytes written into the folder, and for the bytes read
// back. Child processes end with the process of their program, if they stay in its group.
// A child that leaves the group, by setsid, lives on, and so do all children on Windows,
// which has no groups.
package external
