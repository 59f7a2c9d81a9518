// Package bounded trains an ensemble of temperatures on the error-bounded objective of
// h-calibration (Huang et al. 2025).
package bounded
