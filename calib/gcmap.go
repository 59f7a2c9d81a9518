package calib

import (
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
)

// gcPartition is one partition of the rows into groups.
type gcPartition struct {
	W [][]float64 // groups x d
	T []float64   // groups
}

// parts writes the group of each row of features: argmax W h, the lowest index on
// ties. room has an element for each row.
func (p *gcPartition) parts(group []int, features data.Matrix, room []float64) {
	rows := linear.Rows{Data: features.Data, Width: features.Cols}
	most := make([]float64, len(group))
	for i := range most {
		group[i], most[i] = 0, math.Inf(-1)
	}
	for g, w := range p.W {
		linear.Dots(room, w, rows)
		for i, a := range room {
			if a > most[i] {
				group[i], most[i] = g, a
			}
		}
	}
}

// gcMap averages the temperatures of the groups that a row is in.
type gcMap struct {
	Width      int           `json:"features"` // d
	Partitions []gcPartition `json:"partitions"`
}

func (m gcMap) Check() error {
	if m.Width < 1 || len(m.Partitions) == 0 {
		return errors.New("no features or no partitions")
	}
	for u, p := range m.Partitions {
		if len(p.W) == 0 || len(p.W) != len(p.T) {
			return fmt.Errorf("partition %d: %d rows of W for %d temperatures", u, len(p.W), len(p.T))
		}
		for g, w := range p.W {
			if len(w) != m.Width {
				return fmt.Errorf("partition %d, group %d: %d weights for %d features", u, g, len(w), m.Width)
			}
			if err := CheckTemperature("T", p.T[g]); err != nil {
				return fmt.Errorf("partition %d, group %d: %w", u, g, err)
			}
		}
	}
	return nil
}

func (m gcMap) CheckSet(set *data.Set) error { return CheckWidth(set, m.Width) }

// Apply writes the mean over the partitions of softmax(l/T). If all partitions have
// the same temperature, the bits are those of ts. Every term has the same top class,
// and so has the sum, since rounding is monotone. If rounding makes a smaller logit
// tie with the top one, its class gets the float64 just below, as in softmax.Probs.
func (m gcMap) Apply(dst data.Probs, set *data.Set) {
	p := make([]float64, set.Logits.Cols)
	var temperatures []float64 // of one row, distinct
	var times []float64        // number of partitions with each
	var group [][]int          // of each partition, of the rows from lo on
	for i := range set.Logits.Rows {
		if i%fit.BlockRows == 0 {
			group = m.groups(set.Features.Slice(i, min(i+fit.BlockRows, set.Logits.Rows)))
		}
		temperatures, times = m.temperatures(temperatures[:0], times[:0], group, i%fit.BlockRows)
		row, q := set.Logits.Row(i), dst.Row(i)
		if len(temperatures) == 1 {
			tempered(q, row, 1/temperatures[0])
			continue
		}
		clear(q)
		for c, t := range temperatures {
			linear.Line(q, q, tempered(p, row, 1/t), times[c])
		}
		fit.KeepTop(q, row, float64(len(m.Partitions)))
	}
}

// groups returns the groups of some rows in every partition.
func (m gcMap) groups(features data.Matrix) [][]int {
	room := make([]float64, features.Rows)
	group := make([][]int, len(m.Partitions))
	for u := range m.Partitions {
		group[u] = make([]int, features.Rows)
		m.Partitions[u].parts(group[u], features, room)
	}
	return group
}

// temperatures appends the distinct temperatures of row i of groups, in the
// order of the partitions, and the number of partitions with each.
func (m gcMap) temperatures(t, times []float64, groups [][]int, i int) ([]float64, []float64) {
next:
	for u := range m.Partitions {
		own := m.Partitions[u].T[groups[u][i]]
		for c := range t {
			if t[c] == own {
				times[c]++
				continue next
			}
		}
		t, times = append(t, own), append(times, 1)
	}
	return t, times
}
