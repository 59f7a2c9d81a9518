// Package splitmix has the generator SplitMix64 (Steele, Lea and Flood 2014), whose words can be
// read at any place: word i depends on the seed and on i, and not on the words before it. So no
// number depends on the order in which rows are read, or on the number of workers.
package splitmix

// Golden is the distance of the states of two words that follow each other: 2^64 over the golden
// ratio.
const Golden = 0x9e3779b97f4a7c15

// Mix returns the word of a state. It is a bijection. The first word of a seed is
// Mix(seed + Golden), and word i, counted from 1, is Mix(seed + i Golden).
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
