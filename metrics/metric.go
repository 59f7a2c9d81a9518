package metrics

import "errors"

// Direction says which values of a metric are better; tables mark by it.
type Direction int

// Neutral metrics are reported but never ranked.
const (
	Neutral Direction = iota
	Lower
	Higher
)

// Input is what a metric is computed from. It comes from NewInput or a Memory.
type Input struct {
	Facts *Facts
	Bins  map[string][]Bin // what the binnings of Binnings yield, by name, computed once per cell
	Seed  uint64           // identity of the test set; the same for every method

	order   *order
	layouts map[string]*layout
}

// NewInput sorts the rows of the facts, one or more, and bins them.
func NewInput(f *Facts, seed uint64) Input { return new(Memory).Input(f, seed) }

// Input is NewInput with the memory of earlier ones: it may be used until the
// next call. Its bins stay.
func (m *Memory) Input(f *Facts, seed uint64) Input {
	in := Input{Facts: f, Bins: map[string][]Bin{}, Seed: seed, order: m.sort(f), layouts: map[string]*layout{}}
	for _, b := range Binnings() {
		l := b.layout(in.order)
		in.layouts[b.Name] = l
		in.Bins[b.Name] = l.fill(in.order)
	}
	return in
}

// Entry is one line of the registry: one computation and the metrics it
// yields.
type Entry struct {
	Name      string   // id in specs
	Outputs   []string // ids in results.csv; most entries yield one, their own name
	Label     string   // table heading
	Better    Direction
	Percent   bool // printed as per cent, two decimals
	OnRequest bool // computed only where a spec names it
	Classes   bool // reads Facts.Class, which is kept only where a spec names such a metric
	Vector    bool // reads the probabilities of all classes, which top-label rows do not have
	Version   int  // raised whenever the values change; part of the cache key
	Summary   string
	Reference string

	// Compute returns one finite value per output. Facts have at least one
	// row. An error says why the metric has no value for these facts; it
	// makes the cell a skip, not a fail.
	Compute func(in Input) ([]float64, error)
}

// ErrNoVector is why a metric with Vector has no value for top-label rows.
var ErrNoVector = errors.New("a top-label method has no class vector")

// Values is Compute, and ErrNoVector for top-label rows of a metric that reads
// all classes.
func (e Entry) Values(in Input) ([]float64, error) {
	if e.Vector && in.Facts.TopLabel {
		return nil, ErrNoVector
	}
	return e.Compute(in)
}
