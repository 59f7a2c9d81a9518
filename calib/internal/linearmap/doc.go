// Package linearmap fits a linear map of the scores of a network by penalised
// maximum likelihood: the problem of vector and matrix scaling, of their
// structured forms and of Dirichlet calibration.
package linearmap
