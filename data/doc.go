// Package data reads and writes the arrays of trained networks, logits, labels
// and features, in files of numpy. ReadSet reads one data set from two files;
// Folder serves the sets of many networks from one folder.
//
// Package npy reads and writes arrays; ReadSet and Files.Open read several as a set. Values
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
//
// k is at least 2 and no axis is 0. Binary logits may also be n x 1 or n, if their
// kind is stated: a probability p of class 1 is read as [log(1-p), log p], log odds z
// as [0, z].
//
// Rows whose labels are ignored (Ignore) belong to no set: they are left out of all arrays, and
// their values are not checked. A Reader counts the rows that are left, and errors name the row
// of the file.
//
// Parts names the arrays; a method is given a View with the parts that it declares.
// Matrix keeps float32, the precision of the files; arithmetic on it is float64.
//
// A Ref names a set, a Layout says in which files its arrays are (Files), and a
// Source serves it. Folder is the Source of a folder of files; package simulate
// has another one. Opening checks shapes against each other, reading checks values.
// A Reader reads rows lo..hi-1; Load reads all of them.
//
// # A folder
//
// By default a folder has the layout
//
//	{dataset}/{backbone}/{loss}/{corruption}/{severity}/{split}/{array}.npy
//
// where parts that are empty are left out (see Layout):
//
//	manifest.yaml
//	cifar10/resnet50/cal/logits.npy, labels.npy, features.npy
//	cifar10/resnet50/test/logits.npy, labels.npy, features.npy, logits_aug.npy
//	cifar10/resnet50/head_weight.npy, head_bias.npy
//	cifar10/resnet50/ood/logits.npy
//	cifar10/resnet50/focal/cal/logits.npy         trained with another loss than "ce"
//	cifar10/resnet50/fog/3/logits.npy             corrupted test images, severity 3
//
// In place of the files of a set there may be one file of named arrays, .npz or
// .safetensors: cifar10/resnet50/cal.npz with the members logits and labels, or one
// file for a network, cifar10/resnet50.npz with cal_logits, cal_labels, test_logits
// and so on. A calibration set may also be named calibration, val, valid or
// validation. Of several that exist the first in the order of alternatives is read.
//
// Arrays that are not named logits and labels are found under other names, such as probs
// and targets: see Choose. The name of the scores states the kind where no manifest does.
//
// manifest.yaml may be absent. Then that of the nearest folder above describes the sets, if
// its file has the key sets: at most four levels up, and not beyond a folder with .git or that
// of the spec; the names of its sets begin with the folders between the two, or with that of the
// manifest. Files that a command names one by one are described by it too. Without one all sets are
// measured logits. A file of this name without these keys is another program's. Its keys:
//
//	layout: "{split}_{array}.npy" of this folder; otherwise that of the spec, or the default layout
//	labels: {cifar10: CIFAR-10}   names in print of data sets and networks, by id
//	sets:                         a list; of several entries for a set, the last that has a key decides
//	  - set: "cifar100/*"         dataset/backbone[/loss][/corruption/severity][/split]; each part may be a
//	                              pattern (path.Match), and sets below the named ones are included
//	    kind: log-probs           content of the logits arrays: logits, log-probs or probs; see below
//	    ignore: 255               labels of rows to leave out, a number or a list; by default 255 if k is at most 255
//	    classes: [sky, road]      names of the classes, in the order of the columns of the logits
//	    source: measured          measured (the default) or simulated
//	    from: our own networks    the networks, in a few words for captions of measured numbers, without ";"
//	    samples: cifar10          the data set that the test samples are of, if not its own: sets with common samples count once, without ";"
//	    row-ids: 9c2e...          SHA-256 of the sorted ids of the test samples, each with a line feed: sets with equal digests have the
//	                              same test samples. An id is the same wherever a sample is used: its file name, or the SHA-256 of the image
//	    note: any text            where the arrays come from, one line; it travels with the numbers
//	    paper: true               the arrays are those of the paper's own networks: only these enter verdicts on it
//	    stand-in: another run     how the network differs from the paper's one of the same dataset and backbone:
//	                              its numbers are shown with a mark, and enter no verdict; without ";"
//	    licence: MIT              of the arrays
//	files:                        by path, archive members as file.npz#member
//	  cifar100/vit-b16/test/logits.npy:
//	    shape: [10000, 100]       checked when the file is opened
//	    sha256: 4f1c...           of the .npy or of the unpacked member; checked when the file is opened
//	sources:                      the published files that arrays were imported from, by name: sha256, bytes, licence, url
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
// # Digests
//
// Digests are SHA-256 sums of the bytes of files and part of the key of every
// result. They are remembered by path, size, modification time, change time and
// inode. For the time of a plan and its run each file is held to the version that
// was digested (Digests.Pinned).
//
// Arrays, Writers and Readers belong to one goroutine; Sources, Streams and
// Digests are safe for concurrent use; nothing writes to the slices of a Set.
package data
