package page

// Verdicts are claims of a paper with two judgements each, and reference numbers beside the
// numbers of the folder. The page shows them; who makes the page ([Options]) knows the paper.
type Verdicts struct {
	Note    string // what "here" is
	Here    string // heading of the judgements here, such as "measured here"
	On      string // what they rest on, such as "on the measured records of this folder"
	Why     string // why none can be judged here; empty where some can, or where each claim says it
	Claims  []Claim
	Numbers []Reference // nil for none
}

// Claim is a quoted statement, where it stands and how it is read, with its judgements on the
// numbers of its source and on those here.
type Claim struct {
	Quote, Where, Reading string
	Published, Measured   Judgement
}

// Judgement is an outcome with the figures that it rests on.
type Judgement struct {
	Truth   Truth
	Figures string
}

// Truth is the outcome of a claim, in words for print.
type Truth string

// The outcomes.
const (
	Holds Truth = "holds"
	Fails Truth = "does not hold"
	Open  Truth = "cannot be judged"
)

// Reference is a number of others beside the one here. Numbers are in per cent, as they are
// printed.
type Reference struct {
	Table   string   `json:"t"` // such as "Table 1"
	Row     string   `json:"r"`
	Label   string   `json:"m"` // of the method
	Value   float64  `json:"p"`
	Here    *float64 `json:"h"`  // nil where there is none
	Lo      *float64 `json:"lo"` // consistency band; nil where there is none
	Hi      *float64 `json:"hi"`
	Source  string   `json:"s,omitempty"`
	Reason  string   `json:"why,omitempty"` // why there is no number here
	Verdict string   `json:"v,omitempty"`   // whether the best methods of the row agree
}

// strip shows one judgement of each claim.
type strip struct {
	Name               string
	Holds, Fails, Open int
	Judgements         []Judgement
	Why                string // if none can be judged
}

// Judged reports whether any claim is judged.
func (s strip) Judged() bool { return s.Holds+s.Fails > 0 }

// Strips returns the judgements on the numbers of the source and those here.
func (v *Verdicts) Strips() [2]strip {
	s := [2]strip{{Name: "on the numbers that the paper prints"}, {Name: v.On, Why: v.Why}}
	for _, claim := range v.Claims {
		s[0].add(claim.Published)
		s[1].add(claim.Measured)
	}
	return s
}

func (s *strip) add(j Judgement) {
	s.Judgements = append(s.Judgements, j)
	switch j.Truth {
	case Holds:
		s.Holds++
	case Fails:
		s.Fails++
	default:
		s.Open++
	}
}

// class returns the style of a verdict.
func class(t Truth) string {
	switch t {
	case Holds:
		return "holds"
	case Fails:
		return "fails"
	}
	return "open"
}

// sign says a verdict without colour.
func sign(t Truth) string {
	return map[string]string{"holds": "✓", "fails": "✗", "open": "?"}[class(t)]
}
