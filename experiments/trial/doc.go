// Package trial answers which calibrator to use for one network, from its arrays alone:
// it fits some methods, chooses one of them, and judges the choice.
//
// The choice is made on the calibration rows by cross-fitting. The rows are dealt into five
// folds, class by class. Each method is fitted on four folds and predicts the fifth, so that
// no prediction is of a row that its fit has seen. The method with the lowest NLL (or Brier
// score, or ECE) of these predictions is chosen; of methods with equal values the first one,
// so that no calibration and one temperature come before others. Test rows have no part
// in the choice. They judge it: [Trial.Verdict] is the paired comparison with temperature
// scaling on the test rows (package metrics). Where there is one set only, the predictions by
// cross-fitting judge it too.
package trial
