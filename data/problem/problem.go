package problem

// Problem is an error of an input: where it is, its likely cause, and what to do.
type Problem struct {
	Place string // the file, with the row and class where one is at fault
	Cause string
	Fix   string // may be empty

	Remedy Remedy // what the reader can state, of which Fix has the words; none for most

	err error // that Cause is the text of; nil for others
}

// At returns err as a Problem.
func At(place string, err error) *Problem {
	return &Problem{Place: place, Cause: err.Error(), err: err}
}

// Unwrap returns the error that Cause is the text of, or nil.
func (p *Problem) Unwrap() error { return p.err }

// Error returns "place: cause; fix" in one line.
func (p *Problem) Error() string {
	text := p.Place + ": " + p.Cause
	if p.Fix != "" {
		text += "; " + p.Fix
	}
	return text
}

// Changed is the error of a file that is not what it was when it was opened.
func Changed(name string) error {
	return &Problem{Place: name, Cause: "changed while being read"}
}
