// Package public imports predictions that other people published: it turns their
// files into a folder of arrays with a manifest, which qats runs like any other.
//
// # Formats
//
//	nncal      pickles of markus93/NN_calibration: [(logits, labels), (logits, labels)],
//	           validation and test
//	medmnist   CSV files of MedMNIST's Evaluator, or a .zip of them, with the .npz
//	           files of the data sets, which have the labels. Column 0 is the index
//	calarena   HDF5 files of CalArena: {dataset}/{model}/{probas,labels}_{cal,test}
//	groupcal   pickles of ThyrixYang/group_calibration: a dict of tensors logits,
//	           labels and features for each of val and test
//	csv        any CSV file with a header, whose columns are named
//
// Each format is one file of this package: it reads files into networks. One
// function writes networks, so all formats make the same arrays and the same
// manifest.
//
// # What is written
//
//	<dataset>/<backbone>/{cal,test}/logits.npy     float32, or float64 as in the source
//	<dataset>/<backbone>/{cal,test}/labels.npy     int32
//	<dataset>/<backbone>/{cal,test}/features.npy   where the source has them
//	manifest.yaml                                  kinds, origin, licence, digests
//
// Logits keep every bit. Probabilities become log-probabilities (data.FromProbs): a
// probability below 2^-126, such as 0, becomes log 2^-126 = -87.3, and the manifest and the
// summary say how many there were. The kind log-probs keeps such arrays away from methods
// that need true logits.
//
// Dataset and backbone are the names that the specs of this project use: c10 becomes
// cifar10, resnet18_28_1 becomes resnet18. So the specs of the paper find imported arrays.
// A network with the dataset and the backbone of the paper is another training of the same
// architecture, so its manifest says stand-in, never paper.
//
// No code in the files is run: see the packages pickle and hdf5. An error is one line that
// names file and place. A file that is made for it can take all memory or time, so import
// only files that you trust.
package public
