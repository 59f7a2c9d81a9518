// Package neighbours holds methods that keep rows of the calibration set and compare new
// rows with them: DAC, ProCal and its form in bins by the nearest neighbours among the
// features, and kernel regression by the probabilities.
package neighbours
