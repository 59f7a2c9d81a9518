// Package paper holds what the paper "Quantile-Adaptive Temperature Scaling for
// Confidence Calibration" (QaTS, arXiv:2606.21749) prints: the 1,584 numbers of
// its ten tables, with their marks and gaps, in published.csv.
//
// A printed number is a [Number]. It is not a results.Record and cannot become one:
// the program compares with numbers that others report, and never reports them as
// its own. [Names] are what the paper calls data sets and networks. Other packages have names,
// reference numbers and claims as values; a test of cmd/qats lists those that may import this
// one. Package audit checks the printed numbers against each other; package
// claims sets them beside reproduced ones and judges the sentences of the text.
//
// # The ten tables
//
// Tables 1 to 6 are in the paper, 7 to 10 in its supplement. Tables 1, 2, 5, 7
// and 8 print the ECE of the 162 settings; Tables 9 and 10 print the AECE of the
// settings of Tables 1 and 2. Tables 3 and 4 are the means of Tables 7 and 8, and
// Table 6 compares forms of the temperature. [Tables] lists them.
//
// # published.csv
//
// One number a row: table, metric, dataset, corruption, severity, backbone,
// method (its label in the paper), value (per cent with two decimals), mark (bold,
// underline or empty) and delta (the gap printed beside QaTS, or empty). The
// identifiers of data sets and backbones are those of results.csv, with "average"
// for a mean.
package paper
