package calib

import (
	"slices"

	"github.com/qats-bench/qats/data"
)

// lattice returns n rows of k logits, distinct within a row, that any language
// can make: whole numbers of 1/512 from -8 to 8. The label of a row is its top
// class the more often the larger the gap to the second, and else the second
// or the last. Reference vectors that come from Python are of this set,
//
//	z[i,j] = ((37*i + 1013*j + 131*i*j + 17*i*i*(j+1)) % 8191) / 512 - 8
//	order = np.argsort(-z[i], kind="stable"); gap = z[i,order[0]] - z[i,order[1]]
//	y[i] = order[0] if (29*i) % 100 < 30 + 12*gap else order[1 if i % 3 else k-1]
//
// with numpy 1.24.2, scipy 1.10.1 and scikit-learn 1.2.1.
func lattice(n, k int) *data.Set {
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		row := set.Logits.Row(i)
		order := make([]int32, k)
		for j := range row {
			row[j] = float32((37*i+1013*j+131*i*j+17*i*i*(j+1))%8191)/512 - 8
			order[j] = int32(j)
		}
		slices.SortFunc(order, func(a, b int32) int {
			if row[a] > row[b] {
				return -1
			}
			return 1
		})
		gap := float64(row[order[0]]) - float64(row[order[1]])
		switch {
		case float64((29*i)%100) < 30+12*gap:
			set.Labels[i] = order[0]
		case i%3 != 0:
			set.Labels[i] = order[1]
		default:
			set.Labels[i] = order[k-1]
		}
	}
	return set
}
