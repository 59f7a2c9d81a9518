package softmax

import "math/big"

// pow2 holds 2^(j/128) for j = 0..127 as its nearest float64 (head) and the
// relative rest: 2^(j/128) = head (1 + rest).
var pow2 = powersOfTwo()

// powersOfTwo computes pow2 with math/big, so that every processor has the same bits:
// 2^(1/128) is the square root of the square root of 2 and so on, seven times.
// TestTableIsExact checks every entry.
func powersOfTwo() (table [128]struct{ head, rest float64 }) {
	const precision = 200 // bits; head and rest have 106
	step := big.NewFloat(2).SetPrec(precision)
	for range 7 {
		step.Sqrt(step)
	}
	power, one := big.NewFloat(1).SetPrec(precision), big.NewFloat(1)
	for j := range table {
		head, _ := power.Float64()
		rest := new(big.Float).Quo(power, big.NewFloat(head))
		table[j].head = head
		table[j].rest, _ = rest.Sub(rest, one).Float64()
		power.Mul(power, step)
	}
	return table
}
