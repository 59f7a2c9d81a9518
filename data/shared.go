package data

import (
	"context"
	"hash/maphash"
	"math"
)

// SharedRows counts the test rows that have the logits of a calibration row; each
// calibration row counts once.
func SharedRows(ctx context.Context, cal, test Reader) (shared int, err error) {
	rows := map[uint64]int{}
	seed := maphash.MakeSeed()
	if err := eachRowHash(ctx, cal, seed, func(h uint64) { rows[h]++ }); err != nil {
		return 0, err
	}
	err = eachRowHash(ctx, test, seed, func(h uint64) {
		if rows[h]--; rows[h] >= 0 {
			shared++
		}
	})
	return shared, err
}

// hashedBytes is the memory of the block of rows that are hashed at a time.
const hashedBytes = 1 << 20

// eachRowHash calls do with a hash of each row of logits.
func eachRowHash(ctx context.Context, r Reader, seed maphash.Seed, do func(uint64)) error {
	return Blocks(ctx, r, hashedBytes, func(_ int, set *Set) error {
		var h maphash.Hash
		h.SetSeed(seed)
		for i := range set.Logits.Rows {
			h.Reset()
			for _, v := range set.Logits.Row(i) {
				maphash.WriteComparable(&h, math.Float32bits(v))
			}
			do(h.Sum64())
		}
		return nil
	})
}
