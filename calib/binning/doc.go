// Package binning holds methods that give the scores in a bin one probability: histogram
// binning in its forms, scaling-binning, and Bayesian binning into quantiles. With one bin for all rows
// it holds the floor that every method is compared with.
//
// The share of a class in a bin of a few rows is often 0 or 1, and then the map has a mass (calib.Mass).
package binning
