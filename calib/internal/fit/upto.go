package fit

// UpTo returns the number of elements of the increasing list at or below x. Most classes of a row have
// small probabilities, which are at the start of a list: the search begins there, and doubles its reach
// until it is beyond x.
func UpTo(list []float64, x float64) int {
	lo, hi := 0, 0 // list[:lo] is at or below x, list[hi:] above
	for hi < len(list) && !(list[hi] > x) {
		lo, hi = hi+1, 2*hi+1
	}
	for hi = min(hi, len(list)); lo < hi; {
		if middle := int(uint(lo+hi) >> 1); list[middle] > x {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	return lo
}
