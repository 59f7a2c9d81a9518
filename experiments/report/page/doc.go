// Package page makes index.html, the page of an output folder: one file that opens
// from the disk, without a server and without the network.
//
// # What it reads
//
// The page is a function of files alone: results.csv, bins.csv and pairs.csv, and
// where they exist fits.csv, classes.csv, times.csv and run.json. With the three CSV files alone it lacks
// the fitted parameters, the fit times, the digests of arrays and the specs, and says so. The same
// files give the same bytes. Where the folder has another, companion, with the measured half of
// a reproduction, [WriteFile] summarises it at the top.
//
// # What stands where
//
// Go computes everything that is a result: the comparison and the rankings (package
// results/compare: ranks, win rates, strengths, ranks by the number of bins, agreement
// of metrics, error against fit time), and the reasons of failures. Claims of a paper, and
// published beside reproduced numbers, come as values from who makes the page ([Verdicts]).
// Go writes these as
// HTML. Their charts are the figures of package plots, the same that qats compare saves,
// with each colour replaced by a property that has a value for each theme. The numbers
// of all cells go into the page as JSON, and a plain script with Observable Plot draws what depends
// on a choice: the leaderboard, the heat map, a single setting, severities. The script formats,
// filters, sorts and draws; it averages, ranks and counts nothing, and corrects no p. Means, ranks
// and counts of verdicts are of package results/compare: for each kind of block, those of all
// settings and those of each data set, backbone and kind of test sets go into the page (each
// experiment, where experiments disagree). With any other choice the leaderboard is that of all
// settings, and says so; the heat map has the values and verdicts of the settings chosen. Wilson's
// intervals and consistency bands of bins, and means over corruptions, are of Go too.
//
// No number mixes measured and simulated ones. The page has a switch between the two
// sources, and every table and chart shows one of them.
//
// # The leaderboard
//
// [WriteBoard] makes another page with the same style: that of the leaderboard (package results/leaderboard). It has no
// script and no data beside its tables.
//
// # The file
//
// The script, the style and the library that draws the charts of the script, Observable Plot with
// d3, are in the page, and the security policy of the page forbids everything else, eval too:
// default-src 'none'. Identifiers come from files that
// anyone may have written. Go escapes them by html/template, JSON escapes < and >,
// and the script sets text and never HTML.
//
// The state of the page is in the fragment of its address, for example
// #settings?metric=aece&dataset=cifar10, so that a view can be linked.
//
// Every chart has a table, or a text, with the same numbers, and the charts of the script have
// tips under the pointer. Colours, dashes and markers of
// methods are those of the figures (plots.MethodLook), and no statement rests on colour alone.
package page
