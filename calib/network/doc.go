// Package network holds methods whose temperatures are trained by Adam: parameterized
// temperature scaling and SMART, whose temperature is the output of a small multilayer
// perceptron in float64, and h-calibration.
package network
