package fit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/qats-bench/qats/data"
)

// Folds parts the rows of a labelled set at random into so many parts, which
// differ by at most one row, and returns the part of each row. There are at
// most as many parts as rows.
//
// Chance is a hash of the seed, the gaps of a row to its largest logit, sorted,
// and the gap of its label. So a row is in the same part wherever it stands in
// the set, and neither the order of the classes nor an offset of the logits
// counts.
func Folds(set *data.Set, parts int, seed uint64) []int {
	gaps := make([]float64, set.Logits.Cols)
	order := ByHash(set.Logits.Rows, func(text []byte, i int) []byte {
		row := set.Logits.Row(i)
		most := float64(row[TopClass(row)])
		for j, l := range row {
			gaps[j] = float64(l) - most
		}
		text = binary.LittleEndian.AppendUint64(text, seed)
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(gaps[set.Labels[i]]))
		slices.Sort(gaps)
		for _, v := range gaps {
			text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
		}
		return text
	})
	part := make([]int, len(order))
	for at, row := range order {
		part[row] = at % parts
	}
	return part
}

// ByHash returns the rows 0..n-1 ordered by the hash of a text for each,
// which name appends to what it is given. Rows of equal texts keep their order.
func ByHash(n int, name func(text []byte, row int) []byte) []int {
	hashes := make([][sha256.Size]byte, n)
	order := make([]int, n)
	var text []byte
	for i := range order {
		text = name(text[:0], i)
		hashes[i] = sha256.Sum256(text)
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return bytes.Compare(hashes[a][:], hashes[b][:]) })
	return order
}

// Split returns the rows outside a part and those inside, copied: logits and
// labels alone.
func Split(set *data.Set, part []int, own int) (outside, inside *data.Set) {
	var out, in []int
	for i, p := range part {
		if p == own {
			in = append(in, i)
		} else {
			out = append(out, i)
		}
	}
	bare := set.View(data.Logits | data.Labels)
	return Pick(bare, out), Pick(bare, in)
}
