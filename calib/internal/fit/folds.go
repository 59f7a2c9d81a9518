package fit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/qats-bench/qats/data"
)

// Folds splits the rows of a labelled set at random into the given number of
// parts and returns the part of each row. Sizes of parts differ by at most one
// row. The number of parts must not exceed the number of rows.
//
// The random order is the order of a hash of the seed, the sorted gaps of the row to
// its largest logit, and the gap of its label. So the part of a row does not
// depend on its position in the set, on the order of the classes or on an offset
// of the logits.
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

// ByHash returns the rows 0..n-1 in the order of the SHA-256 of their texts.
// name appends the text of a row to the slice that it is given. Rows of equal
// texts keep their order.
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

// Split returns copies of the rows outside part own and of the rows inside it,
// with their logits and labels only.
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
