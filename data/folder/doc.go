// Package folder serves the sets of many networks from one folder of arrays. A Folder is a
// data.Source: it has no array in memory; Open reads headers, and its Reader reads rows. A Layout
// says in which files the arrays of a set are, a Manifest what they are, and Digests remember the
// content of files.
//
//	folder.go     the source: which files a set has, its shape, its digest, its reader
//	layout.go     templates of paths, and the places where a set is looked for
//	manifest.go   manifest.yaml; near.go finds the one that describes a file, oddity.go has what it explains
//	digest.go     SHA-256 of files; stamp.go knows a version of a file, pinned.go holds files to one
//	headers.go    a check that reads no numbers
//	search.go     where a set was looked for, for messages
//	writeset.go   the other direction: a set into files
//
// # Layout
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
// and targets: see data.Choose. The name of the scores states the kind where no manifest does. Predictions with a
// confidence alone are such arrays: confidence.npy with correct.npy, or with predicted.npy and labels.npy.
//
// # Manifest
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
//	    kind: log-probs           content of the logits arrays: logits, log-probs, probs or confidence; see package data
//	    ignore: 255               labels of rows to leave out, a number or a list; by default 255 if k is at most 255
//	    classes: [sky, road]      names of the classes, in the order of the columns of the logits; or their number, classes: 1000, for sets
//	                              of kind confidence, whose methods ts-top and qats-top read it
//	    source: measured          measured (the default) or simulated
//	    from: our own networks    the networks, in a few words for captions of measured numbers, without ";"
//	    domain: images            what the inputs are: images, text, language models, tables and signals, without ";"
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
// # Digests
//
// Digests are SHA-256 sums of the bytes of files and part of the key of every
// result. They are remembered by path, size, modification time, change time and
// inode. For the time of a plan and its run each file is held to the version that
// was digested (Digests.Pinned).
//
// A Folder and Digests are safe for concurrent use.
package folder
