// Package splines holds methods that fit natural cubic splines: spline calibration of the
// top label, and smoothing splines of each class against all others.
package splines
