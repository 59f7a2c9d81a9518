package metrics

// Direction says which values of a metric are better; tables mark by it.
type Direction int

// Neutral metrics are reported but never ranked.
const (
	Neutral Direction = iota
	Lower
	Higher
)

// Input is what a metric is computed from.
type Input struct {
	Facts *Facts
	Bins  map[string][]Bin // what the binnings of Binnings yield, computed once per cell
	Seed  uint64           // identity of the test set; the same for every method
}

// Entry is one line of the registry: one computation and the metrics it
// yields.
type Entry struct {
	Name      string   // id in specs
	Outputs   []string // ids in results.csv; most entries yield one, their own name
	Label     string   // table heading
	Better    Direction
	Percent   bool // printed as per cent, two decimals
	Version   int  // raised whenever the values change; part of the cache key
	Summary   string
	Reference string

	// Compute returns one value per output. Facts have at least one row.
	Compute func(in Input) []float64
}

// Bin is one row of a reliability table, as in bins.csv.
type Bin struct {
	Lo, Hi float64 // range of confidence: (Lo, Hi] for equal width, least and largest member for equal mass
	N      int     // rows in the bin; an empty bin has Conf = Acc = 0
	Conf   float64 // mean confidence, in [0, 1]
	Acc    float64 // share of correct rows, in [0, 1]
}
