// Package fit holds the solvers that several calibrators share, and their parts.
//
// An Objective is a labelled calibration set that is read in passes: the row
// kernel runs over all rows at given scales 1/T, in blocks of rows on all processors, and the
// sums of the blocks are added in their order. So a fit has the same bits
// for any number of processors, in memory or streamed. Temperature minimises the
// NLL over one temperature, TemperatureCurve over a temperature that is piecewise
// linear in a quantity of the row, BoxNewton any smooth function of a few
// parameters in a box.
//
// The temperature solver and the Newton method are our own. The temperature
// solver needs about three passes over a large set where a general method needs
// ten or more, and the bytes of TS and QaTS must be
// the same on every processor, which libraries with vector code do not promise.
package fit
