// Package features holds methods that read the features of a network: group calibration, with
// a temperature for each group of features; feature clipping, which limits them before the last
// layer; and HFE, whose temperatures follow the energy of a row and of samples out of
// distribution.
package features
