package report

// Parameter is a number that a fit found, under the name that formulas and
// reports use: T; a, b; theta1; t_3.
type Parameter struct {
	Name    string
	Value   float64
	Meaning string // a few words, with the letters of the method's formula
	Bound   string // the bound of the report that is active there, as "a >= 0"; "" if none
}
