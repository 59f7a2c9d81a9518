package metrics

import "math"

// Rows of one group, such as the images of a patient or the copies that a weight makes of a row, are drawn together:
//
//   - A bootstrap draws as many groups as there are. A resample has another number of rows, so every metric is computed anew.
//   - An influence is summed over each group, so a standard deviation is that of sums of groups.
//   - Folds are of groups.
//   - A consistency band gives the rows of a group one uniform number. Copies of a row then have one label, and so much
//     dependence is the most that other rows can have.
//   - Right and wrong predictions, where intervals take some of each, are counted by group.

// groups returns the group of each row; nil if each row is one of its own.
func (s *Samples) groups() []int32 {
	if s.scores == nil {
		return nil
	}
	return s.scores.Group
}

// Groups returns the number of groups; the number of rows if each row is one of its own.
func (s *Samples) Groups() int {
	if s.groups() == nil {
		return s.Len()
	}
	return groupCount(s.groups())
}

// groupCount returns the number of groups, which are numbered from 0 on, not always without gaps.
func groupCount(group []int32) int {
	n := 0
	for _, k := range rowsOf(group) {
		if k > 0 {
			n++
		}
	}
	return n
}

// rowsOf returns the number of rows of each group.
func rowsOf(group []int32) []int {
	var rows []int
	for _, g := range group {
		for int(g) >= len(rows) {
			rows = append(rows, 0)
		}
		rows[g]++
	}
	return rows
}

// clustered returns numbers that vary as those of the groups do, for numbers of n rows whose mean is of interest. With S_g the sum
// and n_g the number of rows of group g of G, and m the mean of all rows, they are
//
//	G/n (S_g - n_g m) + m
//
// Their mean is m, and their variance over G is the cluster-robust one of m. Without groups they are the
// numbers themselves.
func clustered(d []float64, group []int32) []float64 {
	if group == nil {
		return d
	}
	mean := 0.0
	for _, x := range d {
		mean += x
	}
	mean /= float64(len(d))
	rows := rowsOf(group)
	sums := make([]float64, len(rows))
	for i, x := range d {
		sums[group[i]] += x - mean
	}
	factor, out := float64(groupCount(group))/float64(len(d)), sums[:0]
	for g, s := range sums {
		if rows[g] > 0 {
			out = append(out, float64(factor*s)+mean)
		}
	}
	return out
}

// independent returns how many independent rows have a share with the standard deviation that this one has by groups: at
// most the rows, and the groups where it has none.
func independent(share float64, d []float64, group []int32) int {
	if group == nil {
		return len(d)
	}
	by := clustered(d, group)
	if len(by) < 2 {
		return 1
	}
	deviation, _ := moments(by)
	if deviation == 0 {
		return len(by)
	}
	g := float64(len(by))
	n := float64(share*(1-share)) / float64(deviation*deviation) * float64(g*g/(g-1))
	return int(math.Round(min(max(n, 1), float64(len(d)))))
}

// sumsOf returns the sum over groups of the squared sums of residuals in a list of samples, and that of the squared numbers
// of rows; without groups the sum of squares and the number of rows.
func (s *Samples) sumsOf(list []sample, residual func(sample) float64) (squares, rows float64) {
	group := s.groups()
	sums, counts := map[int32]float64{}, map[int32]float64{}
	var order []int32 // of the groups, so that the sum has one order
	for _, x := range list {
		g := group[x.row]
		if counts[g] == 0 {
			order = append(order, g)
		}
		sums[g] += residual(x)
		counts[g]++
	}
	for _, g := range order {
		squares += float64(sums[g] * sums[g])
		rows += float64(counts[g] * counts[g])
	}
	return squares, rows
}

// groupsWith returns the number of groups that have a row for which is holds, and of those that have one for which it
// does not.
func groupsWith(group []int32, is func(row int) bool) (with, without int) {
	seen := make([][2]bool, len(rowsOf(group)))
	for row, g := range group {
		at := 0
		if is(row) {
			at = 1
		}
		if !seen[g][at] {
			seen[g][at] = true
			with += at
			without += 1 - at
		}
	}
	return with, without
}
