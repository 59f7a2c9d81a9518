// Package linearmap fits a linear map of the scores of a network by penalised
// maximum likelihood. Vector and matrix scaling, their structured forms and
// Dirichlet calibration are such fits.
package linearmap
