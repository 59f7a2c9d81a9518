// Package network is a small multilayer perceptron in float64 with Adam, for
// calibrators whose temperature is the output of a network.
package network
