package page

import _ "embed" // of the library

// Observable Plot 0.6.17 with d3 7.9.2, which it needs, as npm has them in @observablehq/plot and
// d3. They draw the charts of the page; package plots draws the files. Both are of the ISC
// licence, whose text each copy has to have. A test has their digests.
var (
	//go:embed vendor/d3.min.js
	d3 string

	//go:embed vendor/LICENSE-d3
	d3Licence string

	//go:embed vendor/plot.umd.min.js
	plot string

	//go:embed vendor/LICENSE-plot
	plotLicence string
)

// library is what defines the names d3 and Plot for the script of a page.
func library() string {
	return "/* d3\n\n" + d3Licence + "*/\n" + d3 + "\n/* Observable Plot\n\n" + plotLicence + "*/\n" + plot
}
