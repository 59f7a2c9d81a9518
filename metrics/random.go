package metrics

// Random draws are hashes of a seed and a position. Changing the streams below
// changes consistency bands and bootstrap intervals, so everything that uses them
// needs a new version.

// The uses of randomness: they get different numbers from one seed.
const (
	forBand      = 1
	forBootstrap = 2
	forFolds     = 3
)

const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio

// stream returns the start of the stream of draw r. Word i of the stream is
// mix(start + i golden): the splitmix64 generator of Steele, Lea and Flood (2014)
// read at any place, so that no draw depends on another.
func stream(seed, use uint64, r int) uint64 {
	return mix(mix(mix(seed)+use) + uint64(r))
}

// mix is the output function of splitmix64, a bijection.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
