// Package derive has sources whose sets are computed from those of another source: the first
// rows of each set (First), logits times a number (Scaled), calibration and test rows drawn anew
// from their union (Redrawn), and test rows thinned out to the class shares of the calibration
// set (Skewed).
//
// A derived source is a data.Source like the one beneath it, so one can be derived from another:
// the first rows of redrawn sets. Three rules hold for all of them.
//
// Nothing is written. Rows are computed when they are read. First and Scaled read block by block, in
// the memory of the caller; Redrawn and Skewed keep the whole sets that they choose rows from.
//
// Numbers are told apart. The digest of a derived set is that of the sets beneath it with a line
// that says what was done, so the key of a fit on derived rows is another one. The provenance has a
// note that says the same to a reader of tables.
//
// What is beneath can be found. Inputs names the sets, and the parts of them, that a derived set is
// computed from: data.Beneath walks through them to the folder or the simulation.
package derive
