// Package plots draws the figures: views of the tidy files, as pictures.
//
// A figure is a function of rows of bins.csv, results.csv and pairs.csv and of
// nothing else, so it can be redrawn at any time without a fit. A figure kind
// is one file with one function, and one line in the registry. Drawing checks
// the rows and yields a Figure; a Figure is written as SVG, PDF or PNG.
//
// Rules that all kinds keep:
//
//   - A method has one colour, dash and marker in every figure of every run
//     (MethodLook), whatever else is shown beside it.
//   - Sizes are those of a page: 3.3 in for a column, 6.9 in for the full width,
//     text at 9 and 8 pt, so that figures are included in a paper unscaled.
//   - What is missing is left out, noted at the foot, and moves nothing else.
//   - Rows of a simulation put the word "simulated" on the figure. Measured and
//     simulated rows never share one.
//   - The same rows give the same bytes: no date, no host, no map order.
//   - Text is printable ASCII. The PDF backend writes UTF-8 bytes in a cp1252
//     font, which garbles everything else.
//   - What cannot be drawn truly (no rows, rows that a figure cannot hold together,
//     a missing binning, a value that is not a number) is an error that names the row, never a panic
//     and never an empty picture.
//
// This is the only package that imports gonum.org/v1/plot.
package plots
