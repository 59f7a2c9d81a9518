// Package binning holds methods that give the scores in a bin one probability: histogram
// binning in its forms, scaling-binning, and Bayesian binning into quantiles. With one bin for all rows
// it holds the floor that every method is compared with.
package binning
