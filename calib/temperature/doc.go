// Package temperature holds the variants of temperature scaling. One temperature for all rows is
// fitted by the recipe of the first public code, by a grid of the ECE, and by the accuracy; others
// have a temperature for each class, for bins of confidence, or as a function of the entropy, the
// confidence or the gap of the two largest logits; ets mixes the result with two other forecasts.
// TemperatureScaling itself is in package calib.
package temperature
