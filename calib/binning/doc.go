// Package binning holds methods that give the scores in a bin one probability: histogram
// binning in its forms, scaling-binning, and Bayesian binning into quantiles.
package binning
