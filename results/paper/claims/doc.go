// Package claims sets the paper's printed numbers beside reproduced ones, row by
// row and ranking by ranking, and judges the sentences of its text.
//
// It reads only printed numbers and the records of results.csv. A difference is reproduced
// minus published, both rounded as the paper prints them.
//
// # Which record reproduces which number
//
// A number of Tables 1 to 10 is reproduced by the record of its table's
// experiment with loss ce and the same dataset, backbone, corruption, severity and
// method. A network of the same name in another experiment is another network. A
// printed mean is reproduced by the mean over the same corruptions or datasets, if
// each of them has a value and all have the same source.
//
// # Measured and simulated
//
// The two have separate summaries. Simulated records show differences and never get a
// verdict. Measured records get a verdict only if their note says that they are of the
// paper's own network. Another training of the same architecture is a stand-in, with a
// summary of its own. A row with both kinds gets no ranking and no verdict.
//
// # Gaps
//
// Most tables print a gap beside QaTS: QaTS minus the lowest other ranked number of its
// row. Gap recomputes it from the printed and from the reproduced numbers, over the same
// methods. A printed gap that does not follow from its row is named beside the one that
// does. A gap is a difference of two ECE or AECE, not a verdict.
//
// # Rankings
//
// The paper's best method is the one with the lowest printed number, whether it is bold or
// not. HFE is not ranked. Equal printed numbers share a place, and so do equal reproduced
// ones. If a method has no reproduced value, both columns are ranked over the methods that
// have one; such a ranking names the others and is counted separately. If the paper's best
// method has no reproduced value, there is no verdict.
//
// Kendall's tau-b (1945) is over all pairs of ranked methods within a row that
// have both numbers, pooled over the rows of a table.
//
// # Claims
//
// A claim is a sentence of the paper's text with tests. claims.yaml lists the 35 in their order.
// Most tests are data: a rank, a comparison with a factor, a margin, a count, or that no table
// prints the numbers (predicates.go). Two are of the bins of uncalibrated networks (quantiles.go).
// A sentence that needs more names a function (functions.go). A claim is judged by the metric that
// it names, and by no other.
// Each claim is judged twice, on the printed numbers and on measured records, and each
// judgement comes with its figures. Where a sentence is imprecise, its reading is
// part of the claim. A claim can remain unjudged: its numbers are not printed, or
// too few rows are measured for a sentence about all of them. One row is enough to
// refute such a sentence.
//
// # Similar data sets
//
// [JudgeSimilar] judges the claims on data sets that are not the paper's but are
// declared similar to them. It compares no numbers and no rankings, and its
// verdicts are not about the paper's networks.
package claims
