// Package submission is the door of the leaderboard: what a stranger hands in, and how it is verified.
//
// # A protocol
//
// A protocol is a version and its tiers, each a spec of experiments/protocol/VERSION: networks, splits by hash,
// metrics and the methods that run beside an entry. It is frozen: its [Digest] is in every card, and another
// one is another protocol. Calibrators are handed in by the newest [Version]. Entries of earlier ones are read, verified
// and shown: each by the specs of its own.
//
// # An entry
//
// An entry is a folder submissions/NAME:
//
//	card.yaml     the Card: who, what it sees and keeps, how its code runs, where it ran, and digests of the rest
//	results.csv   a row a setting, a column a metric (results.WriteEntry)
//	fits.csv      the digest of each fit (WriteFits)
//	code/         the code, as text
//
// Whoever reads it trusts nothing: [Read] refuses names that lead out of the folder, links, files that are no text,
// more than 1 MB, numbers that no run gives and settings that the protocol lacks, each with its place.
//
// Code comes in three ways, and runs in one: as a program that answers the calls of a run ([Prepare]). A file of
// Python with the functions fit and apply is served by qatsbench.serve; a package of Go with an exported calib.Entry
// is built beside the tree, in a module of its own, with a main function that calls calib/served; a program is called
// as its card says. No code of an entry becomes a part of this program.
//
// # A verification
//
// The same inputs give the same bytes, so a claim can be checked exactly: the code runs again on every cell of the
// tier, and [Compare] says of each number that it is equal, agrees within [Agreement], differs, or was not run.
// It runs where it can change nothing but the folder of a call and reach no network, and each call is a process of its
// own ([Isolation]): code that keeps what it has seen has nothing of it in the next call. Where the system has no
// such place, it runs if the maintainer says so, and the record says that it was not isolated.
//
// Test labels are public, so nobody can prove that they were not looked at. Therefore the numbers of the fixed split
// alone are claimed, and a maintainer draws splits by a commit of his own ([Draws]), which nobody knew before.
//
// What a maintainer found is a [Record], outside the folder of the entry and signed ([Records]).
//
// # The board
//
// [Board] puts entries beside the methods of the registry, whose numbers are in results/leaderboard ([FolderOf]). Package
// results/leaderboard compares them by version 2, results/leaderboard/v1 by version 1, and experiments/report/page makes
// the page.
package submission
