// Package data reads and writes the arrays that everything else is made of:
// logits, labels and features of trained networks, in files of numpy.
//
// # The door
//
// Array is the one way in. A .npy file is refused unless its header is exactly
// what numpy.save writes and its length exactly what shape and type ask for;
// only then is the header handed to the npyio library, which trusts it, and
// only then is memory taken. Bodies are decoded here, in bulk: float16, 32 and
// 64, whole numbers of 8 to 64 bits and booleans, in either byte order and
// either element order, whole or by rows, into the caller's memory by pieces of
// 256 KiB, so that a large file costs no second copy. Members of an .npz are
// addressed as FILE.npz#MEMBER and are unpacked into memory, bounded and with
// their CRC checked; large arrays are better kept as .npy. NaN, infinities,
// numbers that the type asked for cannot hold, and labels that are no class are
// errors that name file, row and class. Nothing is guessed: a file is read
// right or refused in one line.
//
// Writer and the Write functions write the bytes that numpy would, beside the
// target and then renamed. WriteNPZ and ReadNPZ keep columns of numbers in
// memory for whoever stores them.
//
// # Sets
//
// Set holds the arrays of one data set as one network sees it; Parts names
// them, and a method is handed a View with the parts that it declared. Matrix
// keeps float32, the precision of the files; arithmetic on it is float64. A Ref
// names a set, a Layout says in which files its arrays are (Files), and a
// Source serves it. Folder is the Source over a folder of files; simulations
// are Sources too. Opening checks shapes against each other, reading checks
// values. A Reader reads rows lo..hi-1; Load reads everything, and whether that
// fits is for its caller to know.
//
// # Large files
//
// C-order float32 of this machine's byte order is not copied: what Read returns
// is a view of the mapped file, which costs a quarter of reading it. Every
// value has been looked at, once, by the time Read returns. The pages are
// read-only, so a set that is shared cannot be changed by mistake; Set.Close
// gives them back. A file that another program cuts while it is mapped would
// end the program; within Set.Guard, where fits run, it is an error that names
// the file. (To read all but huge files instead would be safe from that too,
// and cost more than the first pass of a fit.) Other types and orders, members
// of archives, and systems that cannot map are read and decoded as above.
//
// What does not fit into memory is read by blocks, as often as needed: Scan
// hands every block once to one of several goroutines, Blocks one after the
// other, and Stream gives any rows to whoever asks. They see a file through
// windows of some megabytes and decode into memory that is used again, so that
// a float16 file of 20 million rows takes no more than one of a thousand. They
// look at every value in every pass: a file may have changed in between.
//
// # What is known of a set
//
// A folder's manifest.yaml says which sets are log-probabilities and which are
// simulated, and may state shapes and digests, which are then checked. LogProbs
// recognises log-probabilities by their values. Digests are SHA-256 sums of the
// file's bytes and part of the key of every result; they are remembered by
// path, size and modification time.
//
// Arrays, Writers and Readers belong to one goroutine; Sources, Streams and
// Digests are safe for concurrent use; the slices of a Set are read-only to everybody.
package data
