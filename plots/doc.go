// Package plots draws the figures.
//
// A figure is a function of the rows of bins.csv, results.csv and pairs.csv, and of
// times.csv if it shows times. So it can be drawn again at any time without a fit. A kind
// of figure is declared in results/figure; here it is one file with one function, and one line
// in the registry. Drawing checks the
// rows and returns a Figure, which can be written as SVG, PDF, PGF or PNG. The page of an
// output folder shows the same figures.
//
// Rules for all kinds:
//
//   - A method has one colour, dash pattern and marker in every figure of every
//     run (MethodLook), whatever other methods are shown.
//   - Sizes suit a printed page: 3.3 in for a column, 6.9 in for the full width,
//     text of 9 and 8 pt. A paper can include the figures unscaled.
//   - A line goes through its values and is never shifted. Lines that coincide are
//     drawn around each other, and their methods are named together (strand.go).
//   - A few outlying values do not flatten a figure: they are arrows at the end of
//     the axis with their numbers, and the caption says so (clip.go).
//   - A missing value is left out and noted at the foot. Nothing else moves.
//   - A figure of simulated rows says "simulated". Measured and simulated rows
//     never share a figure.
//   - The same rows give the same bytes: no date, no host name, no map order.
//   - Text looks the same everywhere: SVG has outlines, PDF embeds what it uses of
//     the font. Labels may have any character of Liberation Sans; another one is
//     printed as a question mark.
//   - What cannot be drawn correctly is an error that names the row: no rows,
//     rows that do not belong in one figure, a missing binning, a value that is
//     not a number. It is never a panic and never an empty picture.
//
// This is the only package that imports gonum.org/v1/plot.
package plots
