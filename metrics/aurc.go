package metrics

var aurcEntry = Entry{
	Name:      "aurc",
	Group:     Ranking,
	Outputs:   []Output{{"aurc", "AURC", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   2,
	Summary:   "mean over i of the error rate among the i most confident rows",

	Compute: value(AURC),
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		return [][]float64{aurcInfluence(s)}, nil
	},
}

// AURC returns the area under the risk-coverage curve, in [0, 1]. The errors of a tied
// block accrue evenly over it.
//
//   - Metric: aurc
//   - Formula: (1/n) sum over i of the error rate among the i most confident rows
//   - Reference: Geifman et al. 2019
//   - Compared with: numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: Tied rows are taken in random order, and the expectation is returned.
func AURC(s *Samples) float64 {
	n := s.Len()
	sum, wrong := 0.0, n-s.correct() // wrong: errors of more confidence
	for lo, hi := range s.ties(equal) {
		w := hi - lo - hitsOf(s.sorted[lo:hi])
		wrong -= w
		rate := float64(w) / float64(hi-lo)
		for i := 1; i <= hi-lo; i++ {
			sum += (float64(wrong) + float64(rate*float64(i))) / float64(n-hi+i)
		}
	}
	return sum / float64(max(1, n))
}

// aurcInfluence returns the influence of each row. With R the error rate among the samples
// that are accepted and C their share, a row of confidence c and error e adds R at c, and
// moves the rate of each sample of less confidence by (e - R)/C. In its own tied block it
// comes before a share of the places, in random order, and moves their rates in proportion.
func aurcInfluence(s *Samples) []float64 {
	n := s.Len()
	rows := make([]float64, n)
	// Sums over the places of a block: of R, of 1/C and of R/C, and of the last two with the share
	// of the block that is accepted.
	type block struct {
		lo, hi                             int
		rate, one, moved, ownOne, ownMoved float64
	}
	blocks := make([]block, 0, n)
	for lo, hi := range s.ties(equal) {
		blocks = append(blocks, block{lo: lo, hi: hi})
	}
	wrong := 0
	for j := len(blocks) - 1; j >= 0; j-- { // from the most confident
		b := &blocks[j]
		places := b.hi - b.lo
		w := places - hitsOf(s.sorted[b.lo:b.hi])
		for i := 1; i <= places; i++ {
			accepted, share := float64(n-b.hi+i), float64(i)/float64(places)
			rate := (float64(wrong) + float64(float64(w)*share)) / accepted
			b.rate += rate
			b.one += 1 / accepted
			b.moved += rate / accepted
			b.ownOne += share / accepted
			b.ownMoved += float64(share*rate) / accepted
		}
		wrong += w
	}
	one, moved := 0.0, 0.0 // over the blocks of less confidence
	for _, b := range blocks {
		for _, x := range s.sorted[b.lo:b.hi] {
			rows[x.row] = b.rate/float64(b.hi-b.lo) + float64((1-x.hit())*(one+b.ownOne)) - moved - b.ownMoved
		}
		one += b.one
		moved += b.moved
	}
	return rows
}
