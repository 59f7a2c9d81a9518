// Command findings writes the numbers of the documents.
//
//	go run ./results/findings              # writes the parts of the pages between markers
//	go run ./results/findings -from DIR    # and before that facts.csv, from the output folders in DIR
//
// A number goes from the output folder of a run to results/shown/facts.csv ([Facts]), and from
// there by a template to its page. A page has a part between the markers
//
//	<!-- NAME -->
//	<!-- end of NAME -->
//
// for each template {{define "NAME"}} of pages/PAGE. The parts are written by this command alone,
// and a test compares them; the rest of a page is written by hand and has no measured number.
//
// Other parts that come from files in results/shown: speed.csv and speed-methods.csv (of
// results/speed), paper-rows.tsv (of data/zoo), agreement.csv
// (of results/agreement), advice.csv (of experiments/trial/study), try.txt (of qats try) and peers.csv, which is written by hand: the versions of other programs that were read. What is computed from the paper's printed
// numbers (packages audit and claims) needs no file.
package main
