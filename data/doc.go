// Package data reads and writes the arrays of trained networks, logits, labels
// and features, in files of numpy. ReadSet reads one data set from two files; package folder
// serves the sets of many networks from one folder.
//
// This package says what a set is and how its arrays are read; it knows no folder, no manifest
// and nothing that is derived. What else there is:
//
//	npy        arrays of numbers in files: .npy, .npz, .safetensors
//	folder     sets in a folder: layout, manifest, digests
//	derive     sets computed from others: first rows, scaled, redrawn, skewed
//	simulate   sets of simulated networks
//	problem    the error of an input
//
// ReadSet and Files.Open read several as a set. Values
// that a set cannot hold, such as labels outside the classes, are errors that name file, row
// and class. A logit of -Inf alone is none: it is a masked class (see Masked). Every error
// of an input is a *problem.Problem or a text that begins with the file.
//
// # Sets
//
// A Set holds the arrays of one data set as one network sees it. For n samples, k
// classes and d features:
//
//	logits      n x k       floats; integers up to 2^24 are read too
//	labels      n or n x 1  integers in 0..k-1, or labels to ignore; whole-number floats are read, with a warning
//	features    n x d       input of the last linear layer
//	augmented   v x n x k   logits of v augmented views of the samples
//	head        k x d and k weight and bias of the last linear layer
//	ood         m x k       logits of m images of no class
//	confidence  n or n x 1  in the place of logits, the confidence of each prediction, in [0, 1]
//
// k is at least 2 and no axis is 0. Binary logits may also be n x 1 or n, if their
// kind is stated: a probability p of class 1 is read as [log(1-p), log p], log odds z
// as [0, z].
//
// A set with a confidence alone (KindConfidence) has no logits. Its labels say whether the prediction is right: files have
// correct, n of 0 and 1, or predicted and labels, n classes each. The number of classes is known only if it is stated.
//
// Rows whose labels are ignored (Ignore) belong to no set: they are left out of all arrays, and
// their values are not checked. A Reader counts the rows that are left, and errors name the row
// of the file.
//
// Weights, groups and folds stand beside labels. A Reader gives a row as often as its weight says (Counts), and copies of a row
// one group, so methods and metrics see repeated rows and no weights.
//
// Parts names the arrays; a method is given a View with the parts that it declares.
// Matrix keeps float32, the precision of the files; arithmetic on it is float64.
//
// A Ref names a set, Files name its arrays, and a Source serves it: a folder of files,
// a simulation, or what is derived from them. Beneath looks through the derived ones. Opening checks shapes against each other, reading checks values.
// A Reader reads rows lo..hi-1; Load reads all of them.
//
// # Kinds of logits
//
// The Kind of a set says what its logits arrays (logits, augmented, ood) hold; the
// Form of a Reader says how they are read and has notes on what is unusual.
//
//   - Kind not stated, or logits: read as they are.
//   - log-probs: read as they are, too. But the offset of each row is lost, so
//     methods that use it are skipped. LogProbs recognises such rows by their
//     values if they are not stated.
//   - probs: read as their logarithms. Each row is divided by its sum, which must
//     be within 0.01 of 1, or within k u / 2 (at most 0.1) where all numbers have
//     decimals with the step u; rows further than 1e-6 from it are counted in a note.
//     A probability of exactly 0 is a small number that was rounded away: it counts
//     as 2^-126, and a note says how many there were. Every other probability counts
//     as it is, down to 1e-300.
//   - Probabilities that are not declared as such are rejected. An array is taken for
//     probabilities if it has 20 rows or more and every row is in [0, 1] and sums to
//     1 within 0.001 or k/2048 (decimals and float16). State kind: probs; or kind:
//     logits if they are logits.
//   - Logits that are all in [0, 1] without such sums (sigmoids?) are read, with a
//     warning.
//   - float64 logits with offsets so large that float32 would lose their
//     differences are read relative to the largest logit of their row, with a
//     warning. The offsets of all rows are then lost. Other float64 are rounded to
//     the nearest float32; a finite value beyond float32 is an error.
//
// # Large files
//
// Sets that do not fit into memory are read by blocks, as often as needed: Blocks and Scan
// pass every block once to a function, and Stream gives any rows to several goroutines.
// They reuse the memory that they decode into, so memory does not grow with the number of
// rows. They check every value in every pass.
//
// # Concurrency
//
// Arrays, Writers and Readers belong to one goroutine; Sources and Streams are safe for
// concurrent use; nothing writes to the slices of a Set.
package data
