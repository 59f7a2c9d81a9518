// Package results holds the numbers of a run and the CSV files in which the
// stages of the program meet.
//
// Scoring makes Records, Bins and Pairs and writes them to results.csv, bins.csv
// and pairs.csv, beside settings.csv and methods.csv with what is known of each setting and each
// method ([SettingInfo], [MethodInfo]). Every table and figure is a function of these five files,
// and of times.csv where it shows times, so a spreadsheet or a script can replace any stage. The files are plain:
// one header line, one number a row, identifiers instead of labels, and fractions
// instead of per cent.
//
// # The files
//
// The columns and their order are fixed: the fields of [Setting], then the fields of
// [Record], [Bin] or [Pair], in their order. Lines end in LF. A number has at most
// nine significant digits, without trailing zeros: 0.0129, 0.00000012. Outside
// [1e-9, 1e15) it has an exponent: 3.1e-12. Nine digits tell any two float32 apart
// and drop the last digits, which may differ between processors. Writer and reader round
// alike, so a file that is read and written again has the same bytes. An absent
// number is an empty field, never NaN and never 0.
//
// The readers are strict, since a shifted column is a wrong number in a paper: the header
// must match, numbers must be finite and in the range of their metric, a row has a value
// exactly if its status is ok, and two rows may not have the same identifiers. Writing
// applies the same checks. Two changes that spreadsheets make are accepted: a byte order
// mark and CRLF line ends.
//
// Notes stand in the column note as a JSON list ([Notes]). The notes of a setting stand once, in
// settings.csv; [Folder.Read] puts them before the notes of each value. A row of status skip or
// fail gives its reason in its note. Its
// source may be empty, because a set that does not exist is neither measured nor simulated.
//
// A file is replaced as a whole: a reader sees the old file or the new one, even
// if the writer is killed.
//
// # What was run
//
// Two more files are for readers, and no number depends on them: fits.csv has the
// fitted parameters ([Parameter]), and run.json ([Run]) the specs and what is known of the
// program. The page of an output folder
// (package experiments/report/page) shows both. The files of a run are replaced one after the
// other, results.csv first and run.json last; [Folder.Read] notices files of two runs.
//
// classes.csv has the calibration error of each class ([Class]), of the specs that ask for it. A
// folder of other specs has no such file.
//
// times.csv has the processor time of each fit ([Time]). It is measured, so two runs
// that give the same results have different times; no other file contains them.
//
// # The store
//
// [Store] caches results that are expensive to compute, under a name that depends on all
// of its inputs. Deleting it costs time and no result. [PackWriter] writes some of its objects as
// one file, and [ReadPack] reads it.
//
// # Published numbers
//
// Numbers printed in the paper have a type and a file of their own in package
// results/paper. They cannot become Records.
package results
