// Package network holds a small multilayer perceptron in float64 and its training by
// Adam, for calibrators whose temperature is the output of a network.
package network
