// Package draws adds up the weights of rows in several resamples at a time: most of the time of
// bootstrap intervals.
//
// The portable function is the specification: sums of int64, which wrap around. The vector code in
// AVX2 multiplies the halves of each weight, and takes half of its time.
package draws

// Lanes is the number of resamples that are added up at a time. Most of the memory traffic is the
// order of the rows, which is read once for all of them.
const Lanes = 8

// Times is how often a row is drawn in each lane.
type Times [Lanes]uint8

// Sums returns, for each lane, the sum over j of the weight j times how often row place[j] is drawn.
// Every place must be below len(drawn): the vector code does not look. It panics if there are
// fewer weights than places.
func Sums(drawn []Times, place []uint16, weight []int64) [Lanes]int64 {
	weight = weight[:len(place)]
	if vector && len(place) > 0 {
		var sums [Lanes]int64
		sumsAVX2(&sums, &drawn[0], &place[0], &weight[0], len(place))
		return sums
	}
	return portable(drawn, place, weight)
}

// portable is Sums. The sums stay in registers because they are single variables of a small function.
//
//go:noinline
func portable(drawn []Times, place []uint16, weight []int64) [Lanes]int64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 int64
	for j, i := range place {
		t, w := &drawn[i], weight[j]
		s0 += int64(t[0]) * w
		s1 += int64(t[1]) * w
		s2 += int64(t[2]) * w
		s3 += int64(t[3]) * w
		s4 += int64(t[4]) * w
		s5 += int64(t[5]) * w
		s6 += int64(t[6]) * w
		s7 += int64(t[7]) * w
	}
	return [Lanes]int64{s0, s1, s2, s3, s4, s5, s6, s7}
}
