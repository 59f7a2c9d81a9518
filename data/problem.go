package data

import (
	"path/filepath"
	"strings"
)

// Problem is an error of an input: where it is, its likely cause, and what to do.
type Problem struct {
	Place string // the file, with the row and class where one is at fault
	Cause string
	Fix   string // may be empty

	Remedy Remedy // what the reader can state, of which Fix has the words; none for most

	err error // that Cause is the text of; nil for others
}

// placed returns err as a Problem.
func placed(place string, err error) *Problem {
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

// TorchProblem is the error of a file of torch.save. It has the line of Python that writes
// the tensor for this program.
func TorchProblem(name string) *Problem {
	base := name[strings.LastIndexAny(name, `/\`)+1:]
	base, _, _ = strings.Cut(base, ".")
	numbers := "t.float().cpu().numpy()"
	if strings.Contains(base, "label") || strings.Contains(base, "target") {
		numbers = "t.cpu().numpy()"
	}
	return &Problem{
		Place: name,
		Cause: "a file of torch.save, which only Python can read",
		Fix:   `save the tensor t as an array: np.save("` + base + `.npy", ` + numbers + ")",
	}
}

// IsTorch reports whether the name of a file is that of a file of torch.save.
func IsTorch(path string) bool {
	end := filepath.Ext(path)
	return len(path) > len(end) && (strings.EqualFold(end, ".pt") || strings.EqualFold(end, ".pth"))
}
