// Package linear holds methods that are linear in the scores of a network, fitted by
// penalised maximum likelihood: vector and matrix scaling, their structured forms, Dirichlet
// calibration and label shift; and logistic regressions of each class against all others:
// Platt scaling, beta calibration and quadratic scaling.
package linear
