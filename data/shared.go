package data

import (
	"context"
	"hash/maphash"
	"math"
)

// Shared says how many test rows have the logits of a calibration row.
type Shared struct {
	Rows int // test rows with the logits of a calibration row, each of which counts once
	Any  int // test rows with the logits of any calibration row

	Cal, Test int // rows of the sets
	Equal     int // calibration rows that have the logits of another calibration row
}

// All reports whether the test rows are the calibration rows, in any order.
func (s Shared) All() bool { return s.Rows == s.Cal && s.Rows == s.Test }

// Likely reports whether there are more than equal outputs explain. Networks with few different outputs,
// such as forests, nearest neighbours or rounded numbers, give many rows the same ones. Of rows of one
// kind without a common one, the share Any / Test estimates the same number as the share Equal / Cal: how
// likely another row has the output of a calibration row. It is more than chance where the difference is
// above six standard deviations, as if rows were independent, of the two shares: rows with a frequent
// output are not, and their shares vary more.
func (s Shared) Likely() bool {
	if s.Rows == 0 {
		return false
	}
	n, m := float64(s.Cal), float64(s.Test)
	equal, found := float64(s.Equal)/n, float64(s.Any)/m
	pooled := (float64(s.Equal) + float64(s.Any)) / (n + m)
	if s.Equal == 0 {
		pooled = 0 // no two rows are equal by chance
	}
	return found-equal > 6*math.Sqrt(pooled*(1-pooled)*(1/n+1/m))
}

// SharedRows counts the test rows that have the logits of a calibration row.
func SharedRows(ctx context.Context, cal, test Reader) (s Shared, err error) {
	rows := map[uint64]int{}
	seed := maphash.MakeSeed()
	if err := eachRowHash(ctx, cal, seed, func(h uint64) { rows[h]++ }); err != nil {
		return s, err
	}
	for _, n := range rows {
		if s.Cal += n; n > 1 {
			s.Equal += n
		}
	}
	err = eachRowHash(ctx, test, seed, func(h uint64) {
		s.Test++
		left, ok := rows[h]
		if ok {
			s.Any++
			rows[h] = left - 1
		}
		if left > 0 {
			s.Rows++
		}
	})
	return s, err
}

// hashedBytes is the memory of the block of rows that are hashed at a time.
const hashedBytes = 1 << 20

// eachRowHash calls do with a hash of each row of logits.
func eachRowHash(ctx context.Context, r Reader, seed maphash.Seed, do func(uint64)) error {
	return Blocks(ctx, r, hashedBytes, func(_ int, set *Set) error {
		var h maphash.Hash
		h.SetSeed(seed)
		for i := range set.Len() {
			h.Reset()
			if set.Confidence != nil {
				maphash.WriteComparable(&h, math.Float64bits(set.Confidence[i]))
				do(h.Sum64())
				continue
			}
			for _, v := range set.Logits.Row(i) {
				maphash.WriteComparable(&h, math.Float32bits(v))
			}
			do(h.Sum64())
		}
		return nil
	})
}
